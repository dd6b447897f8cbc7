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

from retrieval.programs.lexicon import IRREGULAR, PREPOSITIONS
from retrieval.programs.sorts import PERSONAL, stems_in
from retrieval.programs.words import related, stem, stems_of

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.columns import Columns
    from retrieval.programs.sorts import RelationInfo

#: How many more nodes than those of a side a wider relation may have.
_WIDER = 2.5
#: The share of what nearly all nodes of a side have that those of the wider relation have on average.
_ALIKE_WIDER = 0.8
#: Nodes whose names begin or end alike, the share of them that must have a relation, and the share of its nodes.
_ALIKE, _HAVE_IT, _OF_THEM = 2, 0.8, 0.6
#: Names that are looked at for what they begin and end with.
_NAMES = 50_000
#: Words that are no verbs, though they are told from others as verbs are.
_NO_VERBS = frozenset({
    "birth", "birthplace", "children", "cities", "dead", "death", "flights", "grandchildren", "men", "movies", "people",
    "persons", "women",
})  # fmt: skip
IS_A = re.compile(r"is an? (?P<noun>.+?) (?:in|of|at|on|for|to|from|by|with)\b.*")
"""Names of relations that say what their heads are: "is a puzzle in"."""
#: Attributes behind the noun of what has them: "customer type".
_ATTRIBUTES = stems_in("type name title id number status code category class kind price size")
#: What is said of common kinds of things; two of these words tell one.
_USUAL = {
    "product item article": "price stock supplier brand category sku manufacturer",
    "customer client": "email phone customer loyalty newsletter",
    "employee": "salary position hired manager department wage supervisor boss",
    "player": "team goals height position club caps ranking coach hand",
    "book": "author isbn pages publisher genre",
    "film movie": "director directed starring starred actors runtime box",
    "song track": "artist album duration singer",
    "album record": "artist label tracks songs released",
    "country": "capital currency population continent language borders president",
    "city": "mayor population country inhabitants",
    "company": "ceo headquarters revenue employees industry founded",
    "student pupil": "major grade gpa enrolled semester",
    "course class": "teacher credits lecturer semester taught",
    "patient": "diagnosis treated admitted ward doctor insurance",
    "paper publication": "citations cites venue published keyword authors",
    "recipe dish": "ingredient cuisine servings cooking minutes",
    "animal": "species diet enclosure keeper habitat",
    "flight": "departure arrival airline destination origin",
    "painting picture": "painted painter museum style artist",
    "car vehicle": "mileage engine horsepower model manufacturer fuel",
    "house apartment property": "rent bedrooms rooms tenant landlord",
    "show series programme": "seasons episodes network aired broadcaster channel",
    "tournament championship competition": "winner runner loser champion prize venue surface trophy",
    "team club": "stadium coach league players manager ground",
    "event meeting": "attendees venue organiser agenda attendance",
    "project": "budget deadline lead sponsor milestone",
    "task issue ticket": "assignee priority due reporter assigned",
    "building": "floors architect storeys height",
    "river": "mouth source length tributary",
    "mountain": "elevation range prominence ascent",
    "server machine device": "ip os hostname memory cpu",
    "wine": "vintage grape winery region",
    "game": "platform developer publisher",
    "invoice": "amount due paid billed",
    "ship boat": "tonnage crew launched captain",
    "restaurant": "cuisine street food chef menu",
}
#: Verbs that relations begin with, nouns of what they go from and of what they lead to; the other way before "by".
_SIDES = (
    ("works work worked employer job", "employee worker", "company employer organisation organization firm"),
    ("employs employed", "company employer organisation organization firm", "employee worker"),
    ("headquarters headquartered", "company organisation organization firm", ""),
    ("plays played signed", "player", "team club"),
    ("studies studied attended attends enrolled graduated", "student", "university school college"),
    ("teaches taught lectures", "teacher lecturer professor", "course class subject"),
    ("wrote writes written authored", "author writer", "book work"),
    ("directed directs", "director", "film movie"),
    ("painted paints", "painter artist", "painting picture"),
    ("sings sang sung", "singer", "song"),
    ("manages managed supervises supervised", "manager boss", ""),
    ("owns owned", "owner", ""),
    ("designed designs", "designer architect", ""),
    ("invented invents", "inventor", "invention"),
    ("discovered", "discoverer", "discovery"),
    ("coaches coached trains trained", "coach trainer", ""),
    ("treats treated", "doctor physician", "patient"),
    ("ruled reigned", "ruler king monarch", ""),
    ("supplies supplied", "supplier", ""),
    ("published publishes", "publisher", ""),
    ("produces produced manufactures manufactured makes made", "manufacturer maker producer", "product"),
    ("diagnosed diagnosis suffers", "patient", "disease illness condition"),
    ("speaks", "speaker", "language"),
    ("borders", "country", "country"),
)


