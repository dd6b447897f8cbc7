"""Compare an inferred data model with the one that the owner of the data would write down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, get_args

from retrieval.kg.model.data_model import Column, DataModel, Kind, Reference
from tests.benchmarks.data_models_sets import ColumnRef, ExpectedKind, ExpectedReference, ExpectedSet

Figure = Literal["kind", "label", "name", "key", "precision", "recall", "type", "unit"]
FIGURES: tuple[Figure, ...] = get_args(Figure)
_PLACE, _ANY = re.compile(r"#(\d+)"), "*"


@dataclass
class Score:
    """What is right of a set, or of several.

    Attributes:
        right, total: of each figure. Precision counts inferred references, recall those that are expected.
        precisions: of each set that was added, so that one set with many references does not outweigh the others.
        misses: a line for each that is wrong.
    """

    right: dict[Figure, int] = field(default_factory=lambda: dict.fromkeys(FIGURES, 0))
    total: dict[Figure, int] = field(default_factory=lambda: dict.fromkeys(FIGURES, 0))
    precisions: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def count(self, figure: Figure, right: bool, miss: str) -> None:
        """Count something that is right or wrong; ``miss`` is kept if it is wrong."""
        self.total[figure] += 1
        self.right[figure] += right
        if not right:
            self.misses.append(f"{figure}: {miss}")

    def add(self, other: Score) -> None:
        """Add the figures of a set."""
        if (precision := other.share("precision")) is not None:
            self.precisions.append(precision)
        for figure in FIGURES:
            self.right[figure] += other.right[figure]
            self.total[figure] += other.total[figure]

    def share(self, figure: Figure) -> float | None:
        """The share that is right, of precision the mean over sets; None where there is nothing to be right."""
        if figure == "precision" and self.precisions:
            return sum(self.precisions) / len(self.precisions)
        return self.right[figure] / self.total[figure] if self.total[figure] else None


def score_model(expected: ExpectedSet, model: DataModel) -> Score:
    """Score each expected kind, column and reference; further kinds and columns of the model do not count.

    A kind that the model lacks has nothing right. A further reference counts against precision unless the expectation
    allows it, or is that of objects to what stands inside them.
    """
    score = Score()
    pairs = match_kinds(expected, model)
    for kind in expected.kinds:
        found = pairs.get(kind.table)
        if found or not kind.is_optional:
            _score_kind(kind, found, score)
    _score_references(expected, model, pairs, score)
    for figure, facts in (("type", expected.types), ("unit", expected.units)):
        for ref, accepted in facts:
            column = _find_column(pairs.get(ref.table), ref.column)
            said = (column.type if figure == "type" else column.unit) if column else "no such column"
            right = said.casefold() in accepted.casefold().split("|")
            score.count("type" if figure == "type" else "unit", right, f"{_show(ref)} is {accepted}, not {said!r}")
    return score


def match_kinds(expected: ExpectedSet, model: DataModel) -> dict[str, Kind]:
    """The kind of the model for each expected table: by its table, then the only ones left, then by its label."""
    left = list(model.kinds)
    pairs: dict[str, Kind] = {}

    def take(kind: ExpectedKind, found: Kind | None) -> None:
        if found:
            pairs[kind.table] = found
            left.remove(found)

    for kind in expected.kinds:
        take(kind, next((one for one in left if _fold(kind.table) in _list_spellings(one.table)), None))
    if len(expected.kinds) == len(model.kinds) == 1 and left:
        take(expected.kinds[0], left[0])
    for kind in expected.kinds:
        if kind.table not in pairs:
            labels = {_fold(label) for label in kind.labels}
            take(kind, next((one for one in left if _fold(one.label) in labels), None))
    return pairs


def _score_kind(kind: ExpectedKind, found: Kind | None, score: Score) -> None:
    score.count("kind", found is not None, f"{kind.table} is not there")
    if kind.labels:
        labels = {_fold(label) for label in kind.labels}
        right = found is not None and _fold(found.label) in labels
        score.count("label", right, f"{kind.table} is {' or '.join(kind.labels)}, not {found.label if found else ''!r}")
    names = [frozenset(_resolve(columns, found)) for columns in kind.names]
    named = frozenset(_fold(name) for name in found.name) if found else None
    shown = " or ".join("+".join(sorted(columns)) or "no name" for columns in kind.names)
    score.count("name", named in names, f"{kind.table} by {shown}, not {'+'.join(found.name) if found else ''!r}")
    keys = set(_resolve(kind.keys, found))
    key = _fold(found.key or "") if found else None
    shown = " or ".join(key or "none" for key in kind.keys)
    score.count("key", key in keys, f"{kind.table} by {shown}, not {found.key if found else ''!r}")


def _score_references(expected: ExpectedSet, model: DataModel, pairs: Mapping[str, Kind], score: Score) -> None:
    used = [reference for reference in model.references if reference.is_used]
    for reference in used:
        if any(_is_match(one, reference, pairs) for one in expected.references):
            score.count("precision", True, "")
        elif not (
            any(_is_match(one, reference, pairs) for one in expected.also) or _is_containment(reference, model, pairs)
        ):
            shown = f"{reference.table}.{reference.column} -> {reference.target}.{reference.target_column}"
            score.count("precision", False, f"{shown} does not refer")
    absent = {kind.table for kind in expected.kinds if kind.is_optional} - set(pairs)
    for one in expected.references:
        if one.source.table not in absent:
            found = any(_is_match(one, reference, pairs) for reference in used)
            score.count("recall", found, f"{_show(one.source)} -> {_show(one.target)} is not there")


def _is_containment(reference: Reference, model: DataModel, pairs: Mapping[str, Kind]) -> bool:
    """Whether a reference only says which object holds which array or object, by a file that nobody listed the kinds
    inside objects of: the file says it, nothing is inferred.
    """
    source, target = PurePath(reference.table), PurePath(reference.target)
    listed = {kind.table for kind in pairs.values()}
    if source.parent != target.parent or source.parent.suffix != ".json" or {str(source), str(target)} <= listed:
        return False
    label = next(kind.label for kind in model.kinds if kind.table == reference.target)
    return reference.column in (label, f"{label}_id", target.stem)


def _is_match(expected: ExpectedReference, reference: Reference, pairs: Mapping[str, Kind]) -> bool:
    return _is_column(expected.source, reference.table, reference.column, pairs) and _is_column(
        expected.target, reference.target, reference.target_column, pairs
    )


def _is_column(expected: ColumnRef, table: str, column: str, pairs: Mapping[str, Kind]) -> bool:
    paired = pairs.get(expected.table)
    if paired is not None:
        is_table = paired.table == table
    else:
        is_table = expected.table == _ANY or _fold(expected.table) in _list_spellings(table)
    return is_table and (not expected.column or _fold(column) in _resolve([expected.column], paired))


def _find_column(kind: Kind | None, name: str) -> Column | None:
    """A column by its name, or by the last part of it where objects are in objects."""
    if kind is None:
        return None
    spellings = (_fold(name), _fold(name.rpartition(".")[2]))
    found = (column for spelling in spellings for column in kind.columns if _fold(column.name) == spelling)
    return next(found, None)


def _resolve(columns: Iterable[str], kind: Kind | None) -> Iterator[str]:
    """The spellings of expected columns, where the place of a column may be meant whatever its heading is."""
    for column in columns:
        place = _PLACE.fullmatch(column)
        if place is None:
            yield _fold(column)
        elif kind and int(place[1]) <= len(kind.columns):
            yield _fold(kind.columns[int(place[1]) - 1].name)


def _list_spellings(table: str) -> set[str]:
    """What a table may be called: its path, its file without the suffix, its sheet or array."""
    return {_fold(table), _fold(PurePath(table).stem), _fold(re.split(r"[/\\:!#.\[\]]+", table.rstrip("]"))[-1])}


def _fold(text: str) -> str:
    """Letters and digits only, in lower case; signs where there is nothing else."""
    return "".join(sign for sign in text.casefold() if sign.isalnum()) or text.strip()


def _show(ref: ColumnRef) -> str:
    return f"{ref.table}.{ref.column}" if ref.column else ref.table
