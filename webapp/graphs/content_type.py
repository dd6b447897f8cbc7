"""The content type of an uploaded file, so that a picture or a program is refused before it is stored."""

from __future__ import annotations

import zlib
from typing import IO, Any

from retrieval.errors import SourceError

HEAD = 8192
_KNOWN = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"\x7fELF": "a program",
    b"SQLite format 3": "an SQLite database",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
}
#: Beginnings of what holds files or columns, which the readers look into: zip, Parquet, Zstandard.
CONTAINERS = (b"PK\x03\x04", b"PAR1", b"(\xb5/\xfd")
#: Where a tar archive says that it is one.
_TAR = slice(257, 262)
#: Beginnings of text in UTF-16, which the readers decode.
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: Beginnings of what graphs are made of and is no text: PDF, and workbooks of before 2007.
DOCUMENTS = (b"%PDF", b"\xd0\xcf\x11\xe0")
_HINT = (
    "Upload tables (Excel, CSV, JSON), triples, nodes and edges (CSV, JSON, Parquet, GraphML), RDF, or documents "
    "(text, Markdown, HTML, PDF, passages as JSONL), compressed, in an archive, or as they are."
)


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
        start = _unzipped(name, start)
        if start[_TAR] == b"ustar":
            return
    for magic, what in _KNOWN.items():
        if start.startswith(magic):
            raise SourceError(f"{name} is {what}.", hint=_HINT)
    if start.startswith(_UTF16):
        return
    if b"\0" in start:
        raise SourceError(f"{name} is not a text file.", hint=_HINT)


def _unzipped(name: str, start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, HEAD)
    except zlib.error:
        raise SourceError(
            f"{name} is a broken gzip file.", hint="Compress it again and upload it anew."
        ) from None
