"""Short answers read from passages without a language model: spans of the kind that the question asks for.

What a span is worth is told in ``span_worth``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.clauses import asking_clause
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.passages import Sentence, answer_of, confidence, sentences_of
from retrieval.reasoning.span_worth import ReadPassage, SpanReading, read_spans
from retrieval.text.passage_index import PassageIndex
from retrieval.text.stems import holding, shares_told
from retrieval.types import NoAnswer, NoAnswerReason, RetrievedPassage

ANSWERS = 3
"""Answers given, at most."""

LEAST = 0.3
"""Below this likeness no sentence is about the question."""


def readings(
    question: str,
    read: Sequence[ReadPassage],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
    ends: frozenset[str] = frozenset(),
) -> list[SpanReading]:
    """The spans of the kind that the question asks for, each once, the best first; none where the kind is not clear.

    Args:
        question: as asked.
        read: passages.
        weigh: how much each of some words tells, as shares.
        ends: names of entities that a search ended at.
    """
    best: dict[str, SpanReading] = {}
    for found in read_spans(question, read, weigh, ends):
        if found.label not in best or found.worth > best[found.label].worth:
            best[found.label] = found
    return sorted(best.values(), key=lambda found: -found.worth)


def read_passages(index: PassageIndex, question: str, found: Sequence[RetrievedPassage]) -> list[ReadPassage]:
    """The passages with their sentences, what their facts join, and how near each sentence is to what is asked."""
    table, snapshot, clause = index.table, index.snapshot, asking_clause(question)
    read = []
    for each, own in zip(
        found, sentences_of(found, lambda i: index.sentence_scores(question, i)), strict=True
    ):
        facts = table.facts_of(each.passage.id)
        joined = np.concatenate([snapshot.heads[facts], snapshot.tails[facts]]).tolist()
        names = frozenset(snapshot.entity_label(entity).casefold() for entity in set(joined))
        near = tuple(index.sentence_scores(clause, each.passage.id).tolist())
        read.append(ReadPassage(each, own, names, near))
    return read


def weigher(index: PassageIndex) -> Callable[[Sequence[str]], Mapping[str, float]]:
    """How much words tell, by the passages that hold them."""
    return lambda stems: shares_told(stems, len(index.table), partial(holding, index))


def extract(
    question: str,
    snapshot: Snapshot,
    read: Sequence[ReadPassage],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
) -> Conclusion:
    """The spans that answer best, or, where it is not clear what is asked for, sentences; each answer cites its own.

    The best answer's score is the confidence that its passages support one; the others have a share of it.
    """
    ranked = sorted((sentence for each in read for sentence in each.sentences), key=lambda s: -s.score)
    if not ranked or ranked[0].score < LEAST:
        return Conclusion(
            no_answer=NoAnswer(
                NoAnswerReason.NOT_IN_GRAPH,
                "No passage says anything about this.",
                "Ask in other words, or add documents about it.",
            )
        )
    short = readings(question, read, weigh)[:ANSWERS]
    if short:
        answers = [
            answer_of(snapshot, r.label, score, (r.sentence.at,)) for r, score in _scored(short, ranked)
        ]
        return Conclusion(answers=tuple(answers), text=short[0].sentence.text)
    return _nearest(snapshot, ranked)


def _nearest(snapshot: Snapshot, ranked: Sequence[Sentence]) -> Conclusion:
    """The sentences nearest to the question; there is at least one."""
    near = [sentence for sentence in ranked[:ANSWERS] if sentence.score >= LEAST]
    answers = [answer_of(snapshot, s.text, confidence(s.score), (s.at,)) for s in near]
    return Conclusion(answers=tuple(answers), text=ranked[0].text)


def _scored(short: Sequence[SpanReading], ranked: Sequence[Sentence]) -> list[tuple[SpanReading, float]]:
    """Each with its score: the confidence, of which those that are worth less have a share."""
    sure, best = confidence(ranked[0].score), short[0].worth
    shares = [max(0.0, each.worth) / best if best > 0 else float(each is short[0]) for each in short]
    return [(each, round(sure * share, 4)) for each, share in zip(short, shares, strict=True)]


class PassageReader(ExtractiveReasoner):
    """Reads the passages behind the selected facts; where nothing short is found there, the chains answer, and
    where they do not, the nearest sentences.

    Args:
        read: the passages, the best first.
        weigh: how much words tell.
        ends: names of entities that the selected chains end at.
    """

    def __init__(
        self,
        read: Sequence[ReadPassage],
        weigh: Callable[[Sequence[str]], Mapping[str, float]],
        ends: frozenset[str],
    ) -> None:
        super().__init__()
        self._read, self._weigh, self._ends = read, weigh, ends

    def decide(self, evidence: Evidence) -> Conclusion:
        """The verdict. An answer that is the end of evidence chains names them."""
        short = readings(evidence.question, self._read, self._weigh, self._ends)[:ANSWERS]
        ranked = sorted((s for each in self._read for s in each.sentences), key=lambda s: -s.score)
        if evidence.compared is not None or not short:
            found = super().decide(evidence)
            said = bool(ranked) and ranked[0].score >= LEAST
            return _nearest(evidence.snapshot, ranked) if found.no_answer and said else found
        answers = []
        for each, score in _scored(short, ranked):
            made = answer_of(evidence.snapshot, each.label, score, (each.sentence.at,))
            chains = tuple(
                i
                for i, chain in enumerate(evidence.chains)
                if any(node.label == each.label for node in chain.levels[-1])
            )
            sound = any(all(hop.verified for hop in evidence.chains[i].hops) for i in chains)
            answers.append(replace(made, chains=chains, verified=sound))
        return Conclusion(answers=tuple(answers), text="")
