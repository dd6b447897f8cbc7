"""Bytes of unknown encoding to text, piece by piece."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from charset_normalizer import from_bytes

from retrieval.errors import SourceError
from retrieval.kg.readers.code_pages import eight_bit
from retrieval.kg.readers.compression import open_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Encodings of Python that are none of files: they spell characters, take forever, or always fail.
_NOT_OF_FILES = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7"})
#: Encodings in which most characters take several bytes; a text of them holds more of such bytes than of others.
_SEVERAL_BYTES = frozenset(
    {
        "big5",
        "big5hkscs",
        "cp932",
        "cp949",
        "cp950",
        "euc_jis_2004",
        "euc_jisx0213",
        "euc_jp",
        "euc_kr",
        "gb18030",
        "gb2312",
        "gbk",
        "johab",
        "shift_jis",
        "shift_jis_2004",
        "shift_jisx0213",
    }
)
_SHARE = 0.3
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_PIECE = 1 << 20


def encoding_of(head: bytes, *, html: bool = False) -> str:
    """The encoding of a file from its first bytes: its mark, what a page declares, UTF-8 where that fits, a guess.

    Args:
        head: the first bytes, which may end inside a character.
        html: whether a ``<meta charset>`` counts.
    """
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    declared = _META.search(head) if html else None
    if declared is not None and (named := named_encoding(declared[1].decode("ascii"))) is not None:
        return named
    found = eight_bit(head)
    if found is not None:
        return found
    if sum(byte > 127 for byte in head) >= _SHARE * len(head):
        best = from_bytes(head).best()
        if best is not None and best.encoding in _SEVERAL_BYTES:
            return best.encoding
    return "cp1252"


def named_encoding(name: str) -> str | None:
    """An encoding of text in files, as Python spells it; None where there is none of that name."""
    try:
        found = codecs.lookup(name).name
        "".encode(found)
        codecs.getincrementaldecoder(found)
    except (LookupError, ValueError):
        return None
    return None if found in _NOT_OF_FILES else found


def decoded(file: IO[bytes], encoding: str) -> Iterator[str]:
    """The text of a file in pieces of about a million characters; bytes that do not fit become U+FFFD.

    Lines end in a line feed, whatever they end in there.
    """
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(encoding)(errors="replace"), translate=True
    )
    while data := file.read(_PIECE):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def head_text(path: Path, size: int) -> str:
    """The text that a file begins with; empty where it cannot be read."""
    try:
        with open_bytes(path) as file:
            head = file.read(size)
    except (OSError, SourceError):
        return ""  # opening it again says why
    return next(decoded(io.BytesIO(head), encoding_of(head)))
