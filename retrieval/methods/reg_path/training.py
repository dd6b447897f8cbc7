"""The task of ReG@Path's small planner: the likelihood of relation paths (ReG eq. 35)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from retrieval.config import TrainingConfig
from retrieval.errors import TrainingDataError, check
from retrieval.linking.features import Trainable
from retrieval.linking.questions import QuestionTexts
from retrieval.methods.reg_path.language_training import LanguageTask
from retrieval.methods.reg_path.model import RelationVocabulary, SmallPlanner
from retrieval.methods.reg_path.plan_batches import (
    PATHS,
    Planned,
    compute_plan_loss,
    draw,
    from_labels,
    from_relation_paths,
)
from retrieval.methods.reg_path.retriever import (
    RegPathRetriever,
    make_model,
    open_planner,
    write_relation_texts,
)
from retrieval.methods.reg_path.spec import RegPathConfig
from retrieval.nn.query import EncodedQuestions, Texts
from retrieval.retriever import Retriever
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.recipe import Splits, Task, Work

_MANY_RELATIONS = 1000
_DEV_EXAMPLES = 1024
_TEMPERATURES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
_DEV_BATCH = 128
#: Share of the questions that are read as written, for mentions that are not found when asking: of those whose paths'
#: directions are known, and of the others.
_AS_WRITTEN, _UNMARKED = 0.1, 0.5
#: With a frozen encoder so many of the former, at most, are encoded as written too, since each is a text of its own.
#: They are read so the more often, up to this share.
_WRITTEN, _MOST = 2000, 0.5


class PlanTask:
    """See ``recipe.Task``.

    Args:
        train: at least one example.
        dev: for the score; the training examples again when empty.
    """

    score_name = "dev_path_accuracy"
    entity_texts = False

    def __init__(self, work: Work, config: RegPathConfig, train: Sequence[Planned], dev: Sequence[Planned]) -> None:
        self.work = work
        self.config = config
        self.train = train
        self.dev = dev or train
        self.size = len(train)
        self.model = make_model(config, work.encoder, tune=should_tune_encoder(config, work))
        self.relations = torch.from_numpy(work.encoder.encode(write_relation_texts(work.snapshot)))
        frozen = self.model.encoder is None
        self._as_written = compute_written_shares(
            [example.marked for example in train], _WRITTEN if frozen else len(train)
        )
        if not frozen:
            return
        texts = dict.fromkeys(example.masked for example in (*train, *self.dev))
        texts |= dict.fromkeys(example.written for example, u in zip(train, self._as_written, strict=True) if u)
        self._rows = {text: row for row, text in enumerate(texts)}
        self._texts = QuestionTexts.encode(
            work.encoder, list(texts), words=config.words, progress=work.progress, cancelled=work.cancelled
        )

    def list_parameter_groups(self) -> list[dict[str, Any]]:
        """See ``recipe.Rated``."""
        return self.model.list_parameter_groups(self.config.learning_rate, self.config.encoder_rate)

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Mean negative log-likelihood of the questions' relation paths."""
        examples = [self.train[int(i)] for i in chosen]
        plain = rng.random(len(examples))
        texts = self._read(
            [
                example.written if u < share else example.masked
                for example, u, share in zip(examples, plain, self._as_written[chosen], strict=True)
            ]
        )
        if texts.words is not None:
            blank = torch.from_numpy(rng.random(texts.words.shape[:2]) < self.config.word_dropout)
            texts = Texts(texts.vectors, texts.words.masked_fill(blank.unsqueeze(2), 0.0), texts.lengths)
        drawn = [draw(example.paths, rng) for example in examples]
        logs, owner = compute_path_logs(
            self.model, self.model.build_vocabulary(self.relations), self.model.read(texts),
            drawn, [example.marked for example in examples],
        )  # fmt: skip
        judged = torch.tensor([example.marked for example in examples]) | (self.config.pooling == "all")
        return compute_plan_loss(logs, owner, judged)

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Share of dev questions whose most probable plan, step by step, is one of theirs.

        On the way the temperature is set at which the planner is least surprised by the dev questions' paths.
        """
        self.model.eval()
        vocabulary = self.model.build_vocabulary(self.relations)
        count = min(len(self.dev), _DEV_EXAMPLES)
        taken = np.arange(count) * len(self.dev) // max(count, 1)
        right, surprise = 0, np.zeros(len(_TEMPERATURES))
        for start in range(0, count, _DEV_BATCH):
            check(cancelled)
            examples = [self.dev[int(i)] for i in taken[start : start + _DEV_BATCH]]
            questions = self.model.read(self._read([example.masked for example in examples]))
            plans = predict_plans(self.model, vocabulary, questions, self.config.max_hops)
            total = len(self.relations)
            right += sum(
                (plan if example.marked else tuple(r % total for r in plan)) in example.paths
                for example, plan in zip(examples, plans, strict=True)
            )
            surprise += len(examples) * self._compute_surprise(vocabulary, questions, examples)
        self.model.temperature.fill_(_TEMPERATURES[int(np.argmin(surprise))])
        return right / max(count, 1)

    def _compute_surprise(
        self, vocabulary: RelationVocabulary, questions: EncodedQuestions, examples: Sequence[Planned]
    ) -> np.ndarray:
        """Negative log-likelihood that any of a question's paths is planned, at each temperature tried."""
        paths, marked = (
            [example.paths[:PATHS] for example in examples],
            [example.marked for example in examples],
        )
        losses = []
        for temperature in _TEMPERATURES:
            self.model.temperature.fill_(temperature)
            logs, owner = compute_path_logs(self.model, vocabulary, questions, paths, marked)
            losses.append(float(compute_plan_loss(logs, owner, torch.zeros(len(examples), dtype=torch.bool))))
        return np.array(losses)

    def compute_fingerprint(self) -> bytes:
        """Digest of the examples."""
        return hashlib.sha256(repr(list(self.train)).encode()).digest()

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """The trained retriever; nothing is kept in ``cache``."""
        del cache
        snapshot, encoder = self.work.snapshot, self.work.encoder
        return RegPathRetriever(checkpoint, snapshot, encoder, open_planner(checkpoint, snapshot, encoder))

    def _read(self, texts: Sequence[str]) -> Texts:
        if self.model.encoder is not None:
            return self.model.encode(texts)
        return self._texts.select_rows(np.array([self._rows[text] for text in texts]))