class Described(Protocol):
    """A graph and its relations, as :class:`~retrieval.programs.schema.Schema` describes them."""

    snapshot: Snapshot
    columns: Columns
    relations: list[RelationInfo]

    def inverse(self, relation: int) -> int:
        """A directed relation the other way."""

    def held_by(self, nodes: np.ndarray) -> list[int]:
        """Directed relations that nearly all of some nodes have, ascending."""


def induced(schema: Described) -> dict[str, int]:
    """Nouns of kinds, each with the directed relation that its members have."""
    found: dict[tuple[str, ...], tuple[str, int]] = {}
    people = _people(schema)
    if people is not None:
        found[stems_of("person")] = "person", people
    for relation, noun in _by_relations(schema):
        stems = stems_of(noun)
        size = len(schema.columns.sources(relation))
        if stems not in found or size > len(schema.columns.sources(found[stems][1])):
            found[stems] = noun, relation
    forward = len(schema.relations)
    # What stands before the preposition names all of its kind; of what is led to there may be more.
    named = {noun: r if r < forward else _widened(schema, r) for noun, r in found.values()}
    known = set(found)
    for ways in (_by_names, _by_attributes, _by_usage, _by_sides):
        for noun, relation in ways(schema):
            if stems_of(noun) not in known:
                known.add(stems_of(noun))
                named[noun] = relation
    return named


def _by_relations(schema: Described) -> list[tuple[int, str]]:
    """Directed relations, and the nouns of what has them, by the relations' names."""
    found = []
    for info in schema.relations:
        is_a = IS_A.fullmatch(info.label.casefold())
        if is_a is not None:
            found.append((info.id, is_a["noun"]))
            continue
        if info.form == "verb" and " " not in info.label:
            continue
        if info.form == "of":
            found.append((info.id, info.label.casefold().removesuffix(" of")))
            continue
        before, _, after = _split(info.label)
        sides = [(info.id, before)] if after and not _is_past(before) else []
        for relation, noun in (*sides, (schema.inverse(info.id), after or _without_verb(info.label))):
            nodes = schema.columns.sources(relation)
            named = bool(stems_of(noun)) and noun.rpartition(" ")[2].casefold() not in PREPOSITIONS | {"of"}
            if named and len(nodes) and not schema.columns.kinds[nodes].all():
                found.append((relation, noun))
    return found


def _without_verb(label: str) -> str:
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


def _by_names(schema: Described) -> list[tuple[str, int]]:
    """Nouns that the names of most nodes with a relation begin or end with: "Order 101", "King Street"."""
    heads = np.unique(schema.snapshot.heads)[:_NAMES].tolist()
    holding: dict[tuple[int, str], list[int]] = defaultdict(list)
    for node in heads:
        words = schema.snapshot.entity_label(node).split()
        for place in (0, -1) if len(words) > 1 else ():
            if words[place].isalpha() and len(words[place]) > 2:
                holding[place, words[place].casefold()].append(node)
    found = {}
    sizes = [info.heads for info in schema.relations]
    for (_, word), nodes in holding.items():
        near = (_HAVE_IT * len(nodes) <= size <= len(nodes) / _OF_THEM for size in sizes)
        if len(nodes) < _ALIKE or not any(near):
            continue
        relation = _of_these(schema, np.array(nodes))
        if relation is not None:
            found[word] = relation
    return list(found.items())


def _of_these(schema: Described, nodes: np.ndarray) -> int | None:
    """The relation whose nodes are most nearly these, None where none is near."""
    best, agreed = None, 0.0
    for relation in schema.held_by(nodes):
        if relation < len(schema.relations):
            having = schema.columns.sources(relation)
            shared = len(np.intersect1d(having, nodes, assume_unique=True))
            of_them = shared / len(having)
            if shared >= _HAVE_IT * len(nodes) and of_them >= _OF_THEM and of_them > agreed:
                best, agreed = relation, of_them
    return best


