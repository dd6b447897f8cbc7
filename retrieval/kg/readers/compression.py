"""The bytes of a file that may be compressed: gzip and Zstandard, told by content, and never more than is honest."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, Any, Literal, cast

from retrieval.errors import SourceError

#: A compressed file may hold so many times its size, beyond the first ``EASY`` bytes: more is a bomb. Text shrinks to a
#: tenth, columns of names that repeat to a fiftieth.
RATIO = 100
EASY = 16 * 1024 * 1024
#: The most of a Zstandard file that is unpacked at once; what it may become in memory is 32,768 times that.
_PIECE = 2048
_WINDOW = 128 * 1024 * 1024

Compression = Literal["gzip", "zstd"]
_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
#: Endings of names that say no more than this.
SUFFIXES = (".gz", ".zst")


def detect_compression(path: Path) -> Compression | None:
    """How a file is compressed, by its first bytes.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(4)
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)


def get_plain_name(name: str) -> str:
    """A file's name without the ending that says how it is compressed."""
    return next((name[: -len(end)] for end in SUFFIXES if name.lower().endswith(end)), name)


def open_bytes(path: Path, name: str | None = None) -> IO[bytes]:
    """The bytes of a file, uncompressed.

    Args:
        path: where it lies.
        name: what its owner calls it; None takes the file's name.

    Raises:
        OSError: it cannot be read.
        SourceError: while reading: what is compressed is broken, cut short, or a bomb.
    """
    kind = detect_compression(path)
    if kind is None:
        return path.open("rb")
    opened = gzip.open(path, "rb") if kind == "gzip" else _Zstd(path)  # noqa: SIM115 - closed by its reader
    limit = EASY + RATIO * path.stat().st_size
    return io.BufferedReader(_Guarded(cast("IO[bytes]", opened), name or path.name, kind, limit), 1 << 16)


class _Guarded(io.RawIOBase):
    """What a compressed file holds, until that is more than it can honestly hold."""

    def __init__(self, file: IO[bytes], name: str, kind: Compression, limit: int) -> None:
        self._file, self._name, self._kind, self._left = file, name, kind, limit

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        try:
            data = self._file.read(len(buffer))
        except (EOFError, ValueError, zlib.error, gzip.BadGzipFile) as error:
            raise SourceError(
                f"{self._name} is a broken {self._kind} file: {str(error).rstrip('.')}.",
                hint="It was probably cut short on its way; make or upload it again.",
            ) from error
        self._left -= len(data)
        if self._left < 0:
            raise SourceError(
                f"{self._name} unpacks to more than {RATIO} times its size, as a bomb does.",
                hint="If that is honest, unpack it and give the file itself.",
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close what it reads."""
        self._file.close()
        super().close()


class _Zstd(io.RawIOBase):
    """A Zstandard file; raises EOFError where it is cut short and ValueError where it is broken."""

    def __init__(self, path: Path) -> None:
        import zstandard  # noqa: PLC0415 - few files need it

        self._error = zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj
        self._file = path.open("rb")
        self._frame = self._new()
        self._begun = False
        self._packed = self._held = b""

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` bytes; fewer only at the end."""
        parts, missing = [], size
        while missing and (size < 0 or missing > 0):
            if not self._held and not self._unpack_more():
                break
            part, self._held = (self._held, b"") if size < 0 else (self._held[:missing], self._held[missing:])
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _unpack_more(self) -> bool:
        """Unpack some more; False at the end."""
        while not self._held:
            packed = self._packed or self._file.read(_PIECE)
            if not packed:
                if self._begun:
                    raise EOFError("it ends before its end is marked")
                return False
            try:
                self._held = self._frame.decompress(packed)
            except self._error as error:
                raise ValueError(str(error)) from error
            self._begun, self._packed = True, b""
            if self._frame.eof:
                self._packed, self._frame, self._begun = self._frame.unused_data, self._new(), False
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
