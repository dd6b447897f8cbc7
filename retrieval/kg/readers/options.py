"""What is said of files beyond their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are to be read, from whoever asks to the reader. What is None is told by content.

    Attributes:
        format: a name of the catalog; ``auto`` is None.
        delimiter: one character, or ``tab``, ``comma``, ``pipe``, ``semicolon``.
        header: whether the first row names columns.
        encoding: of text, as Python names it. None is UTF-8, and UTF-16 where the first bytes say so; documents are
            decoded by themselves.
        columns: of rows of facts: which columns are ``head``, ``relation`` and ``tail``, by position from 0 or by the
            header's name. None takes rows of three columns in that order.
        model: corrections of the inferred data model, see
            :meth:`retrieval.kg.model.data_model.ModelChoices.from_json`.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    columns: Mapping[str, int | str] | None = None
    model: Mapping[str, Any] | None = None

    @classmethod
    def from_values(cls, raw_values: Mapping[str, Any]) -> ReadOptions:
        """The options among the values of a form or a row; what is empty, ``auto`` or missing is told by content."""
        values = {name: raw_values.get(name) for name in OPTIONS}
        return cls(**{name: None if value in DETECTED else value for name, value in values.items()})

    def to_json(self) -> dict[str, Any]:
        """As JSON types, for :meth:`from_values`."""
        return asdict(self)


#: The names of the options, as the command line, the API and the catalog of formats use them.
OPTIONS = tuple(field.name for field in fields(ReadOptions))
#: Nothing is said: everything is told by content.
DETECT = ReadOptions()
#: What is said where a format is to be detected.
DETECTED = (None, "", "auto")
