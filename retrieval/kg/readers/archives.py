"""Archives of source files: zip, tar, and tar compressed by gzip or Zstandard, unpacked where nothing can go wrong.

An archive is refused as a whole where a name in it leads out of it, where it holds links or devices, another archive,
or more than it can honestly hold. What is unpacked lies in a temporary directory and is removed in the end.
"""

from __future__ import annotations

import errno
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from retrieval.errors import ClewError, EmptySourceError, SourceError
from retrieval.kg.readers import json_tables
from retrieval.kg.readers.archive_kinds import ZIP, ArchiveKind, ArchiveLimits, TablePart, Unpacked, detect_archive_kind
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.model_detection import find_model_in_file
from retrieval.kg.readers.sqlite_tables import SIGNATURE, extract_database_tables, is_sqlite
from retrieval.kg.readers.workbooks import extract_sheets, is_workbook

_PIECE = 1 << 20
_NESTED = {b"7z\xbc\xaf": "7z", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"Rar!": "RAR"}
#: Files of archives that hold no data: what systems add, and what people write about the data.
_ASIDE = re.compile(
    r"(?i)(^|/)(__MACOSX/|\.|Thumbs\.db$|desktop\.ini$|croissant\.json$|"
    r"(readme|licen[cs]e|copying|notice|citation|changelog)[^/]*$)"
)
#: What names of files of JSON end in.
_JSON = tuple(f"{end}{packed}" for end in (".json", ".jsonl", ".ndjson", ".geojson") for packed in ("", ".gz", ".zst"))
_OFFICE = ("[Content_Types].xml", "mimetype")
_HINT = "Nothing of it was unpacked. Make the archive again, of the data files alone."

#: How much of a tar is passed through to list what it holds.
LISTED = 256 << 20
LIMITS = ArchiveLimits()


@contextmanager
def unpack_files(
    paths: Sequence[Path],
    names: Sequence[str] | None = None,
    *,
    limits: ArchiveLimits = LIMITS,
    folder: Path | None = None,
    tables: bool = False,
) -> Iterator[list[Unpacked]]:
    """Files, with those of archives in the place of the archives, in their order. They last as long as the block.

    Args:
        paths: files and archives.
        names: what their owners call them; None takes their names.
        limits: of each archive.
        folder: where archives are unpacked; None takes the system's directory for temporary files.
        tables: take workbooks, databases and JSON of several tables apart too.

    Raises:
        SourceError: an archive is broken, dangerous or too large, or there is no room for it.
        EmptySourceError: an archive holds no file of data.
    """
    with tempfile.TemporaryDirectory(prefix="clew-unpacked-", dir=folder) as place:
        files: list[Unpacked] = []
        for number, path in enumerate(paths):
            name = names[number] if names is not None else path.name
            inside = Path(place) / str(number)
            if tables and (parts := extract_tables(Unpacked(path, name), inside)):
                files += parts
                continue
            kind = detect_archive_kind(path)
            if kind is None:
                files.append(Unpacked(path, name))
                continue
            members = [
                Unpacked(member_path, f"{name}/{member}", name)
                for member, member_path in _Opened(path, name, kind, limits, tables=tables).extract(inside)
            ]
            if tables:
                apart = [extract_tables(file, inside / f"tables {index}") for index, file in enumerate(members)]
                members = [part for file, parts in zip(members, apart, strict=True) for part in parts or [file]]
            if not members:
                raise EmptySourceError(
                    f"{name} holds no file of data.", hint="Give an archive of graph or question files."
                )
            files += members
        yield files


