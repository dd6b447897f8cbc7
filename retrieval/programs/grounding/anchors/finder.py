"""What the words of a question may stand for in a graph: nodes, kinds, relations, quantities, operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.language.english import DETERMINERS, DO, STOP, is_past
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.operations import Entities
from retrieval.programs.grounding.anchors import known_references
from retrieval.programs.grounding.anchors.abbreviations import Shortened
from retrieval.programs.grounding.anchors.absences import Lacking
from retrieval.programs.grounding.anchors.anchor import Anchor, is_near
from retrieval.programs.grounding.anchors.computed_columns import find_computed_anchors
from retrieval.programs.grounding.anchors.cues import assign_place_counts, find_cues, find_quantities
from retrieval.programs.grounding.anchors.kind_lexicon import KINDS, KindLexicon
from retrieval.programs.grounding.anchors.kinship import Relatives
from retrieval.programs.grounding.anchors.meaning import MeaningAnchors
from retrieval.programs.grounding.anchors.names import NODES, NameAnchors
from retrieval.programs.grounding.anchors.relation_lexicon import RelationLexicon
from retrieval.programs.grounding.anchors.similarity import Adjectives, Similarity
from retrieval.programs.grounding.anchors.sums import add_sum_anchors, find_stock_anchors
from retrieval.programs.grounding.anchors.texts import find_texts
from retrieval.programs.grounding.anchors.unknown_nouns import UnknownNouns

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema
    from retrieval.types import Denoted

#: Meanings of one stretch of words that are kept, by sort; of "where" and "when" so many.
_KEPT = {"R": 12, "kind": KINDS, "hub": KINDS, "ends": 4, "starts": 3, "flag": 3, "node": NODES}
_ASKED = 40
#: Words for an operator that relations are named with.
_NAMING = frozenset({"first", "last", "second", "third", "top", "total", "average"})
#: From this share of a relation's name on, words are a part of it.
_HALF = 0.5


class Anchors:
    """Finds the anchors of questions over one graph.

    Attributes:
        adjectives: the relations that they compare.
    """

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self._schema = schema
        self.adjectives = Adjectives(schema, similarity)
        self._names = NameAnchors(schema)
        self._shortened = Shortened(schema, similarity)
        self._unknown = UnknownNouns(schema, similarity)
        self._kinds = KindLexicon(schema)
        self._relations = RelationLexicon(schema)
        self._meanings = MeaningAnchors(schema, similarity, self._relations, self._kinds)
        self._lacking = Lacking(schema)
        self._relatives = Relatives(schema)

    def find_anchors(
        self, question: QuestionWords, topics: Sequence[int] = (), denoted: Sequence[Denoted] = ()
    ) -> list[Anchor]:
        """All anchors of a question, in no particular order; words that are said to denote nodes stand for these."""
        anchors = assign_place_counts(question, [*find_quantities(question), *find_cues(question, self.adjectives)])
        cued = {n for anchor in anchors if anchor.category != "N" for n in range(anchor.first, anchor.last)}
        anchors += _drop_parts_of_tokens(question, self._names.find_anchors(question, cued))
        anchors += self._relations.find_asked_relations(question)
        anchors += self._names.find_states(question)
        anchors += find_texts(question)
        anchors += find_stock_anchors(question, self._schema)
        anchors += self._relations.find_relations(question)
        anchors += self._relations.find_related_relations(question)
        anchors += self._lacking.find_anchors(question)
        anchors += self._relatives.find_anchors(question)
        anchors += self._kinds.find_kinds(question)
        anchors += self._meanings.find_similar(question, anchors, cued)
        anchors += self._names.find_name_endings(question, {n for a in anchors for n in range(a.first, a.last)})
        anchors += self._shortened.find_name_beginnings(question, anchors)
        anchors += self._shortened.find_abbreviations(question, _find_explained_words(anchors))
        anchors += self._shortened.find_initials(question, _find_explained_words(anchors))
        anchors += self._shortened.find_containing_texts(question, anchors)
        anchors += self._unknown.find_anchors(question, anchors)
        anchors = _drop_verbs(question, _drop_numbers_of_names(question, _drop_total_sums(question, anchors)))
        anchors += find_computed_anchors(question, self._schema)
        anchors = add_sum_anchors(question, self._schema, _drop_name_cues(question, anchors))
        anchors = known_references.replace_denoted(question, anchors, denoted)
        return _keep_best_meanings(_keep_picked_meanings(anchors, topics) if topics else anchors)


def _find_explained_words(anchors: list[Anchor]) -> set[int]:
    """Words that stand for something by their form, not by their meaning alone."""
    return {n for a in anchors if not is_near(a) for n in range(a.first, a.last)}


def _drop_parts_of_tokens(question: QuestionWords, names: list[Anchor]) -> list[Anchor]:
    """The names without those of parts of a name that is written without spaces: the "AC" of "AC/DC"."""
    tokens = {
        (a.first, a.last) for a in names
        if a.last - a.first > 1 and "e.exact" in dict(a.features)
        and " " not in question.get_span_text(a.first, a.last)
    }  # fmt: skip
    return [
        a for a in names
        if not any(first <= a.first and a.last <= last and (a.first, a.last) != (first, last) for first, last in tokens)
    ]  # fmt: skip


def _drop_verbs(question: QuestionWords, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors without nodes named by a verb of the question: "which customer placed the order" names no status
    "placed", "how many rockets did SpaceX launch" no "Launch Pad". A verb is a past form between a noun, or "who", and
    a determiner, and what stands behind the subject of "do".
    """
    words = question.words
    verbs = {
        n for n in range(1, len(words) - 1)
        if is_past(words[n].text) and words[n + 1].text in DETERMINERS
        and (words[n - 1].text == "who" or words[n - 1].text not in STOP)
    }  # fmt: skip
    behind_do = {n + 1 for n, word in enumerate(words) if word.text in DO}
    behind_do |= {n + 1 for n in behind_do if n < len(words) and words[n].text in DETERMINERS}
    subjects = [a for a in anchors if a.first in behind_do and a.extra in ("node", "kind")]
    verbs |= {a.last for a in subjects if a.last == max(other.last for other in subjects if other.first == a.first)}
    verbs = {n for n in verbs if n < len(words) and not words[n].capital}
    return [a for a in anchors if a.extra not in ("node", "hub") or a.last > a.first + 1 or a.first not in verbs]


