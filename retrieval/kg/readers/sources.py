"""Opening a source file: plain or gzip, told by its first bytes; wrong kinds of file refused by name."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from retrieval.errors import EmptySourceError, SourceError
from retrieval.types import Progress

BLOCK = 16 * 1024 * 1024
SNIFF = 64 * 1024
_GZIP = b"\x1f\x8b"
WRONG_KINDS = {
    b"PK\x03\x04": "a ZIP or Office file",
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"BZh": "bzip2-compressed",
    b"\xfd7zXZ": "xz-compressed",
    b"(\xb5/\xfd": "zstd-compressed",
    b"7z\xbc\xaf": "a 7z archive",
    b"PAR1": "a Parquet file",
    b"SQLite format": "an SQLite database",
    b"\x7fELF": "a program",
}
_TEXT_HINT = "Give UTF-8 text (or its gzip): triples, nodes and edges as CSV or JSON lines, or RDF."


class Source:
    """One file, read as bytes whatever its compression.

    Attributes:
        name: the file's name, as problems show it.
        head: its first bytes, uncompressed.
    """

    def __init__(self, path: Path, progress: Callable[[Progress], None] | None = None) -> None:
        self.path = path
        self.name = path.name
        self._progress = progress
        try:
            self.size = path.stat().st_size
            with path.open("rb") as file:
                self.gzipped = file.read(2) == _GZIP
            with self._errors(), self.open() as file:
                self.head = file.read(SNIFF)
        except OSError as error:
            raise SourceError(
                f"{self.name} cannot be opened: {error.strerror or error}.",
                hint="Check that the file exists and may be read.",
            ) from error
        self._refuse_wrong_kinds()

    def open(self) -> IO[bytes]:
        """The uncompressed bytes."""
        if self.gzipped:
            return cast(IO[bytes], gzip.open(self.path, "rb"))
        return self.path.open("rb")

    def text_head(self) -> str:
        """The first bytes as text, for guessing; bytes that are not UTF-8 are replaced."""
        return self.head.decode("utf-8-sig", errors="replace")

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Whole lines in blocks of about ``BLOCK`` bytes, each with the number of its first line (from 1).

        Raises:
            SourceError: the gzip stream is broken or cut short.
        """
        line = 1
        done = 0
        with self._errors(), self.open() as file:
            while block := file.read(BLOCK):
                if not block.endswith(b"\n"):
                    block += file.readline()
                done += len(block)
                if line == 1:
                    block = block.removeprefix(b"\xef\xbb\xbf")
                yield line, block
                line += block.count(b"\n")
                if self._progress is not None:
                    total = 0 if self.gzipped else self.size
                    self._progress(Progress("reading", done, total, "bytes", self.name))

    def _errors(self) -> _GzipErrors:
        return _GzipErrors(self.name)

    def _refuse_wrong_kinds(self) -> None:
        if not self.head.strip():
            raise EmptySourceError(f"{self.name} is empty.", hint="Give a file with at least one fact.")
        for magic, kind in WRONG_KINDS.items():
            if self.head.startswith(magic):
                raise SourceError(f"{self.name} is {kind}, not a text file.", hint=_TEXT_HINT)
        if self.head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise SourceError(
                f"{self.name} is UTF-16 text, and UTF-8 is needed.", hint="Save it again as UTF-8."
            )
        text = self.head.decode("utf-8", errors="replace")
        strange = text.count("\ufffd") + sum(text.count(chr(c)) for c in (0, 1, 2, 3, 4, 5, 6, 7, 8))
        if "\0" in text[:1024] or strange > len(text) * 0.1:
            raise SourceError(f"{self.name} is a binary file, not text.", hint=_TEXT_HINT)
        if text.lstrip()[:15].lower().startswith(("<!doctype html", "<html")):
            raise SourceError(f"{self.name} is a web page, not a graph.", hint=_TEXT_HINT)


class _GzipErrors:
    """Turns what a broken gzip stream raises into a SourceError."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (EOFError, gzip.BadGzipFile, zlib.error)):
            raise SourceError(
                f"{self.name} is a broken gzip file: {str(error).rstrip('.')}.",
                hint="It was probably cut short on its way; make or upload it again.",
            ) from error
