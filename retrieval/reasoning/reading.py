"""Short answers read from passages without a language model: spans of the kind that the question asks for.

A span is worth what its passage and its sentence say to the question, and whether it is such a thing as was asked
for. What the question names itself is no answer. The weights were chosen on half of 100 MuSiQue questions
(docs/text.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from retrieval import thresholds
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.language.tokens import tokenize_text
from retrieval.linking.passage_index import PassageIndex
from retrieval.linking.stems import compute_word_shares, extract_stems, find_stem_passages
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.likeliest import AnswerSpan, Counts, ReadPassage, compute_shares, score_spans
from retrieval.reasoning.passages import Sentence, answer_of, build_sentences, compute_confidence
from retrieval.reasoning.span_reader import SpanReader
from retrieval.reasoning.spans import (
    COUNTED,
    SpanKind,
    detect_kind,
    find_noun,
    find_phrases,
    find_spans,
    is_person_name,
    is_place_context,
)
from retrieval.results import Citation, NoAnswer, NoAnswerReason
from retrieval.types import RetrievedPassage

_WORD = re.compile(r"\w+")
_NEAR = 40.0
"""Characters over which closeness to the question's words fades by a factor of e."""


@dataclass(frozen=True, slots=True)
class Worth:
    """How much each thing counts.

    Attributes:
        passage: its score, as a share of the best passage's.
        sentence: its cosine with the question.
        words: of the question in the sentence or its title, by how rare they are.
        near: the same words close to a number or a date.
        noun: the name ends in what is asked for ("county").
        fact: a fact of the passage begins or ends in it.
        person: it is written as a person's name is, where one is asked for.
        place: "in" and its like stand before it, where a place is asked for.
        end: a chain of facts that was found ends in it.
    """

    passage: float = 0.3
    sentence: float = 0.5
    words: float = 2.5
    near: float = 1.0
    noun: float = 0.6
    fact: float = 0.15
    person: float = 0.3
    place: float = 0.2
    end: float = 0.3


WORTH = Worth()
Further = Callable[[Sequence[AnswerSpan]], list[AnswerSpan]]
"""Adds what is read elsewhere to weighed spans, the best first."""

ANSWERS = 3
"""Answers given, at most."""


def find_answer_spans(
    question: Question,
    read: Sequence[ReadPassage],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
    *,
    ends: frozenset[str] = frozenset(),
    reader: SpanReader | None = None,
    further: Further | None = None,
) -> list[AnswerSpan]:
    """The spans that may answer, each once, the best first; none where it is not clear what is asked for.

    By rules, spans of the kind that the question asks for; with a trained reader what it finds, where rules have a say.

    Args:
        question: as asked.
        read: passages.
        weigh: how much each of some words tells, as shares.
        ends: names of entities that a search ended at.
        reader: trained beside the encoder, where there is one.
        further: adds what the reader finds in steps.
    """
    if reader is not None:
        answer_spans = score_answer_spans(question, read, weigh, reader, ends=ends)
        return compute_shares(further(answer_spans) if further else answer_spans)
    rules = _make_reader(question, weigh, ends)
    return [] if rules is None else rules.rank_spans(read)


def score_answer_spans(
    question: Question,
    read: Sequence[ReadPassage],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
    reader: SpanReader,
    *,
    ends: frozenset[str] = frozenset(),
    counts: Counts | None = None,
) -> list[AnswerSpan]:
    """What a trained reader finds, like :func:`find_answer_spans`; worths are log-odds, alike for all questions.

    A person who is called by one name has the whole one that the passage gives.
    """
    rules = _make_reader(question, weigh, ends)
    if rules is None:
        return []
    answer_spans = score_spans(
        question, read, rules.rank_spans(read), reader,
        is_named=rules.is_in_question, find_phrases=partial(find_phrases, rules.kind, rules.asked), counts=counts,
    )  # fmt: skip
    if rules.kind is not SpanKind.PERSON:
        return answer_spans
    texts = {each.found.passage.id: each.found.passage for each in read}
    best: dict[str, AnswerSpan] = {}
    for each in answer_spans:
        passage = texts[each.sentence.at.passage]
        label = _find_full_name(each.label, f"{passage.title}. {passage.text}")
        best.setdefault(label.casefold(), replace(each, label=label))
    return list(best.values())


