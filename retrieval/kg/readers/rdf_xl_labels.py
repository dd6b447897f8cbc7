"""Labels of SKOS-XL, which are nodes with a literal form: they are read as the plain labels that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyoxigraph as ox

_XL = "http://www.w3.org/2008/05/skos-xl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABELS = {f"{_XL}{name}": ox.NamedNode(f"{_SKOS}{name}") for name in ("prefLabel", "altLabel", "hiddenLabel")}
_FORM, _LABEL = f"{_XL}literalForm", ox.NamedNode(f"{_XL}Label")

Statement = tuple[ox.Quad | ox.Triple, int]
"""A statement with its line, 0 where that is unknown."""


@dataclass
class XlLabels:
    """Holds the statements that make labels until all of a file is read; another statement about a label stays."""

    _links: list[Statement] = field(default_factory=list)
    _forms: dict[object, Statement] = field(default_factory=dict)
    _types: list[Statement] = field(default_factory=list)

    def convert(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """Yield the statements of a file with plain labels; what makes no whole label comes as it stands."""
        for statement, line in statements:
            relation = statement.predicate.value
            if relation in _LABELS and not isinstance(statement.object, ox.Literal):
                self._links.append((statement, line))
            elif relation == _FORM and isinstance(statement.object, ox.Literal):
                if statement.subject in self._forms:
                    yield statement, line
                self._forms.setdefault(statement.subject, (statement, line))
            elif relation == _TYPE and statement.object == _LABEL:
                self._types.append((statement, line))
            else:
                yield statement, line
        yield from self._convert_labels()

    def _convert_labels(self) -> Iterator[Statement]:
        used = set()
        for statement, line in self._links:
            if statement.object in self._forms:
                used.add(statement.object)
                form = self._forms[statement.object][0].object
                yield ox.Triple(statement.subject, _LABELS[statement.predicate.value], form), line
            else:
                yield statement, line
        for statement, line in (*self._forms.values(), *self._types):
            if statement.subject not in used:
                yield statement, line
