"""Linking: which entities an unmarked question is about.

Every stretch of words that is exactly the (normalised) name of an entity is a candidate; capitals, quotes,
length and common words tell names from the rest. A name that is not found is looked up misspelt, and by
vector as the last resort.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Literal

import numpy as np
from rapidfuzz.distance import OSA

from retrieval.errors import UnknownEntityError
from retrieval.kg.labels import Match, normalise
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.walks import all_arcs
from retrieval.text.mentions import (
    STOP_WORDS,
    Guard,
    Span,
    Word,
    bare,
    capitalised_runs,
    context_stem,
    has_case,
    is_written,
    marked,
    quoted,
    whole_words,
    words_of,
)
from retrieval.text.well_known import WellKnown
from retrieval.types import LinkedEntity, Node

if TYPE_CHECKING:
    from retrieval.text.encoder import Encoder
    from retrieval.text.entity_index import EntityIndex

Source = Literal["exact", "alias", "fuzzy", "vector", "given"]
#: Longest name looked for, in words.
NAME_WORDS = 20
#: Longest question that is searched for names, in words; the rest is ignored.
QUESTION_WORDS = 200
ALTERNATIVES = 5
#: How alike (of 100) a misspelt name must be: the second for names that nothing marks as names.
FUZZY_NAME, FUZZY_WORD = 76.0, 84.0
#: How alike (cosine) a vector match must be.
VECTOR_CUTOFF = 0.7
#: A name found, but only as a common-looking lower-case word.
_WEAK_SCORE = 0.6
_ARTICLES = frozenset(
    {"the", "a", "an", "what", "who", "which", "how", "when", "where", "is", "are", "in", "of"}
)
_VOWELS = frozenset("aeiouy")
_JOINS = re.compile(r"\b(and|or|than|vs|versus)\b|,")
#: A part of a name that more entities share names none of them, unless one is far better connected.
PART_LIMIT = 10
#: How a people is called after its country: "malaysian", "egyptian", "vietnamese", "peruvian".
_PEOPLES = (("n", ""), ("ian", ""), ("ese", ""), ("ese", "a"), ("ian", "y"), ("vian", ""))
#: A country has at least so many facts; an entity of fewer is some other thing of that name.
_PLACE_FACTS = 5
#: Part of a name found.
_PART_SCORE = 0.7


@dataclass(frozen=True, slots=True)
class Linked:
    """The topic entities of a question in the order of their mentions, and names that were not found."""

    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A stretch of the question that names entities. ``weight`` ranks stretches; ``strong`` ones are names."""

    span: Span
    matches: list[Match]
    weight: float
    strong: bool