def _drop_total_sums(question: QuestionWords, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors without the sum of "how many shops are there in total": things of a kind are counted."""
    texts = [word.text for word in question.words]
    counts = [a.last for a in anchors if a.category == "Q"]
    kinds = {a.first for a in anchors if a.extra == "kind" and dict(a.features).get("k.recall", 0.0) > _HALF}
    if not any(kinds & {last, last + 1} for last in counts):  # "how many shops", "how many old shops"
        return anchors
    return [a for a in anchors if a.category != "A" or texts[max(0, a.first - 1) : a.last] != ["in", "total"]]


def _drop_numbers_of_names(question: QuestionWords, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors without numbers that only complete a relation's name: the year of a column for that year.

    Nodes that are called by such a number alone, as values are, go too.
    """
    complete = [a.extra.distant for a in anchors if a.category == "R" and a.extra.distant and a.extra.quality == 1.0]
    numbers = frozenset[str]().union(*complete)

    def is_part_of_name(anchor: Anchor) -> bool:
        stems = {question.words[n].stem for n in range(anchor.first, anchor.last)}
        return bool(numbers & stems) if anchor.category == "N" else anchor.category == "S" and stems <= numbers

    return [anchor for anchor in anchors if not is_part_of_name(anchor)]


def _drop_name_cues(question: QuestionWords, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors without words for an operator that are part of a relation's name: the "first" of "first name".

    What is largest or highest stays: of the highest points, one is the highest.
    """
    name_spans = {
        (a.first, a.last) for a in anchors
        if a.category == "R" and a.last - a.first > 1 and dict(a.features).get("r.recall", 0.0) > _HALF
    }  # fmt: skip
    return [
        a for a in anchors
        if a.category not in "UOA" or question.words[a.first].text not in _NAMING
        or not any(first <= a.first and a.last <= last and (a.first, a.last) != (first, last) for first,
        last in name_spans)
    ]  # fmt: skip


def _keep_picked_meanings(anchors: list[Anchor], topics: Sequence[int]) -> list[Anchor]:
    """The anchors without other meanings of the words whose meaning somebody picked."""
    picked = {Entities((entity,)) for entity in topics}
    taken = {n for a in anchors if a.program in picked for n in range(a.first, a.last)}
    return [
        a for a in anchors
        if a.program in picked or a.category != "S" or not any(n in taken for n in range(a.first, a.last))
    ]  # fmt: skip


def _keep_best_meanings(anchors: list[Anchor]) -> list[Anchor]:
    """The best meanings of each stretch, of each sort; of the same meaning the best reading."""
    groups: dict[tuple[int, int, str], list[Anchor]] = {}
    for anchor in anchors:
        sort = anchor.extra if anchor.category == "S" else anchor.category
        groups.setdefault((anchor.first, anchor.last, str(sort)), []).append(anchor)
    kept: list[Anchor] = []
    for (_, _, sort), group in groups.items():
        group.sort(key=lambda anchor: -(anchor.strength - dict(anchor.features).get("e.place", 0.0) * 0.01))
        seen, chosen = set(), []
        for anchor in group:
            key = (anchor.category, anchor.program, anchor.extra if anchor.category != "R" else anchor.extra.relation)
            if key not in seen:
                seen.add(key)
                chosen.append(anchor)
        asking = sort == "R" and group[0].features[-1][0] in ("r.where", "r.when")
        kept += chosen[: _ASKED if asking else _KEPT.get(sort, 8)]
    return kept
