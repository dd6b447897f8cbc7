"""The preview of a file of a graph: what it is taken for, and its first rows as they would be read.

The preview is made by the readers themselves, of the first bytes, so that it shows what an import with the same
corrections does.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from retrieval.errors import ClewError
from retrieval.kg.readers.catalog import DELIMITED_FORMATS, RDF_FORMATS
from retrieval.kg.readers.combining import combine
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.decoding import encoding_of
from retrieval.kg.readers.delimited import (
    WIDTH,
    Shape,
    cells_of,
    choose_columns,
    guess_columns,
    guess_delimiter,
    names_columns,
    parse_delimiter,
)
from retrieval.kg.readers.documents import DOCUMENT_FORMATS, PASSAGE_FORMATS
from retrieval.kg.readers.preview import Preview
from retrieval.kg.readers.preview_sample import LINE, ROWS, SAMPLE, detect_encoding, look, raw_lines, sample
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import find_layout, first_line
from retrieval.kg.readers.reading import (
    FORMAT_DELIMITERS,
    ReadOptions,
    document_format,
    guess_format,
    read_file,
)
from retrieval.kg.readers.sources import Source, is_parquet
from retrieval.kg.table import TripleTable
from retrieval.types import Problem

FACT = ("head", "relation", "tail")


def preview_graph(path: Path, name: str, options: ReadOptions) -> Preview:
    """See :func:`retrieval.kg.readers.preview_graph`."""
    return look(path, name, "graph", options, preview_file)


def preview_file(file: Path, found: Preview, options: ReadOptions) -> Preview:
    """The preview of a file that is no archive, out of one that only has a name."""
    if is_parquet(file):
        return _preview_parquet(file, found, options)
    document = options.asked or document_format(file, found.name)
    if document in DOCUMENT_FORMATS:
        return _preview_document(file, found, document)
    encoding, notes = (options.encoding, ()) if options.encoding else detect_encoding(file)
    source = Source(file, encoding=encoding, name=found.name)
    chosen = options.asked or guess_format(source)
    found = replace(found, format=chosen, encoding=source.encoding, notes=notes)
    options = replace(options, fmt=chosen, encoding=source.encoding)
    if chosen in (*DELIMITED_FORMATS, "property-csv"):
        found, options = _preview_table(source, found, options)
    family = next((f for f in _FAMILIES if found.format in f), ())
    found = replace(
        found,
        raw=raw_lines(file, found.encoding),
        alternatives=tuple(one for one in family if one != found.format),
    )
    return _with_rows(file, found, options)


_FAMILIES = (
    (*DELIMITED_FORMATS, "property-csv"),
    (*PASSAGE_FORMATS, "property-jsonl", "jsonld"),
    RDF_FORMATS,
)


def _preview_table(source: Source, found: Preview, options: ReadOptions) -> tuple[Preview, ReadOptions]:
    """Delimiter, header and columns of rows of cells."""
    lines = [line for line in source.text_head().splitlines() if line.strip()]
    line = first_line(source)
    layout = None if options.columns or options.header is False else find_layout(line)
    if layout is not None:
        mark = parse_delimiter(options.delimiter) if options.delimiter else layout[0]
        cells = tuple(cells_of(line, mark))
        found = replace(found, format="property-csv", delimiter=mark, header=True, header_cells=cells)
        return found, replace(options, fmt="property-csv", delimiter=mark)
    given = options.delimiter or FORMAT_DELIMITERS.get(found.format)
    mark = parse_delimiter(given) if given else guess_delimiter(lines)
    first = cells_of(lines[0], mark) if lines else []
    notes = found.notes
    named = None if options.header is False else guess_columns(first)
    if options.columns is not None:
        columns = choose_columns(options.columns, first)
    else:
        columns = named or (0, 1, 2)
        if len(first) > WIDTH:
            notes += (
                f"Rows have {len(first):,} columns, and at most {WIDTH:,} are read. Try another delimiter.",
            )
        elif len(first) > 3 or columns != (0, 1, 2):
            chosen = ", ".join(f"{role} is column {i + 1}" for role, i in zip(FACT, columns, strict=True))
            notes += (f"Rows have {len(first)} columns: {chosen}. Choose others where that is wrong.",)
    shape = Shape(mark, len(first), columns)
    header = options.header
    if header is None:
        header = len(first) > max(columns) and names_columns(first, shape)
    if len(first) < 3:
        notes += ("Facts need three columns: head, relation, tail. Try another delimiter.",)
        columns = (0, 1, 2)
    found = replace(
        found,
        delimiter=mark,
        header=header,
        columns=dict(zip(FACT, columns, strict=True)),
        header_cells=tuple(first if header else (f"column {i + 1}" for i in range(len(first))))[:WIDTH],
        notes=notes,
    )
    by_position = found.columns if WIDTH >= len(first) > 3 or columns != (0, 1, 2) else None
    return found, replace(options, delimiter=mark, header=header, columns=by_position)


def _with_rows(file: Path, found: Preview, options: ReadOptions) -> Preview:
    """The guess with the first rows, as the reader of its format reads them."""
    problems: list[Problem] = []
    with sample(file, found) as (part, whole):
        log = ProblemLog(found.name, problems.append)
        try:
            read = read_file(part, log, None, replace(options, encoding=None))
            table = combine([read])
        except ClewError as error:
            said = (
                str(error) if whole else "The first part of the file shows no row; an import reads all of it."
            )
            return replace(found, notes=(*found.notes, said), problems=tuple(problems[:ROWS]))
    if not whole and found.format in ("rdfxml", "jsonld", "graphml"):
        problems = problems[:-1]  # that the first part ends
    titles, rows = _rows(table)
    return replace(found, titles=titles, rows=rows, problems=tuple(problems[:ROWS]))


def _rows(table: TripleTable) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What a table shows first of: facts, else passages, else attributes of nodes, else nodes."""
    if len(table):
        return FACT, tuple(table.facts.head(ROWS).iter_rows())
    if table.passages is not None and table.passages.height:
        shown = table.passages.select("name", "title", "text").head(ROWS)
        return ("name", "title", "text"), tuple((n, t, text[:LINE]) for n, t, text in shown.iter_rows())
    if table.node_attributes is not None:
        shown = table.node_attributes.select("label", "key", "value").head(ROWS)
        return ("node", "attribute", "value"), tuple((n, k, v[:LINE]) for n, k, v in shown.iter_rows())
    if table.nodes is not None:
        return ("node",), tuple((label,) for label in table.nodes["label"].head(ROWS))
    return (), ()


