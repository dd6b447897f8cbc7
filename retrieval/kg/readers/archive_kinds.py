"""What an archive is, and how much may be unpacked of it."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from retrieval.errors import SourceError
from retrieval.kg.readers.compression import EASY, RATIO, open_bytes

ZIP = b"PK\x03\x04"


ArchiveKind = Literal["zip", "tar"]


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold.

    Attributes:
        total: bytes of all of them.
        ratio: how many times the archive's size, beyond the first ``easy`` bytes.
        easy: see ``ratio``.
    """

    files: int = 10_000
    total: int = 256 << 30
    ratio: int = RATIO
    easy: int = EASY


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A file as it can be read.

    Attributes:
        path: where it lies.
        name: what it is called; of an archive's file, ``archive/path``.
        archive: the archive, workbook or JSON it came from, as its owner calls it; empty for a file given by itself.
        format: the format that it is known to be of; empty where its content tells.
        row_numbers: see :class:`TablePart`.
    """

    path: Path
    name: str
    archive: str = ""
    format: str = ""
    row_numbers: Sequence[int] | None = None


class TablePart(NamedTuple):
    """A table of a workbook, a database or JSON, written as a file of its own.

    Attributes:
        path: where the file lies.
        format: of the file; empty where its content tells.
        row_numbers: where the records of the file stand in its table, its header first; None where that is their line.
    """

    name: str
    path: Path
    format: str
    row_numbers: Sequence[int] | None = None


def detect_archive_kind(path: Path) -> ArchiveKind | None:
    """Which kind of archive a file is, by its content; None where it is none, or cannot be read."""
    try:
        with path.open("rb") as file:
            if file.read(4) == ZIP:
                return "zip"
        with open_bytes(path) as file:
            block = file.read(tarfile.BLOCKSIZE)
    except (OSError, SourceError):
        return None
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return None
    return "tar"
