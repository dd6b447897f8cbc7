"""A language model alone, as a baseline: no retrieval, its own knowledge (INSES App. E, Tables 10 and 11)."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import PipelineRun
from retrieval.config import InferenceOptions
from retrieval.errors import ConfigError
from retrieval.events import Event
from retrieval.llm import prompts
from retrieval.llm.asking import ask_json
from retrieval.llm.prompts import wrap_fenced
from retrieval.llm.replies import ReplyStore
from retrieval.reasoning.base import Conclusion
from retrieval.reasoning.llm import LLMReasoner
from retrieval.results import Answer, NoAnswer, NoAnswerReason
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot

NOTHING_CITED = "The language model answered from its own knowledge; nothing in the graph was looked at."


@dataclass(frozen=True, slots=True)
class AloneSettings:
    """There are none."""


class ModelAnswerer(Answerer):
    """Asks the model, and nothing else. An answer cites no evidence, and says so.

    Args:
        snapshot: the graph; an answer that it holds by name is linked to it.
        method: ``llm-only`` (direct) or ``llm-cot`` (few-shot chain of thought), which is also the prompt's name.
        store: where replies are kept, so that none is paid for twice.
        encoder: name of the text encoder, for the record.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        method: str,
        settings: LLMSettings,
        store: ReplyStore,
        *,
        encoder: str = "",
    ) -> None:
        self.snapshot = snapshot
        self.encoder = encoder
        self.settings = AloneSettings()
        self.reasoner = LLMReasoner(settings, prompt=method)
        self._method, self._llm, self._store = method, settings, store

    @property
    def method(self) -> str:
        """See :attr:`Answerer.method`."""
        return self._method

    @property
    def options(self) -> InferenceOptions:
        """There are none."""
        return InferenceOptions()

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Answerer.apply_restriction`."""
        other = copy(self)
        other.snapshot = snapshot
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Answerer.answer`. Without a language model it declines every question."""
        run.check()
        if not isinstance(self.reasoner, LLMReasoner):
            yield run.build_final(_build_no_answer())
            return
        prompt = prompts.load(self.method)
        text, usage = ask_json(
            self._llm,
            prompt.render_messages(question=wrap_fenced(run.request.question.text)),
            read_answer,
            cancelled=run.cancelled,
            kept=(self._store, prompt),
        )
        if not text:
            yield run.build_final(_build_no_answer(usage))
            return
        held = self.snapshot.find_entity(text)
        entity = None if held is None else self.snapshot.get_node(held)
        yield run.build_final(
            Conclusion((Answer(text, 1.0, entity),), text=text, warnings=(NOTHING_CITED,), usage=usage)
        )


def read_answer(value: object) -> str:
    """The field "answer" of a reply; empty when the model declines.

    Raises:
        ValueError, KeyError: there is none.
    """
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    answer = value["answer"]
    if isinstance(answer, (list, tuple)):
        answer = ", ".join(str(part) for part in answer)
    if answer is None:
        return ""
    if not isinstance(answer, (str, int, float)):
        raise ValueError('"answer" is no text')
    return " ".join(str(answer).split()).strip("{}").strip()


def _build_no_answer(usage: Usage | None = None) -> Conclusion:
    return Conclusion(
        no_answer=NoAnswer(
            NoAnswerReason.REASONER_DECLINED,
            "The language model gave no answer.",
            "Ask with a method that looks into the graph.",
        ),
        usage=usage or Usage(),
    )


def open_answerer(opening: Opening) -> ModelAnswerer:
    """The answerer of a spec.

    Raises:
        ConfigError: no language model is configured.
    """
    if opening.llm is None:
        raise ConfigError(
            f"{opening.spec.method} asks a language model, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use another method.",
        )
    parts = opening.parts
    store = ReplyStore(opening.spec.cache_dir / "replies")
    return ModelAnswerer(parts.snapshot, opening.spec.method, opening.llm, store, encoder=parts.encoder.name)