def _find_full_name(label: str, text: str) -> str:
    """The first name of a text that ends in a person's only name; the label where there is none, or it has several."""
    if " " in label or not label[:1].isupper():
        return label
    names = (name for _, name in find_spans(SpanKind.PERSON, text))
    return next((name for name in names if name.endswith(f" {label}") and is_person_name(name)), label)


def _make_reader(
    question: Question, weigh: Callable[[Sequence[str]], Mapping[str, float]], ends: frozenset[str]
) -> _Reader | None:
    """What rules look for; None where it is not clear what is asked for."""
    kind = detect_kind(question)
    if kind is None:
        return None
    stems = extract_stems(question.text)
    return _Reader(kind, find_noun(question), frozenset(tokenize_text(question.text)), weigh(stems), ends)


def read_passages(index: PassageIndex, question: Question, passages: Sequence[RetrievedPassage]) -> list[ReadPassage]:
    """The passages with their sentences and what their facts join."""
    table, snapshot = index.table, index.snapshot
    read = []
    for each, passage_sentences in zip(
        passages, build_sentences(passages, lambda i: index.score_sentences(question.text, i)), strict=True
    ):
        facts = table.get_passage_facts(each.passage.id)
        joined = np.concatenate([snapshot.heads[facts], snapshot.tails[facts]]).tolist()
        names = frozenset(snapshot.get_entity_label(entity).casefold() for entity in set(joined))
        read.append(ReadPassage(each, passage_sentences, names))
    return read


def make_weigher(index: PassageIndex) -> Callable[[Sequence[str]], Mapping[str, float]]:
    """How much words tell, by the passages that hold them."""
    return lambda stems: compute_word_shares(stems, len(index.table), partial(find_stem_passages, index))


def extract(
    question: Question,
    snapshot: Snapshot,
    read: Sequence[ReadPassage],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
    *,
    reader: SpanReader | None = None,
    further: Further | None = None,
) -> Conclusion:
    """The spans that answer best, or, where it is not clear what is asked for, sentences; each answer cites its own.

    The best answer's score is the confidence that its passages support one; the others have a share of it.
    """
    ranked = sorted((sentence for each in read for sentence in each.sentences), key=lambda s: -s.score)
    if not ranked or ranked[0].score < thresholds.SENTENCE:
        return Conclusion(
            no_answer=NoAnswer(
                NoAnswerReason.NOT_IN_GRAPH,
                "No passage says anything about this.",
                "Ask in other words, or add documents about it.",
            )
        )
    short = find_answer_spans(question, read, weigh, reader=reader, further=further)[:ANSWERS]
    if short:
        answers = [
            answer_of(snapshot, r.label, score, _list_citations(r)) for r, score in _compute_confidences(short, ranked)
        ]
        return Conclusion(answers=tuple(answers), text=short[0].sentence.text)
    return _answer_nearest(snapshot, ranked)


def _answer_nearest(snapshot: Snapshot, ranked: Sequence[Sentence]) -> Conclusion:
    """The sentences nearest to the question; there is at least one."""
    near = [sentence for sentence in ranked[:ANSWERS] if sentence.score >= thresholds.SENTENCE]
    answers = [answer_of(snapshot, s.text, compute_confidence(s.score), (s.at,)) for s in near]
    return Conclusion(answers=tuple(answers), text=ranked[0].text)


def _list_citations(span: AnswerSpan) -> tuple[Citation, ...]:
    """The sentence that answers, then those of the steps before, each once."""
    return tuple(dict.fromkeys(sentence.at for sentence in (span.sentence, *span.through)))


def _compute_confidences(short: Sequence[AnswerSpan], ranked: Sequence[Sentence]) -> list[tuple[AnswerSpan, float]]:
    sure = compute_confidence((ranked[0] if ranked else short[0].sentence).score)
    return [(each, round(sure * each.worth / short[0].worth, 4)) for each in short]


