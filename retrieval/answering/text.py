"""Answering from passages (INSES, App. F: naive RAG): find the passages, read them, cite sentences."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from retrieval.answering.decomposition_steps import stream_decomposition
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import PipelineRun
from retrieval.errors import LLMError
from retrieval.events import AnswerDelta, Event, PassagesRetrieved
from retrieval.language.question import Question
from retrieval.linking.passage_index import Blend, PassageIndex
from retrieval.llm.prompts import describe_prompts
from retrieval.methods import registry
from retrieval.methods.text_rag.spec import SPEC, TextOptions
from retrieval.reasoning import passages as reading
from retrieval.reasoning import span_reader
from retrieval.reasoning.base import Conclusion, Reasoner
from retrieval.reasoning.decomposition import Decomposer
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.reading import extract, make_weigher, read_passages
from retrieval.reasoning.span_reader import SpanReader
from retrieval.types import RetrievedPassage

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot

STRATEGY = "meaning of passages and sentences, and words"
BY_MEANING = "meaning of passages"
#: The passage's meaning alone: naive RAG.
DENSE = Blend(sentence=0.0, words=0.0)


@dataclass(frozen=True, slots=True)
class TextSettings:
    """Settings of the answerer: how the index weighs its opinions."""

    blend: Blend = field(default_factory=Blend)


class TextAnswerer(Answerer):
    """One graph with passages and a reader of them.

    Args:
        llm: the language model; needed when the reasoner is one.
        encoder: name of the text encoder, for the record.
    """

    def __init__(
        self,
        index: PassageIndex,
        reasoner: Reasoner,
        *,
        llm: LLMSettings | None = None,
        options: TextOptions | None = None,
        encoder: str = "",
    ) -> None:
        self.snapshot = index.snapshot
        self.index = index
        self.reasoner = reasoner
        self.llm = llm
        self.encoder = encoder
        self._options = options or TextOptions()
        blend = DENSE if self._options.ranking == "dense" else index.blend
        self.settings = TextSettings(blend)

    @property
    def method(self) -> str:
        """``text-rag``."""
        return SPEC.name

    @property
    def options(self) -> TextOptions:
        """See :class:`TextOptions`."""
        return self._options

    @property
    def prompts(self) -> dict[str, str]:
        """The one that passages are read with, where a language model reads them."""
        return describe_prompts(reading.PROMPT) if self.reasoner.name == LLM and self.llm is not None else {}

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """The passages are the whole graph's: they do not depend on facts."""
        other = copy(self)
        other.snapshot = snapshot
        return other

    def retrieve(self, question: Question) -> tuple[RetrievedPassage, ...]:
        """The passages that are read, the best first.

        Raises:
            NotIndexedError: they are not indexed yet.
        """
        matches = self.index.search(question.text, self._options.passages, self.settings.blend)
        return tuple(RetrievedPassage(self.index.table.get_passage(i), score) for i, score in matches)

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Answerer.answer`."""
        run.check()
        began, question = time.perf_counter(), run.request.question
        with run.watch.measure_body():
            passages = self.retrieve(question)
        reader = self._get_reader()
        decomposer = None
        if reader is not None and self._options.decompose:
            decomposer = Decomposer(self.index, reader, self.settings.blend)
        steps = yield from stream_decomposition(run, self.snapshot, decomposer)
        strategy = BY_MEANING if self.settings.blend == DENSE else STRATEGY
        shown = steps.merge_passages(passages, self._options.passages)
        yield PassagesRetrieved(shown, f"{strategy}, in steps" if steps.ways else strategy, run.measure_ms(began))
        run.check()

        def extract_answer() -> Conclusion:
            read = read_passages(self.index, question, passages)
            weigh = make_weigher(self.index)
            return extract(question, self.snapshot, read, weigh, reader=reader, further=steps.further)

        if self.reasoner.name == LLM and self.llm is not None and passages:
            verdict = yield from self._ask(run, shown[: self._options.passages], extract_answer)
        else:
            verdict = extract_answer()
        yield run.build_final(verdict)

    def _get_reader(self) -> SpanReader | None:
        """What reads answers without a language model; None where rules alone do."""
        return span_reader.get_reader(self.index.encoder) if self._options.reader == "trained" else None

    def _ask(
        self,
        run: PipelineRun,
        passages: tuple[RetrievedPassage, ...],
        extract_answer: Callable[[], Conclusion],
    ) -> Generator[AnswerDelta, None, Conclusion]:
        """The language model's answer, its reasoning as it is written; when it fails, the extracted one stands in."""
        assert self.llm is not None, "asked for only with one"
        question, titles = run.request.question, [item.passage.title for item in passages]
        read = read_passages(self.index, question, passages)
        try:
            stream = reading.ask_model(
                question,
                self.snapshot,
                [each.sentences for each in read],
                self.llm,
                titles,
                cancelled=run.cancelled,
            )
            while True:
                try:
                    yield AnswerDelta(next(stream))
                except StopIteration as end:
                    verdict: Conclusion = end.value
                    return verdict
        except LLMError as error:
            return reading.warn_without_model(extract_answer(), f"{error.message} {error.hint}".strip())


def open_answerer(opening: Opening) -> TextAnswerer:
    """The answerer of ``text-rag``.

    Raises:
        SnapshotError: the graph has no passages.
        ConfigError: an option is unknown or wrong.
    """
    options = registry.parse_options(SPEC.name, dict(opening.spec.options))
    assert isinstance(options, TextOptions), "what its method has"
    parts = opening.parts
    return TextAnswerer(parts.passages, opening.reasoner, llm=opening.llm, options=options, encoder=parts.encoder.name)
