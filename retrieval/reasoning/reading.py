"""Short answers read from passages without a language model, by a trained reader with rules or by rules alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from retrieval import thresholds
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.linking.passage_index import PassageIndex
from retrieval.linking.stems import compute_word_shares, find_stem_passages
from retrieval.reasoning.answer_confidence import (
    AnswerConfidence,
    AnswerForm,
    compute_sentence_signs,
    compute_span_signs,
)
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.likeliest import AnswerSpan, Counts, ReadPassage, compute_shares, score_spans
from retrieval.reasoning.passages import Sentence, answer_of, build_sentences
from retrieval.reasoning.rule_reader import Weigher, make_rule_reader
from retrieval.reasoning.span_reader import SpanReader
from retrieval.reasoning.spans import (
    SpanKind,
    find_phrases,
    find_spans,
    is_person_name,
)
from retrieval.results import Citation, NoAnswer, NoAnswerReason
from retrieval.types import RetrievedPassage

Further = Callable[[Sequence[AnswerSpan]], list[AnswerSpan]]
"""Adds what is read elsewhere to weighed spans, the best first."""

ANSWERS = 3
"""Answers given, at most."""

NEAREST_SENTENCES = "The question asks for no name, date or number: the sentences nearest to it are the answer."


def find_answer_spans(
    question: Question,
    read: Sequence[ReadPassage],
    weigh: Weigher,
    *,
    ends: frozenset[str] = frozenset(),
    reader: SpanReader | None = None,
    further: Further | None = None,
) -> list[AnswerSpan]:
    """The spans that may answer, each once, the best first; none where it is not clear what is asked for.

    By rules, spans of the kind that the question asks for; with a trained reader what it finds, where rules have a say.

    Args:
        read: passages.
        weigh: how much each of some words tells, as shares.
        ends: names of entities that a search ended at.
        reader: trained beside the encoder, where there is one.
        further: adds what the reader finds in steps.
    """
    if reader is not None:
        answer_spans = score_answer_spans(question, read, weigh, reader, ends=ends)
        return compute_shares(further(answer_spans) if further else answer_spans)
    rules = make_rule_reader(question, weigh, ends)
    return [] if rules is None else rules.rank_spans(read)


def score_answer_spans(
    question: Question,
    read: Sequence[ReadPassage],
    weigh: Weigher,
    reader: SpanReader,
    *,
    ends: frozenset[str] = frozenset(),
    counts: Counts | None = None,
) -> list[AnswerSpan]:
    """What a trained reader finds, like :func:`find_answer_spans`; worths are log-odds, alike for all questions.

    A person who is called by one name has the whole one that the passage gives.
    """
    rules = make_rule_reader(question, weigh, ends)
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


def make_weigher(index: PassageIndex) -> Weigher:
    """How much words tell, by the passages that hold them."""
    return lambda stems: compute_word_shares(stems, len(index.table), partial(find_stem_passages, index))


def extract(
    question: Question,
    snapshot: Snapshot,
    read: Sequence[ReadPassage],
    weigh: Weigher,
    *,
    reader: SpanReader | None = None,
    further: Further | None = None,
) -> Conclusion:
    """The spans that answer best, or, where it is not clear what is asked for, sentences; each answer cites its own.

    The best answer's score is the probability that it is right; the others have a share of it.
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
    if not short:
        return _answer_nearest(question, snapshot, read, ranked, weigh)
    scores = _compute_confidences(question, short, read, weigh, by_reader=reader is not None)
    if scores[0] < thresholds.PASSAGE_ANSWER:
        return Conclusion(no_answer=_explain_not_answered())
    answers = [
        answer_of(snapshot, span.label, score, _list_citations(span)) for span, score in zip(short, scores, strict=True)
    ]
    return Conclusion(answers=tuple(answers), text=short[0].sentence.text)


def _explain_not_answered() -> NoAnswer:
    return NoAnswer(
        NoAnswerReason.NOT_IN_GRAPH,
        "The passages that were found do not answer this.",
        "Read the passages, ask in other words, or add documents about it.",
    )


def _answer_nearest(
    question: Question,
    snapshot: Snapshot,
    read: Sequence[ReadPassage],
    ranked: Sequence[Sentence],
    weigh: Weigher,
) -> Conclusion:
    """Answer with the sentences nearest to the question and say so; there is at least one."""
    near = [sentence for sentence in ranked[:ANSWERS] if sentence.score >= thresholds.SENTENCE]
    model = AnswerConfidence.load()
    answers = [
        answer_of(
            snapshot,
            sentence.text,
            model.compute_probability("sentence", compute_sentence_signs(question, sentence, read, weigh)),
            (sentence.at,),
        )
        for sentence in near
    ]
    return Conclusion(answers=tuple(answers), text=ranked[0].text, warnings=(NEAREST_SENTENCES,))


def _list_citations(span: AnswerSpan) -> tuple[Citation, ...]:
    """The sentence that answers, then those of the steps before, each once."""
    return tuple(dict.fromkeys(sentence.at for sentence in (span.sentence, *span.through)))


def _compute_confidences(
    question: Question, short: Sequence[AnswerSpan], read: Sequence[ReadPassage], weigh: Weigher, *, by_reader: bool
) -> list[float]:
    """The probability that the best span is right, and the others' shares of it."""
    form: AnswerForm = "reader" if by_reader else "rules"
    sure = AnswerConfidence.load().compute_probability(form, compute_span_signs(question, short, read, weigh))
    return [round(sure * each.worth / short[0].worth, 4) for each in short]


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
        weigh: Weigher,
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
            if conclusion.no_answer is None or not is_near:
                return conclusion
            return _answer_nearest(evidence.question, evidence.snapshot, self._read, ranked, self._weigh)
        answers = []
        scores = _compute_confidences(
            evidence.question, short, self._read, self._weigh, by_reader=self._reader is not None
        )
        if scores[0] < thresholds.PASSAGE_ANSWER:
            return Conclusion(no_answer=_explain_not_answered())
        for each, score in zip(short, scores, strict=True):
            made = answer_of(evidence.snapshot, each.label, score, _list_citations(each))
            chains = tuple(
                i
                for i, chain in enumerate(evidence.chains)
                if any(node.label == each.label for node in chain.levels[-1])
            )
            sound = any(all(hop.verified for hop in evidence.chains[i].hops) for i in chains)
            answers.append(replace(made, chains=chains, verified=sound))
        return Conclusion(answers=tuple(answers), text="")
