"""From encoded rows to the sorted facts and the adjacency of a snapshot, in memory or piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from retrieval.kg.build.fact_rows import KEY, MEMORY, FactRows, Sizes
from retrieval.kg.build.row_origins import unpack_origins
from retrieval.kg.snapshot.fact_sources import ORIGIN_ARRAYS
from retrieval.kg.snapshot.storage import ArrayFile, load_array, save_array

#: Facts whose ids take more bits are sorted by columns, all in memory.
KEY_BITS = 64
#: Facts that are handled at a time.
_BLOCK = 500_000
_SAMPLE = 200_000

Piece = tuple[np.ndarray, np.ndarray, np.ndarray]
Check = Callable[[], None]


def sort_facts(
    rows: FactRows, places: tuple[np.ndarray, np.ndarray], sizes: Sizes, *, memory: int, check: Check
) -> Iterator[tuple[Piece, np.ndarray | None]]:
    """The facts in order and without repeats, in pieces; int32 columns. ``rows`` is emptied.

    A fact is sorted as one number, which is many times faster than by three columns; and the sorted ones are taken
    apart a block at a time, so that what is made on the way stays in the processor's cache. The number of its row
    stands behind a fact, where both fit.

    Args:
        rows: codes.
        places: the id of each entity code and of each relation code.
        memory: bytes of keys to hold; of a graph whose facts do not fit 64 bits all are held.
        check: called between pieces of work, raises to stop.

    Yields:
        A piece, and the position of the first row that states each fact; None where rows have no origin.
    """
    entity, relation = (of.astype(np.uint64) for of in places)
    is_located = rows.origins.is_known
    fact_bits = 2 * sizes.entity_bits + sizes.relation_bits
    if fact_bits > KEY_BITS:
        facts, stated = _sort_by_columns(rows, *places)
        yield facts, stated if is_located else None
        return
    low, pair = np.uint64(sizes.entity_bits), np.uint64(sizes.entity_bits + sizes.relation_bits)
    row_bits = max(rows.count - 1, 1).bit_length() if is_located else 0
    if fact_bits + row_bits > KEY_BITS:
        row_bits = 0

    def compute_keys(blocks: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
        start = 0
        for block in blocks:
            check()
            packed: np.ndarray = entity[block[0]] << pair
            packed |= relation[block[1]] << low
            packed |= entity[block[2]]
            if row_bits:
                packed <<= np.uint64(row_bits)
                packed |= np.arange(start, start + block.shape[1], dtype=np.uint64)
            start += block.shape[1]
            yield packed

    fits_memory = rows.count * KEY <= memory
    last = None
    for piece, positions in _sort_keys(
        lambda: compute_keys(rows.take_blocks() if fits_memory else iter(rows)),
        rows.count,
        memory,
        is_located=is_located and not row_bits,
    ):
        for start in range(0, len(piece), _BLOCK):
            check()
            part = piece[start : start + _BLOCK]
            first = positions[start : start + _BLOCK] if positions is not None else None
            if row_bits:
                first = (part & np.uint64((1 << row_bits) - 1)).astype(np.int64)
                part = part >> np.uint64(row_bits)
            fresh = np.ones(len(part), bool)
            np.not_equal(part[1:], part[:-1], out=fresh[1:])
            fresh[0] = part[0] != last
            last = part[-1]
            facts = _unpack_keys(
                part if fresh.all() else part[fresh], (pair, low), (sizes.relation_bits, sizes.entity_bits)
            )
            yield facts, first[fresh] if first is not None else None


def _unpack_keys(keys: np.ndarray, shifts: tuple[np.uint64, np.uint64], bits: tuple[int, int]) -> Piece:
    """The three numbers that make a key, int32 each; ``bits`` of the second and the third."""
    first = (keys >> shifts[0]).astype(np.int32)
    second = ((keys >> shifts[1]) & np.uint64((1 << bits[0]) - 1)).astype(np.int32)
    return first, second, (keys & np.uint64((1 << bits[1]) - 1)).astype(np.int32)


def _sort_keys(
    blocks: Callable[[], Iterator[np.ndarray]], count: int, memory: int, *, is_located: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """All keys in order, in pieces of about ``memory`` bytes, equal ones in one piece.

    ``blocks`` gives the keys, ``count`` in all, and is asked again for each piece. Where keys are located, each comes
    once, with the position of the first that is equal, int64.
    """
    wanted = -(-count * KEY // memory)
    if wanted <= 1:
        keys = np.empty(count, np.uint64)
        filled = 0
        for block in blocks():
            keys[filled : filled + len(block)] = block
            filled += len(block)
        yield _sort_piece(keys, np.arange(count) if is_located else None)
        return
    step = max(1, count // _SAMPLE)
    sample = np.sort(np.concatenate([block[::step] for block in blocks()]))
    cuts = np.unique(sample[len(sample) * np.arange(1, wanted) // wanted])
    for i in range(len(cuts) + 1):
        parts, positions = [], []
        start = 0
        for block in blocks():
            inside = np.ones(len(block), bool)
            if i:
                inside &= block >= cuts[i - 1]
            if i < len(cuts):
                inside &= block < cuts[i]
            parts.append(block[inside])
            if is_located:
                positions.append(np.flatnonzero(inside) + start)
            start += len(block)
        keys = np.concatenate(parts)
        del parts
        yield _sort_piece(keys, np.concatenate(positions) if is_located else None)


def _sort_piece(keys: np.ndarray, positions: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Keys in order; with positions, each once and with the lowest of its positions, which ascend."""
    if positions is None:
        keys.sort()
        return keys, None
    order = np.argsort(keys)
    keys = keys[order]
    fresh = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    starts = np.flatnonzero(fresh)
    return keys[starts], positions[np.minimum.reduceat(order, starts)] if len(starts) else positions