class Linker:
    """Links questions to the entities of one snapshot. Thread-safe.

    Args:
        snapshot: the graph.
        index: its entity index, for vectors; None looks names up by spelling alone.
        encoder: encodes names for the vector look-up; None goes without.
    """

    def __init__(
        self, snapshot: Snapshot, index: EntityIndex | None = None, encoder: Encoder | None = None
    ) -> None:
        self.snapshot = snapshot
        self._labels = snapshot.labels
        self._index = index
        self._encoder = encoder
        self._well_known = WellKnown(snapshot)
        self._guard = Guard(snapshot.relation_label(r) for r in range(snapshot.num_relations))

    def link(self, question: str, given: Sequence[int] = ()) -> Linked:
        """The entities a question is about.

        Args:
            question: as asked; ``[marks]`` and quotes are honoured.
            given: entities the asker picked; nothing else is linked then.

        Raises:
            UnknownEntityError: a given id is not in the graph.
        """
        if given:
            return Linked(tuple(self._given(entity) for entity in given), ())
        marks = marked(question)
        if marks:
            linked = self._link_spans(marks, question)
            if linked.entities:
                return linked
        return self._link_free(question)

    def _given(self, entity: int) -> LinkedEntity:
        if not 0 <= entity < self.snapshot.num_entities:
            raise UnknownEntityError(
                f"There is no entity {entity} in this graph.", hint="Pick the entity again from the list."
            )
        node = self.snapshot.node(entity)
        return LinkedEntity(node, node.label, -1, -1, 1.0, "given")

    def _link_spans(self, spans: Sequence[Span], question: str) -> Linked:
        """Link stretches that certainly are names."""
        found, missed = [], []
        for span in spans:
            linked = self._link_name(span, question)
            if linked is None:
                missed.append(span.text.strip())
            else:
                found.append(linked)
        return Linked(_distinct(found), tuple(missed))

    def _link_name(self, span: Span, question: str) -> LinkedEntity | None:
        matches = self._labels.lookup(normalise(span.text))
        if matches:
            return self._decide(span, matches, question)
        return self._part(span) or self._misspelt(span, FUZZY_NAME) or self._by_vector(span)

    def _link_free(self, question: str) -> Linked:
        words = words_of(question)[:QUESTION_WORDS]
        cased = has_case(words)
        quotes = quoted(question)
        from_quotes = self._link_spans(quotes, question)
        candidates = [
            c
            for c in self._candidates(question, words, cased)
            if not any(c.span.overlaps(quote) for quote in quotes)
        ]
        chosen = _best_apart([c for c in candidates if c.strong])
        if chosen and not cased:
            chosen += _coordinated(question, chosen, candidates)
        found = [*from_quotes.entities, *(self._decide(c.span, c.matches, question) for c in chosen)]
        taken = [*quotes, *(c.span for c in chosen)]
        missed = list(from_quotes.unmatched)
        for run in capitalised_runs(question, words, self._guard) if cased else []:
            if any(run.overlaps(span) for span in taken):
                continue
            if chosen and self._labels.containing(normalise(run.text), 1):
                # Part of some name beside a whole name ("Olympic Games"): more likely a kind of thing.
                continue
            link = self._part(run) or self._misspelt(run, FUZZY_NAME) or self._by_vector(run)
            if link is None:
                missed.append(run.text)
            else:
                found.append(link)
                taken.append(run)
        if not found and not (cased and missed):
            found = self._weak(question, words, candidates)
        if not found and not missed:
            missed = [question[span.start : span.end] for span in self._odd_stretches(question, words)[:1]]
        return Linked(_distinct(sorted(found, key=lambda e: e.start)), tuple(missed))

    def _candidates(self, question: str, words: list[Word], cased: bool) -> Iterable[_Candidate]:
        """Every stretch of whole words that is the name of something, function words alone left out."""
        for i, first in enumerate(words):
            name = ""
            for j in range(i, min(i + NAME_WORDS, len(words))):
                name = f"{name} {words[j].text}" if name else first.text
                start, end = first.start, words[j].end
                if whole_words(question, start, end) and (matches := self._labels.lookup(name)):
                    span = Span(start, end, question[start:end])
                    if candidate := self._weigh(span, words[i : j + 1], matches, cased, i == 0):
                        yield candidate
                if first.text == "st" and (matches := self._labels.lookup(f"saint{name[2:]}")):
                    span = Span(start, end, question[start:end])
                    yield _Candidate(span, matches, 1.6 * len(span.text), strong=j > i)
                if not self._labels.begins(name) and first.text != "st":
                    break

    def _weigh(
        self, span: Span, words: list[Word], matches: list[Match], cased: bool, at_start: bool
    ) -> _Candidate | None:
        telling = [word for word in words if not self._guard.is_common(word.text)]
        # The capital of a sentence's first word says nothing.
        capitals = sum(word.capital for word in words[1 if at_start else 0 :])
        has_capitals = span.text != span.text.lower()
        # How an alias is written is not known; capitals in the question speak for it.
        as_written = any(
            is_written(match.node.label, span.text) or (match.source == "alias" and has_capitals)
            for match in matches
        )
        joined = "_" in span.text
        if not telling:
            # "The Director" or "One on One" in the middle of a cased question is a title.
            titled = cased and not at_start and words[0].capital and words[-1].capital
            if as_written and (titled or joined):
                return _Candidate(span, matches, 0.5 * len(span.text), strong=True)
            # "please give" may be a film when nothing else can be meant.
            if cased or len(words) < 2 or words[0].text in _ARTICLES:
                return None
            return _Candidate(span, matches, 0.1 * len(span.text), strong=False)
        weight = sum(len(word.text) for word in telling) + 0.3 * len(span.text)
        if sum(word.text not in STOP_WORDS for word in words) >= 2:
            # "newton" measures force, and still "isaac newton" is a name.
            weight += 0.5 * len(span.text)
        if as_written and (has_capitals or joined):
            weight *= 1.5
        elif cased and not as_written:
            weight *= 0.6
        several = len(telling) >= 2 or (len(words) >= 3 and len(telling) >= 1 and as_written)
        strong = joined or several or (cased and capitals > 0) or (cased and as_written and has_capitals)
        if cased and not capitals and not as_written and not joined:
            # Written small where the name is written large, in a question that has capitals.
            strong = len(telling) >= 2
        return _Candidate(span, matches, weight, strong)

    def _weak(self, question: str, words: list[Word], candidates: list[_Candidate]) -> list[LinkedEntity]:
        """No name stands out: the best lower-case candidate, else a misspelt word."""
        best = self._before_its_place(question, _best_apart(candidates))[:1]
        longer = self._longer(question, words, best[0]) if best else None
        known = longer or self._known_better(question, words, best)
        if known is not None:
            return [known]
        if best:
            best += _coordinated(question, best, candidates)
            linked = [self._decide(c.span, c.matches, question) for c in best]
            return [_rescored(link, min(link.score, _WEAK_SCORE)) for link in linked]
        people = [link for word in words if (link := self._people(question, word)) is not None]
        if people:
            return people[:1]
        stretches = self._odd_stretches(question, words)
        parts = [link for span in stretches if (link := self._part(span)) is not None]
        if parts:
            return [max(parts, key=lambda e: (self.snapshot.degree(e.entity.id), -e.start))]
        found = [link for span in stretches if (link := self._misspelt(span, FUZZY_WORD)) is not None]
        return [max(found, key=lambda e: (e.score * (e.end - e.start), -e.start))] if found else []

    def _known_better(self, question: str, words: list[Word], best: list[_Candidate]) -> LinkedEntity | None:
        """A far better known entity by its initials or by how its name begins: "the uk", "united states"."""
        facts = max((match.degree for match in best[0].matches), default=0) if best else 0
        found: list[tuple[Span, list[Match]]] = []
        asked = frozenset(stem for word in words if (stem := context_stem(word.text)))
        for i, first in enumerate(words):
            if first.text not in STOP_WORDS:
                found.append(
                    (_span(question, first, first), self._well_known.completed_by(first.text, asked))
                )
            # "us" is a word of its own; "jfk" is none.
            if (i and words[i - 1].text == "the") or (len(first.text) >= 3 and not _VOWELS & set(first.text)):
                found.append((_span(question, first, first), self._well_known.by_initials(first.text)))
            for last in words[i + 1 : i + 3]:
                span = _span(question, first, last)
                within = bool(best) and span.overlaps(best[0].span)
                if not within and first.text not in STOP_WORDS and len(last.text) >= 4:
                    found.append((span, self._well_known.completing(normalise(span.text), facts)))
        if best:
            found.append((best[0].span, self._well_known.completing(normalise(best[0].span.text), facts)))
        usable = [(span, matches) for span, matches in found if matches and matches[0].degree > facts]
        if not usable:
            return None
        span, matches = max(usable, key=lambda item: (item[1][0].degree, -item[0].start))
        return self._linked(span, matches, _PART_SCORE, "fuzzy")

    def _before_its_place(self, question: str, best: list[_Candidate]) -> list[_Candidate]:
        """Of "greeley colorado" Greeley is meant: the second says which one, if a fact joins the two."""
        for first in best[1:]:
            between = question[first.span.end : best[0].span.start]
            if first.span.end <= best[0].span.start and between in (" ", ", "):
                entities = [self._decide(c.span, c.matches, question).entity.id for c in (first, best[0])]
                small, other = sorted(entities, key=self.snapshot.degree)
                if other in all_arcs(self.snapshot, np.array([small]))[2]:
                    return [first, *(c for c in best if c is not first)]
        return best

    def _longer(self, question: str, words: list[Word], candidate: _Candidate) -> LinkedEntity | None:
        """Part of a better known name that holds a word that is one by itself: "henry viii", and no Henry."""
        found, known = candidate.span, max(match.degree for match in candidate.matches)
        if " " in found.text:
            return None
        for span in self._odd_stretches(question, words):
            if span.overlaps(found) and span.text != found.text and " " in span.text:
                matches = self._labels.containing(normalise(span.text), 2)
                if (
                    matches
                    and matches[0].degree > known
                    and (len(matches) == 1 or matches[0].degree >= 3 * matches[1].degree)
                ):
                    return self._linked(span, matches, _PART_SCORE, "fuzzy")
        return None

    def _people(self, question: str, word: Word) -> LinkedEntity | None:
        """The country of a people or of its language ("egyptian"), where that word itself names nothing."""
        plain = word.text.removesuffix("s")
        for ending, instead in _PEOPLES:
            if plain.endswith(ending) and len(plain) - len(ending) >= 3:
                matches = self._labels.lookup(plain.removesuffix(ending) + instead)
                matches = [match for match in matches if match.degree >= _PLACE_FACTS]
                if matches:
                    span = Span(word.start, word.end, question[word.start : word.end])
                    return self._linked(span, matches, _PART_SCORE, "fuzzy")
        return None

    def _odd_stretches(self, question: str, words: list[Word]) -> list[Span]:
        """Stretches of up to four words that hold a telling word, few enough to try them all."""
        spans = []
        for i, first in enumerate(words):
            for j in range(i, min(i + 4, len(words))):
                inner = words[i : j + 1]
                if self._guard.is_common(first.text) or self._guard.is_common(inner[-1].text):
                    continue
                text = question[first.start : inner[-1].end]
                if len(text) >= 4:
                    spans.append(Span(first.start, inner[-1].end, text))
        return sorted(spans, key=lambda span: len(span.text), reverse=True)[:24]

    def _part(self, span: Span) -> LinkedEntity | None:
        """Part of a name ("Obama"): the most connected entity whose name holds these words."""
        name = normalise(span.text)
        if len(name) < 4:
            return None
        matches = self._labels.containing(name, PART_LIMIT + 1)
        if not matches or (len(matches) > PART_LIMIT and matches[0].degree < 3 * matches[1].degree):
            return None
        return self._linked(span, matches, _PART_SCORE, "fuzzy")

    def _misspelt(self, span: Span, cutoff: float) -> LinkedEntity | None:
        name = normalise(span.text)
        if len(name) < 4:
            return None
        found = self._labels.fuzzy(name, 2 * ALTERNATIVES, cutoff)
        matches = [match for match in found if is_slip(name, match.name)]
        return self._linked(span, matches, matches[0].score, "fuzzy") if matches else None

    def _by_vector(self, span: Span) -> LinkedEntity | None:
        if self._index is None or self._encoder is None:
            return None
        matches = self._index.nearest(self._encoder.encode([span.text])[0], ALTERNATIVES + 1)
        matches = [match for match in matches if match.score >= VECTOR_CUTOFF]
        return self._linked(span, matches, matches[0].score, "vector") if matches else None

    @staticmethod
    def _linked(span: Span, matches: list[Match], score: float, source: Source) -> LinkedEntity:
        nodes = tuple(match.node for match in matches[: ALTERNATIVES + 1])
        return LinkedEntity(
            nodes[0], span.text, span.start, span.end, round(score, 4), source, nodes[1 : ALTERNATIVES + 1]
        )

    def _decide(self, span: Span, matches: list[Match], question: str) -> LinkedEntity:
        """Which of the entities of one name is meant: as written, own name, fitting relations, degree."""
        words = words_of(question)
        asked = {stem for word in words if (stem := context_stem(word.text))}
        written = has_case(words) or span.text != span.text.lower()
        ranked = sorted(matches, key=lambda match: self._fit(match, span, asked, written), reverse=True)
        best = ranked[0]
        source: Source = "alias" if best.source == "alias" else "exact"
        as_written = bare(best.node.label) == bare(span.text)
        score = best.score if as_written or best.source == "alias" else 0.98
        others: tuple[Node, ...] = tuple(match.node for match in ranked[1 : ALTERNATIVES + 1])
        label, end = best.node.label, span.end
        if question.startswith(label, span.start):
            # The punctuation that ends a name belongs to the mention: "U.S.", "Lolita (film)".
            end = max(end, span.start + len(label))
        return LinkedEntity(best.node, question[span.start : end], span.start, end, score, source, others)

    def _fit(self, match: Match, span: Span, asked: set[str], written: bool) -> float:
        """How well an entity of the mentioned name fits the question; compared, never shown.

        Capitals count most, where the question has them; then each word that the question shares with the
        entity's relations or with the rest of its label ("... (film)"); then a name of its own; then degree.
        """
        if match.degree == 0:
            return -1.0
        label = match.node.label
        capitals = (
            (label == span.text) + is_written(label, span.text) if written else 0.6 * (label == span.text)
        )
        relations = {
            int(relation)
            for groups in (self.snapshot.out_groups, self.snapshot.in_groups)
            for relation in groups.of_entity(match.entity)[0][:200]
        }
        texts = [self.snapshot.relation_label(relation) for relation in relations]
        texts.append(label[len(span.text) :] if label.startswith(span.text) else "")
        stems = {context_stem(word) for text in texts for word in normalise(text).split(" ")}
        own = match.source != "alias"
        return 2.0 * capitals + 1.5 * len(asked & stems) + 1.0 * own + 0.5 * log1p(match.degree)