def extract_tables(file: Unpacked, folder: Path) -> list[Unpacked]:
    """The tables of a workbook or of an SQLite database, or the tables and the graph of JSON that holds several; none
    of other files.

    Args:
        file: as it lies.
        folder: where they are put; it is made.

    Raises:
        EmptySourceError: it is a workbook or a database without a table.
        SourceError: it is broken, locked, too large or too deep.
    """
    extract, kind = _find_extractor(file)
    if extract is None:
        return []
    folder.mkdir(parents=True)
    parts = [TablePart(*part) for part in extract(file.path, file.name, folder)]
    if kind and not parts:
        raise EmptySourceError(f"{file.name} holds no table.", hint=f"Give a {kind} with a table that has rows.")
    return [Unpacked(part.path, f"{file.name}/{part.name}", file.name, part.format, part.row_numbers) for part in parts]


def _find_extractor(
    file: Unpacked,
) -> tuple[Callable[[Path, str, Path], Sequence[TablePart | tuple[str, Path, str]]] | None, str]:
    """The function that takes a file apart, if one does; and what must hold a table, empty where it need not."""
    if is_workbook(file.path):
        return extract_sheets, "workbook"
    if is_sqlite(file.path):
        return extract_database_tables, "database"
    has_rows = file.name.lower().endswith(_JSON) and find_model_in_file(file.path, file.name) is None
    return (json_tables.extract_parts if has_rows else None), ""


def list_members(path: Path, name: str, *, limits: ArchiveLimits = LIMITS) -> list[tuple[str, int]]:
    """The files of data in an archive, with their sizes; of a large tar, which has no list, those of the first
    ``LISTED`` bytes.

    Raises:
        SourceError: it is broken, dangerous or too large.
    """
    kind = detect_archive_kind(path)
    if kind is None:
        return []
    opened = _Opened(path, name, kind, limits)
    entries, passed = [], 0
    with opened.convert_errors():
        for member, size, _ in opened.iter_entries():
            if not _ASIDE.search(member):
                entries.append((member, size))
            passed += size
            if kind == "tar" and passed > LISTED:
                break
    return entries


@contextmanager
def extract_start(path: Path, name: str, member: str, size: int, *, limits: ArchiveLimits = LIMITS) -> Iterator[Path]:
    """The first ``size`` bytes of a file in an archive, as a file that lasts as long as the block."""
    kind = detect_archive_kind(path)
    with tempfile.TemporaryDirectory(prefix="clew-unpacked-") as place:
        out = Path(place) / "member"
        out.touch()
        opened = _Opened(path, name, kind or "zip", limits)
        with opened.convert_errors(), out.open("wb") as written:
            for entry, _, file in opened.iter_entries():
                if entry == member:
                    written.write(start := file.read(size))
                    # Parquet files, workbooks and databases cannot be read without their end.
                    if start.startswith((b"PAR1", ZIP, SIGNATURE)):
                        shutil.copyfileobj(file, written)
                    break
        yield out


