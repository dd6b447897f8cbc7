"""Kinds of a graph that has no relation for them, told by its names.

By the names of relations: of "city in country", what leads on are cities, what it leads to are countries; who has a
"customer type" is a customer; who "works for" something is an employee of a company. By the names of nodes: "Order 101"
is an order. By what is said of them: what has a price and a stock is a product.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.language.english import IRREGULAR, RELATION_PREPOSITIONS
from retrieval.language.words import get_label_stems, get_related_stems, get_stem
from retrieval.lexicon import get_table, get_words
from retrieval.programs.grounding.relation_types import PERSONAL, load_stems

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.grounding.relation_types import RelationInfo

#: How many more nodes than those of a side a wider relation may have.
_WIDER = 2.5
#: The share of what nearly all nodes of a side have that those of the wider relation have on average.
_ALIKE_WIDER = 0.8
#: Nodes whose names begin or end alike, the share of them that must have a relation, and the share of its nodes.
_ALIKE, _HAVE_IT, _OF_THEM = 2, 0.8, 0.6
#: Names that are looked at for what they begin and end with.
_NAMES = 50_000
#: Words that are no verbs, though they are told from others as verbs are.
_NO_VERBS = get_words("irregular_nouns")
IS_A = re.compile(r"is an? (?P<noun>.+?) (?:in|of|at|on|for|to|from|by|with)\b.*")
"""Names of relations that say what their heads are: "is a puzzle in"."""
#: Attributes behind the noun of what has them: "customer type".
_ATTRIBUTES = load_stems("attribute_nouns")
#: What is said of common kinds of things; two of these words tell one.
_USUAL = get_table("usual_attributes")


class Described(Protocol):
    """A graph and its relations, as :class:`~retrieval.programs.grounding.schema.GraphSchema` describes them."""

    snapshot: Snapshot
    columns: Columns
    relations: list[RelationInfo]

    def get_inverse(self, relation: int) -> int:
        """A directed relation the other way."""

    def find_shared_relations(self, nodes: np.ndarray) -> list[int]:
        """Directed relations that nearly all of some nodes have, ascending."""


def infer_kinds(schema: Described) -> dict[str, int]:
    """Nouns of kinds, each with the directed relation that its members have."""
    by_stems: dict[tuple[str, ...], tuple[str, int]] = {}
    people = _find_people_relation(schema)
    if people is not None:
        by_stems[get_label_stems("person")] = "person", people
    for relation, noun in _infer_from_relations(schema):
        stems = get_label_stems(noun)
        size = len(schema.columns.list_sources(relation))
        if stems not in by_stems or size > len(schema.columns.list_sources(by_stems[stems][1])):
            by_stems[stems] = noun, relation
    forward = len(schema.relations)
    # What stands before the preposition names all of its kind; of what is led to there may be more.
    kinds = {noun: r if r < forward else _expand_relation(schema, r) for noun, r in by_stems.values()}
    known = set(by_stems)
    for ways in (_infer_from_names, _infer_from_attributes, _infer_from_usage, _infer_from_sides):
        for noun, relation in ways(schema):
            if get_label_stems(noun) not in known:
                known.add(get_label_stems(noun))
                kinds[noun] = relation
    return kinds


def _infer_from_relations(schema: Described) -> list[tuple[int, str]]:
    """Directed relations, and the nouns of what has them, by the relations' names."""
    kinds = []
    for info in schema.relations:
        is_a = IS_A.fullmatch(info.label.casefold())
        if is_a is not None:
            kinds.append((info.id, is_a["noun"]))
            continue
        if info.form == "verb" and " " not in info.label:
            continue
        if info.form == "of":
            kinds.append((info.id, info.label.casefold().removesuffix(" of")))
            continue
        before, _, after = _split(info.label)
        sides = [(info.id, before)] if after and not _is_past(before) else []
        for relation, noun in (*sides, (schema.get_inverse(info.id), after or _remove_verb(info.label))):
            nodes = schema.columns.list_sources(relation)
            last = noun.rpartition(" ")[2].casefold()
            is_noun = bool(get_label_stems(noun)) and last not in RELATION_PREPOSITIONS | {"of"}
            if is_noun and len(nodes) and not schema.columns.kinds[nodes].all():
                kinds.append((relation, noun))
    return kinds


def _remove_verb(label: str) -> str:
    """What a relation leads to whose name says what was done to it: ``game`` of ``game played`` and ``played game``."""
    words = label.split()
    if len(words) > 1 and not {word.casefold() for word in words} & _NO_VERBS:
        if _is_past(words[-1].casefold()):
            return " ".join(words[:-1])
        if _is_past(words[0].casefold()):
            return " ".join(words[1:])
    return label


def _is_past(words: str) -> bool:
    """Whether words end in a past verb, which names no kind: ``fought`` in a year."""
    last = words.rpartition(" ")[2]
    return last.endswith("ed") or last in IRREGULAR


def _infer_from_names(schema: Described) -> list[tuple[str, int]]:
    """Nouns that the names of most nodes with a relation begin or end with: "Order 101", "King Street"."""
    heads = np.unique(schema.snapshot.heads)[:_NAMES].tolist()
    holding: dict[tuple[int, str], list[int]] = defaultdict(list)
    for node in heads:
        words = schema.snapshot.get_entity_label(node).split()
        for place in (0, -1) if len(words) > 1 else ():
            if words[place].isalpha() and len(words[place]) > 2:
                holding[place, words[place].casefold()].append(node)
    kinds = {}
    sizes = [info.heads for info in schema.relations]
    for (_, word), nodes in holding.items():
        near = (_HAVE_IT * len(nodes) <= size <= len(nodes) / _OF_THEM for size in sizes)
        if len(nodes) < _ALIKE or not any(near):
            continue
        relation = _find_closest_relation(schema, np.array(nodes))
        if relation is not None:
            kinds[word] = relation
    return list(kinds.items())


