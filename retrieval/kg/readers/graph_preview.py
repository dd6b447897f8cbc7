"""The preview of a file of a graph: what it is taken for, and its first rows as they would be read.

The preview is made by the readers themselves, of the first bytes, so that it shows what an import with the same
corrections does.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from retrieval.errors import ClewError
from retrieval.kg.readers.archive_kinds import Unpacked
from retrieval.kg.readers.catalog import FORMATS
from retrieval.kg.readers.combining import merge_files
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.decoding import find_encoding
from retrieval.kg.readers.detection import resolve_own_format, resolve_text_format
from retrieval.kg.readers.formats.properties import has_property_header
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.jsonld_contexts import MissingContextError, read_context
from retrieval.kg.readers.model_detection import find_model_in_file
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.readers.preview import Preview
from retrieval.kg.readers.preview_sample import (
    LINE,
    ROWS,
    SAMPLE,
    describe_encoding,
    read_preview,
    read_raw_lines,
    sample,
)
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import find_layout
from retrieval.kg.readers.reading import read_file
from retrieval.kg.readers.rows_layout import (
    ROLES,
    WIDTH,
    RowShape,
    describe_unnamed,
    has_column_names,
    infer_columns,
    infer_delimiter,
    parse_delimiter,
    select_columns,
    split_cells,
)
from retrieval.kg.readers.shapes import is_file_of_shapes
from retrieval.kg.readers.sources import is_parquet
from retrieval.kg.readers.table_layout import find_table
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.kg.table import TripleTable
from retrieval.types import Problem


def read_graph_preview(path: Path, name: str, options: ReadOptions) -> Preview:
    """See :func:`retrieval.kg.readers.read_preview`."""
    if find_model_in_file(path, name) is not None:
        note = "This is a data model: it says how the other files are read, and is not read for facts."
        return Preview(name, "graph", "", notes=(note,))
    return read_preview(path, name, "graph", options, read_file_preview)


def read_file_preview(path: Path, preview: Preview, options: ReadOptions) -> Preview:
    """The preview of a file that is no archive, out of one that only has a name."""
    self_opening = resolve_own_format(InputFile(path, preview.name, options))
    if self_opening is not None and self_opening.family == "documents":
        return _read_document_preview(path, replace(preview, format=self_opening.name))
    if is_parquet(path):
        return _read_parquet_preview(path, replace(preview, format="parquet"), options)
    file = InputFile(path, preview.name, options)
    if read_context(path) is not None:
        return replace(preview, format="jsonld", notes=("A JSON-LD context, for the other files of the upload.",))
    if is_file_of_shapes(Unpacked(path, preview.name)):
        message = "SHACL shapes, by which the RDF of the same upload is checked."
        return replace(preview, format="turtle", notes=(message,))
    chosen = resolve_text_format(file)
    notes = describe_encoding(file.source.detected)
    preview = replace(preview, format=chosen.name, encoding=file.source.encoding, notes=notes)
    options = replace(options, format=chosen.name, encoding=None)
    if "delimiter" in chosen.options:
        preview, options = _read_table_preview(file, preview, options)
    preview = replace(
        preview, raw=read_raw_lines(path, preview.encoding), alternatives=_list_alternatives(preview.format)
    )
    return _add_rows(path, preview, options)


def _list_alternatives(name: str) -> tuple[str, ...]:
    return tuple(alternative for alternative in FORMATS[name].alternatives if alternative != name)


def _read_table_preview(file: InputFile, preview: Preview, options: ReadOptions) -> tuple[Preview, ReadOptions]:
    """Delimiter, header and columns of rows of cells."""
    lines = [line for line in file.head.splitlines() if line.strip()]
    line = file.source.find_first_line()
    is_property = preview.format == "property-csv" or (preview.format != "table" and has_property_header(file))
    layout = find_layout(line) if is_property and not options.columns and options.header is not False else None
    if layout is not None:
        mark = parse_delimiter(options.delimiter) if options.delimiter else layout[0]
        cells = tuple(split_cells(line, mark))
        preview = replace(preview, format="property-csv", delimiter=mark, header=True, header_cells=cells)
        return preview, replace(options, format="property-csv", delimiter=mark)
    if preview.format == "table":
        delimiter = parse_delimiter(options.delimiter) if options.delimiter else None
        table = find_table(file.head, sure=True, mark=delimiter, has_header=options.header)
        if table is None:
            return preview, options
        preview = replace(preview, delimiter=table.mark, header=table.has_header, header_cells=table.header)
        return preview, replace(options, delimiter=table.mark, header=table.has_header)
    delimiter = options.delimiter or FORMATS[preview.format].delimiter
    mark = parse_delimiter(delimiter) if delimiter else infer_delimiter(lines)
    first = split_cells(lines[0], mark) if lines else []
    notes = preview.notes
    named_columns = None if options.header is False else infer_columns(first)
    if options.columns is not None:
        columns = select_columns(options.columns, first)
    else:
        columns = named_columns or (0, 1, 2)
        if len(first) > WIDTH:
            notes += (f"Rows have {len(first):,} columns, and at most {WIDTH:,} are read. Try another delimiter.",)
        elif named_columns is None and len(first) > 3:
            notes += (describe_unnamed(len(first)),)
        elif len(first) > 3 or columns != (0, 1, 2):
            chosen = ", ".join(f"{role} is column {i + 1}" for role, i in zip(ROLES, columns, strict=True))
            notes += (f"Rows have {len(first)} columns: {chosen}. Choose others where that is wrong.",)
    shape = RowShape(mark, len(first), columns)
    header = options.header
    if header is None:
        header = len(first) > max(columns) and has_column_names(first, shape)
    if len(first) < 3:
        notes += ("Facts need three columns: head, relation, tail. Try another delimiter.",)
        columns = (0, 1, 2)
    preview = replace(
        preview,
        delimiter=mark,
        header=header,
        columns=dict(zip(ROLES, columns, strict=True)),
        header_cells=tuple(first if header else (f"column {i + 1}" for i in range(len(first))))[:WIDTH],
        notes=notes,
    )
    unnamed = named_columns is None and options.columns is None
    by_position = preview.columns if (WIDTH >= len(first) > 3 or columns != (0, 1, 2)) and not unnamed else None
    return preview, replace(options, delimiter=mark, header=header, columns=by_position)


def _add_rows(path: Path, preview: Preview, options: ReadOptions) -> Preview:
    """The guess with the first rows, as the reader of its format reads them."""
    problems: list[Problem] = []
    with sample(path, preview) as (part, is_complete):
        log = ProblemLog(preview.name, problems.append)
        try:
            read = read_file(InputFile(part, preview.name, options), log)
            table = merge_files([read])
        except MissingContextError as error:
            return replace(preview, notes=(*preview.notes, str(error)))
        except ClewError as error:
            message = (
                str(error) if is_complete else "The first part of the file shows no row; an import reads all of it."
            )
            notes = preview.notes if any(note in message for note in preview.notes) else (*preview.notes, message)
            return replace(preview, notes=notes, problems=tuple(problems[:ROWS]), refused=is_complete)
    if not is_complete and FORMATS[preview.format].one_piece:
        problems = problems[:-1]  # that the first part ends
    titles, rows = _select_rows(table)
    return replace(preview, titles=titles, rows=rows, problems=tuple(problems[:ROWS]))


def _select_rows(table: TripleTable) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What a table shows first of: facts, else passages, else attributes of nodes, else nodes."""
    if len(table):
        labels = table.relation_labels or {}
        rows = table.facts.head(ROWS).iter_rows()
        if table.relation_labels is not None:  # of RDF, whose relations are IRIs
            rows = ((head, labels.get(name) or format_relation_name(name), tail) for head, name, tail in rows)
        return ROLES, tuple(rows)
    if table.passages is not None and table.passages.height:
        shown = table.passages.select("name", "title", "text").head(ROWS)
        return ("name", "title", "text"), tuple((n, t, text[:LINE]) for n, t, text in shown.iter_rows())
    if table.node_attributes is not None:
        shown = table.node_attributes.select("label", "key", "value").head(ROWS)
        return ("node", "attribute", "value"), tuple((n, k, v[:LINE]) for n, k, v in shown.iter_rows())
    if table.nodes is not None:
        return ("node",), tuple((label,) for label in table.nodes["label"].head(ROWS))
    return (), ()


