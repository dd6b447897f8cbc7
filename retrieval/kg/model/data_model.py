"""What the files of a graph hold: kinds of things, what names each, its columns, and what refers to what.

Plain Python, so that the web process can show a model without loading what infers one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from retrieval.kg.model.json_fields import find_text, find_truth, get_objects, get_text, make_error
from retrieval.kg.snapshot.relation_names import format_relation_name

CodeType = Literal["country code", "region code", "language code", "currency code"]
ColumnType = Literal["text", "number", "date", "boolean", "list", "link"] | CodeType
CODE_TYPES: tuple[CodeType, ...] = get_args(CodeType)
COLUMN_TYPES: tuple[ColumnType, ...] = ("text", "number", "date", "boolean", "list", "link", *CODE_TYPES)
"""Types of the cells of a column: lists hold several values, links are addresses, codes are international ones."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or an attribute of nodes.

    Attributes:
        name: its heading, as it stands in the file.
        label: what the relation to its values is called.
        type: what most of its cells hold.
        filled: cells that hold something.
        distinct: different values.
        samples: a few of them.
        unit: of its numbers, where a heading or the cells say it; else empty.
        is_ignored: whether it is left out of the graph.
    """

    name: str
    label: str
    type: ColumnType
    filled: int
    distinct: int
    samples: tuple[str, ...] = ()
    unit: str = ""
    is_ignored: bool = False

    @property
    def relation(self) -> str:
        """The name of the relation in the graph: the label, with the unit unless it has that already."""
        return f"{self.label} ({self.unit})" if self.unit and self.unit not in self.label else self.label


@dataclass(frozen=True, slots=True)
class Kind:
    """Things of one kind: the rows of a table, or the nodes of a type.

    Attributes:
        table: the name of the file, sheet or type; unique within a model.
        label: what such a thing is called, singular.
        count: rows that can be used.
        name: the columns whose values name a thing; empty where it is called by its kind and number.
        key: the column by which others refer to it, if any.
        columns: in the order of the file.
        name_candidates: columns that could name it, best first.
        examples: sentences about the first things, as they will be in the graph.
        is_fixed: whether nothing of it can be chosen, as the file itself says what it is.
    """

    table: str
    label: str
    count: int
    name: tuple[str, ...]
    key: str | None
    columns: tuple[Column, ...]
    name_candidates: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A column whose values are keys, or names, of things of a kind.

    Attributes:
        table, column: where the values are.
        target, target_column: the table, and its column, that has them.
        label: what the relation is called.
        matched: cells whose value is there.
        filled: cells that hold something.
        unmatched: a few values that are not there.
        is_used: whether the values become things of the target; candidates that are too uncertain are not.
    """

    table: str
    column: str
    target: str
    target_column: str
    label: str
    matched: int
    filled: int
    unmatched: tuple[str, ...] = ()
    is_used: bool = True


EdgeUse = Literal["measure", "fact", "kept"]
"""What becomes of an attribute of an edge: a measure of a row that the edge becomes (``route 1``), a fact of the
source (``works at since``), or an attribute beside the fact that cannot be asked for.
"""
EDGE_USES: tuple[EdgeUse, ...] = get_args(EdgeUse)


@dataclass(frozen=True, slots=True)
class EdgeAttribute:
    """An attribute of edges; ``filled`` edges have it."""

    name: str
    label: str
    type: ColumnType
    filled: int
    samples: tuple[str, ...]
    use: EdgeUse


