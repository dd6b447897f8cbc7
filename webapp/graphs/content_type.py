"""The content type of an uploaded file, so that a picture or a program is refused before it is stored."""

from __future__ import annotations

import zlib
from typing import IO, Any

from retrieval.errors import SourceError
from retrieval.kg.readers.decoding import is_utf16
from retrieval.kg.readers.other_formats import describe_binary, find_binary_format, make_refusal

HEAD = 8192
#: Beginnings of what holds files or columns, which the readers look into: zip, Parquet, Zstandard.
CONTAINERS = (b"PK\x03\x04", b"PAR1", b"(\xb5/\xfd")
#: Where a tar archive says that it is one.
_TAR = slice(257, 262)
#: Beginnings of what graphs are made of and is no text: PDF, workbooks of before 2007, and SQLite databases.
DOCUMENTS = (b"%PDF", b"\xd0\xcf\x11\xe0", b"SQLite format 3\0")


def require_text(name: str, file: IO[Any], *, allowed: tuple[bytes, ...] = ()) -> None:
    """Check that a file looks like text or gzipped text, and leave it at its start.

    Args:
        name: what its owner calls it.
        file: open for reading, anywhere.
        allowed: beginnings of other kinds that may pass.

    Raises:
        SourceError: it is something else; says what.
    """
    file.seek(0)
    start = file.read(HEAD)
    file.seek(0)
    if not start:
        raise SourceError(f"{name} is empty.", hint="Choose a file with facts in it.")
    if start.startswith((*CONTAINERS, *allowed)) or start[_TAR] == b"ustar":
        return
    if start[:2] == b"\x1f\x8b":
        start = _unpack_gzip(name, start)
        if start[_TAR] == b"ustar":
            return
    if other := find_binary_format(start):
        raise make_refusal(other, name)
    if b"\0" in start and not is_utf16(start):
        raise make_refusal(describe_binary(start, name), name)


def _unpack_gzip(name: str, start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, HEAD)
    except zlib.error:
        raise SourceError(f"{name} is a broken gzip file.", hint="Compress it again and upload it anew.") from None
