"""PDF files as blocks, page by page, by pypdf (pure Python, BSD). Text only: a scanned page has none."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from pypdf import PdfReader

from retrieval.errors import SourceError
from retrieval.kg.readers.documents.splitting import TextBlock
from retrieval.kg.readers.problems import ProblemLog

# Its warnings about other people's files are no news to ours; what cannot be read is reported as a problem.
logging.getLogger("pypdf").setLevel(logging.ERROR)

_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zà-ÿ])")
_ENDS = re.compile(r"[.!?:;…。！？\"”)]\s*$")


def open_pdf(path: Path, name: str) -> PdfReader:
    """The file, ready to be read.

    Raises:
        SourceError: it is damaged, or needs a password.
    """
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError(f"{name} needs a password.", hint="Save it again without a password.")
        len(reader.pages)
    except SourceError:
        raise
    except Exception as error:  # a broken file raises anything in pypdf
        raise SourceError(
            f"{name} is a damaged PDF ({str(error).rstrip('.') or type(error).__name__}).",
            hint="Open it in a viewer and save it again.",
        ) from error
    return reader


def get_title(reader: PdfReader) -> str:
    """The title that the file gives itself; empty when it gives none."""
    try:
        return " ".join(str(reader.metadata.title or "").split()) if reader.metadata else ""
    except Exception:  # as above
        return ""


def read_pdf_blocks(reader: PdfReader, log: ProblemLog) -> Iterator[TextBlock]:
    """Paragraphs of each page, whose ``place`` is the page. A page without text is a problem of that number.

    Raises:
        SourceError: no page has text.
    """
    seen = False
    for number in range(1, len(reader.pages) + 1):
        try:
            text = reader.pages[number - 1].extract_text()
        except Exception as error:  # as above
            log.add(number, f"page {number} could not be read ({type(error).__name__})")
            continue
        if not text.strip():
            log.add(number, f"page {number} has no text; it may be a scanned image")
            continue
        seen = True
        for paragraph in _join_paragraphs(text):
            yield TextBlock(paragraph, place=f"page {number}")
    if not seen:
        raise SourceError(
            f"{log.file} has {len(reader.pages):,} pages and no text on any of them: it is probably scanned.",
            hint="Recognise its text first (OCR, for example with ocrmypdf), then upload the result.",
        )


def _join_paragraphs(text: str) -> Iterator[str]:
    """Lines joined to paragraphs: one ends at an empty line, or with a sentence on a line that is clearly short."""
    lines = _HYPHEN.sub("", text).split("\n")
    width = max((len(line) for line in lines), default=0)
    held: list[str] = []
    for line in lines:
        if line.strip():
            held.append(line.strip())
        if held and (not line.strip() or (len(line) < 0.7 * width and _ENDS.search(line))):
            yield " ".join(held)
            held = []
    if held:
        yield " ".join(held)
