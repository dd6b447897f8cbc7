"""Answers from passages: their sentences, and what a language model reads in them (INSES, App. F).

The score of a language model's answer is its own confidence in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval.environment import LLMSettings
from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.llm import asking, prompts
from retrieval.reasoning.base import Conclusion
from retrieval.results import Answer, Citation, NoAnswer, NoAnswerReason
from retrieval.thresholds import GUESS
from retrieval.types import RetrievedPassage

PROMPT = "passages"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a retrieved passage: where it stands, what it says, and its cosine with the question."""

    at: Citation
    text: str
    score: float


def build_sentences(passages: Sequence[RetrievedPassage], scores: Callable[[int], np.ndarray]) -> list[list[Sentence]]:
    """The sentences of each passage, in order.

    Args:
        scores: gives the cosines of a passage's sentences, float32 [S], by its id.
    """
    return [
        [
            Sentence(Citation(item.passage.id, start, end), item.passage.text[start:end], float(score))
            for (start, end), score in zip(
                split_sentences(item.passage.text), scores(item.passage.id).tolist(), strict=True
            )
        ]
        for item in passages
    ]


@dataclass(frozen=True, slots=True)
class _Read:
    answer: str
    confidence: float
    reasoning: str
    citations: tuple[Citation, ...]
    unknown: tuple[str, ...]


def ask_model(
    question: Question,
    snapshot: Snapshot,
    read: Sequence[Sequence[Sentence]],
    settings: LLMSettings,
    titles: Sequence[str],
    *,
    cancelled: Callable[[], bool],
) -> Generator[str, None, Conclusion]:
    """What a language model answers from the passages. An answer that cites no sentence has no citation.

    Yields its reasoning while it is written.

    Raises:
        LLMError: the endpoint fails, or its reply cannot be used.
    """
    numbered = {
        f"{p}.{s}": sentence
        for p, sentence_group in enumerate(read, start=1)
        for s, sentence in enumerate(sentence_group, start=1)
    }
    lines = []
    for p, sentence_group in enumerate(read, start=1):
        lines.append(f"[{p}] {titles[p - 1]}")
        lines += [f"[{p}.{s}] {sentence.text}" for s, sentence in enumerate(sentence_group, start=1)]
    messages = prompts.load(PROMPT).render_messages(
        question=prompts.wrap_fenced(question.text), passages=prompts.wrap_fenced_lines(lines)
    )
    reply, usage = yield from asking.stream_json(
        settings, messages, lambda value: _read(value, numbered), shown="reasoning", cancelled=cancelled
    )
    if not reply.answer:
        declined = NoAnswer(
            NoAnswerReason.REASONER_DECLINED,
            "The language model found no answer in the passages.",
            "Read the passages, ask in other words, or add documents about it.",
        )
        return Conclusion(no_answer=declined, text=reply.reasoning, usage=usage)
    answer = answer_of(snapshot, reply.answer, reply.confidence, reply.citations)
    warnings = (f"Cited and not there: {', '.join(reply.unknown)}.",) if reply.unknown else ()
    return Conclusion(answers=(answer,), text=reply.reasoning or reply.answer, warnings=warnings, usage=usage)


def _read(value: object, numbered: dict[str, Sentence]) -> _Read:
    """The reply's fields.

    Raises:
        ValueError: one is missing or of the wrong kind.
    """
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    answer, sure = value.get("answer"), value.get("confidence", 0)
    if not isinstance(answer, (str, int, float)) or isinstance(answer, bool):
        raise ValueError('"answer" must be a string')
    if not isinstance(sure, (int, float)) or isinstance(sure, bool) or not 0 <= sure <= 1:
        raise ValueError('"confidence" must be a number from 0 to 1')
    citations = value.get("citations") or []
    if not isinstance(citations, list):
        raise ValueError('"citations" must be a list of sentence numbers')
    keys = [str(key).strip(" []") for key in citations]
    cited = tuple(dict.fromkeys(numbered[key].at for key in keys if key in numbered))
    unknown = tuple(key for key in keys if key not in numbered)
    return _Read(" ".join(str(answer).split()), float(sure), str(value.get("reasoning") or "").strip(), cited, unknown)


def answer_of(snapshot: Snapshot, label: str, score: float, citations: tuple[Citation, ...]) -> Answer:
    """An answer, with the graph's entity of that name if it has one."""
    entity = snapshot.find_entity(label) if snapshot.num_entities else None
    node = snapshot.get_node(entity) if entity is not None else None
    return Answer(label, score, node, citations=citations, guess=score < GUESS)


def warn_without_model(verdict: Conclusion, why: str) -> Conclusion:
    """An extracted verdict that stands in for a language model's."""
    return replace(
        verdict,
        warnings=(f"{why} These answers were extracted from the passages without it.", *verdict.warnings),
    )