@dataclass(frozen=True, slots=True)
class EdgeKind:
    """Edges of one relation from the things of one kind to those of another, which is empty where none describes them.

    Attributes:
        table, target: of the kinds of both ends.
        relation: what the relation is called.
        count: edges.
        attributes: what is said of them.
    """

    table: str
    relation: str
    target: str
    count: int
    attributes: tuple[EdgeAttribute, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelWarning:
    """Something of a table that a person should look at, in a sentence, with the lines and texts that it is about."""

    table: str
    message: str
    rows: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DataModel:
    """The model of all files of an import. ``is_sampled`` where only the beginning of large files was read.

    ``languages`` are those of names, each with how many things have a name in it.
    """

    kinds: tuple[Kind, ...] = ()
    references: tuple[Reference, ...] = ()
    warnings: tuple[ModelWarning, ...] = ()
    is_sampled: bool = False
    edges: tuple[EdgeKind, ...] = ()
    languages: tuple[tuple[str, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON types; choices can be read from it again."""
        return asdict(self)

    def extract_choices(self) -> ModelChoices:
        """The model without figures, samples and warnings: two models of equal choices name and join alike."""
        return ModelChoices.from_json(self.to_json())

    def list_reference_labels(self, table: str, column: str) -> list[str]:
        """The labels of the relations that a column becomes where it refers to things."""
        return [ref.label for ref in self.references if ref.is_used and (ref.table, ref.column) == (table, column)]

    def list_relation_names(self, table: str, column: Column) -> set[str]:
        """The names, as a person writes them, that the relation of a column may have in the graph."""
        names = [column.relation, column.name, column.label, *self.list_reference_labels(table, column.name)]
        return set(map(format_relation_name, names))

    def add_tables(self, added: DataModel) -> DataModel:
        """This model with the tables of ``added``, which stand for those of the same name."""
        replaced = {kind.table for kind in added.kinds}
        return DataModel(
            kinds=(*(kind for kind in self.kinds if kind.table not in replaced), *added.kinds),
            references=(*(ref for ref in self.references if ref.table not in replaced), *added.references),
            warnings=(*(warning for warning in self.warnings if warning.table not in replaced), *added.warnings),
            is_sampled=self.is_sampled or added.is_sampled,
            edges=(*(edge for edge in self.edges if edge.table not in replaced), *added.edges),
            languages=tuple((Counter(dict(self.languages)) + Counter(dict(added.languages))).most_common()),
        )


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What a person says of a column; None leaves it as inferred.

    Of types, ``list`` parts the cells of the column and ``text`` leaves them whole; a unit is added to the label.
    """

    label: str | None = None
    type: ColumnType | None = None
    unit: str | None = None
    is_ignored: bool | None = None


@dataclass(frozen=True, slots=True)
class KindChoice:
    """What a person says of a kind; None leaves it as inferred, an empty ``key`` says that there is none."""

    label: str | None = None
    name: tuple[str, ...] | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ReferenceChoice:
    """What a person says that a column refers to; not used means that its values stay values."""

    target: str
    target_column: str
    label: str | None = None
    is_used: bool = True


@dataclass(frozen=True, slots=True)
class ModelChoices:
    """Corrections of an inferred model: by table, and by table and column."""

    kinds: Mapping[str, KindChoice]
    columns: Mapping[tuple[str, str], ColumnChoice]
    references: Mapping[tuple[str, str], ReferenceChoice]

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> ModelChoices:
        """The choices in JSON: a whole model, or a part of one; figures, samples and warnings are not looked at.

        Raises:
            ConfigError: it is not of that form.
        """
        kinds: dict[str, KindChoice] = {}
        columns: dict[tuple[str, str], ColumnChoice] = {}
        references: dict[tuple[str, str], ReferenceChoice] = {}
        for kind in get_objects(value or {}, "kinds"):
            table = get_text(kind, "table")
            names = kind.get("name")
            if names is not None and not (isinstance(names, Sequence) and all(isinstance(name, str) for name in names)):
                raise make_error("name must be a list of columns")
            if isinstance(names, str):
                names = [names]
            key = find_text(kind, "key")
            if "key" in kind and key is None:
                key = ""
            kinds[table] = KindChoice(find_text(kind, "label"), None if names is None else tuple(names), key)
            for column in get_objects(kind, "columns"):
                columns[table, get_text(column, "name")] = ColumnChoice(
                    find_text(column, "label"),
                    _find_type(column),
                    find_text(column, "unit"),
                    find_truth(column, "is_ignored"),
                )
        for reference in get_objects(value or {}, "references"):
            references[get_text(reference, "table"), get_text(reference, "column")] = ReferenceChoice(
                get_text(reference, "target"),
                get_text(reference, "target_column"),
                find_text(reference, "label"),
                find_truth(reference, "is_used") is not False,
            )
        return cls(kinds, columns, references)


NO_CHOICES = ModelChoices({}, {}, {})


def _find_type(value: Mapping[str, Any]) -> ColumnType | None:
    column_type = value.get("type")
    if column_type is not None and column_type not in COLUMN_TYPES:
        raise make_error(f"the type of a column is one of {', '.join(COLUMN_TYPES)}")
    return column_type
