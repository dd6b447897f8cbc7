"""Statements of RDF files by pyoxigraph: bad ones go to the log, and the rest is read."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import IO, Any
from urllib.parse import quote

import pyoxigraph as ox

from retrieval.errors import SourceError
from retrieval.kg.readers.jsonld_contexts import has_remote_context, insert_contexts
from retrieval.kg.readers.nesting import CheckedJson, CheckedXml, Readable
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.sources import Source

#: Where in what was parsed an error is: each line is parsed by itself.
_PLACE = re.compile(r"^Parser error [^:]*: ")
_NO_CONTEXTS: Mapping[str, Any] = {}
_FORMATS = {
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "nquads": ox.RdfFormat.N_QUADS,
    "turtle": ox.RdfFormat.TRIG,  # whose graphs Turtle lacks, and which is the same without them
    "n3": ox.RdfFormat.N3,
    "rdfxml": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}
#: Parsers go on after a bad statement; after so many in a row the file is not of this format.
_GIVE_UP = 1000
#: Formats of one statement a line, and how many bytes of them are parsed together.
_BY_LINE = ("ntriples", "nquads")
_CHUNK = 1 << 20
#: What RDF 1.2 has before its statements, and the parser of lines does not know.
_VERSION = re.compile(rb"^\s*VERSION\s+[\"'][^\"']*[\"']\s*(?:#.*)?$")
#: Predicates between formulas of N3.
_LOGIC = "http://www.w3.org/2000/10/swap/log#"
#: The declaration of an encoding, which is UTF-8 once the text is decoded; and how far from the beginning it may end.
_DECLARED, _DECLARATION = re.compile(rb"(<\?xml[^>]*?)\s+encoding\s*=\s*([\"']).*?\2"), 1024


def parse_statements(
    source: Source, log: ProblemLog, fmt: str, contexts: Mapping[str, Any] = _NO_CONTEXTS
) -> Iterator[tuple[ox.Quad, int]]:
    """Yield the good statements of an RDF file in their order, each with its line; 0 where that is unknown.

    ``contexts`` are those of JSON-LD in files beside it, by the files' names.
    """
    if fmt in _BY_LINE:
        yield from _parse_lines(source, log, fmt)
        return
    for quad in _parse_statements(source, log, fmt, contexts):
        if fmt == "n3" and isinstance(quad.graph_name, ox.BlankNode):
            log.add(0, "a formula or rule of N3 states no fact", str(quad))
        elif fmt != "n3" or not quad.predicate.value.startswith(_LOGIC):
            yield quad, 0


class _Input:
    """Hands bytes to the parser and remembers what went wrong below it."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.error: Exception | None = None

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except Exception as error:
            self.error = error
            raise


def _parse_lines(source: Source, log: ProblemLog, fmt: str) -> Iterator[tuple[ox.Quad, int]]:
    """The good statements of a file that has one a line; a broken one never takes the next with it."""
    failures = 0
    for first, block in source.read_blocks(log.add):
        offset, number = 0, first
        while offset < len(block):
            end = block.find(b"\n", offset + _CHUNK) + 1 or len(block)
            piece = block[offset:end]
            offset = end
            try:
                quads = list(ox.parse(piece, format=_FORMATS[fmt]))
            except (SyntaxError, ValueError, MemoryError):
                for line in piece.splitlines(keepends=True):
                    parsed = _parse_line(line, number, log, fmt)
                    failures = 0 if parsed else failures + (parsed is None)
                    yield from ((quad, number) for quad in parsed or ())
                    number += 1
                    if failures >= _GIVE_UP:
                        return
                continue
            failures = 0
            lines = _list_statement_lines(piece, number)
            yield from zip(quads, lines if len(lines) == len(quads) else repeat(0), strict=False)
            number += piece.count(b"\n")


def _list_statement_lines(piece: bytes, first: int) -> Sequence[int]:
    """The lines that hold statements: those that are neither blank nor a comment."""
    return [number for number, line in enumerate(piece.split(b"\n"), first) if line.strip()[:1] not in (b"", b"#")]


def _parse_line(line: bytes, number: int, log: ProblemLog, fmt: str) -> list[ox.Quad] | None:
    """The statements of a line; None where it is broken, which goes to the log."""
    if _VERSION.match(line):
        return []
    shown = line[:1000].decode(errors="replace")
    # A line about a statement, as RDF-star wrote it, is Turtle.
    known = _FORMATS["turtle" if line.lstrip().startswith(b"<<") else fmt]
    try:
        line.decode()
        return list(ox.parse(line, format=known))
    except UnicodeDecodeError as error:
        log.add(number, f"not UTF-8 text (byte {error.start + 1} of the line)", shown, "encoding")
    except MemoryError:
        log.add(number, "the statement is longer than 16 MB", shown)
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        log.add(number, _PLACE.sub("", reason).replace("end of file", "end of the line"), shown)
    return None


def _wrap_checked(file: IO[bytes], fmt: str, name: str) -> Readable:
    """The bytes of a file, which is refused where it nests so deep that its parser would not end."""
    if fmt == "rdfxml":
        start = _DECLARED.sub(rb"\1", file.read(_DECLARATION), count=1)
        return CheckedXml(io.BufferedReader(_Joined(start, file)), name)
    return CheckedJson(file, name) if fmt == "jsonld" else file


class _Joined(io.RawIOBase):
    """Some bytes and those of a file behind them."""

    def __init__(self, start: bytes, file: IO[bytes]) -> None:
        self._start, self._file = start, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._start[: len(buffer)] or self._file.read(len(buffer))
        self._start = self._start[len(part) :]
        buffer[: len(part)] = part
        return len(part)


def _parse_statements(source: Source, log: ProblemLog, fmt: str, contexts: Mapping[str, Any]) -> Iterator[ox.Quad]:
    """The good statements of a file; bad ones go to the log."""
    single_document = fmt in ("rdfxml", "jsonld")
    with source.open() as opened:
        file: IO[bytes] = opened
        if fmt == "jsonld" and has_remote_context(source.decode_head()):
            text = file.read().decode(errors="replace")
            file = io.BytesIO(insert_contexts(text, contexts, source.name).encode())
        stream = _Input(_wrap_checked(file, fmt, source.name))
        base = f"file:///{quote(source.name)}"
        parser = ox.parse(stream, format=_FORMATS[fmt], base_iri=base)  # type: ignore[arg-type]  # only read() is called
        failures = 0
        while True:
            try:
                quad = next(parser)
            except StopIteration:
                return
            except MemoryError:
                log.add(0, "a statement is longer than 16 MB; nothing after it was read")
                return
            except (SyntaxError, OSError, EOFError, ValueError) as error:
                if "LoadDocumentCallback" in str(error):
                    raise SourceError(
                        f"{source.name} refers to a JSON-LD context on the web, which is not fetched.",
                        hint='Put that context into the file in the place of its address ("@context": {...}).',
                    ) from error
                if isinstance(stream.error, SourceError):
                    raise stream.error from None
                if stream.error is not None or not isinstance(error, SyntaxError):
                    reason = str(stream.error or error).rstrip(".")
                    raise SourceError(
                        f"{source.name} is a broken file: {reason}.",
                        hint="It was probably cut short on its way; make or upload it again.",
                    ) from error
                rest = "; nothing after it was read" if single_document else ""
                log.add(error.lineno or 0, f"{error.msg}{rest}", "")
                failures += 1
                if single_document or failures >= _GIVE_UP:
                    return
                continue
            failures = 0
            yield quad
