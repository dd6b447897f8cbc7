"""Linking: which entities an unmarked question is about.

Every stretch of words that is exactly the (normalised) name of an entity is a candidate; capitals, quotes,
length and common words tell names from the rest. A name that is not found is looked up misspelt, and by
vector as the last resort.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrieval import effort
from retrieval.errors import UnknownEntityError
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import normalise
from retrieval.text.candidates import SpanCandidate, best_apart, candidates_in, coordinated
from retrieval.text.lower_case import LowerCase, odd_stretches
from retrieval.text.mentions import (
    Guard,
    Span,
    capitalised_runs,
    has_case,
    marked,
    pieces_apart,
    quoted,
    words_of,
)
from retrieval.text.names import FUZZY_RUN, Names
from retrieval.text.readings import joined
from retrieval.types import LinkedEntity

if TYPE_CHECKING:
    from retrieval.text.encoder import Encoder
    from retrieval.text.entity_index import EntityIndex

#: Longest question that is searched for names, in words; the rest is ignored.
QUESTION_WORDS = 200


@dataclass(frozen=True, slots=True)
class Linked:
    """The topic entities of a question in the order of their mentions, and names that were not found.

    ``missing`` are those of the latter that are written as names: capitalised, quoted or marked.
    """

    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]
    missing: tuple[Span, ...] = ()


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
        self._guard = Guard(snapshot.relation_label(r) for r in range(snapshot.num_relations))
        self._names = Names(snapshot, index, encoder)
        self._lower_case = LowerCase(self._names, self._guard)

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
            if effort.is_spent():
                break
            linked = self._names.whole(span, question)
            if linked is None:
                missed.append(span)
            else:
                found.append(linked)
        return Linked(_distinct(found), tuple(span.text.strip() for span in missed), tuple(missed))

    def _link_free(self, question: str) -> Linked:
        words = words_of(question)[:QUESTION_WORDS]
        cased = has_case(words)
        quotes = quoted(question)
        from_quotes = self._link_spans(quotes, question)
        candidates = [
            c
            for c in candidates_in(question, words, cased, self.snapshot.labels, self._guard)
            if not any(c.span.overlaps(quote) for quote in quotes)
        ]
        chosen = best_apart([c for c in candidates if c.strong])
        if chosen and not cased:
            chosen = [self._nearer(c, candidates) for c in chosen]
            chosen += coordinated(question, chosen, candidates)
        runs = capitalised_runs(question, words, self._guard) if cased else []
        chosen = [c for c in chosen if not any(self._begins_another(c.span, run, chosen) for run in runs)]
        chosen = self._whole_runs(chosen, runs)
        found = [*from_quotes.entities, *(self._decided(c, question) for c in chosen)]
        taken = [*quotes, *(c.span for c in chosen)]
        missing = list(from_quotes.missing)
        for run in (piece for whole in runs for piece in pieces_apart(whole, taken)):
            if effort.is_spent():
                break
            if chosen and self.snapshot.labels.containing(normalise(run.text), 1):
                # Part of some name beside a whole name ("Olympic Games"): more likely a kind of thing.
                continue
            link = self._names.almost(run)
            if link is None:
                missing.append(run)
            else:
                found.append(link)
                taken.append(run)
        if not found and not (cased and missing):
            found = self._lower_case.topics(question, words, candidates)
        missed = missing or ([] if found else odd_stretches(question, words, self._guard)[:1])
        return Linked(
            _distinct(sorted(found, key=lambda e: e.start)),
            tuple(span.text.strip() for span in missed),
            tuple(missing),
        )

    def _decided(self, candidate: SpanCandidate, question: str) -> LinkedEntity:
        """Which entity is meant, no surer than the way that its name is written."""
        link = self._names.decide(candidate.span, candidate.matches, question)
        if candidate.sure == 1.0:
            return link
        return replace(link, score=min(link.score, candidate.sure), source="fuzzy")

    def _whole_runs(self, chosen: list[SpanCandidate], runs: Sequence[Span]) -> list[SpanCandidate]:
        """With names inside a longer one that is misspelt given up for it: of "Dorchester Tonw F.C." the club."""
        for run in runs:
            inside = [c for c in chosen if run.start <= c.span.start and c.span.end <= run.end]
            across = [c for c in chosen if c.span.overlaps(run) and c not in inside]
            if not inside or across or any(c.sure < 1.0 for c in inside):
                continue
            taken = sum(c.span.end - c.span.start for c in inside)
            if taken + len(inside) >= run.end - run.start:
                continue
            matches = self._names.misspelt_as(run, FUZZY_RUN)
            if matches:
                chosen = [c for c in chosen if c not in inside]
                chosen.append(SpanCandidate(run, matches, 0.0, strong=True, sure=matches[0].score))
        return chosen

    def _begins_another(self, name: Span, run: Span, chosen: Sequence[SpanCandidate]) -> bool:
        """Whether a name of one word is the first of somebody who is not in the graph: "Florence" of "Florence Rice".

        What follows it is written as a name, and is neither one that the graph has nor a word that asks.
        """
        first, *others = words_of(run.text)
        if not others or (name.start, name.end) != (run.start, run.start + first.end):
            return False
        rest = Span(run.start + others[0].start, run.end, run.text[others[0].start :])
        if any(c.span.overlaps(rest) for c in chosen) or run.text[first.end : others[0].start] != " ":
            return False
        return all(
            word.capital
            and not run.text[word.start : word.end].isupper()
            and not self._guard.is_common(word.text)
            and not self.snapshot.labels.lookup(word.text)
            for word in others
        )

    def _nearer(self, place: SpanCandidate, candidates: Sequence[SpanCandidate]) -> SpanCandidate:
        """What stands right before a name and is joined to it by a fact: of "victoria british columbia" the city."""
        for other in candidates:
            if other.span.end + 1 == place.span.start:
                inside = [m for m in other.matches if any(joined(self.snapshot, m, p) for p in place.matches)]
                if inside:
                    return replace(other, matches=inside)
        return place


def _distinct(found: Iterable[LinkedEntity]) -> tuple[LinkedEntity, ...]:
    """The first mention of each entity."""
    return tuple({linked.entity.id: linked for linked in reversed(list(found))}.values())[::-1]
