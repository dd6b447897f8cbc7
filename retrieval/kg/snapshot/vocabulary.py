"""The vocabulary of a graph: descriptions and synonyms of its relations and kinds, beside its snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from retrieval.kg.snapshot.storage import read_json, save_json

VOCABULARY = "vocabulary.json"

Category = Literal["relation", "kind"]


@dataclass(frozen=True, slots=True)
class Term:
    """A relation or a kind as people describe it.

    Attributes:
        category: ``relation`` or ``kind``.
        name: of a relation as the graph spells it; of a kind its label.
        description: one or a few sentences.
        synonyms: other wordings; each counts as much as the label.
        unit: of a relation's values.
        domain, range: labels of the kinds that a relation leads from and to.
        inverse: labels of relations that say the same from the other end.
        broader: labels of the relations or kinds that this is a special case of.
    """

    category: Category
    name: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    unit: str = ""
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Terms of a graph, each (category, name) once. Equal vocabularies are equal keys."""

    terms: tuple[Term, ...] = ()

    def override(self, edited: Iterable[Term]) -> Vocabulary:
        """Replace descriptions, synonyms and units by edited ones; what an ontology says of a term's place stays."""
        by_key = {(term.category, term.name): term for term in self.terms}
        for term in edited:
            key = (term.category, term.name)
            base = by_key.get(key, Term(term.category, term.name))
            by_key[key] = replace(base, description=term.description, synonyms=term.synonyms, unit=term.unit)
        return Vocabulary(tuple(by_key[key] for key in sorted(by_key)))


def load_vocabulary(directory: Path) -> Vocabulary:
    """The vocabulary that a snapshot was imported with; empty where nothing described its terms."""
    names = {field.name for field in fields(Term)}
    rows = read_json(directory / VOCABULARY).get("terms", [])
    return Vocabulary(tuple(_parse_term({key: row[key] for key in row if key in names}) for row in rows))


def save_vocabulary(directory: Path, vocabulary: Vocabulary) -> None:
    """Write a vocabulary into the directory of a snapshot; an empty one is not written."""
    if vocabulary.terms:
        save_json(directory / VOCABULARY, {"terms": [asdict(term) for term in vocabulary.terms]})


def _parse_term(row: dict[str, Any]) -> Term:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Term(**values)