def _sort_by_columns(rows: FactRows, entity: np.ndarray, relation: np.ndarray) -> tuple[Piece, np.ndarray]:
    """All facts, sorted by three columns, and the first row of each."""
    blocks = list(rows)
    heads, relations, tails = (
        np.concatenate([places[block[i]] for block in blocks] or [places[:0]])
        for i, places in enumerate((entity, relation, entity))
    )
    order = np.lexsort((tails, relations, heads))  # stable: of equal rows the first comes first
    heads, relations, tails = heads[order], relations[order], tails[order]
    fresh = np.ones(len(heads), bool)
    fresh[1:] = (np.diff(heads) != 0) | (np.diff(relations) != 0) | (np.diff(tails) != 0)
    facts = tuple(column[fresh].astype(np.int32) for column in (heads, relations, tails))
    return facts, order[fresh]  # type: ignore[return-value]


class _Groups:
    """Writes the runs of facts that share an entity and a relation, and counts the facts of each entity."""

    def __init__(self, directory: Path, direction: str, sizes: Sizes) -> None:
        self._directory, self._direction, self._sizes = directory, direction, sizes
        self._files = ExitStack()
        self._keys, self._starts = (
            self._files.enter_context(ArrayFile(directory, f"{direction}_group_{name}", "int64"))
            for name in ("keys", "starts")
        )
        self._counts = np.zeros(sizes.entities, np.int64)
        self._done = 0
        self._last: tuple[int, int] | None = None

    def append(self, entities: np.ndarray, relations: np.ndarray) -> None:
        """The next facts."""
        if not len(entities):
            return
        fresh = np.ones(len(entities), bool)
        np.not_equal(entities[1:], entities[:-1], out=fresh[1:])
        fresh[1:] |= relations[1:] != relations[:-1]
        fresh[0] = (entities[0], relations[0]) != self._last
        self._last = (entities[-1], relations[-1])
        starts = np.flatnonzero(fresh)
        self._keys.append(entities[starts].astype(np.int64) * self._sizes.relations + relations[starts])
        self._starts.append(starts + self._done)
        first, last = entities[0], entities[-1]
        self._counts[first : last + 1] += np.bincount(entities - first, minlength=last - first + 1)
        self._done += len(entities)

    def __enter__(self) -> _Groups:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        with self._files:
            if kind is None:
                self._starts.append(np.array([self._done], np.int64))
                offsets = np.zeros(self._sizes.entities + 1, np.int64)
                np.cumsum(self._counts, out=offsets[1:])
                save_array(self._directory, f"{self._direction}_offsets", offsets)


