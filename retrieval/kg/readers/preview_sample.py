"""What all previews share: the file of an archive to show, the first lines, a small file of them, and the encoding."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.kg.readers import archives
from retrieval.kg.readers.archive_kinds import Unpacked, detect_archive_kind
from retrieval.kg.readers.archives import extract_tables
from retrieval.kg.readers.catalog import add_known_format
from retrieval.kg.readers.compression import get_plain_name, open_bytes
from retrieval.kg.readers.decoding import DetectedEncoding, decode_stream
from retrieval.kg.readers.model_detection import find_model_in_file
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.readers.preview import Kind, Preview
from retrieval.kg.readers.sources import Source, is_parquet

#: Rows shown, lines shown as they stand, and how much of each.
ROWS = 20
LINE = 300
#: How much of a file is read for it.
SAMPLE = 256 * 1024
#: How much is read beyond that for one whole line.
LONG = 16 * 1024 * 1024
#: Files of an archive that are looked at, until one can be read.
MEMBERS = 20

Look = Callable[[Path, Preview, ReadOptions], Preview]


def read_preview(path: Path, name: str, kind: Kind, options: ReadOptions, preview: Look) -> Preview:
    """The preview of a file, or of the first file of an archive that can be read.

    Args:
        path: where it lies.
        name: what its owner calls it.
        preview: makes the preview of a file that is no archive, out of one that only has a name.

    Raises:
        ConfigError: a correction is unknown or does not fit.
        SourceError: the file is missing.
    """
    if not path.is_file():
        raise SourceError(f"{name} cannot be opened.", hint="Check that the file exists and may be read.")
    blank = Preview(name, kind, "")
    try:
        with tempfile.TemporaryDirectory() as place:
            tables = extract_tables(Unpacked(path, name), Path(place) / "tables") if kind == "graph" else []
            tables = [table for table in tables if find_model_in_file(table.path, table.path.name) is None]
            if tables:
                return _read_tables_preview(tables, blank, options, preview)
        if detect_archive_kind(path) is not None:
            return _read_archive_preview(path, blank, options, preview)
        return preview(path, blank, options)
    except SourceError as error:
        return replace(blank, raw=read_raw_lines(path, options.encoding or "utf-8"), notes=(str(error),), refused=True)


def _read_archive_preview(path: Path, blank: Preview, options: ReadOptions, preview: Look) -> Preview:
    """The preview of the first file in an archive that can be read, with the names of all."""
    held = tuple(archives.list_members(path, blank.name))
    blank = replace(blank, members=held)
    notes: list[str] = []
    for member, _ in held[:MEMBERS]:
        with archives.extract_start(path, blank.name, member, 4 * SAMPLE) as file:
            guessed = read_preview(file, f"{blank.name}/{member}", blank.kind, options, preview)
        if guessed.format and guessed.rows:
            message = f"The archive holds {len(held):,} files; this is {member}." if len(held) > 1 else ""
            return replace(guessed, name=blank.name, members=held, notes=(*filter(None, [message]), *guessed.notes))
        notes += guessed.notes
    empty = (f"{blank.name} holds no file of data.",)
    return replace(blank, notes=tuple(notes) or empty, refused=len(held) <= MEMBERS)


def _read_tables_preview(tables: Sequence[Unpacked], blank: Preview, options: ReadOptions, preview: Look) -> Preview:
    """The preview of the first table of a workbook or of JSON that can be read, with the names of all."""
    held = tuple((table.name.removeprefix(f"{table.archive}/"), table.path.stat().st_size) for table in tables)
    notes: list[str] = []
    for table, (title, _) in zip(tables, held, strict=True):
        table_options = add_known_format(options, table.format)
        guessed = read_preview(table.path, table.name, blank.kind, table_options, preview)
        if guessed.format and guessed.rows:
            message = f"The file holds {len(held):,} tables; this is {Path(title).stem}." if len(held) > 1 else ""
            return replace(guessed, name=blank.name, members=held, notes=(*filter(None, [message]), *guessed.notes))
        notes += guessed.notes
    return replace(blank, members=held, notes=tuple(notes), refused=True)


def describe_encoding(detected: DetectedEncoding | None) -> tuple[str, ...]:
    """Return what a person should know of an encoding that was detected."""
    if detected is None:
        return ()
    if detected.bad_lines:
        count = "1 line is" if detected.bad_lines == 1 else f"{detected.bad_lines:,} lines are"
        return (f"{count} not UTF-8 and will be left out. Choose another encoding to read them.",)
    if detected.guessed:
        return (f"The text is not UTF-8; it looks like {detected.name}. Check the letters below.",)
    return () if detected.name == "utf-8" else (f"The text is {detected.name}.",)


def read_raw_lines(file: Path, encoding: str) -> tuple[str, ...]:
    """The first lines as they stand; none of what is no text."""
    try:
        with open_bytes(file) as opened:
            head = opened.read(SAMPLE)
    except (OSError, SourceError):
        return ()
    try:
        text = next(decode_stream(io.BytesIO(head), encoding))
    except UnicodeError:
        return ()
    if "\0" in text[:1024]:
        return ()
    return tuple(line[:LINE].replace("\0", "\u2400") for line in text.splitlines()[:ROWS])


@contextmanager
def sample(file: Path, preview: Preview) -> Iterator[tuple[Path, bool]]:
    """A file of the first whole lines, in UTF-8 and of the same name, and whether that is all there is."""
    if is_parquet(file):
        yield file, True
        return
    source = Source(file, encoding=preview.encoding, name=preview.name)
    with ExitStack() as stack:
        opened = stack.enter_context(source.open())
        head = opened.read(SAMPLE)
        if b"\n" not in head:
            head += opened.readline(LONG)
        is_complete = not opened.read(1)
        if head.lstrip()[:1] == b"[" and not is_complete:
            head = _extract_items(head)
        elif not is_complete and b"\n" in head:
            head = head[: head.rindex(b"\n") + 1]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # Hops are read from the names of the file and its folder.
        name_path = Path(preview.name)
        place = folder / (name_path.parent.name or "files") / get_plain_name(name_path.name)
        place.parent.mkdir()
        place.write_bytes(head)
        yield place, is_complete


def _extract_items(head: bytes) -> bytes:
    """The whole items of an array that is cut off, one a line."""
    decoder, text = json.JSONDecoder(), head.decode("utf-8-sig", errors="replace")
    lines: list[str] = []
    position = text.index("[") + 1
    while True:
        while position < len(text) and (text[position].isspace() or text[position] == ","):
            position += 1
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return "\n".join(lines).encode()
        lines.append(json.dumps(item))
