"""Small pieces of files: memory-mapped arrays, string tables, atomic publication of a directory."""

from __future__ import annotations

import errno
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.errors import DamagedError, StorageFullError
from retrieval.kg.snapshot import integrity

#: The disk is full, or the quota is, or a file may not be this large.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ArrayFile:
    """Writes ``name.npy`` piece by piece, for arrays whose length is known only at the end. Use it in a ``with``."""

    def __init__(self, directory: Path, name: str, dtype: str) -> None:
        self._dtype = np.dtype(dtype)
        self._file = (directory / f"{name}.npy").open("wb")
        self.count = 0
        self._write_header(())

    def append(self, piece: np.ndarray) -> None:
        """Write ``piece`` behind the others; its values must fit the type of the file."""
        rows = np.ascontiguousarray(piece, dtype=self._dtype)
        if not self.count:
            self._file.seek(0)
            self._write_header(rows.shape[1:])
        # Not ndarray.tofile, which does not say why it could not write.
        self._file.write(rows.reshape(-1).view(np.uint8).data)
        self.count += len(rows)

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Name the length, and close; the file is whole after this where nothing went wrong."""
        with self._file:
            if kind is None:
                self._file.seek(0)
                self._write_header(self._inner)

    def _write_header(self, inner: tuple[int, ...]) -> None:
        self._inner = inner
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.count, *inner)}
        np.lib.format.write_array_header_1_0(self._file, header)


def save_array(directory: Path, name: str, array: np.ndarray) -> None:
    """Write ``array`` to ``name.npy``."""
    with ArrayFile(directory, name, array.dtype.str) as file:
        file.append(array)


def load_array(directory: Path, name: str, dtype: str | None = None) -> np.ndarray:
    """Memory-map ``name.npy`` read-only, as a plain ndarray (memmap's own indexing is slow).

    Raises:
        DamagedError: the file is missing, cut short, or holds another type than ``dtype``.
    """
    path = directory / f"{name}.npy"
    try:
        try:
            array = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except ValueError:
            # An empty array cannot be mapped; anything else that cannot be mapped is damage.
            array = np.load(path, allow_pickle=False)
            if array.size:
                raise
    except (OSError, ValueError, EOFError) as error:
        raise integrity.make_damaged_error(directory, [path.name]) from error
    if dtype is not None and array.dtype != np.dtype(dtype):
        raise integrity.make_damaged_error(directory, [path.name])
    return array


class StringTable:
    """Strings by position, from one memory-mapped UTF-8 blob. Opening it costs nothing per string.

    ``find`` and ``find_lower_bound`` need the strings sorted by their UTF-8 bytes and are O(log n).
    """

    def __init__(self, blob: np.ndarray, offsets: np.ndarray) -> None:
        self.offsets = offsets
        self.blob = blob
        self._bytes = np.ascontiguousarray(blob).data

    @classmethod
    def load(cls, directory: Path, name: str) -> StringTable:
        """Open what :func:`save_strings` wrote."""
        blob = load_array(directory, f"{name}.utf8", "uint8")
        offsets = load_array(directory, f"{name}.offsets", "int64")
        if not len(offsets) or int(offsets[-1]) != len(blob):
            raise integrity.make_damaged_error(directory, [f"{name}.offsets.npy"])
        return cls(blob, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def get_bytes(self, i: int) -> bytes:
        """String ``i`` as UTF-8.

        Raises:
            DamagedError: there is none, which a number read from the files of a graph should not name.
        """
        if not 0 <= i < len(self):
            raise DamagedError(f"The graph's files are damaged (there is no name {i} of {len(self)}).")
        start, end = int(self.offsets[i]), int(self.offsets[i + 1])
        if not 0 <= start <= end <= len(self._bytes):
            raise DamagedError(f"The graph's files are damaged (name {i} has no place).")
        return bytes(self._bytes[start:end])

    def __getitem__(self, i: int) -> str:
        try:
            return self.get_bytes(i).decode()
        except UnicodeDecodeError as error:
            raise DamagedError(f"The graph's files are damaged (name {i} is no text).") from error

    def get_many(self, ids: Iterable[int]) -> list[str]:
        """The strings at ``ids``, in that order."""
        return [self[int(i)] for i in ids]

    def select_strings(self, ids: np.ndarray) -> StringTable:
        """A table of the strings at ``ids``, in memory."""
        starts, lengths = self.offsets[ids], self.offsets[ids + 1] - self.offsets[ids]
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return StringTable(self.blob[np.repeat(starts, lengths) + within], offsets)

    def __iter__(self) -> Iterator[str]:
        bounds = self.offsets.tolist()
        data = bytes(self._bytes)
        for start, end in pairwise(bounds):
            yield data[start:end].decode()

    def find_lower_bound(self, key: bytes, low: int = 0, high: int | None = None) -> int:
        """The first position whose string is >= ``key``."""
        high = len(self) if high is None else high
        offsets, data = self.offsets, self._bytes
        while low < high:
            middle = (low + high) // 2
            if bytes(data[offsets[middle] : offsets[middle + 1]]) < key:
                low = middle + 1
            else:
                high = middle
        return low

    def find(self, text: str) -> int | None:
        """The position of ``text``, or None."""
        key = text.encode()
        i = self.find_lower_bound(key)
        return i if i < len(self) and self.get_bytes(i) == key else None

    def find_prefix_range(self, prefix: bytes, low: int = 0) -> tuple[int, int]:
        """Positions [first, last) of the strings that begin with ``prefix``."""
        first = self.find_lower_bound(prefix, low)
        # 0xff never occurs in UTF-8, so it sorts after every continuation of the prefix.
        return first, self.find_lower_bound(prefix + b"\xff", first)


def save_strings(directory: Path, name: str, blob: bytes | np.ndarray, offsets: np.ndarray) -> None:
    """Write a string table as ``name.utf8.npy`` and ``name.offsets.npy``."""
    data = np.frombuffer(blob, np.uint8) if isinstance(blob, bytes) else blob
    save_array(directory, f"{name}.utf8", data)
    save_array(directory, f"{name}.offsets", offsets.astype(np.int64))


def save_json(path: Path, value: Any) -> None:
    """Write ``value`` as JSON and force it to disk."""
    with path.open("w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())


def read_json(path: Path) -> dict[str, Any]:
    """The object that :func:`save_json` wrote; empty where there is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_full(error: BaseException) -> bool:
    """Whether an error says that there is no room: on the disk, in a quota, or for a file of this size."""
    return isinstance(error, OSError) and error.errno in _FULL


@contextmanager
def publish_directory(out: Path) -> Iterator[Path]:
    """A temporary sibling of ``out`` to write in; sealed, synced and renamed to ``out`` when the block ends well.

    A crash or an exception leaves ``out`` as it was. An ``out`` that exists is moved aside and removed
    after the new one stands.

    Raises:
        StorageFullError: the disk has no room for it.
    """
    token = uuid.uuid4().hex[:8]
    building = out.parent / f".{out.name}.building-{token}"
    try:
        building.mkdir(parents=True)
        yield building
        integrity.write_checksums(building)
        for folder, _, names in os.walk(building):
            for name in names:
                _sync(Path(folder, name))
            _sync(Path(folder))
        retired = None
        if out.exists():
            retired = out.parent / f".{out.name}.retired-{token}"
            out.rename(retired)
        building.rename(out)
        _sync(out.parent)
        if retired is not None:
            shutil.rmtree(retired, ignore_errors=True)
    except OSError as error:
        if not is_full(error):
            raise
        raise StorageFullError(
            f"There is no room on the disk for {out.name}; nothing of it is left.",
            hint="Make room where Clew keeps its data, and start it again.",
        ) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
