"""Documents, which are cut into passages: told by their names, or by first bytes that nothing else begins with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format, detect_nothing
from retrieval.kg.readers.formats.properties import is_cypher
from retrieval.kg.readers.formats.rdf import detect_rdf_format
from retrieval.kg.readers.other_formats import find_binary_format, find_text_format
from retrieval.kg.readers.rows_layout import count_columns, infer_delimiter

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile


def _detect_text(file: InputFile) -> Certainty:
    """Plain text is a document where its lines do not look like rows of three columns, or RDF."""
    from retrieval.kg.readers.decoding import read_head_text  # noqa: PLC0415 - loads what detects encodings
    from retrieval.kg.readers.sources import HEAD  # noqa: PLC0415 - as above

    if file.suffix not in (".txt", ".text") or not file.path.is_file():
        return Certainty.NO
    text = read_head_text(file.path, HEAD)
    if find_binary_format(file.start) or find_text_format(text) or is_cypher(text):
        return Certainty.NO
    lines = [line for line in text.splitlines() if line.strip()][:200]
    if not lines or detect_rdf_format(text) is not None or text.lstrip().startswith(("{", "[")):
        return Certainty.NO if lines else Certainty.POSSIBLE
    mark = infer_delimiter(lines)
    rows = sum(count_columns(line, mark) == 3 or "\t" in line or "|" in line for line in lines)
    return Certainty.NO if 2 * rows >= len(lines) else Certainty.POSSIBLE


def _detect_html(file: InputFile) -> Certainty:
    begins = file.start.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))
    return Certainty.LIKELY if begins else Certainty.NO


def _detect_pdf(file: InputFile) -> Certainty:
    return Certainty.LIKELY if file.start.startswith(b"%PDF") else Certainty.NO


def _make_document_format(
    name: str, label: str, *suffixes: str, detect: Callable[[InputFile], Certainty] | None = None
) -> Format:
    return Format(
        name=name,
        label=label,
        holds="a document, which is cut into passages",
        family="documents",
        read="retrieval.kg.readers.documents.reading:read_document",
        suffixes=suffixes,
        detect=detect or detect_nothing,
        options=(),
        alternatives=("text", "markdown", "html", "delimited"),
        opens_itself=True,
    )


FORMATS = (
    _make_document_format("text", "Plain text", detect=_detect_text),
    _make_document_format("markdown", "Markdown", ".md", ".markdown"),
    _make_document_format("html", "Web page", ".html", ".htm", ".xhtml", detect=_detect_html),
    _make_document_format("pdf", "PDF", ".pdf", detect=_detect_pdf),
)
