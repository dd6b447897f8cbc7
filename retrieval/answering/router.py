"""The router: simple questions are answered from passages, the others in the graph (INSES, Algorithm 2)."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from retrieval.answering import inses, paths
from retrieval.answering import text as text_rag
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import PipelineRun
from retrieval.config import parse_pairs
from retrieval.errors import ConfigError, LLMError
from retrieval.events import AnswerDelta, AnswerFinal, Event, RouterDecided
from retrieval.methods import registry
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.router.deciders import Complexity, Decider, LLMDecider, TrainedDecider, WordingDecider
from retrieval.methods.router.spec import SPEC, RouterOptions
from retrieval.reasoning.base import Reasoner
from retrieval.reasoning.llm import NAME as LLM
from retrieval.training.manifest import read_manifest
from retrieval.types import Usage

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.answering.parts import Opening
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot

NO_PASSAGES = "The graph has no passages."
NO_FACTS = "The graph has no facts."


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """The methods that the router chooses between; None where the graph does not hold what one needs."""

    text: str | None
    graph: str | None


@dataclass(slots=True)
class _Spent:
    """What was paid and went wrong before the part that answers."""

    usage: Usage
    warnings: tuple[str, ...] = ()

    def add_costs(self, final: AnswerFinal) -> AnswerFinal:
        """The end of the part, with what came before it."""
        return replace(final, usage=final.usage.add(self.usage), warnings=(*self.warnings, *final.warnings))


class RouterAnswerer(Answerer):
    """Chooses between an answerer that reads passages and one that searches the graph.

    Args:
        text: answers from passages; None where there are none.
        graph: answers from facts; None where there are none.
        decider: tells simple questions from complex ones.
        encoder: name of the text encoder, for the record.
        checkpoint: fingerprint of the one that it was opened with, which is the decider's or the graph method's.
        options: see :class:`RouterOptions`.
    """

    def __init__(
        self,
        text: Answerer | None,
        graph: Answerer | None,
        decider: Decider,
        reasoner: Reasoner,
        *,
        encoder: str = "",
        checkpoint: str | None = None,
        options: RouterOptions | None = None,
    ) -> None:
        part = text or graph
        assert part is not None, "a graph holds passages or facts"
        self.snapshot = part.snapshot
        self.text, self.graph = text, graph
        self.decider = decider
        self.reasoner = reasoner
        self.encoder = encoder
        self._checkpoint = checkpoint
        self.settings = RouterSettings(*(str(each.method) if each else None for each in (text, graph)))
        self._options = options or RouterOptions()

    @property
    def method(self) -> str:
        """``router``."""
        return SPEC.name

    @property
    def checkpoint(self) -> str | None:
        """The decider's or the graph method's."""
        return self._checkpoint

    @property
    def options(self) -> RouterOptions:
        """See :class:`RouterOptions`."""
        return self._options

    @property
    def prompts(self) -> dict[str, str]:
        """Those of the parts and of the decider, where it has something to decide."""
        merged: dict[str, str] = dict(self.decider.prompts) if self.text and self.graph else {}
        for part in (self.text, self.graph):
            merged |= part.prompts if part else {}
        return merged

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Answerer.apply_restriction`."""
        other = copy(self)
        other.snapshot = snapshot
        other.text = self.text.apply_restriction(snapshot) if self.text else None
        other.graph = self.graph.apply_restriction(snapshot) if self.graph else None
        return other

    def copy_without_model(self) -> Self:
        """See :meth:`Answerer.copy_without_model`."""
        other = super().copy_without_model()
        other.text = self.text.copy_without_model() if self.text else None
        other.graph = self.graph.copy_without_model() if self.graph else None
        if isinstance(self.decider, LLMDecider):
            other.decider = WordingDecider()
        return other

    def copy_for_retrieval(self) -> Self:
        """See :meth:`Answerer.copy_for_retrieval`."""
        other = super().copy_for_retrieval()
        other.text = self.text.copy_for_retrieval() if self.text else None
        other.graph = self.graph.copy_for_retrieval() if self.graph else None
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Answerer.answer`. The events of the part that answers, after ``router.decided``.

        Passages that are not confident enough make a second ``router.decided``, which has their confidence;
        their answer is not given.
        """
        run.check()
        if self.text is None or self.graph is None:
            only = self.text or self.graph
            assert only is not None, "one of them is there"
            yield RouterDecided(str(only.method), NO_PASSAGES if self.graph else NO_FACTS, {}, 0.0)
            yield from only.answer(run)
            return
        began = time.perf_counter()
        spent = _Spent(Usage())
        complexity = self._ask_decider(run, spent)
        chosen = self.graph if complexity.multi_hop else self.text
        yield RouterDecided(str(chosen.method), complexity.why, dict(complexity.scores), run.measure_ms(began))
        run.check()
        if chosen is self.text:
            escalated = yield from self._read(run, self.text, str(self.graph.method), spent)
            if not escalated:
                return
            run.check()
        for event in self.graph.answer(run):
            yield spent.add_costs(event) if isinstance(event, AnswerFinal) else event

    def _ask_decider(self, run: PipelineRun, spent: _Spent) -> Complexity:
        """The decider's word; the wording's when a language model fails, and a warning."""
        try:
            complexity = self.decider.decide(run.request.question, cancelled=run.cancelled)
        except LLMError as error:
            warning = f"{error.message} {error.hint} The wording of the question chose the method instead."
            spent.warnings = (warning.replace("  ", " "),)
            return WordingDecider().decide(run.request.question)
        spent.usage = complexity.usage
        return complexity

    def _read(self, run: PipelineRun, text: Answerer, graph: str, spent: _Spent) -> Generator[Event, None, bool]:
        """Answer from passages; an answer that is not confident enough is held back.

        Returns:
            Whether the graph is to be asked.
        """
        began = time.perf_counter()
        held: list[AnswerDelta] = []
        for event in text.answer(run):
            if isinstance(event, AnswerDelta):
                held.append(event)
            elif not isinstance(event, AnswerFinal):
                yield event
            else:
                confidence = max((answer.score for answer in event.answers), default=0.0)
                least = self.options.confidence
                if confidence > least:
                    yield from held
                    yield spent.add_costs(event)
                    return False
                why = f"The passages answer with confidence {confidence:.2f}; more than {least:.2f} is needed."
                yield RouterDecided(graph, why, {"confidence": confidence, "needed": least}, run.measure_ms(began))
                spent.usage = spent.usage.add(event.usage)
                spent.warnings += event.warnings
        return True


def open_answerer(opening: Opening) -> RouterAnswerer:
    """The answerer of ``router``.

    Beside passages the graph is searched by INSES; alone by relation paths, which without a language model do better
    at two hops and as well at three (docs/router.md). A checkpoint of ``router`` decides; one of another method takes
    the place of either.

    Raises:
        ConfigError: an option is wrong, or a language model is asked for and none is configured.
        CheckpointError: the checkpoint cannot be opened.
        NotIndexedError: INSES is needed, and the graph's names or passages are not indexed yet.
    """
    spec, parts = opening.spec, opening.parts
    options = registry.parse_options(SPEC.name, dict(spec.options))
    assert isinstance(options, RouterOptions), "what its method has"
    has_text, has_facts = parts.snapshot.passages is not None, parts.snapshot.num_triples > 0
    manifest = read_manifest(spec.checkpoint) if spec.checkpoint else None
    graph_method = manifest.method if manifest and manifest.method != SPEC.name else None
    graph: Answerer | None = None
    if has_facts and graph_method:
        graph = paths.open_answerer(_make_opening(opening, graph_method, options.graph, spec.checkpoint))
    elif has_facts and has_text:
        graph = inses.open_answerer(_make_opening(opening, "inses", options.graph))
    elif has_facts:
        graph = paths.open_answerer(_make_opening(opening, registry.DEFAULT, options.graph, spec.asked_with))
    text = text_rag.open_answerer(_make_opening(opening, "text-rag", options.text)) if has_text else None
    return RouterAnswerer(
        text,
        graph,
        _make_decider(opening, options, trained=manifest is not None and graph_method is None),
        opening.reasoner,
        encoder=parts.encoder.name,
        checkpoint=manifest.fingerprint if manifest else None,
        options=options,
    )


def _make_opening(opening: Opening, method: str, options: str, checkpoint: Path | None = None) -> Opening:
    """What an answerer between which is chosen is opened with: its own settings, as the router's name them."""
    settings = parse_pairs(part for part in options.split(",") if part.strip())
    return replace(opening, spec=replace(opening.spec, method=method, checkpoint=checkpoint, options=settings))


def _make_decider(opening: Opening, options: RouterOptions, *, trained: bool) -> Decider:
    """As the options say; ``auto`` takes the best there is.

    Args:
        trained: the checkpoint is of ``router``.
    """
    chosen, checkpoint = options.decider, opening.spec.checkpoint
    if chosen == "trained" or (chosen == "auto" and trained):
        if checkpoint is None or not trained:
            raise ConfigError(
                "The decider trained needs a checkpoint of router.",
                hint="Train one (train router) and give it, or choose the decider wording.",
            )
        encoder = opening.parts.encoder
        return TrainedDecider(open_checkpoint(checkpoint, method=SPEC.name, encoder=encoder.name), encoder)
    if chosen == "wording" or (chosen == "auto" and opening.reasoner.name != LLM):
        return WordingDecider()
    if opening.llm is None:
        raise ConfigError(
            "No language model is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or choose the decider wording.",
        )
    return LLMDecider(opening.llm)
