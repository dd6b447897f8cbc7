"""One file that is to be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.kg.readers.compression import get_plain_name
from retrieval.kg.readers.options import DETECT, ReadOptions
from retrieval.kg.readers.sources import HEAD, Source
from retrieval.types import Progress

if TYPE_CHECKING:
    from retrieval.kg.readers.file_contents import FactSink


@dataclass(frozen=True)
class InputFile:
    """A file with what is said of it. What is looked at of it is read once.

    Attributes:
        path: where it lies.
        name: what its owner calls it.
        sink: takes the facts of rows and of RDF as they are read, where there is one.
        header_line: the header of nodes or edges that has a file of its own.
        contexts: of JSON-LD, in files beside it, by the files' names.
        limit: rows that are wanted, where a reader can stop early.
        row_numbers: where the records stand in the table that the file was written from, its header first; None where
            that is their line.
    """

    path: Path
    name: str
    options: ReadOptions = DETECT
    progress: Callable[[Progress], None] | None = None
    sink: FactSink | None = None
    header_line: str | None = None
    limit: int | None = None
    contexts: Mapping[str, Any] = field(default_factory=dict)
    row_numbers: Sequence[int] | None = None

    @property
    def suffix(self) -> str:
        """How the name ends, in lower case, compression aside; empty where it has no ending."""
        return Path(get_plain_name(self.name)).suffix.lower()

    @cached_property
    def start(self) -> bytes:
        """The first bytes as they lie; none where the file cannot be opened, and opening it again says why."""
        try:
            with self.path.open("rb") as file:
                return file.read(HEAD)
        except OSError:
            return b""

    @cached_property
    def source(self) -> Source:
        """The file as text.

        Raises:
            SourceError: it cannot be opened, or is no text.
            ConfigError: there is no encoding of the name that was given.
        """
        return Source(self.path, self.progress, encoding=self.options.encoding, name=self.name)

    @cached_property
    def head(self) -> str:
        """The first text; raises as ``source`` does."""
        return self.source.decode_head()

    @property
    def begins_json(self) -> bool:
        """Whether its text begins as JSON does: an object, or an array of objects or strings."""
        return re.match(r'\s*[\[{]\s*("|\{|\[|\})', self.head) is not None
