"""A look at a file before it is imported: what it is taken for, and its first rows as they would be read.

The preview is made by the readers themselves, of the first ``SAMPLE`` bytes, so that it shows what an import with
the same corrections does.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

from retrieval.errors import ClewError, SourceError
from retrieval.kg import questions as question_files
from retrieval.kg.compression import open_bytes, plain_name
from retrieval.kg.documents import DOCUMENT_FORMATS, PASSAGE_FORMATS
from retrieval.kg.documents.decoding import decoded, encoding_of
from retrieval.kg.readers import DELIMITED_FORMATS, RDF_FORMATS, archives
from retrieval.kg.readers.archives import archive_kind
from retrieval.kg.readers.combining import combine
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
from retrieval.kg.readers.dispatch import (
    FORMAT_DELIMITERS,
    ReadOptions,
    document_format,
    guess_format,
    read_file,
)
from retrieval.kg.readers.guesses import Guess, Kind
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import find_layout, first_line
from retrieval.kg.readers.sources import WRONG_KINDS, Source, is_parquet
from retrieval.kg.table import TripleTable
from retrieval.types import Problem

#: Rows shown, lines shown as they stand, and how much of each.
ROWS = 20
LINE = 300
#: How much of a file is read for it.
SAMPLE = 256 * 1024
#: How much is read beyond that for one whole line.
LONG = 16 * 1024 * 1024
#: Files of an archive that are looked at, until one can be read.
MEMBERS = 20

FACT = ("head", "relation", "tail")


def look(path: Path, name: str, kind: Kind, options: ReadOptions) -> Guess:
    """See :func:`retrieval.kg.readers.guess`."""
    if not path.is_file():
        raise SourceError(f"{name} cannot be opened.", hint="Check that the file exists and may be read.")
    found = Guess(name, kind, "")
    try:
        if archive_kind(path) is not None:
            return _guess_archive(path, found, options)
        return (_guess_questions if kind == "questions" else _guess_graph)(path, found, options)
    except SourceError as error:
        return replace(found, raw=_raw(path, options.encoding or "utf-8"), notes=(str(error),))


def _guess_archive(path: Path, found: Guess, options: ReadOptions) -> Guess:
    """The guess of the first file in an archive that can be read, with the names of all."""
    held = tuple(archives.members(path, found.name))
    found = replace(found, members=held)
    notes: list[str] = []
    for member, _ in held[:MEMBERS]:
        with archives.first_of(path, found.name, member, 4 * SAMPLE) as file:
            guessed = look(file, f"{found.name}/{member}", found.kind, options)
        if guessed.format and guessed.rows:
            said = f"The archive holds {len(held):,} files; this is {member}." if len(held) > 1 else ""
            return replace(
                guessed, name=found.name, members=held, notes=(*filter(None, [said]), *guessed.notes)
            )
        notes += guessed.notes
    return replace(found, notes=tuple(notes) or (f"{found.name} holds no file of data.",))


def _guess_graph(file: Path, found: Guess, options: ReadOptions) -> Guess:
    if is_parquet(file):
        return _guess_parquet(file, found, options)
    document = options.asked or document_format(file, found.name)
    if document in DOCUMENT_FORMATS:
        return _guess_document(file, found, document)
    encoding, notes = (options.encoding, ()) if options.encoding else guess_encoding(file)
    source = Source(file, encoding=encoding, name=found.name)
    chosen = options.asked or guess_format(source)
    found = replace(found, format=chosen, encoding=source.encoding, notes=notes)
    options = replace(options, fmt=chosen, encoding=source.encoding)
    if chosen in (*DELIMITED_FORMATS, "property-csv"):
        found, options = _guess_table(source, found, options)
    family = next((f for f in _FAMILIES if found.format in f), ())
    found = replace(
        found,
        raw=_raw(file, found.encoding),
        alternatives=tuple(one for one in family if one != found.format),
    )
    return _with_rows(file, found, options)


_FAMILIES = (
    (*DELIMITED_FORMATS, "property-csv"),
    (*PASSAGE_FORMATS, "property-jsonl", "jsonld"),
    RDF_FORMATS,
)


def _guess_table(source: Source, found: Guess, options: ReadOptions) -> tuple[Guess, ReadOptions]:
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


def _with_rows(file: Path, found: Guess, options: ReadOptions) -> Guess:
    """The guess with the first rows, as the reader of its format reads them."""
    problems: list[Problem] = []
    with _sample(file, found) as (sample, whole):
        log = ProblemLog(found.name, problems.append)
        try:
            read = read_file(sample, log, None, replace(options, encoding=None))
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


def _guess_parquet(file: Path, found: Guess, options: ReadOptions) -> Guess:
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


def _guess_document(file: Path, found: Guess, fmt: str) -> Guess:
    from retrieval.kg.documents.reading import passages_of  # noqa: PLC0415 - only documents need it

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
        raw=() if fmt == "pdf" else _raw(file, encoding),
        alternatives=tuple(one for one in (*DOCUMENT_FORMATS, "delimited") if one not in (fmt, "pdf")),
        problems=tuple(problems[:ROWS]),
    )


def _guess_questions(file: Path, found: Guess, options: ReadOptions) -> Guess:
    problems: list[Problem] = []
    fmt = options.fmt
    if options.encoding:
        found = replace(found, encoding=options.encoding)
    elif not is_parquet(file):
        encoding, notes = guess_encoding(file)
        found = replace(found, encoding=encoding, notes=notes)
    chosen = fmt if fmt and fmt != "auto" else question_files.detect_format(file, encoding=found.encoding)
    others = tuple(one for one in question_files.FORMATS if one != chosen)
    found = replace(found, format=chosen, alternatives=others, raw=_raw(file, found.encoding))
    with _sample(file, found) as (sample, whole):
        try:
            questions = question_files.read_questions(sample, problems=problems.append, fmt=chosen)
        except SourceError as error:
            said = str(error) if whole else "The first part of the file shows no question."
            return replace(found, notes=(*found.notes, said), problems=tuple(problems[:ROWS]))
    rows = tuple((q.question, "; ".join(q.topic_entities), "; ".join(q.answers)) for q in questions[:ROWS])
    problems = [replace(problem, file=found.name) for problem in problems]
    return replace(
        found, titles=("question", "topics", "answers"), rows=rows, problems=tuple(problems[:ROWS])
    )


def guess_encoding(file: Path) -> tuple[str, tuple[str, ...]]:
    """The encoding of a file of lines, from its first ones, and what to say of it.

    Lines that are UTF-8 beside others that are not make a file of UTF-8 with bad rows: most such files were joined.
    """
    with open_bytes(file) as opened:
        head = opened.read(SAMPLE)
    marked = encoding_of(head[:4])
    if marked != "utf-8" and head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return marked, (f"The text is {marked}.",)
    if b"\0" in head[:1024] or head.startswith(tuple(WRONG_KINDS)):
        return "utf-8", ()  # no text, as its reader says
    lines = head.splitlines()[: -1 if len(head) == SAMPLE else None]
    strange = [line for line in lines if not line.isascii()]
    bad = [line for line in strange if not _is_utf8(line)]
    if not bad:
        return "utf-8", ()
    if 2 * len(bad) < len(strange):
        some = f"{len(bad)} of the first {len(lines):,} lines are not UTF-8"
        return "utf-8", (f"{some} and will be left out. Choose another encoding to read all of them.",)
    encoding = encoding_of(b"\n".join(bad))
    if encoding.startswith(("utf_16", "utf-16", "utf_32", "utf-32", "utf_7")):
        encoding = "cp1252"  # a guess of few bytes: such text begins with a mark
    return encoding, (f"The text is not UTF-8; it looks like {encoding}. Check the letters below.",)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _raw(file: Path, encoding: str) -> tuple[str, ...]:
    """The first lines as they stand; none of what is no text."""
    try:
        with open_bytes(file) as opened:
            head = opened.read(SAMPLE)
    except (OSError, SourceError):
        return ()
    try:
        text = next(decoded(io.BytesIO(head), encoding))
    except UnicodeError:
        return ()
    if "\0" in text[:1024]:
        return ()
    return tuple(line[:LINE].replace("\0", "\u2400") for line in text.splitlines()[:ROWS])


@contextmanager
def _sample(file: Path, found: Guess) -> Iterator[tuple[Path, bool]]:
    """A file of the first whole lines, in UTF-8 and of the same name, and whether that is all there is."""
    if is_parquet(file):
        yield file, True
        return
    source = Source(file, encoding=found.encoding, name=found.name)
    with ExitStack() as stack:
        opened = stack.enter_context(source.open())
        head = opened.read(SAMPLE)
        if b"\n" not in head:
            head += opened.readline(LONG)
        whole = not opened.read(1)
        if head.lstrip()[:1] == b"[" and not whole:
            head = _items(head)
        elif not whole and b"\n" in head:
            head = head[: head.rindex(b"\n") + 1]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # Hops are read from the names of the file and its folder.
        named = Path(found.name)
        place = folder / (named.parent.name or "files") / plain_name(named.name)
        place.parent.mkdir()
        place.write_bytes(head)
        yield place, whole


def _items(head: bytes) -> bytes:
    """The whole items of an array that is cut off, one a line."""
    decoder, text = json.JSONDecoder(), head.decode("utf-8-sig", errors="replace")
    lines: list[str] = []
    at = text.index("[") + 1
    while True:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return "\n".join(lines).encode()
        lines.append(json.dumps(item))
