"""ReG@Path: a planner writes relation paths, the graph holds it to those it has (ReG section 4, eq. 35, App. E)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from retrieval.errors import CheckpointError, ConfigError
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.relation_names import format_qualified_name
from retrieval.linking.features import Trainable
from retrieval.linking.questions import read_each
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.reg_path.language_planner import LanguageBackend, LanguagePlanner
from retrieval.methods.reg_path.model import RelationVocabulary, SmallPlanner
from retrieval.methods.reg_path.plans import PlanOptions, PlanWriter, search
from retrieval.methods.reg_path.spec import SPEC, RegPathConfig, RegPathOptions
from retrieval.nn.query import EncodedQuestions
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.types import RelationPath


class Planner(Protocol):
    """A trained planner: the small one, or a language model."""

    def make_writer(self, questions: Sequence[str]) -> PlanWriter:
        """What it writes about these questions, as seen from their topics."""
        ...


class RegPathRetriever(RankingRetriever):
    """Relation paths by a beam over what a planner writes, reasoning paths along them.

    Args:
        checkpoint: opened for this method and encoder.
        snapshot: the graph; it need not be the one trained on.
        planner: of this checkpoint, for the relations of this graph.
    """

    def __init__(self, checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, planner: Planner) -> None:
        super().__init__(
            snapshot,
            encoder,
            method=SPEC.name,
            checkpoint=checkpoint.manifest.fingerprint,
            simple=checkpoint.manifest.simple,
            least_support=checkpoint.get_least_support(snapshot.hash),
            learned_support=checkpoint.manifest.least_support,
        )
        self.max_hops = get_config(checkpoint).max_hops
        self.mask_names = get_config(checkpoint).mask_names
        self.planner = planner

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``."""
        options = self.options
        assert isinstance(options, RegPathOptions), "options are parsed for this method"
        writer = self.planner.make_writer(texts)
        ranked = search(
            self.snapshot,
            topics,
            writer,
            simple=self.simple,
            max_hops=self.max_hops,
            width=options.beam,
            cancelled=cancelled,
        )
        if not isinstance(writer, SmallWriter):
            return ranked
        return [
            [replace(path, support=writer.compute_support(row, path)) for path in paths]
            for row, paths in enumerate(ranked)
        ]


def get_config(checkpoint: OpenCheckpoint) -> RegPathConfig:
    """The checkpoint's settings, of this method's class."""
    assert isinstance(checkpoint.config, RegPathConfig), "a checkpoint is read for its own method"
    return checkpoint.config


def write_relation_texts(snapshot: Snapshot) -> list[str]:
    """The text of each relation, [R]: with the type it belongs to, where its name says that."""
    return [format_qualified_name(snapshot.get_relation_name(r)) for r in range(snapshot.num_relations)]


def make_model(config: RegPathConfig, encoder: TextEncoder, *, tune: bool) -> SmallPlanner:
    """A planner of these settings, initialised.

    Raises:
        ConfigError: the encoder is to be tuned and cannot be.
    """
    copy = None
    if tune:
        if not isinstance(encoder, Trainable):
            raise ConfigError(f"The text encoder {encoder.name} cannot be trained.", hint='Set "tune_encoder" to "no".')
        copy = encoder.make_trainable()
    return SmallPlanner(encoder.dim, config.hidden, config.dropout, words=config.words, encoder=copy)


class SmallBackend:
    """The small planner as a ``Planner``.

    Args:
        model: in evaluation mode.
    """

    def __init__(self, model: SmallPlanner, snapshot: Snapshot, encoder: TextEncoder) -> None:
        self.model = model
        self.encoder = encoder
        with torch.inference_mode():
            self.vocabulary = model.build_vocabulary(torch.from_numpy(encoder.encode(write_relation_texts(snapshot))))

    def make_writer(self, questions: Sequence[str]) -> PlanWriter:
        """See ``Planner``."""
        with torch.inference_mode():
            if self.model.encoder is not None:
                texts = self.model.encode(questions)
            else:
                texts = read_each(self.encoder, questions, words=self.model.words)
            return SmallWriter(self.model, self.vocabulary, self.model.read(texts))