def _find_closest_relation(schema: Described, nodes: np.ndarray) -> int | None:
    """The relation whose nodes are most nearly these, None where none is near."""
    best, agreed = None, 0.0
    for relation in schema.find_shared_relations(nodes):
        if relation < len(schema.relations):
            having = schema.columns.list_sources(relation)
            shared = len(np.intersect1d(having, nodes, assume_unique=True))
            of_them = shared / len(having)
            if shared >= _HAVE_IT * len(nodes) and of_them >= _OF_THEM and of_them > agreed:
                best, agreed = relation, of_them
    return best


def _infer_from_attributes(schema: Described) -> list[tuple[str, int]]:
    """Who has a "customer type" is a customer."""
    kinds = []
    for info in schema.relations:
        words = info.label.casefold().split()
        if len(words) == 2 and get_stem(words[1]) in _ATTRIBUTES and words[0].isalpha():
            kinds.append((words[0], _expand_relation(schema, info.id)))
    return kinds


def _infer_from_usage(schema: Described) -> list[tuple[str, int]]:
    """Common kinds whose usual attributes some nodes have, at least two of them and more than any other nodes."""
    described = {
        info.id: {
            s
            for held in schema.find_shared_relations(schema.columns.list_sources(info.id))
            for s in _get_stems(schema, held)
        }
        for info in schema.relations
        if info.heads
    }
    kinds = []
    for nouns, attributes in _USUAL.items():
        usual = frozenset(map(get_stem, attributes))
        scored = [
            (len(usual & stems), schema.relations[relation].heads, -relation) for relation, stems in described.items()
        ]
        most, _, relation = max(scored, default=(0, 0, 0))
        if most >= 2:
            kinds += [(noun, _find_widest_attribute(schema, -relation, usual)) for noun in nouns.split()]
    return kinds


def _infer_from_sides(schema: Described) -> list[tuple[str, int]]:
    """What the verbs of relations say of what they go from and lead to; of two alike the one of most things."""
    kinds: dict[str, tuple[int, int]] = {}
    valued = {
        word_stem for info in schema.relations if schema.columns.get_value_type(info.id) for word_stem in info.stems
    }
    measured = valued.union(
        *(get_related_stems().get(word_stem, frozenset()) for word_stem in valued)
    )  # a number of employees is no kind
    tails_of_verbs = get_table("tails_of_verbs")
    for words, heads in get_table("heads_of_verbs").items():
        verbs, tails = frozenset(words.split()), tails_of_verbs.get(words, ())
        for info in schema.relations:
            label = info.label.casefold().split()
            if not label or label[0] not in verbs:
                continue
            ways = [info.id, schema.get_inverse(info.id)]
            if label[-1] == "by":
                ways.reverse()
            for relation, nouns in zip(ways, (heads, tails), strict=True):
                nodes = schema.columns.list_sources(relation)
                if not schema.columns.kinds[nodes].all():
                    for noun in nouns:
                        if get_stem(noun) not in measured:
                            kinds[noun] = max(kinds.get(noun, (0, 0)), (len(nodes), relation))
    return [(noun, relation) for noun, (_, relation) in kinds.items()]


def _find_widest_attribute(schema: Described, relation: int, usual: frozenset[str]) -> int:
    """Of the usual attributes that nearly all nodes with a relation have, the one that most have, if not many more."""
    sizes = [info.heads for info in schema.relations]
    attributes = [
        other
        for other in schema.find_shared_relations(schema.columns.list_sources(relation))
        if other < len(sizes) and usual & set(_get_stems(schema, other)) and sizes[other] < _WIDER * sizes[relation]
    ]
    return max(attributes, key=lambda other: (sizes[other], -other), default=relation)


def _get_stems(schema: Described, relation: int) -> tuple[str, ...]:
    return schema.relations[relation].stems if relation < len(schema.relations) else ()


def _find_people_relation(schema: Described) -> int | None:
    """The relation of people that most of them have: they are born, marry and have parents."""
    personal = [info for info in schema.relations if set(info.stems) & PERSONAL]
    if not personal:
        return None
    directed: int = max(personal, key=lambda info: (info.heads, -info.id)).id
    return directed


def _expand_relation(schema: Described, relation: int) -> int:
    """The relation that nearly all nodes of a side have, and most others that are described as they are."""
    nodes = schema.columns.list_sources(relation)
    held = [schema.columns.list_sources(other) for other in schema.find_shared_relations(nodes)]
    best, size = relation, len(nodes)
    for other, having in zip(schema.find_shared_relations(nodes), held, strict=True):
        if size < len(having) <= _WIDER * len(nodes):
            shares = [len(np.intersect1d(having, sources, assume_unique=True)) / len(having) for sources in held]
            if np.mean(shares) >= _ALIKE_WIDER:
                best, size = other, len(having)
    return best


def _split(label: str) -> tuple[str, str, str]:
    """A relation's name at its preposition: ``city in country``; nothing behind where it has none."""
    parts = re.split(r"\s(in|of|on|at|by)\s", label.casefold(), maxsplit=1)
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (label, "", "")