class _Opened:
    """One archive while it is read: its entries, checked one by one."""

    def __init__(
        self, path: Path, name: str, kind: ArchiveKind, limits: ArchiveLimits, *, tables: bool = False
    ) -> None:
        self._path, self._name, self._kind, self._limits = path, name, kind, limits
        self._tables = tables
        self._left = min(limits.total, limits.easy + limits.ratio * path.stat().st_size)

    def extract(self, folder: Path) -> list[tuple[str, Path]]:
        """Unpack the files of data; each lies in a folder of its own, under its own path."""
        extracted = []
        with self.convert_errors():
            for number, (member, _, file) in enumerate(self.iter_entries()):
                if _ASIDE.search(member):
                    continue
                out = folder / str(number) / member
                out.parent.mkdir(parents=True)
                self._copy(file, out)
                self._check_not_archive(out, member)
                extracted.append((member, out))
        return extracted

    def iter_entries(self) -> Iterator[tuple[str, int, IO[bytes]]]:
        """Path, size and bytes of each file, in the archive's order; the bytes are gone with the next."""
        for number, entry in enumerate(self._iter_zip() if self._kind == "zip" else self._iter_tar()):
            if number >= self._limits.files:
                raise self._make_error(f"holds more than {self._limits.files:,} files")
            yield entry

    @contextmanager
    def convert_errors(self) -> Iterator[None]:
        """Says what is wrong with the archive where reading it fails.

        Raises:
            SourceError: see :func:`unpack_files`.
        """
        try:
            yield
        except ClewError:
            raise
        except (NotImplementedError, RuntimeError) as error:
            raise self._make_error("is packed in a way that is not read here") from error
        except OSError as error:
            raise self._make_space_error(error) from error
        except Exception as error:  # zipfile and tarfile raise errors of every kind at what is broken
            raise SourceError(
                f"{self._name} is a broken archive: {str(error).rstrip('.') or type(error).__name__}.",
                hint="It was probably cut short on its way; make or upload it again.",
            ) from error

    def _iter_zip(self) -> Iterator[tuple[str, int, IO[bytes]]]:
        with zipfile.ZipFile(self._path) as archive:
            if any(info.filename in _OFFICE for info in archive.infolist()):
                raise SourceError(
                    f"{self._name} is an Office file or a book, not an archive of data.",
                    hint="Save its text or its table as CSV, and give that.",
                )
            for info in archive.infolist():
                folder = info.filename.endswith("/")
                member = self._check_path(info.filename) if folder else self._check_file_path(info.filename)
                kind = stat.S_IFMT(info.external_attr >> 16)
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise self._make_error(f"holds a link or a device, {member}")
                if info.flag_bits & 1:
                    raise self._make_error("is locked with a password")
                if not folder:
                    with archive.open(info) as file:
                        yield member, info.file_size, file

    def _iter_tar(self) -> Iterator[tuple[str, int, IO[bytes]]]:
        with (
            open_bytes(self._path, self._name) as packed,
            tarfile.open(fileobj=packed, mode="r|") as archive,
        ):
            for info in archive:
                if info.isdir():
                    self._check_path(info.name)
                    continue
                member = self._check_file_path(info.name)
                if not info.isreg() or info.issparse():
                    raise self._make_error(f"holds a link or a device, {member}")
                file = archive.extractfile(info)
                if file is not None:
                    yield member, info.size, file

    def _check_path(self, entry: str) -> str:
        """The path of an entry with ``/`` between its parts."""
        path = entry.encode(errors="replace").decode().replace("\\", "/")
        parts = path.split("/")
        if path.startswith("/") or ".." in parts or "\0" in path or re.match(r"[A-Za-z]:", path):
            raise self._make_error(f"holds the path {path[:200]!r}, which leads out of it")
        return "/".join(part for part in parts if part not in ("", "."))

    def _check_file_path(self, entry: str) -> str:
        """The path of a file."""
        member = self._check_path(entry)
        if not member:
            raise self._make_error("holds a file without a name")
        return member

    def _copy(self, file: IO[bytes], out: Path) -> None:
        with out.open("wb") as written:
            while piece := file.read(_PIECE):
                self._left -= len(piece)
                if self._left < 0:
                    raise self._make_error(
                        f"unpacks to more than {self._limits.ratio} times its size or {self._limits.total:,} bytes, "
                        "as a bomb does"
                    )
                written.write(piece)

    def _check_not_archive(self, path: Path, member: str) -> None:
        with path.open("rb") as file:
            start = file.read(8)
        other = next((kind for magic, kind in _NESTED.items() if start.startswith(magic)), None)
        if other or (detect_archive_kind(path) and not (self._tables and is_workbook(path))):
            raise self._make_error(f"holds another archive, {member}")

    def _make_error(self, why: str) -> SourceError:
        return SourceError(f"{self._name} {why}.", hint=_HINT)

    def _make_space_error(self, error: OSError) -> SourceError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(tempfile.gettempdir()).free
            return SourceError(
                f"There is no room to unpack {self._name}: {free:,} bytes are free for temporary files.",
                hint="Make room, set TMPDIR to a larger disk, or give the files unpacked.",
            )
        return SourceError(f"{self._name} could not be unpacked: {error.strerror or error}.", hint=_HINT)
