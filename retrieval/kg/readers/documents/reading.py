"""One document, or one file of passages, to the rows of a snapshot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.decoding import decode_stream, find_encoding
from retrieval.kg.readers.documents.markup import Page, read_page_blocks
from retrieval.kg.readers.documents.plain import read_markdown_blocks, read_text_blocks
from retrieval.kg.readers.documents.records import BadRecord, PassageRecord, parse_passage, parse_question
from retrieval.kg.readers.documents.splitting import TextBlock, split_blocks
from retrieval.kg.readers.file_contents import FACT_SCHEMA, LINK_SCHEMA, PASSAGE_SCHEMA, FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.json_rows import read_json_rows
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.table import LABEL_LIMIT
from retrieval.types import Passage, Progress

#: First bytes looked at to tell the encoding.
HEAD = 256 * 1024
#: Passages that become columns together.
CHUNK = 10_000
_TITLE_LIMIT = 300


def read_document(file: InputFile, log: ProblemLog) -> FactFile:
    """Cut one document into passages, named by it and numbered.

    Raises:
        SourceError: it cannot be read at all.
        EmptySourceError: there is no text in it.
    """
    name, progress = file.name, file.progress
    rows = _Rows()
    for number, passage in enumerate(extract_passages(file.path, name, log.format, log), start=1):
        rows.add(passage)
        if progress is not None and number % 1000 == 0:
            progress(Progress("cutting passages", number, 0, "passages", name))
    if not rows.count:
        raise EmptySourceError(
            f"{name} has no text: it is empty, or holds nothing to read.",
            hint="Give a document with text in it.",
        )
    return rows.build_file(name, log)


def extract_passages(path: Path, name: str, fmt: str, log: ProblemLog) -> Iterator[Passage]:
    """The passages of a document of a format, as they are cut; see :func:`read_document`."""
    if fmt == "pdf":
        from retrieval.kg.readers.documents.pdf import get_title, open_pdf, read_pdf_blocks  # noqa: PLC0415 - loads pypdf

        reader = open_pdf(path, name)
        yield from _make_passages(read_pdf_blocks(reader, log), name, lambda: get_title(reader), lambda: "")
        return
    with open_bytes(path, name) as file:
        encoding = find_encoding(file.read(HEAD), html=fmt == "html")
    page = Page()
    with open_bytes(path, name) as file:
        text = _check_text(decode_stream(file, encoding), log, encoding)
        blocks = (
            read_page_blocks(text, page)
            if fmt == "html"
            else read_markdown_blocks(text)
            if fmt == "markdown"
            else read_text_blocks(text)
        )
        yield from _make_passages(blocks, name, lambda: page.title, lambda: page.url)


def _check_text(text: Iterable[str], log: ProblemLog, encoding: str) -> Iterator[str]:
    """The text; characters that the encoding does not have are reported once."""
    strange = 0
    for piece in text:
        if "\0" in piece[:1024] and not strange:
            raise SourceError(f"{log.file} is a binary file, not text.", hint="Give text, Markdown, HTML or PDF.")
        strange += piece.count("\ufffd")
        yield piece.replace("\0", "")
    if strange:
        log.add(0, f"{strange:,} characters are not {encoding} and were replaced", "", "encoding")


def _make_passages(
    blocks: Iterable[TextBlock], name: str, title: Callable[[], str], url: Callable[[], str]
) -> Iterator[Passage]:
    """Passages of a document: title and headings above each, numbered from 1."""
    stem = re.sub(r"(\.[A-Za-z0-9]{1,8}){1,2}$", "", name)
    for number, piece in enumerate(split_blocks(blocks), start=1):
        document_title = title() or stem
        above = [part for part in (document_title, *piece.section, piece.place) if part]
        shown = " – ".join(dict.fromkeys(above))
        yield Passage(0, f"{name}#{number}", shown[:_TITLE_LIMIT], piece.text, name, url())


def read_passages(file: InputFile, log: ProblemLog) -> FactFile:
    """Read a file of passages, or of questions with theirs; see :func:`read_passage_rows`."""
    return read_passage_rows(read_json_rows(file.source, log.add), file.name, log.format, log)


def read_passage_rows(rows_in: Iterable[tuple[int, Any]], name: str, fmt: str, log: ProblemLog) -> FactFile:
    """Passages, or questions with theirs, from rows; see :mod:`retrieval.kg.readers.documents.records`.

    A name that comes again with the same text is one passage; with another text it is a bad row.

    Raises:
        SourceError: it is broken JSON.
        EmptySourceError: no row could be used.
    """
    rows = _Rows()
    for line, row in rows_in:
        try:
            records = [parse_passage(row, f"{name}#{line}")] if fmt == "passages" else parse_question(row)
        except BadRecord as error:
            log.add(line, str(error), str(row)[:200])
            continue
        for record in records:
            if not record.passage.text:
                log.add(line, "a passage is empty", record.passage.title, "blank")
            elif not rows.take(record, log, line):
                log.add(line, f"the name {record.passage.name!r} was used before for another text")
    if not rows.count:
        reasons = "; ".join(f"line {p.line}: {p.message}" for p in log.kept[:3]) or "the file is empty"
        raise EmptySourceError(
            f"No passage of {name} could be used ({reasons}).",
            hint="Give JSONL with id, title and text on each line.",
        )
    return rows.build_file(name, log)


class _Rows:
    """Passages, facts and which fact is of which passage, kept as columns so that much text stays small."""

    def __init__(self) -> None:
        self.count = 0
        self._held: list[tuple[str, ...]] = []
        self._frames: list[pl.DataFrame] = []
        self._facts: list[tuple[str, str, str]] = []
        self._links: list[tuple[int, int]] = []
        self._known: dict[str, tuple[int, int]] = {}

    def add(self, passage: Passage) -> int:
        """Add a passage whose name is new; its position."""
        p = passage
        self._held.append(tuple(map(_clean_text, (p.name, p.title, p.text, p.document, p.url))))
        self.count += 1
        if len(self._held) >= CHUNK:
            self._flush()
        return self.count - 1

    def take(self, record: PassageRecord, log: ProblemLog, line: int) -> bool:
        """Add a passage and its triples, unless it is known; False where the name means another text."""
        passage = record.passage
        digest = hash((passage.title, passage.text))
        known = self._known.get(passage.name)
        if known is not None and known[1] != digest:
            return False
        position = self.add(passage) if known is None else known[0]
        self._known.setdefault(passage.name, (position, digest))
        for triple in record.triples:
            if not all(triple) or any(len(part.encode()) > LABEL_LIMIT or "\0" in part for part in triple):
                log.add(line, "a triple has an empty or over-long part, or a NUL character", " | ".join(triple))
                continue
            self._links.append((len(self._facts), position))
            self._facts.append(triple)
        return True

    def build_file(self, name: str, log: ProblemLog) -> FactFile:
        """Everything as one file's rows."""
        self._flush()
        facts = pl.DataFrame(self._facts, schema=FACT_SCHEMA, orient="row")
        return FactFile(
            name,
            facts,
            log.count,
            passages=pl.concat(self._frames),
            fact_passages=pl.DataFrame(self._links, schema=LINK_SCHEMA, orient="row"),
        )

    def _flush(self) -> None:
        if self._held:
            self._frames.append(pl.DataFrame(self._held, schema=PASSAGE_SCHEMA, orient="row"))
            self._held = []