def write_facts(
    directory: Path,
    rows: FactRows,
    places: tuple[np.ndarray, np.ndarray],
    sizes: Sizes,
    *,
    memory: int = MEMORY,
    check: Check = lambda: None,
) -> Piece:
    """Write the facts, their origins and the adjacency of what leaves an entity; ``rows`` is emptied.

    See :func:`sort_facts`.

    Returns:
        Heads, relations and tails as written, memory-mapped.
    """
    names = ("heads", "relations", "tails")
    with ExitStack() as stack:
        files = [stack.enter_context(ArrayFile(directory, name, "int32")) for name in names]
        groups = stack.enter_context(_Groups(directory, "out", sizes))
        sources, numbers = (
            [stack.enter_context(ArrayFile(directory, name, dtype)) for name, dtype in ORIGIN_ARRAYS]
            if rows.origins.is_known
            else (None, None)
        )
        for piece, first in sort_facts(rows, places, sizes, memory=memory, check=check):
            for file, column in zip(files, piece, strict=True):
                file.append(column)
            groups.append(piece[0], piece[1])
            if sources is not None and numbers is not None and first is not None:
                for file, column in zip((sources, numbers), unpack_origins(rows.origins.find(first)), strict=True):
                    file.append(column)
    rows.clear()
    heads, relations, tails = (load_array(directory, name) for name in names)
    return heads, relations, tails


def write_incoming(
    directory: Path, facts: Piece, sizes: Sizes, *, memory: int = MEMORY, check: Check = lambda: None
) -> None:
    """Write the adjacency of what enters an entity: facts by (tail, relation, head), that is (tail, relation, fact)."""
    heads, relations, tails = facts
    with (
        ArrayFile(directory, "in_order", "int32") as order,
        ArrayFile(directory, "in_heads", "int32") as in_heads,
        _Groups(directory, "in", sizes) as groups,
    ):
        for of_tail, of_relation, ids in _sort_by_tail(relations, tails, sizes, memory=memory, check=check):
            order.append(ids)
            in_heads.append(heads[ids])
            groups.append(of_tail, of_relation)


def _sort_by_tail(
    relations: np.ndarray, tails: np.ndarray, sizes: Sizes, *, memory: int, check: Check
) -> Iterator[Piece]:
    """Tails, relations and ids of the facts in their order, int32, in pieces like those of :func:`sort_facts`."""
    count = len(tails)
    bits = max(count - 1, 1).bit_length()
    if sizes.entity_bits + sizes.relation_bits + bits > KEY_BITS:
        order = np.lexsort((relations, tails)).astype(np.int32)
        yield tails[order], relations[order], order
        return
    low, pair = np.uint64(bits), np.uint64(bits + sizes.relation_bits)

    def compute_keys() -> Iterator[np.ndarray]:
        for start in range(0, count, _BLOCK):
            check()
            stop = min(start + _BLOCK, count)
            packed: np.ndarray = tails[start:stop].astype(np.uint64) << pair
            packed |= relations[start:stop].astype(np.uint64) << low
            packed |= np.arange(start, stop, dtype=np.uint64)
            yield packed

    for piece, _ in _sort_keys(compute_keys, count, memory):
        for start in range(0, len(piece), _BLOCK):
            check()
            yield _unpack_keys(piece[start : start + _BLOCK], (pair, low), (sizes.relation_bits, bits))