def compute_written_shares(marked: Sequence[bool], most: int) -> np.ndarray:
    """How often each of n questions is read as written, names and all, float [n].

    Args:
        marked: the directions of its paths are known.
        most: of those so many at most, spread evenly, are read as written at all.
    """
    shares = np.where(marked, 0.0, _UNMARKED)
    those = np.flatnonzero(marked)
    if len(those):
        few = those[np.arange(min(most, len(those))) * len(those) // min(most, len(those))]
        shares[few] = min(_MOST, _AS_WRITTEN * len(those) / len(few))
    return shares


def should_tune_encoder(config: RegPathConfig, work: Work) -> bool:
    """Whether the text encoder is trained along."""
    many = work.snapshot.num_relations >= _MANY_RELATIONS
    able = isinstance(work.encoder, Trainable)
    return config.tune_encoder == "yes" or (config.tune_encoder == "auto" and many and able)


def compute_path_logs(
    model: SmallPlanner,
    vocabulary: RelationVocabulary,
    questions: EncodedQuestions,
    paths: Sequence[Sequence[tuple[int, ...]]],
    marked: Sequence[bool],
) -> tuple[Tensor, Tensor]:
    """Log-likelihood of relation paths and of their ends (eq. 35), over all relations of the graph.

    Args:
        vocabulary: R relations.
        paths: of each question; directed ids where ``marked``, else plain ones, whose directions are summed out
            (the two directions of a relation are read alike then).
        marked: of each question.

    Returns:
        ``(log-likelihood, question)`` of each of m paths, [m].
    """
    total = len(vocabulary.texts)
    owner = [i for i, question_paths in enumerate(paths) for _ in question_paths]
    flat = [path for question_paths in paths for path in question_paths]
    logs = questions.z_q.new_zeros(len(flat))
    under = model.start_plans(questions)
    places: dict[tuple[int, tuple[int, ...]], int] = {(i, ()): i for i in range(len(paths))}
    for step in range(max(len(path) for path in flat) + 1):
        choice = model.score_continuations(questions, under, vocabulary)
        steps = choice.compute_logs(first=step == 0)
        live = [k for k, path in enumerate(flat) if len(path) >= step]
        positions = torch.tensor([places[owner[k], flat[k][:step]] for k in live])
        wanted = [flat[k][step] if len(flat[k]) > step else -1 for k in live]
        names = torch.tensor([w % total if w >= 0 else total for w in wanted])
        gained = steps[positions, names]
        back = choice.backward[positions, names.clamp(max=total - 1)]
        sign = torch.tensor([1.0 if w >= total else -1.0 for w in wanted])
        known = torch.tensor([w >= 0 and marked[owner[k]] for k, w in zip(live, wanted, strict=True)])
        gained = gained + known * functional.logsigmoid(sign * back)
        logs = logs.index_add(0, torch.tensor(live), gained)
        further = sorted({(owner[k], flat[k][: step + 1]) for k in live if len(flat[k]) > step})
        if not further:
            break
        before = torch.tensor([places[row, prefix[:-1]] for row, prefix in further])
        took = vocabulary.taken[torch.tensor([prefix[-1] for _, prefix in further])]
        under = model.append_relations(questions, under.select_plans(before), took)
        places = {key: i for i, key in enumerate(further)}
    return logs, torch.tensor(owner)


def predict_plans(
    model: SmallPlanner, vocabulary: RelationVocabulary, questions: EncodedQuestions, hops: int
) -> list[tuple[int, ...]]:
    """The most probable step after step for each question, whatever any graph allows; directed relations."""
    total = len(vocabulary.texts)
    plans: list[tuple[int, ...]] = [()] * len(questions.z_q)
    under = model.start_plans(questions)
    open_ = torch.ones(len(plans), dtype=torch.bool)
    for step in range(hops):
        choice = model.score_continuations(questions, under, vocabulary)
        best = choice.compute_logs(first=step == 0).argmax(1)
        open_ &= best < total
        names = best.clamp(max=total - 1)
        way = choice.backward.gather(1, names.unsqueeze(1)).squeeze(1) > 0
        relations = names + total * way
        for i in torch.nonzero(open_).flatten().tolist():
            plans[i] = (*plans[i], int(relations[i]))
        under = model.append_relations(questions, under, vocabulary.taken[relations])
    return plans


def make_task(work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool) -> Task:
    """See ``recipe.Recipe``.

    Raises:
        TrainingDataError: no training question has a usable relation path.
    """
    del simple
    assert isinstance(config, RegPathConfig)
    hops, masks, graph = config.max_hops, config.mask_names, work.snapshot
    train = from_labels(graph, splits.train, labels, max_hops=hops, mask_names=masks)
    dev = from_labels(graph, splits.dev, labels, max_hops=hops, mask_names=masks)
    train += from_relation_paths(graph, splits.planned, max_hops=hops, mask_names=masks, cancelled=work.cancelled)
    if not dev:
        dev = from_relation_paths(graph, splits.planned_dev, max_hops=hops, mask_names=masks, cancelled=work.cancelled)
    if not train:
        raise TrainingDataError(
            f"None of the {len(splits.train) + len(splits.planned)} training questions has a relation path of at "
            f"most {hops} hops that this graph can spell.",
            hint="Give a larger max_hops, or a question set that belongs to this graph.",
        )
    if config.backend == "llm":
        return LanguageTask(work, config, train, dev)
    return PlanTask(work, config, train, dev)
