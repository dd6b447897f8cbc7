"""Opening a source file: plain or compressed, told by its first bytes; wrong kinds of file refused by name."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from retrieval.errors import ConfigError, EmptySourceError, SourceError
from retrieval.kg.readers.compression import detect_compression, open_bytes
from retrieval.kg.readers.decoding import DetectedEncoding, detect_encoding, resolve_encoding
from retrieval.kg.readers.other_formats import describe_binary, find_binary_format, make_refusal
from retrieval.types import Progress

_PARQUET = b"PAR1"
BLOCK = 16 * 1024 * 1024
#: How much of a file is looked at to tell what it is.
HEAD = 64 * 1024
_SHOWN = 1000
#: The longest line that is read, in bytes; no more of a longer one is held at a time.
LINE_LIMIT = 32 * 1024 * 1024


class Source:
    """One file, read as bytes of UTF-8 whatever its compression and encoding.

    Args:
        path: where it lies.
        progress: told of bytes read.
        encoding: of its text; None detects it, see :func:`~retrieval.kg.readers.decoding.detect_encoding`.
        name: what its owner calls it; None takes the file's name.

    Attributes:
        name: as problems show it.
        head: its first bytes, uncompressed, in UTF-8.
        detected: how that was found out; None where it was given.
    """

    def __init__(
        self,
        path: Path,
        progress: Callable[[Progress], None] | None = None,
        *,
        encoding: str | None = None,
        name: str | None = None,
    ) -> None:
        self.path = path
        self.name = name or path.name
        self.detected: DetectedEncoding | None = None
        self._progress = progress
        try:
            self.size = path.stat().st_size
            self.compressed = detect_compression(path) is not None
            with open_bytes(path, self.name) as file:
                start = file.read(HEAD)
            if other := find_binary_format(start):
                raise make_refusal(other, self.name)
            if encoding:
                self.encoding = parse_encoding(encoding)
            else:
                self.detected = detect_encoding(path, self.name)
                self.encoding = self.detected.name
            self._returns = _ends_in_returns(start)
            with self.open() as file:
                self.head = file.read(HEAD)
        except OSError as error:
            raise SourceError(
                f"{self.name} cannot be opened: {error.strerror or error}.",
                hint="Check that the file exists and may be read.",
            ) from error
        self._check_is_text(start)

    def open(self) -> IO[bytes]:
        """The uncompressed bytes, in UTF-8; lines end in a line feed where they end in a carriage return alone."""
        file = open_bytes(self.path, self.name)
        if self.encoding == "utf-8" and not self._returns:
            return file
        return io.BufferedReader(_Recoded(file, self.encoding, self.name), 1 << 18)

    def decode_head(self) -> str:
        """The first bytes as text, for guessing; bytes that are not UTF-8 are replaced."""
        return self.head.decode("utf-8-sig", errors="replace")

    def find_first_line(self) -> str:
        """The first line that is not blank; empty where there is none."""
        return next((line for line in self.decode_head().splitlines() if line.strip()), "")

    def read_blocks(self, bad: Callable[[int, str, str], None]) -> Iterator[tuple[int, bytes]]:
        """Whole lines in blocks of about ``BLOCK`` bytes, each with the number of its first line (from 1).

        Args:
            bad: called with the number of a line that is longer than ``LINE_LIMIT``, the reason and its beginning; it
                is left out, and is blank in its block.

        Raises:
            SourceError: what is compressed is broken, cut short, or a bomb.
        """
        line = 1
        done = 0
        with self.open() as file:
            while block := file.read(BLOCK):
                if not block.endswith(b"\n"):
                    start = block.rfind(b"\n") + 1
                    rest = file.readline(max(LINE_LIMIT - (len(block) - start), 0) + 1)
                    if len(block) - start + len(rest) > LINE_LIMIT + rest.endswith(b"\n"):
                        shown = block[start : start + _SHOWN].decode(errors="replace")
                        bad(
                            line + block.count(b"\n"),
                            f"the line is longer than {LINE_LIMIT / 2**20:g} MB",
                            shown,
                        )
                        done += len(block) - start + len(rest) + _skip_line(file, rest)
                        block, rest = block[:start], b"\n"
                    block += rest
                done += len(block)
                if line == 1:
                    block = block.removeprefix(b"\xef\xbb\xbf")
                yield line, block
                line += block.count(b"\n")
                if self._progress is not None:
                    total = 0 if self.compressed else self.size
                    self._progress(Progress("reading", done, total, "bytes", self.name))

    def _check_is_text(self, start: bytes) -> None:
        if not self.head.strip():
            raise EmptySourceError(f"{self.name} is empty.", hint="Give a file with at least one fact.")
        text = self.head.decode("utf-8", errors="replace")
        strange = text.count("\ufffd") + sum(text.count(chr(c)) for c in (0, 1, 2, 3, 4, 5, 6, 7, 8))
        if "\0" in text[:1024] or strange > len(text) * 0.1:
            raise make_refusal(describe_binary(start, self.name), self.name)


def _ends_in_returns(start: bytes) -> bool:
    """Whether lines end in a carriage return alone: quoted cells of such a file, and its end, may have line feeds."""
    return start.count(b"\r") - start.count(b"\r\n") > start.count(b"\n")


def parse_encoding(text: str) -> str:
    """The name of an encoding as Python spells it.

    Raises:
        ConfigError: there is none of that name.
    """
    name = resolve_encoding(text)
    if name is None:
        raise ConfigError(
            f"The encoding {text!r} is unknown.", hint="Use utf-8, utf-16, cp1252, latin-1 or their like."
        )
    return name


def _skip_line(file: IO[bytes], read: bytes) -> int:
    """Leave the rest of a line behind of which ``read`` was read last; how many bytes that were."""
    skipped = 0
    while read and not read.endswith(b"\n"):
        read = file.readline(BLOCK)
        skipped += len(read)
    return skipped


class _Recoded(io.RawIOBase):
    """A file of another encoding as UTF-8. A byte that the encoding does not have comes through, and is found."""

    def __init__(self, file: IO[bytes], encoding: str, name: str) -> None:
        self._file, self._encoding, self._name = file, encoding, name
        self._decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder(encoding)(
                errors="replace" if encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"
            ),
            translate=True,
        )
        self._held = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held and not self._ended:
            data = self._file.read(1 << 18)
            self._ended = not data
            try:
                text = self._decoder.decode(data, final=self._ended)
            except UnicodeError as error:
                raise SourceError(
                    f"{self._name} is not text in {self._encoding} ({error}).",
                    hint="Choose another encoding.",
                ) from error
            self._held = text.encode("utf-8", errors="surrogateescape")
        part, self._held = self._held[: len(buffer)], self._held[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()


def is_parquet(path: Path) -> bool:
    """Whether a file is of the Parquet format."""
    try:
        with path.open("rb") as file:
            return file.read(4) == _PARQUET
    except OSError:
        return False