def _clean_text(text: str) -> str:
    """Text without NUL, a character of no text that databases refuse, and without halves of characters, as PDF has."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def merge_documents(files: Iterable[FactFile]) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """The passages of several files, and their links with facts and passages numbered through all files.

    Two files may use one name: the second passage of that name gets a number behind it, unless it is the same.
    """
    frames, links = [], []
    facts = passages = 0
    for file in files:
        if file.passages is not None:
            frames.append(file.passages)
            if file.fact_passages is not None:
                links.append(file.fact_passages.select(pl.col("fact") + facts, pl.col("passage") + passages))
            passages += file.passages.height
        facts += file.facts.height if file.facts is not None else 0
    if not frames:
        return None, None
    return _merge_repeated(pl.concat(frames), pl.concat(links) if links else pl.DataFrame(schema=LINK_SCHEMA))


def _merge_repeated(passages: pl.DataFrame, links: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    if not passages["name"].is_duplicated().any():
        return passages, links
    first = passages.with_row_index("row").group_by("name", "title", "text", maintain_order=True).first()
    kept = first.sort("row")
    places = kept.with_row_index("new").select("name", "title", "text", "new")
    home = passages.join(places, on=["name", "title", "text"], how="left", maintain_order="left")
    moved = home["new"].to_numpy()
    counts: Counter[str] = Counter()
    names = []
    for name in kept["name"]:
        counts[name] += 1
        names.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    positions = pl.Series("passage", moved[links["passage"].to_numpy()], pl.Int64)
    renamed = kept.with_columns(pl.Series("name", names)).select(list(PASSAGE_SCHEMA))
    return renamed, links.with_columns(positions)