def _preview_parquet(file: Path, found: Preview, options: ReadOptions) -> Preview:
    from retrieval.kg.readers.parquet import read_parquet, scan  # noqa: PLC0415 - only Parquet needs it

    names = scan(file, found.name).collect_schema().names()
    problems: list[Problem] = []
    log = ProblemLog(found.name, problems.append)
    titles, rows = _rows(combine([read_parquet(file, log, columns=options.columns, limit=ROWS)]))
    columns = choose_columns(options.columns, names) if options.columns else guess_columns(names)
    if columns is None and titles == FACT:
        columns = (0, 1, 2) if len(names) == 3 else None
    return replace(
        found,
        format="parquet",
        columns=dict(zip(FACT, columns, strict=True)) if columns else {},
        header_cells=tuple(names),
        titles=titles,
        rows=rows,
        problems=tuple(problems),
    )


def _preview_document(file: Path, found: Preview, fmt: str) -> Preview:
    from retrieval.kg.readers.documents.reading import passages_of  # noqa: PLC0415 - only documents need it

    problems: list[Problem] = []
    passages = passages_of(file, found.name, fmt, ProblemLog(found.name, problems.append))
    with open_bytes(file) as opened:
        encoding = "" if fmt == "pdf" else encoding_of(opened.read(SAMPLE), html=fmt == "html")
    return replace(
        found,
        format=fmt,
        encoding=encoding,
        titles=("name", "title", "text"),
        rows=tuple((p.name, p.title, p.text[:LINE]) for p in islice(passages, ROWS)),
        raw=() if fmt == "pdf" else raw_lines(file, encoding),
        alternatives=tuple(one for one in (*DOCUMENT_FORMATS, "delimited") if one not in (fmt, "pdf")),
        problems=tuple(problems[:ROWS]),
    )
