"""The preview of a file of a graph: what it is taken for, and its first rows as they would be read.

The preview is made by the readers themselves, of the first bytes, so that it shows what an import with the same
corrections does.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from retrieval.errors import ClewError
from retrieval.kg.readers.catalog import FORMATS
from retrieval.kg.readers.combining import combine
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.decoding import encoding_of
from retrieval.kg.readers.detection import own_format, text_format
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.readers.preview import Preview
from retrieval.kg.readers.preview_sample import LINE, ROWS, SAMPLE, describe_encoding, look, raw_lines, sample
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import find_layout
from retrieval.kg.readers.reading import read_file
from retrieval.kg.readers.rows_layout import (
    ROLES,
    WIDTH,
    Shape,
    cells_of,
    choose_columns,
    describe_unnamed,
    guess_columns,
    guess_delimiter,
    names_columns,
    parse_delimiter,
)
from retrieval.kg.readers.sources import is_parquet
from retrieval.kg.readers.table_layout import find_table
from retrieval.kg.table import TripleTable
from retrieval.types import Problem


def preview_graph(path: Path, name: str, options: ReadOptions) -> Preview:
    """See :func:`retrieval.kg.readers.preview_graph`."""
    return look(path, name, "graph", options, preview_file)


def preview_file(path: Path, found: Preview, options: ReadOptions) -> Preview:
    """The preview of a file that is no archive, out of one that only has a name."""
    own = own_format(InputFile(path, found.name, options))
    if own is not None and own.family == "documents":
        return _preview_document(path, replace(found, format=own.name))
    if is_parquet(path):
        return _preview_parquet(path, replace(found, format="parquet"), options)
    file = InputFile(path, found.name, options)
    chosen = text_format(file)
    notes = describe_encoding(file.source.detected)
    found = replace(found, format=chosen.name, encoding=file.source.encoding, notes=notes)
    options = replace(options, format=chosen.name, encoding=None)
    if "delimiter" in chosen.options:
        found, options = _preview_table(file, found, options)
    found = replace(found, raw=raw_lines(path, found.encoding), alternatives=_alternatives(found.format))
    return _with_rows(path, found, options)


def _alternatives(name: str) -> tuple[str, ...]:
    return tuple(one for one in FORMATS[name].alternatives if one != name)


def _preview_table(file: InputFile, found: Preview, options: ReadOptions) -> tuple[Preview, ReadOptions]:
    """Delimiter, header and columns of rows of cells."""
    lines = [line for line in file.head.splitlines() if line.strip()]
    line = file.source.first_line()
    layout = None if options.columns or options.header is False else find_layout(line)
    if layout is not None:
        mark = parse_delimiter(options.delimiter) if options.delimiter else layout[0]
        cells = tuple(cells_of(line, mark))
        found = replace(found, format="property-csv", delimiter=mark, header=True, header_cells=cells)
        return found, replace(options, format="property-csv", delimiter=mark)
    if found.format == "table":
        given = parse_delimiter(options.delimiter) if options.delimiter else None
        table = find_table(file.head, file.name, sure=True, mark=given)
        if table is None:
            return found, options
        found = replace(found, delimiter=table.mark, header=True, header_cells=table.header)
        return found, replace(options, delimiter=table.mark)
    given = options.delimiter or FORMATS[found.format].delimiter
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
        elif named is None and len(first) > 3:
            notes += (describe_unnamed(len(first)),)
        elif len(first) > 3 or columns != (0, 1, 2):
            chosen = ", ".join(f"{role} is column {i + 1}" for role, i in zip(ROLES, columns, strict=True))
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
        columns=dict(zip(ROLES, columns, strict=True)),
        header_cells=tuple(first if header else (f"column {i + 1}" for i in range(len(first))))[:WIDTH],
        notes=notes,
    )
    unnamed = named is None and options.columns is None
    by_position = found.columns if (WIDTH >= len(first) > 3 or columns != (0, 1, 2)) and not unnamed else None
    return found, replace(options, delimiter=mark, header=header, columns=by_position)


def _with_rows(path: Path, found: Preview, options: ReadOptions) -> Preview:
    """The guess with the first rows, as the reader of its format reads them."""
    problems: list[Problem] = []
    with sample(path, found) as (part, whole):
        log = ProblemLog(found.name, problems.append)
        try:
            read = read_file(InputFile(part, found.name, options), log)
            table = combine([read])
        except ClewError as error:
            said = (
                str(error) if whole else "The first part of the file shows no row; an import reads all of it."
            )
            notes = found.notes if any(note in said for note in found.notes) else (*found.notes, said)
            return replace(found, notes=notes, problems=tuple(problems[:ROWS]), refused=whole)
    if not whole and FORMATS[found.format].one_piece:
        problems = problems[:-1]  # that the first part ends
    titles, rows = _rows(table)
    return replace(found, titles=titles, rows=rows, problems=tuple(problems[:ROWS]))


def _rows(table: TripleTable) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What a table shows first of: facts, else passages, else attributes of nodes, else nodes."""
    if len(table):
        return ROLES, tuple(table.facts.head(ROWS).iter_rows())
    if table.passages is not None and table.passages.height:
        shown = table.passages.select("name", "title", "text").head(ROWS)
        return ("name", "title", "text"), tuple((n, t, text[:LINE]) for n, t, text in shown.iter_rows())
    if table.node_attributes is not None:
        shown = table.node_attributes.select("label", "key", "value").head(ROWS)
        return ("node", "attribute", "value"), tuple((n, k, v[:LINE]) for n, k, v in shown.iter_rows())
    if table.nodes is not None:
        return ("node",), tuple((label,) for label in table.nodes["label"].head(ROWS))
    return (), ()


def _preview_parquet(path: Path, found: Preview, options: ReadOptions) -> Preview:
    from retrieval.kg.readers.parquet import read_parquet, scan  # noqa: PLC0415 - only Parquet needs it

    problems: list[Problem] = []
    log = ProblemLog(found.name, problems.append)
    titles, rows = _rows(combine([read_parquet(InputFile(path, found.name, options, limit=ROWS), log)]))
    names = scan(path, found.name).collect_schema().names()
    columns = choose_columns(options.columns, names) if options.columns else guess_columns(names)
    if columns is None and titles == ROLES:
        columns = (0, 1, 2) if len(names) == 3 else None
    return replace(
        found,
        columns=dict(zip(ROLES, columns, strict=True)) if columns else {},
        header_cells=tuple(names),
        titles=titles,
        rows=rows,
        problems=tuple(problems),
    )


def _preview_document(path: Path, found: Preview) -> Preview:
    from retrieval.kg.readers.documents.reading import passages_of  # noqa: PLC0415 - only documents need it

    problems: list[Problem] = []
    fmt = found.format
    passages = passages_of(path, found.name, fmt, ProblemLog(found.name, problems.append))
    with open_bytes(path) as opened:
        encoding = "" if fmt == "pdf" else encoding_of(opened.read(SAMPLE), html=fmt == "html")
    return replace(
        found,
        encoding=encoding,
        titles=("name", "title", "text"),
        rows=tuple((p.name, p.title, p.text[:LINE]) for p in islice(passages, ROWS)),
        raw=() if fmt == "pdf" else raw_lines(path, encoding),
        alternatives=_alternatives(fmt),
        problems=tuple(problems[:ROWS]),
    )
