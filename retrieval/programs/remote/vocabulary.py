"""How an endpoint's own RDF is asked: its IRIs and its literals, from which queries compute the values themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError
from retrieval.kg.snapshot import KINDS
from retrieval.kg.sparql.names import NAMING
from retrieval.kg.values import parse
from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.columns import Columns, ValueType
from retrieval.programs.algebra.operations import Key
from retrieval.programs.rendering import rdf
from retrieval.programs.rendering.equality import compute_tolerance

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.rendering.vocabulary import Lines, NewVariable

#: Values of a relation that are looked at, and the share of them that a query must read as we do.
_SAMPLE, _NEARLY_ALL = 200, 0.95
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
#: A number with signs before it and a unit behind it, as regular expressions of both languages have it.
_WRITTEN = r"^[^0-9.+-]*([-+]?[0-9]*[.]?[0-9]+).*$"
_DATE, _TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}", r"^[0-9]{2}:[0-9]{2}"
_LITERAL = KINDS.index("literal")
_NUMERIC = ("integer", "decimal", "double", "float", "gYear")

Reads = Callable[[str, float], bool]
"""Whether a query reads a label as the value that it is."""


class Plain:
    """The vocabulary of an endpoint, as far as a sample of it shows.

    Args:
        sample: facts of the endpoint, entities with their IRIs.
        languages: that texts may have; those without one always count.
    """

    def __init__(self, sample: Snapshot, columns: Columns, languages: Sequence[str]) -> None:
        self._sample = sample
        self._columns = columns
        self._languages = tuple(languages)

    def list_terms(self, node: int) -> list[str]:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`.

        Raises:
            ProgramError: the node has no name that a query could say.
        """
        iri, label = self._sample.get_entity_iri(node), self._sample.get_entity_label(node)
        if iri:
            return [f"<{iri}>"]
        if self._sample.get_kind(node) != "literal":
            raise ProgramError(f"“{label}” has no name that the endpoint could be asked about.")
        label = get_literal_text(label)
        text = rdf.write_text(label)
        literals = [text, *(f"{text}@{language}" for language in self._languages)]
        value = parse(label)
        if _PLAIN.fullmatch(label):
            literals += [f"{text}^^xsd:{name}" for name in _NUMERIC]
        elif value is not None and value.kind != "number":
            literals += [f"{text}^^xsd:{name}" for name in ("date", "dateTime", "time")]
        elif label in ("true", "false"):
            literals.append(label)
        return literals

    def write_relation(self, forward: int) -> str:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`."""
        return f"<{self._sample.get_relation_name(forward)}>"

    def write_spoken(self, relation: int, end: str) -> Lines:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`."""
        if not self._has_text_values(relation) or self._columns.get_value_type(relation) is not None:
            return []
        return [f"FILTER(!isLiteral({end}) || {self._write_language_test(end)})"]

    def write_value(self, end: str, value: str, relation: int | None, new: NewVariable) -> Lines:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`.

        Raises:
            ProgramError: the values of the relation are not written in one way that a query could read.
        """
        kind = None if relation is None else self._columns.get_value_type(relation)
        if kind is None:
            kind = ValueType(ValueKind.NUMBER)
        labels = [] if relation is None else self._list_values(relation)
        match kind.kind:
            case ValueKind.DATE:
                self._require(relation, labels, lambda label, _: re.match(_DATE, label) is not None)
                return _write_date(end, value, new)
            case ValueKind.TIME:
                self._require(relation, labels, lambda label, _: re.match(_TIME, label) is not None)
                return _write_time(end, value, new)
        if self._is_readable(labels, lambda label, is_: _PLAIN.fullmatch(label) is not None and float(label) == is_):
            return [f"BIND(xsd:double(STR({end})) AS {value})", f"FILTER(BOUND({value}))"]
        factor = kind.factor
        self._require(relation, labels, lambda label, is_: _is_close(_parse_written(label, factor), is_))
        read = f'REPLACE(REPLACE(STR({end}), ",", ""), "{_WRITTEN}", "$1")'
        times = "" if factor == 1.0 else f" * {factor!r}"
        return [f"BIND(xsd:double({read}){times} AS {value})", f"FILTER(BOUND({value}))"]

    def write_date_part(self, value: str, part: str, name: str, new: NewVariable) -> Lines:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`; it is computed from the value."""
        if name == "year":
            return [f"BIND(FLOOR({value} + 1e-9) AS {part})"]
        year, leap, day, month = new("year"), new("leap"), new("day"), new("month")
        return [
            f"BIND(FLOOR({value} + 1e-9) AS {year})",
            f"BIND({_write_leap_test(year)} AS {leap})",
            f"BIND(FLOOR(({value} - {year}) * (365 + {leap}) + 1e-4) + 1 AS {day})",
            f"BIND(IF({day} < 32, 1, FLOOR(9 * (2 - {leap} + {day}) / 275 + 0.98)) AS {month})",
            f"BIND({month} * 100 + {day} - FLOOR(275 * {month} / 9) + (2 - {leap}) * FLOOR(({month} + 9) / 12) + 30 "
            f"AS {part})",
        ]

    def write_label(self, node: str, label: str, relation: int | None) -> Lines:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`."""
        if relation is not None and self._has_text_values(relation):
            return [f"BIND(STR({node}) AS {label})"]
        naming = f"{label}Kind"
        return [
            f"VALUES {naming} {{ {NAMING} }}", f"{node} {naming} {label} .",
            f"FILTER({self._write_language_test(label)})"
        ]  # fmt: skip

    def write_near(self, key: Key, value: float, slack: float) -> float | None:
        """See :class:`~retrieval.programs.rendering.vocabulary.RdfVocabulary`.

        What a query computes may be off by a rounding, unless it only casts whole numbers.
        """
        if key.counted or (float(value).is_integer() and self._is_cast(key)):
            return compute_tolerance(self._columns, key, value, slack)
        return slack

    def _is_cast(self, key: Key) -> bool:
        kind = self._columns.get_value_type(key.path[-1])
        return kind is not None and kind.kind is ValueKind.NUMBER and kind.factor == 1.0

    def _has_text_values(self, relation: int) -> bool:
        if relation >= self._sample.num_relations:
            return False
        ends = self._columns.list_targets(relation)
        return bool(len(ends)) and bool(np.mean(self._sample.kinds[ends] == _LITERAL) > 0.5)

    def _write_language_test(self, variable: str) -> str:
        tongues = "".join(f' || langMatches(lang({variable}), "{it}")' for it in self._languages)
        return f'lang({variable}) = ""{tongues}'

    def _list_values(self, relation: int) -> list[tuple[str, float]]:
        column = self._columns.get_column(relation)
        return [
            (get_literal_text(self._sample.get_entity_label(node)), value)
            for node, value in zip(column.nodes[:_SAMPLE].tolist(), column.values[:_SAMPLE], strict=True)
        ]

    def _is_readable(self, labels: Sequence[tuple[str, float]], reads: Reads) -> bool:
        return sum(reads(label, value) for label, value in labels) >= _NEARLY_ALL * len(labels)

    def _require(self, relation: int | None, labels: Sequence[tuple[str, float]], reads: Reads) -> None:
        if not self._is_readable(labels, reads):
            name = "what this is" if relation is None else self._sample.get_relation_label(relation)
            raise ProgramError(
                f"The endpoint cannot compute with “{name}”: its values are written in several ways.",
                hint="Import the graph to compute with it.",
            )


def get_literal_text(label: str) -> str:
    """What a literal says; its label is in quotes where an entity is called the same."""
    return label[1:-1] if len(label) > 2 and label[0] == label[-1] == '"' else label


def _parse_written(label: str, factor: float) -> float | None:
    """What a query reads in a number with separators and a unit."""
    match = re.match(_WRITTEN, label.replace(",", ""), re.DOTALL)
    return None if match is None else float(match[1]) * factor


def _is_close(read: float | None, value: float) -> bool:
    return read is not None and abs(read - value) <= 1e-9 * abs(value)


def _write_leap_test(year: str) -> str:
    """1 where a year is a leap year, else 0."""
    multiples = [f"FLOOR({year} / {each}) * {each}" for each in (4, 100, 400)]
    return f"IF({year} = {multiples[0]} && ({year} != {multiples[1]} || {year} = {multiples[2]}), 1, 0)"


def _write_date(end: str, value: str, new: NewVariable) -> Lines:
    """Years with a fraction, as :func:`retrieval.kg.values.compute_year_fraction` computes them."""
    text, year, month, leap = new("text"), new("year"), new("month"), new("leap")
    days = (
        f"FLOOR(275 * {month} / 9) - (2 - {leap}) * FLOOR(({month} + 9) / 12) + xsd:integer(SUBSTR({text}, 9, 2)) - 31"
    )
    hours = f"xsd:integer(SUBSTR({text}, 12, 2)) / 24 + xsd:integer(SUBSTR({text}, 15, 2)) / 1440"
    return [
        f"BIND(STR({end}) AS {text})",
        f'FILTER(REGEX({text}, "{_DATE}"))',
        f"BIND(xsd:integer(SUBSTR({text}, 1, 4)) AS {year})",
        f"BIND(xsd:integer(SUBSTR({text}, 6, 2)) AS {month})",
        f"BIND({_write_leap_test(year)} AS {leap})",
        f"BIND(xsd:double({year} + ({days} + COALESCE({hours}, 0)) / (365 + {leap})) AS {value})",
        f"FILTER(BOUND({value}))",
    ]


def _write_time(end: str, value: str, new: NewVariable) -> Lines:
    """Minutes after midnight."""
    text = new("text")
    minutes = f"xsd:integer(SUBSTR({text}, 1, 2)) * 60 + xsd:integer(SUBSTR({text}, 4, 2))"
    return [
        f"BIND(STR({end}) AS {text})",
        f'FILTER(REGEX({text}, "{_TIME}"))',
        f"BIND(xsd:double({minutes}) AS {value})",
        f"FILTER(BOUND({value}))",
    ]