def _span(question: str, first: Word, last: Word) -> Span:
    return Span(first.start, last.end, question[first.start : last.end])


def is_slip(name: str, meant: str) -> bool:
    """Whether ``name`` may be ``meant`` misspelt: an edit in short names, two or three in longer ones.

    Edits of the first letter are rare slips, so then only one is allowed ("Ruritania" is not "Mauritania").
    """
    allowed = 1 if len(name) < 9 else 2 if len(name) < 14 else 3
    if name[0] != meant[0]:
        allowed = 1
    return OSA.distance(name, meant, score_cutoff=allowed) <= allowed


def _coordinated(
    question: str, chosen: list[_Candidate], candidates: Iterable[_Candidate]
) -> list[_Candidate]:
    """Further lower-case candidates that ``and``, ``or`` and the like join to one that was chosen."""
    more: list[_Candidate] = []
    for other in _best_apart(candidates):
        if any(other.span.overlaps(c.span) for c in chosen):
            continue
        for c in chosen:
            first, second = sorted((c.span, other.span), key=lambda span: span.start)
            if _JOINS.search(question[first.end : second.start]):
                more.append(other)
                break
    return more


def _best_apart(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Heaviest first, none overlapping one already taken."""
    chosen: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.weight, c.span.start)):
        if not any(candidate.span.overlaps(other.span) for other in chosen):
            chosen.append(candidate)
    return chosen


def _distinct(found: Iterable[LinkedEntity]) -> tuple[LinkedEntity, ...]:
    """The first mention of each entity."""
    return tuple({linked.entity.id: linked for linked in reversed(list(found))}.values())[::-1]


def _rescored(linked: LinkedEntity, score: float) -> LinkedEntity:
    return LinkedEntity(
        linked.entity, linked.mention, linked.start, linked.end, score, linked.source, linked.alternatives
    )
