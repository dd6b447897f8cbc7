"""What changed from one snapshot to another.

Labels and facts of both are sorted, so that both are walked side by side, a block at a time: in memory are the new
number of each old entity, and a block. Nothing but numpy is needed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.storage import StringTable

#: Facts and names that a diff shows of each kind.
SAMPLE = 100
#: Facts of one graph that are compared at a time; those of one head are never parted.
_FACTS = 500_000
#: Strings that are compared one by one where two tables differ, and at most so many at once where they may not.
_STRINGS, _RUN = 2048, 1 << 18

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Diff:
    """What one snapshot has and another has not. Samples are the first ones in the order of their ids.

    Attributes:
        added, removed, kept: facts, by the labels of their ends and the name of their relation.
        added_sample, removed_sample: some of them.
        relations_gained, relations_lost: names, all of them.
        entities_gained, entities_lost: how many; some of their labels are in the samples.
        passages_gained, passages_lost: how many, by name.
    """

    added: int
    removed: int
    kept: int
    added_sample: tuple[Triple, ...]
    removed_sample: tuple[Triple, ...]
    relations_gained: tuple[str, ...]
    relations_lost: tuple[str, ...]
    entities_gained: int
    entities_lost: int
    entities_gained_sample: tuple[str, ...]
    entities_lost_sample: tuple[str, ...]
    passages_gained: int
    passages_lost: int


def compare_snapshots(old: Snapshot, new: Snapshot, *, sample: int = SAMPLE) -> Diff:
    """What ``new`` holds that ``old`` does not, and the other way round. Attributes are not compared."""
    entities = match_strings(old.entity_labels, new.entity_labels)
    relations = match_strings(old.relation_names, new.relation_names)
    removed, added = _Count(sample), _Count(sample)
    for here, there in _iter_span_pairs(old, new, entities):
        kept, known = _match_facts(old, new, (here, there), (entities, relations))
        removed.take(here[0] + np.flatnonzero(~kept))
        added.take(there[0] + np.flatnonzero(~known))
    lost, gained = np.flatnonzero(entities < 0), find_missing(entities, new.num_entities)
    names = [set() if g.passages is None else set(g.passages.columns["name"]) for g in (old, new)]
    return Diff(
        added=added.total,
        removed=removed.total,
        kept=old.num_triples - removed.total,
        added_sample=_read_triples(new, added.first),
        removed_sample=_read_triples(old, removed.first),
        relations_gained=tuple(new.relation_names.get_many(find_missing(relations, new.num_relations))),
        relations_lost=tuple(old.relation_names.get_many(np.flatnonzero(relations < 0))),
        entities_gained=len(gained),
        entities_lost=len(lost),
        entities_gained_sample=tuple(new.entity_labels.get_many(gained[:sample])),
        entities_lost_sample=tuple(old.entity_labels.get_many(lost[:sample])),
        passages_gained=len(names[1] - names[0]),
        passages_lost=len(names[0] - names[1]),
    )


def match_strings(old: StringTable, new: StringTable) -> np.ndarray:
    """The position in ``new`` of each string of ``old``, int32 [n]; -1 for none. Both ascend and have no repeats."""
    place = np.full(len(old), -1, np.int32)
    i = j = 0
    span = _STRINGS
    while i < len(old) and j < len(new):
        same = _run(old, i, new, j, span)
        place[i : i + same] = np.arange(j, j + same, dtype=np.int32)
        i, j = i + same, j + same
        if same == span:
            span = min(2 * span, _RUN)
            continue
        span = _STRINGS
        mine, theirs = _read_strings(old, i), _read_strings(new, j)
        if not (mine and theirs):
            break
        # What is beyond the last of the other part is looked at again.
        last = min(mine[-1], theirs[-1])
        mine, theirs = mine[: bisect_right(mine, last)], theirs[: bisect_right(theirs, last)]
        known = {text: index for index, text in enumerate(theirs, j)}
        place[i : i + len(mine)] = [known.get(text, -1) for text in mine]
        i, j = i + len(mine), j + len(theirs)
    return place


def _run(old: StringTable, i: int, new: StringTable, j: int, most: int) -> int:
    """How many strings from ``i`` on are those from ``j`` on, at most ``most``."""
    count = min(most, len(old) - i, len(new) - j)
    mine, theirs = old.offsets[i : i + count + 1], new.offsets[j : j + count + 1]
    mine, theirs = mine - mine[0], theirs - theirs[0]
    count = _find_first(mine != theirs, count + 1) - 1
    size = int(mine[count])
    starts = int(old.offsets[i]), int(new.offsets[j])
    bytes_differ = old.blob[starts[0] : starts[0] + size] != new.blob[starts[1] : starts[1] + size]
    return int(np.searchsorted(mine[: count + 1], _find_first(bytes_differ, size), side="right")) - 1


def _find_first(wrong: np.ndarray, none: int) -> int:
    """Where the first True is; ``none`` where there is none."""
    position = int(wrong.argmax()) if len(wrong) else 0
    return position if len(wrong) and wrong[position] else none


def _read_strings(table: StringTable, first: int) -> list[bytes]:
    """Some strings from one on."""
    bounds = table.offsets[first : first + _STRINGS + 1].tolist()
    data = bytes(table.blob[bounds[0] : bounds[-1]])
    return [data[a - bounds[0] : b - bounds[0]] for a, b in pairwise(bounds)]


@dataclass(slots=True)
class _Count:
    """How many there are, and the first ``most``."""

    most: int
    total: int = 0
    first: list[int] = field(default_factory=list)

    def take(self, ids: np.ndarray) -> None:
        self.first += ids[: self.most - len(self.first)].tolist()
        self.total += len(ids)


_Span = tuple[int, int]


def _iter_span_pairs(old: Snapshot, new: Snapshot, entities: np.ndarray) -> Iterator[tuple[_Span, _Span]]:
    """Spans of facts of both, which cover all; what is in both is in spans that come together."""
    # The new entity that each old one, or the last before it that is left, became.
    became = np.maximum.accumulate(entities)
    most = max(2**62 // max(new.num_entities * new.num_relations, 1), 1)
    first = reached = 0
    while first < old.num_entities or reached < new.num_entities:
        stop = _stop(old.out_offsets, first, most)
        until = _stop(new.out_offsets, reached, most)
        if stop > first and int(became[stop - 1]) >= until:
            stop = int(np.searchsorted(became, until))
        elif stop < old.num_entities:
            until = max(int(became[stop - 1]) + 1, reached)
        yield (
            (int(old.out_offsets[first]), int(old.out_offsets[stop])),
            (int(new.out_offsets[reached]), int(new.out_offsets[until])),
        )
        first, reached = stop, until


def _stop(offsets: np.ndarray, first: int, most: int) -> int:
    """Behind the last of some heads, ``most`` at most, that have no more facts than a block, or of one."""
    last = len(offsets) - 1
    stop = int(np.searchsorted(offsets, int(offsets[first]) + _FACTS, side="right")) - 1
    return min(max(min(stop, first + most), first + 1), last)


def _match_facts(
    old: Snapshot, new: Snapshot, spans: tuple[_Span, _Span], places: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Which facts of a span of ``old`` are in one of ``new``, and the other way round; bool."""
    (start, stop), (new_start, new_stop) = spans
    entities, relations = places
    columns = [new.heads, new.relations, new.tails]
    heads, of, tails = (column[new_start:new_stop].astype(np.int64) for column in columns)
    base = int(heads[0]) if len(heads) else 0

    def compute_keys(heads: np.ndarray, of: np.ndarray, tails: np.ndarray) -> np.ndarray:
        fact_keys: np.ndarray = ((heads - base) * new.num_relations + of) * new.num_entities + tails
        return fact_keys

    theirs = compute_keys(heads, of, tails)
    mine = (
        entities[old.heads[start:stop]].astype(np.int64),
        relations[old.relations[start:stop]].astype(np.int64),
        entities[old.tails[start:stop]].astype(np.int64),
    )
    mapped = np.flatnonzero((mine[0] >= 0) & (mine[1] >= 0) & (mine[2] >= 0))
    wanted = compute_keys(*(column[mapped] for column in mine))
    positions = np.searchsorted(theirs, wanted)
    there = np.flatnonzero(positions < len(theirs))
    there = there[theirs[positions[there]] == wanted[there]]
    kept, known = np.zeros(stop - start, bool), np.zeros(new_stop - new_start, bool)
    kept[mapped[there]] = True
    known[positions[there]] = True
    return kept, known


def find_missing(places: np.ndarray, size: int) -> np.ndarray:
    """Those of 0 to ``size`` that are not among ``places``, ascending."""
    missing = np.ones(size, bool)
    missing[places[places >= 0]] = False
    return np.flatnonzero(missing)


def _read_triples(graph: Snapshot, facts: list[int]) -> tuple[Triple, ...]:
    heads, relations, tails = graph.heads[facts], graph.relations[facts], graph.tails[facts]
    return tuple(
        zip(
            graph.entity_labels.get_many(heads),
            graph.relation_names.get_many(relations),
            graph.entity_labels.get_many(tails),
            strict=True,
        )
    )