class SmallWriter:
    """Remembers the memory of each plan, so that a level costs one step."""

    def __init__(self, model: SmallPlanner, vocabulary: RelationVocabulary, questions: EncodedQuestions) -> None:
        self.model, self.vocabulary, self.asked = model, vocabulary, questions
        self.under = model.start_plans(questions)
        self.places: dict[tuple[int, tuple[int, ...]], int] = {(row, ()): row for row in range(len(questions.z_q))}
        #: Log of the share that what the graph allows has of all that the planner would write, up to each plan.
        self.allowed: dict[tuple[int, tuple[int, ...]], float] = {}

    @torch.inference_mode()
    def score_options(self, options: Sequence[PlanOptions]) -> list[np.ndarray]:
        """See ``plans.PlanWriter``."""
        first = not options[0].prefix
        if not first:
            before = [self.places[each.row, each.prefix[:-1]] for each in options]
            took = self.vocabulary.taken[[each.prefix[-1] for each in options]]
            self.under = self.model.append_relations(self.asked, self.under.select_plans(torch.tensor(before)), took)
            self.places = {(each.row, each.prefix): i for i, each in enumerate(options)}
        choice = self.model.score_continuations(self.asked, self.under, self.vocabulary)
        scores = choice.relations.double().numpy()
        backward = choice.backward.double().numpy()
        stop = choice.stop.double().numpy()
        logs = []
        for each in options:
            i = self.places[each.row, each.prefix]
            end = float(stop[i]) if each.may_stop else -np.inf
            logs.append(log_options(scores[i], backward[i], end, each.relations))
            names = np.unique(each.relations % scores.shape[1])
            everything = np.append(scores[i], -np.inf if first else stop[i])
            so_far = self.allowed.get((each.row, each.prefix[:-1]), 0.0)
            share = _compute_logsumexp(np.append(scores[i][names], end)) - _compute_logsumexp(everything)
            self.allowed[each.row, each.prefix] = so_far + share
        return logs

    def compute_support(self, row: int, path: RelationPath) -> float:
        """Log-probability of a finished plan among all plans, those that the graph does not allow too."""
        prefix = path.relations if (row, path.relations) in self.allowed else path.relations[:-1]
        return float(np.log(path.score)) + self.allowed[row, prefix]


def _compute_logsumexp(values: np.ndarray) -> float:
    top = float(values.max())
    return top + float(np.log(np.exp(values - top).sum())) if np.isfinite(top) else -np.inf


def log_options(scores: np.ndarray, backward: np.ndarray, stop: float, options: np.ndarray) -> np.ndarray:
    """p(relation) p(direction | relation), both over what is allowed only.

    Args:
        scores: of relations, [R].
        backward: log-odds of walking backward, [R].
        stop: score of stopping, -inf where that is not allowed.
        options: directed relations allowed, ascending, [k].

    Returns:
        Log-probabilities of the options and of stopping, [k+1].
    """
    total = len(scores)
    names = options % total
    distinct, place, ways = np.unique(names, return_inverse=True, return_counts=True)
    chosen = np.append(scores[distinct], stop)
    top = chosen.max()
    if not np.isfinite(top):
        return np.full(len(options) + 1, -np.inf)
    logs = chosen - top - np.log(np.exp(chosen - top).sum())
    sign = np.where(options >= total, 1.0, -1.0)
    direction = np.where(ways[place] == 2, -np.logaddexp(0.0, -sign * backward[names]), 0.0)
    result: np.ndarray = np.append(logs[place] + direction, logs[-1])
    return result


def build_model(checkpoint: OpenCheckpoint) -> SmallPlanner:
    """The small planner of a checkpoint's settings, initialised, over the encoder as it is."""
    config = get_config(checkpoint)
    return SmallPlanner(checkpoint.manifest.text_features, config.hidden, config.dropout, words=config.words)


def load_model(checkpoint: OpenCheckpoint, encoder: TextEncoder) -> SmallPlanner:
    """The checkpoint's small planner, in evaluation mode.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """
    tuned = any(name.startswith("encoder.") for name in checkpoint.weights)
    model = make_model(get_config(checkpoint), encoder, tune=tuned)
    try:
        model.load_state_dict(checkpoint.weights)
    except RuntimeError as error:
        raise CheckpointError("The checkpoint's weights do not fit its settings.", hint="Train again.") from error
    return model.eval()


def open_planner(checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder) -> Planner:
    """The planner of a checkpoint, whichever its backend.

    Raises:
        CheckpointError: the weights do not fit the settings.
        ConfigError: the backend is a language model, and what it needs is not there.
    """
    config = get_config(checkpoint)
    if config.backend == "small":
        return SmallBackend(load_model(checkpoint, encoder), snapshot, encoder)
    model = LanguagePlanner(config)
    try:
        model.load_state_dict(checkpoint.weights)
    except RuntimeError as error:
        raise CheckpointError(
            f"The checkpoint's adapters do not fit the language model {config.llm}.",
            hint="Put the language model back that it was trained with, or train again.",
        ) from error
    model.eval()
    return LanguageBackend(model, snapshot)


def open_retriever(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path
) -> RegPathRetriever:
    """A checkpoint of ``reg-path`` on a graph, which need not be the one trained on."""
    del cache
    return RegPathRetriever(checkpoint, snapshot, encoder, open_planner(checkpoint, snapshot, encoder))