class PassageReader(ExtractiveReasoner):
    """Reads the passages behind the selected facts; where nothing short is found there, the chains answer, and
    where they do not, the nearest sentences.

    Args:
        read: the passages, the best first.
        weigh: how much words tell.
        ends: names of entities that the selected chains end at.
        reader: trained beside the encoder, where there is one.
        further: adds what the reader finds in steps.
    """

    def __init__(
        self,
        read: Sequence[ReadPassage],
        weigh: Callable[[Sequence[str]], Mapping[str, float]],
        ends: frozenset[str],
        *,
        reader: SpanReader | None = None,
        further: Further | None = None,
    ) -> None:
        super().__init__()
        self._read, self._weigh, self._ends = read, weigh, ends
        self._reader, self._further = reader, further

    def draw_conclusion(self, evidence: Evidence) -> Conclusion:
        """The verdict. An answer that is the end of evidence chains names them."""
        short = find_answer_spans(
            evidence.question, self._read, self._weigh,
            ends=self._ends, reader=self._reader, further=self._further,
        )[:ANSWERS]  # fmt: skip
        ranked = sorted((s for each in self._read for s in each.sentences), key=lambda s: -s.score)
        if evidence.compared is not None or not short:
            conclusion = super().draw_conclusion(evidence)
            is_near = bool(ranked) and ranked[0].score >= thresholds.SENTENCE
            return _answer_nearest(evidence.snapshot, ranked) if conclusion.no_answer and is_near else conclusion
        answers = []
        for each, score in _compute_confidences(short, ranked):
            made = answer_of(evidence.snapshot, each.label, score, _list_citations(each))
            chains = tuple(
                i
                for i, chain in enumerate(evidence.chains)
                if any(node.label == each.label for node in chain.levels[-1])
            )
            sound = any(all(hop.verified for hop in evidence.chains[i].hops) for i in chains)
            answers.append(replace(made, chains=chains, verified=sound))
        return Conclusion(answers=tuple(answers), text="")


@dataclass(frozen=True, slots=True)
class _Reader:
    """What is asked: kind, noun, all words, and how much those with a meaning tell."""

    kind: SpanKind
    noun: str | None
    asked: frozenset[str]
    weights: Mapping[str, float]
    ends: frozenset[str]

    def rank_spans(self, read: Sequence[ReadPassage]) -> list[AnswerSpan]:
        """The spans of the kind that is asked for, each once, the best first."""
        most = max((each.found.score for each in read), default=0.0)
        best: dict[str, AnswerSpan] = {}
        for each in read:
            share = WORTH.passage * each.found.score / most if most > 0 else 0.0
            for sentence in each.sentences:
                for span in self.score_sentence_spans(sentence, each, share):
                    if span.label not in best or span.worth > best[span.label].worth:
                        best[span.label] = span
        return sorted(best.values(), key=lambda span: -span.worth)

    def score_sentence_spans(self, sentence: Sentence, passage: ReadPassage, share: float) -> list[AnswerSpan]:
        """The spans of one sentence; ``share`` is what its passage is worth."""
        stems = set(extract_stems(sentence.text)) | set(extract_stems(passage.found.passage.title))
        held = sum(weight for word, weight in self.weights.items() if word in stems)
        base = share + WORTH.sentence * sentence.score + WORTH.words * held
        return [
            AnswerSpan(label, sentence, base + self._fit(label, start, sentence.text, passage.entities))
            for start, label in find_spans(self.kind, sentence.text, self.asked)
            if not self.is_in_question(label)
        ]

    def is_in_question(self, label: str) -> bool:
        """Whether the question says it itself: of a name, most of its words."""
        if self.kind in COUNTED:
            return self.asked.issuperset(tokenize_text(label))
        stems = extract_stems(label)
        return 2 * sum(word in self.weights for word in stems) > len(stems) or not stems

    def _fit(self, label: str, start: int, text: str, entities: frozenset[str]) -> float:
        """What speaks for a span itself."""
        if self.kind in COUNTED:
            worth = WORTH.near * self._compute_proximity(start, text)
        elif self.kind is SpanKind.PERSON:
            worth = WORTH.person * is_person_name(label)
        elif self.kind is SpanKind.PLACE:
            worth = WORTH.place * is_place_context(text[max(0, start - 9) : start])
        else:
            last, noun = label.casefold().split()[-1], self.noun or ""
            alike = last == noun or (noun.endswith("s") and last.rstrip("s") == noun.rstrip("s"))
            worth = WORTH.noun * alike
        return worth + WORTH.fact * (label.casefold() in entities) + WORTH.end * (label in self.ends)

    def _compute_proximity(self, start: int, text: str) -> float:
        """The question's words in the sentence, by how rare they are and how close they stand."""
        total = 0.0
        for match in _WORD.finditer(text):
            for word in extract_stems(match[0]):
                total += self.weights.get(word, 0.0) * math.exp(-abs(match.start() - start) / _NEAR)
        return total