def _by_attributes(schema: Described) -> list[tuple[str, int]]:
    """Who has a "customer type" is a customer."""
    found = []
    for info in schema.relations:
        words = info.label.casefold().split()
        if len(words) == 2 and stem(words[1]) in _ATTRIBUTES and words[0].isalpha():
            found.append((words[0], _widened(schema, info.id)))
    return found


def _by_usage(schema: Described) -> list[tuple[str, int]]:
    """Common kinds whose usual attributes some nodes have, at least two of them and more than any other nodes."""
    described = {
        info.id: {s for own in schema.held_by(schema.columns.sources(info.id)) for s in _stems(schema, own)}
        for info in schema.relations
        if info.heads
    }
    found = []
    for nouns, attributes in _USUAL.items():
        usual = stems_in(attributes)
        scored = [
            (len(usual & own), schema.relations[relation].heads, -relation)
            for relation, own in described.items()
        ]
        most, _, relation = max(scored, default=(0, 0, 0))
        if most >= 2:
            found += [(noun, _widest(schema, -relation, usual)) for noun in nouns.split()]
    return found


def _by_sides(schema: Described) -> list[tuple[str, int]]:
    """What the verbs of relations say of what they go from and lead to; of two alike the one of most things."""
    found: dict[str, tuple[int, int]] = {}
    valued = {own for info in schema.relations if schema.columns.value_type(info.id) for own in info.stems}
    measured = valued.union(
        *(related().get(own, frozenset()) for own in valued)
    )  # a number of employees is no kind
    for words, *sides in _SIDES:
        verbs = frozenset(words.split())
        for info in schema.relations:
            label = info.label.casefold().split()
            if not label or label[0] not in verbs:
                continue
            ways = [info.id, schema.inverse(info.id)]
            if label[-1] == "by":
                ways.reverse()
            for relation, nouns in zip(ways, sides, strict=True):
                nodes = schema.columns.sources(relation)
                if not schema.columns.kinds[nodes].all():
                    for noun in nouns.split():
                        if stem(noun) not in measured:
                            found[noun] = max(found.get(noun, (0, 0)), (len(nodes), relation))
    return [(noun, relation) for noun, (_, relation) in found.items()]


def _widest(schema: Described, relation: int, usual: frozenset[str]) -> int:
    """Of the usual attributes that nearly all nodes with a relation have, the one that most have, if not many more."""
    sizes = [info.heads for info in schema.relations]
    own = [
        other
        for other in schema.held_by(schema.columns.sources(relation))
        if other < len(sizes)
        and usual & set(_stems(schema, other))
        and sizes[other] < _WIDER * sizes[relation]
    ]
    return max(own, key=lambda other: (sizes[other], -other), default=relation)


def _stems(schema: Described, relation: int) -> tuple[str, ...]:
    return schema.relations[relation].stems if relation < len(schema.relations) else ()


def _people(schema: Described) -> int | None:
    """The relation of people that most of them have: they are born, marry and have parents."""
    own = [info for info in schema.relations if set(info.stems) & PERSONAL]
    if not own:
        return None
    directed: int = max(own, key=lambda info: (info.heads, -info.id)).id
    return directed


def _widened(schema: Described, relation: int) -> int:
    """The relation that nearly all nodes of a side have, and most others that are described as they are."""
    nodes = schema.columns.sources(relation)
    held = [schema.columns.sources(other) for other in schema.held_by(nodes)]
    best, size = relation, len(nodes)
    for other, having in zip(schema.held_by(nodes), held, strict=True):
        if size < len(having) <= _WIDER * len(nodes):
            shares = [len(np.intersect1d(having, own, assume_unique=True)) / len(having) for own in held]
            if np.mean(shares) >= _ALIKE_WIDER:
                best, size = other, len(having)
    return best


def _split(label: str) -> tuple[str, str, str]:
    """A relation's name at its preposition: ``city in country``; nothing behind where it has none."""
    parts = re.split(r"\s(in|of|on|at|by)\s", label.casefold(), maxsplit=1)
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (label, "", "")
