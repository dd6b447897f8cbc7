"""Questions of several steps, one step at a time: what a question describes is asked for, and the answer put in.

"What is the waterfall in the country where the Bubye River is found?" describes a country. That is asked for first; the
likeliest answers are put in its place ("What is the waterfall in Zimbabwe?"), and what each of these questions is
answered with is worth as much less as its way there is unlikely. Descriptions within descriptions take further steps.
The weights were chosen on half of 100 MuSiQue questions (docs/text.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace

from retrieval.language.descriptions import Description, find_innermost
from retrieval.language.question import Question
from retrieval.linking.passage_index import Blend, PassageIndex
from retrieval.reasoning.likeliest import AnswerSpan, Counts
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.reading import make_weigher, read_passages, score_answer_spans
from retrieval.reasoning.span_reader import SpanReader
from retrieval.types import RetrievedPassage


@dataclass(frozen=True, slots=True)
class StepWeights:
    """How steps are taken and what they count.

    Attributes:
        steps: descriptions of a question that are asked for, at most.
        width: answers to a description that are gone on with, and ways kept after each step.
        read: passages that are read at a step.
        looked: passages that a step adds to those found.
        asking: what counts beside the reader's scores where a description is asked for.
        answering: the same where nothing is described any more.
        way: of a way's log-probability, in the score of the passages that it found.
        asked: added to the score of the first passage found for a description.
        last: the same for the likeliest question that describes nothing more.
    """

    steps: int = 3
    width: int = 3
    read: int = 2
    looked: int = 5
    asking: Counts = field(default_factory=lambda: Counts(passage=20.0, rules=4.0))
    answering: Counts = field(default_factory=lambda: Counts(passage=15.0, rules=2.0))
    way: float = 0.05
    asked: float = 0.2
    last: float = 0.1


@dataclass(frozen=True, slots=True)
class Bridge:
    """An answer to a description: what it says, how likely it is among the best, in [0, 1], and where it was read."""

    label: str
    share: float
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class AskedStep:
    """One description that was asked for.

    Attributes:
        description: as the question has it.
        bridges: the likeliest answers, the best first; at least one.
        found: the passages, the best first.
    """

    description: str
    question: str
    bridges: tuple[Bridge, ...]
    found: tuple[RetrievedPassage, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A question with answers put in for what it described.

    Attributes:
        question: what is left to ask.
        worth: log-probability of the answers that were put in.
        steps: how it came about.
        bridges: the answers that were put in, one a step.
        found: the passages for what is left to ask, the best first.
    """

    question: Question
    worth: float = 0.0
    steps: tuple[AskedStep, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    found: tuple[RetrievedPassage, ...] = ()

    def append_bridge(self, place: Description, step: AskedStep, bridge: Bridge) -> Way:
        """The way with one more answer put in."""
        asked = self.question.text
        return Way(
            Question(f"{asked[: place.start]}{bridge.label}{asked[place.end :]}"),
            self.worth + math.log(max(bridge.share, 1e-9)),
            (*self.steps, step),
            (*self.bridges, bridge),
        )


class Decomposer:
    """Asks for what a question describes. Threads may share it.

    Args:
        reader: trained beside the index's encoder.
        blend: how passages are ranked, in place of the index's own.
        weights: see :class:`StepWeights`.
    """

    def __init__(
        self,
        index: PassageIndex,
        reader: SpanReader,
        blend: Blend | None = None,
        weights: StepWeights | None = None,
    ) -> None:
        self._index, self._reader, self._blend = index, reader, blend
        self._weights = weights or StepWeights()
        self._weigh = make_weigher(index)

    def ask_descriptions(
        self, question: Question, check: Callable[[], None] = lambda: None
    ) -> Generator[AskedStep, None, list[Way]]:
        """Ask for each description, the innermost first. Yields each step when it is answered.

        Args:
            check: called before each step; what it raises ends the search.

        Returns:
            The likeliest first; none where the question describes nothing that could be found.

        Raises:
            NotIndexedError: the passages are not indexed yet.
        """
        ways, steps_by_question = [Way(question)], dict[str, AskedStep | None]()
        for _ in range(self._weights.steps):
            following: list[Way] = []
            for way in ways:
                place = find_innermost(way.question.text)
                if place is None or any(step.question == place.question for step in way.steps):
                    following.append(way)
                    continue
                check()
                if place.question not in steps_by_question:
                    steps_by_question[place.question] = self._ask(place)
                    if (made := steps_by_question[place.question]) is not None:
                        yield made
                step = steps_by_question[place.question]
                following += [way.append_bridge(place, step, each) for each in step.bridges] if step else [way]
            following.sort(key=lambda way: -way.worth)
            if following == ways:
                break
            ways = following[: self._weights.width]
        return [replace(way, found=self._search(way.question)) for way in ways if way.steps]

    def _ask(self, place: Description) -> AskedStep | None:
        """What a description stands for; None where nothing that has a name was found."""
        question = Question(place.question)
        passages = self._search(question)
        read = read_passages(self._index, question, passages[: self._weights.read])
        spans = score_answer_spans(question, read, self._weigh, self._reader, counts=self._weights.asking)
        best: list[AnswerSpan] = []
        for each in spans:
            if each.label[0].isupper() and not any(_is_same_span(each, other) for other in best):
                best.append(each)
            if len(best) == self._weights.width:
                break
        if not best:
            return None
        odds = [math.exp(each.worth - best[0].worth) for each in best]
        bridges = tuple(
            Bridge(each.label, odd / sum(odds), each.sentence) for each, odd in zip(best, odds, strict=True)
        )
        return AskedStep(place.text, place.question, bridges, passages)

    def _search(self, question: Question) -> tuple[RetrievedPassage, ...]:
        results = self._index.search(question.text, self._weights.looked, self._blend)
        return tuple(RetrievedPassage(self._index.table.get_passage(i), score) for i, score in results)

    def find_step_answers(self, ways: Sequence[Way], plain: Sequence[AnswerSpan]) -> list[AnswerSpan]:
        """What the last questions of the ways are answered with, beside what was read at once.

        Args:
            plain: what was read at once, with log-odds as worths.

        Returns:
            Each label once, the best first, with log-odds as worths.
        """
        best = {each.label.casefold(): each for each in plain}
        for way in ways:
            bridge_labels = {bridge.label.casefold() for bridge in way.bridges}
            through = tuple(bridge.sentence for bridge in way.bridges)
            read = read_passages(self._index, way.question, way.found[: self._weights.read])
            counts = self._weights.answering
            for each in score_answer_spans(way.question, read, self._weigh, self._reader, counts=counts):
                worth, key = each.worth + way.worth, each.label.casefold()
                if key not in bridge_labels and (key not in best or worth > best[key].worth):
                    best[key] = replace(each, worth=worth, through=through)
        return sorted(best.values(), key=lambda each: -each.worth)

    def merge_passages(
        self, plain: Sequence[RetrievedPassage], ways: Sequence[Way], limit: int
    ) -> tuple[RetrievedPassage, ...]:
        """The passages found at once and those of all steps, the best first; each text once.

        Args:
            plain: those found at once.
            limit: given back at most, beside those that were read in steps.
        """
        if not ways:
            return tuple(plain[:limit])
        weights, best = self._weights, {each.passage.id: each for each in plain}

        def add(passages: Iterable[RetrievedPassage], worth: float, first: float) -> None:
            for place, each in enumerate(passages):
                known = best.get(each.passage.id)
                score = each.score + weights.way * worth + (0.0 if place else first)
                if known is None or score > known.score:
                    facts = known.facts if known else 0
                    best[each.passage.id] = replace(each, score=round(score, 6), facts=facts)

        for rank, way in enumerate(ways):
            for step in way.steps:
                add(step.found, way.worth, weights.asked)
            add(way.found, way.worth, 0.0 if rank else weights.last)
        texts: dict[tuple[str, str], RetrievedPassage] = {}
        for each in sorted(best.values(), key=lambda each: (-each.score, each.passage.id)):
            texts.setdefault((each.passage.title, each.passage.text), each)
        listed = [(*(step.found for step in way.steps), way.found) for way in ways]
        read = {each.passage.id for searches in listed for retrieved in searches for each in retrieved[: weights.read]}
        ranked = list(texts.values())
        return (*ranked[:limit], *(each for each in ranked[limit:] if each.passage.id in read))


def _is_same_span(left: AnswerSpan, right: AnswerSpan) -> bool:
    """Whether two spans name one thing: alike, or one in the other in one passage."""
    first, second = left.label.casefold(), right.label.casefold()
    in_one_passage = left.sentence.at.passage == right.sentence.at.passage
    return first == second or (in_one_passage and (first in second or second in first))