def _read_parquet_preview(path: Path, preview: Preview, options: ReadOptions) -> Preview:
    from retrieval.kg.readers.parquet import open_parquet, read_parquet  # noqa: PLC0415 - only Parquet needs it

    problems: list[Problem] = []
    log = ProblemLog(preview.name, problems.append)
    titles, rows = _select_rows(merge_files([read_parquet(InputFile(path, preview.name, options, limit=ROWS), log)]))
    names = open_parquet(path, preview.name).collect_schema().names()
    columns = select_columns(options.columns, names) if options.columns else infer_columns(names)
    if columns is None and titles == ROLES:
        columns = (0, 1, 2) if len(names) == 3 else None
    return replace(
        preview,
        columns=dict(zip(ROLES, columns, strict=True)) if columns else {},
        header_cells=tuple(names),
        titles=titles,
        rows=rows,
        problems=tuple(problems),
    )


def _read_document_preview(path: Path, preview: Preview) -> Preview:
    from retrieval.kg.readers.documents.reading import extract_passages  # noqa: PLC0415 - only documents need it

    problems: list[Problem] = []
    fmt = preview.format
    passages = extract_passages(path, preview.name, fmt, ProblemLog(preview.name, problems.append))
    with open_bytes(path) as opened:
        encoding = "" if fmt == "pdf" else find_encoding(opened.read(SAMPLE), html=fmt == "html")
    return replace(
        preview,
        encoding=encoding,
        titles=("name", "title", "text"),
        rows=tuple((p.name, p.title, p.text[:LINE]) for p in islice(passages, ROWS)),
        raw=() if fmt == "pdf" else read_raw_lines(path, encoding),
        alternatives=_list_alternatives(fmt),
        problems=tuple(problems[:ROWS]),
    )
