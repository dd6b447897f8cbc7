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
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.mention_words import has_case, split_words
from retrieval.language.question import Question
from retrieval.linking.candidates import SpanCandidate, find_candidates, find_coordinated, select_disjoint
from retrieval.linking.lower_case import LowerCase, find_odd_spans
from retrieval.linking.mentions import Guard, MentionSpan, find_capitalised_runs, find_marked, find_quoted, split_run
from retrieval.linking.names import FUZZY_RUN, NameLinker
from retrieval.linking.readings import has_joining_fact
from retrieval.types import LinkedEntity

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.linking.entity_index import EntityIndex

#: Longest question that is searched for names, in words; the rest is ignored.
QUESTION_WORDS = 200


@dataclass(frozen=True, slots=True)
class LinkingResult:
    """The topic entities of a question in the order of their mentions, and names that were not found.

    ``missing`` are those of the latter that are written as names: capitalised, quoted or marked.
    """

    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]
    missing: tuple[MentionSpan, ...] = ()


class Linker:
    """Links questions to the entities of one snapshot. Thread-safe.

    Args:
        index: its entity index, for vectors; None looks names up by spelling alone.
        encoder: encodes names for the vector look-up; None goes without.
    """

    def __init__(self, snapshot: Snapshot, index: EntityIndex | None = None, encoder: Encoder | None = None) -> None:
        self.snapshot = snapshot
        self._guard = Guard(snapshot.get_relation_label(r) for r in range(snapshot.num_relations))
        self._names = NameLinker(snapshot, index, encoder)
        self._lower_case = LowerCase(self._names, self._guard)

    def link(self, question: Question, topics: Sequence[int] = ()) -> LinkingResult:
        """The entities a question is about.

        Args:
            question: as asked; ``[marks]`` and quotes are honoured.
            topics: entities the asker picked; nothing else is linked then.

        Raises:
            UnknownEntityError: a given id is not in the graph.
        """
        if topics:
            return LinkingResult(tuple(self._link_given(entity) for entity in topics), ())
        marks = find_marked(question)
        if marks:
            linked = self._link_spans(marks, question)
            if linked.entities:
                return linked
        return self._link_free(question)

    def _link_given(self, entity: int) -> LinkedEntity:
        if not 0 <= entity < self.snapshot.num_entities:
            raise UnknownEntityError(
                f"There is no entity {entity} in this graph.", hint="Pick the entity again from the list."
            )
        node = self.snapshot.get_node(entity)
        return LinkedEntity(node, node.label, -1, -1, 1.0, "given")

    def _link_spans(self, spans: Sequence[MentionSpan], question: Question) -> LinkingResult:
        """Link stretches that certainly are names."""
        entities, missed = [], []
        for span in spans:
            if effort.is_spent():
                break
            linked = self._names.link_mention(span, question)
            if linked is None:
                missed.append(span)
            else:
                entities.append(linked)
        return LinkingResult(_remove_repeats(entities), tuple(span.text.strip() for span in missed), tuple(missed))

    def _link_free(self, question: Question) -> LinkingResult:
        words = question.mention_words[:QUESTION_WORDS]
        cased = has_case(words)
        quotes = find_quoted(question)
        from_quotes = self._link_spans(quotes, question)
        candidates = [
            c
            for c in find_candidates(question, words, cased, self.snapshot.labels, self._guard)
            if not any(c.span.is_overlapping(quote) for quote in quotes)
        ]
        chosen = select_disjoint([c for c in candidates if c.strong])
        if chosen and not cased:
            chosen = [self._select_nearer(c, candidates) for c in chosen]
            chosen += find_coordinated(question, chosen, candidates)
        runs = find_capitalised_runs(question, words, self._guard) if cased else []
        chosen = [c for c in chosen if not any(self._is_first_name(c.span, run, chosen) for run in runs)]
        chosen = self._merge_misspelt_runs(chosen, runs)
        entities = [*from_quotes.entities, *(self._link_candidate(c, question) for c in chosen)]
        taken = [*quotes, *(c.span for c in chosen)]
        missing = list(from_quotes.missing)
        for run in (piece for full_run in runs for piece in split_run(full_run, taken)):
            if effort.is_spent():
                break
            if chosen and self.snapshot.labels.find_containing(normalize_name(run.text), 1):
                # Part of some name beside a whole name ("Olympic Games"): more likely a kind of thing.
                continue
            link = self._names.link_inexact(run)
            if link is None:
                missing.append(run)
            else:
                entities.append(link)
                taken.append(run)
        if not entities and not (cased and missing):
            entities = self._lower_case.link_topics(question, words, candidates)
        missed = missing or ([] if entities else find_odd_spans(question, words, self._guard)[:1])
        return LinkingResult(
            _remove_repeats(sorted(entities, key=lambda e: e.start)),
            tuple(span.text.strip() for span in missed),
            tuple(missing),
        )

    def _link_candidate(self, candidate: SpanCandidate, question: Question) -> LinkedEntity:
        """Which entity is meant, no surer than the way that its name is written."""
        link = self._names.select_entity(candidate.span, candidate.matches, question)
        if candidate.sure == 1.0:
            return link
        return replace(link, score=min(link.score, candidate.sure), source="fuzzy")

    def _merge_misspelt_runs(self, chosen: list[SpanCandidate], runs: Sequence[MentionSpan]) -> list[SpanCandidate]:
        """With names inside a longer one that is misspelt given up for it: of "Dorchester Tonw F.C." the club."""
        for run in runs:
            inside = [c for c in chosen if run.start <= c.span.start and c.span.end <= run.end]
            across = [c for c in chosen if c.span.is_overlapping(run) and c not in inside]
            if not inside or across or any(c.sure < 1.0 for c in inside):
                continue
            taken = sum(c.span.end - c.span.start for c in inside)
            if taken + len(inside) >= run.end - run.start:
                continue
            matches = self._names.find_misspelt(run, FUZZY_RUN)
            if matches:
                chosen = [c for c in chosen if c not in inside]
                chosen.append(SpanCandidate(run, matches, 0.0, strong=True, sure=matches[0].score))
        return chosen

    def _is_first_name(self, name: MentionSpan, run: MentionSpan, chosen: Sequence[SpanCandidate]) -> bool:
        """Whether a name of one word is the first of somebody who is not in the graph: "Florence" of "Florence Rice".

        What follows it is written as a name, and is neither one that the graph has nor a word that asks.
        """
        first, *others = split_words(run.text)
        if not others or (name.start, name.end) != (run.start, run.start + first.end):
            return False
        rest = MentionSpan(run.start + others[0].start, run.end, run.text[others[0].start :])
        if any(c.span.is_overlapping(rest) for c in chosen) or run.text[first.end : others[0].start] != " ":
            return False
        return all(
            word.capital
            and not run.text[word.start : word.end].isupper()
            and not self._guard.is_common(word.text)
            and not self.snapshot.labels.find_exact(word.text)
            for word in others
        )

    def _select_nearer(self, place: SpanCandidate, candidates: Sequence[SpanCandidate]) -> SpanCandidate:
        """What stands right before a name and is joined to it by a fact: of "victoria british columbia" the city."""
        for other in candidates:
            if other.span.end + 1 == place.span.start:
                inside = [m for m in other.matches if any(has_joining_fact(self.snapshot, m, p) for p in place.matches)]
                if inside:
                    return replace(other, matches=inside)
        return place


def _remove_repeats(entities: Iterable[LinkedEntity]) -> tuple[LinkedEntity, ...]:
    """The first mention of each entity."""
    return tuple({linked.entity.id: linked for linked in reversed(list(entities))}.values())[::-1]
