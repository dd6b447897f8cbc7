"""Bytes of unknown encoding to text, piece by piece."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from retrieval.errors import SourceError
from retrieval.kg.readers.code_pages import infer_encoding
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
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]+)")
_PIECE = 1 << 20
#: The fewest zero bytes by which UTF-16 without a mark is told.
_ZEROS = 4
#: Bytes that are looked through at a time to detect an encoding.
_SCANNED = 1 << 17
#: The most bytes of lines that are not UTF-8 by which their encoding is guessed.
_GUESSED_BY = 64 * 1024


@dataclass(frozen=True, slots=True)
class DetectedEncoding:
    """The encoding of a file's text.

    Attributes:
        name: as Python spells it.
        guessed: whether only the letters of the text tell it.
        bad_lines: lines of a file of UTF-8 that are not UTF-8.
    """

    name: str
    guessed: bool = False
    bad_lines: int = 0


def detect_encoding(path: Path, name: str | None = None) -> DetectedEncoding:
    """Return the encoding of a file of lines by all of it: its mark, what XML declares, UTF-8 where that fits, a guess.

    Lines that are UTF-8 beside fewer that are not make a file of UTF-8 with bad lines: most such files were joined.

    Raises:
        OSError, SourceError: it cannot be read, or is compressed and broken.
    """
    with open_bytes(path, name) as file:
        head = file.read(_SCANNED)
        for mark, encoding in _BOMS:
            if head.startswith(mark) and encoding != "utf-8-sig":
                return DetectedEncoding(encoding)
        if wide := _detect_unmarked_utf16(head):
            return DetectedEncoding(wide, guessed=True)
        declared = _XML.match(head.removeprefix(codecs.BOM_UTF8))
        if declared and (known := resolve_encoding(declared[1].decode("ascii"))) not in (
            None,
            "utf-8",
            "ascii",
        ):
            return DetectedEncoding(known or "")
        good, bad, lines = 0, 0, bytearray()
        marked = head.startswith(codecs.BOM_UTF8)
        while head:
            head += file.readline(_SCANNED)
            for line in [] if head.isascii() else head.splitlines():
                if line.isascii():
                    continue
                if _is_utf8(line):
                    good += 1
                else:
                    bad += 1
                    lines += line + b"\n" if len(lines) < _GUESSED_BY else b""
            head = file.read(_SCANNED)
    if marked or not bad or 2 * bad < good + bad:
        return DetectedEncoding("utf-8", bad_lines=bad)
    return DetectedEncoding(infer_encoding(bytes(lines)), guessed=True)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_utf16(head: bytes) -> bool:
    """Return whether bytes begin a text in UTF-16, by its mark or by its zeros."""
    return head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _detect_unmarked_utf16(head) is not None


def _detect_unmarked_utf16(head: bytes) -> str | None:
    """Return UTF-16 of the byte order whose high bytes are zero, as those of ASCII among any text are."""
    zeros = head[:4096].count(0)
    even = head[:4096:2].count(0)
    if zeros < _ZEROS or max(even, zeros - even) < 0.98 * zeros or 20 * zeros < len(head[:4096]):
        return None
    name = "utf-16-be" if 2 * even > zeros else "utf-16-le"
    text = head[:4096].decode(name, errors="replace")
    strange = sum(not (char.isprintable() or char.isspace()) for char in text[:-1])
    return name if 20 * strange <= len(text) else None


def find_encoding(head: bytes, *, html: bool = False) -> str:
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
    if declared is not None and (declared_encoding := resolve_encoding(declared[1].decode("ascii"))) is not None:
        return declared_encoding
    return infer_encoding(head)


def resolve_encoding(name: str) -> str | None:
    """An encoding of text in files, as Python spells it; None where there is none of that name."""
    try:
        codec_name = codecs.lookup(name).name
        "".encode(codec_name)
        codecs.getincrementaldecoder(codec_name)
    except (LookupError, ValueError):
        return None
    return None if codec_name in _NOT_OF_FILES else codec_name


def decode_stream(file: IO[bytes], encoding: str) -> Iterator[str]:
    """The text of a file in pieces of about a million characters; bytes that do not fit become U+FFFD.

    Lines end in a line feed, whatever they end in there.
    """
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors="replace"), translate=True)
    while data := file.read(_PIECE):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def read_head_text(path: Path, size: int) -> str:
    """The text that a file begins with; empty where it cannot be read."""
    try:
        with open_bytes(path) as file:
            head = file.read(size)
    except (OSError, SourceError):
        return ""  # opening it again says why
    return next(decode_stream(io.BytesIO(head), find_encoding(head)))
