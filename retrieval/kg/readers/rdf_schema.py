"""Statements of RDFS, OWL and SKOS about classes and properties: they describe the vocabulary of a graph.

A statement belongs to the schema by its own terms: its predicate relates classes or properties (``rdfs:domain``), it
declares one (``a owl:Class``), or it labels or documents what was declared. Everything else that is said of a class
is a fact, and so is all that is said of SKOS concepts. Where files hold nothing but a schema, the schema is the graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.kg.readers.rdf_structures import Row
from retrieval.kg.snapshot.relation_names import get_local_name
from retrieval.kg.snapshot.vocabulary import Category, Term, Vocabulary

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_TYPE = f"{_RDF}type"
_DOMAIN, _RANGE, _INVERSE = f"{_RDFS}domain", f"{_RDFS}range", f"{_OWL}inverseOf"
_BROADER = (f"{_RDFS}subPropertyOf", f"{_RDFS}subClassOf")
#: Predicates of OWL that relate things, not classes or properties.
_OF_THINGS = frozenset(_OWL + name for name in ("sameAs", "differentFrom"))
_CLASSES = frozenset({f"<{_OWL}Class", f"<{_RDFS}Class", f"<{_RDFS}Datatype"})
_DECLARING = _CLASSES | {f"<{_RDF}Property", f"<{_OWL}Ontology", f"<{_OWL}Restriction"}
_PROPERTY_ENDING = "Property"
#: Predicates that label or document what was declared.
_LABELLING = frozenset(
    {f"{_RDFS}label", *(_SKOS + name for name in ("prefLabel", "altLabel", "hiddenLabel", "notation"))}
)
_DOCUMENTING = frozenset({f"{_RDFS}seeAlso", f"{_RDFS}isDefinedBy", *(_SKOS + n for n in ("note", "example"))})
#: Statements of a schema that are held back; a file with more of them is data.
_LIMIT = 200_000


@dataclass
class SchemaRows:
    """Takes the statements of a schema out of the rows of a file.

    Attributes:
        rows: those taken.
    """

    rows: list[Row] = field(default_factory=list)
    _declared: set[str] = field(default_factory=set)
    _is_full: bool = False

    def take(self, rows: list[Row]) -> None:
        """Move the statements of a schema from ``rows``; where they become too many, all of them are given back."""
        if self._is_full:
            return
        self._declared.update(head for head, relation, tail in rows if relation == _TYPE and _is_declaring(tail))
        kept: list[Row] = []
        for row in rows:
            (self.rows if self._is_schema(row) else kept).append(row)
        rows[:] = kept
        if len(self.rows) > _LIMIT:
            rows += self.rows
            self.rows, self._is_full = [], True

    def _is_schema(self, row: Row) -> bool:
        head, relation, tail = row
        if relation == _TYPE:
            return _is_declaring(tail)
        if relation in (_DOMAIN, _RANGE, *_BROADER):
            return True
        if relation.startswith(_OWL):
            return relation not in _OF_THINGS
        return head in self._declared and relation in _LABELLING | _DOCUMENTING


def _is_declaring(tail: str) -> bool:
    return tail in _DECLARING or (tail.startswith(f"<{_OWL}") and tail.endswith(_PROPERTY_ENDING))


def build_vocabulary(
    rows: Sequence[Row],
    names: Mapping[str, tuple[int, str]],
    described: Iterable[tuple[str, int, str]],
    in_languages: Iterable[tuple[str, str, str, int]],
) -> Vocabulary:
    """The terms that a schema describes, by IRI; the first synonym of each is its label.

    Args:
        names: the best label of each RDF term, with its rank.
        described: RDF terms with the rank of a description's language, and the description.
        in_languages: RDF terms with the language of a name, the name and its rank; the names are synonyms.
    """
    translations: dict[str, list[str]] = defaultdict(list)
    for term, _, name, _ in sorted(in_languages, key=lambda row: row[-1]):
        translations[term].append(name)
    objects: dict[tuple[str, str], list[str]] = defaultdict(list)
    for head, relation, tail in rows:
        objects[head, relation].append(tail)
    best: dict[str, tuple[int, str]] = {}
    for term, rank, text in described:
        if term not in best or rank < best[term][0]:
            best[term] = (rank, text)
    categories = _group_terms(rows)

    def label(term: str) -> str:
        return names[term][1] if term in names else get_local_name(term[1:])

    def list_labels(term: str, *relations: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(label(t) for r in relations for t in objects[term, r] if t[0] == "<" and t != term))

    inverses = defaultdict(list)
    for head, relation, tail in rows:
        if relation == _INVERSE:
            inverses[head].append(label(tail))
            inverses[tail].append(label(head))
    return Vocabulary(
        tuple(
            Term(
                category,
                term[1:],
                description=best.get(term, (0, ""))[1],
                synonyms=tuple(
                    dict.fromkeys(
                        [
                            label(term),
                            *translations.get(term, ()),
                            *(t[1:] for r in sorted(_LABELLING) for t in objects[term, r]),
                        ]
                    )
                ),
                domain=list_labels(term, _DOMAIN),
                range=list_labels(term, _RANGE),
                inverse=tuple(dict.fromkeys(inverses[term])),
                broader=list_labels(term, *_BROADER),
            )
            for term, category in sorted(categories.items())
        )
    )


def _group_terms(rows: Sequence[Row]) -> dict[str, Category]:
    """Which IRIs are classes, and which are properties."""
    categories: dict[str, Category] = {}
    for head, relation, tail in rows:
        if relation in (_DOMAIN, _RANGE, _INVERSE, _BROADER[0]) or (relation == _TYPE and tail.endswith("Property")):
            categories[head] = "relation"
        elif relation == _BROADER[1] or (relation == _TYPE and tail in _CLASSES):
            categories[head] = "kind"
    return {term: category for term, category in categories.items() if term[0] == "<"}
