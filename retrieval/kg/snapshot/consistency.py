"""Whether the numbers in a snapshot's files make sense: ids in range, bounds that ascend, names that have a place.

For snapshots without checksums, which an earlier version of Clew wrote or somebody else: damage there could otherwise
name entities that do not exist, or read beside what was meant.
"""

from __future__ import annotations

from pathlib import Path

from retrieval.errors import DamagedError
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.manifest import Manifest, read_manifest
from retrieval.kg.snapshot.passages import COLUMNS
from retrieval.kg.snapshot.storage import load_array
from retrieval.kg.typed_values import VALUE_KINDS

#: Numbers that are looked at together.
_PIECE = 1 << 22
#: Snapshots that were looked through, and the files as they were then.
_sound: dict[Path, set[tuple[str, integrity.Stamp | None]]] = {}


def require(directory: Path) -> None:
    """Look through all numbers of a snapshot, once as long as its files stay as they are.

    Raises:
        DamagedError: some make no sense.
    """
    files = {(path.name, integrity.get_stamp(path)) for path in directory.glob("*.*")}
    if _sound.get(directory) == files:
        return
    names = find_senseless(directory)
    if names:
        raise integrity.make_damaged_error(directory, names)
    _sound[directory] = files


def find_senseless(directory: Path) -> list[str]:
    """The files of a snapshot that hold numbers which make no sense, or cannot be read. Reads all but the texts."""
    manifest = read_manifest(directory)
    files = [
        *(
            f"{name}.npy"
            for name, top in _list_id_files(manifest, directory).items()
            if not _is_below(directory, name, top)
        ),
        *(
            f"{name}.npy"
            for name, last in _list_bound_files(manifest).items()
            if not _is_ascending(directory, name, last)
        ),
    ]
    return sorted(set(files))


def _list_id_files(m: Manifest, directory: Path) -> dict[str, int]:
    """Files of ids, and how many there are of what each names."""
    entities, relations, facts = m.entities, m.relations, m.triples
    names = _get_length(directory, "names_entity")
    limits = dict.fromkeys(("heads", "tails", "in_heads", "names_entity"), entities)
    limits |= {"relations": relations, "in_order": facts, "kinds": 3, "names_alias": 2}
    limits |= {f"{way}_group_keys": entities * relations for way in ("in", "out")}
    limits |= {"words_rows": names, "trigram_rows": names}
    if m.values_version:
        limits |= {"value_nodes": entities, "value_kinds": len(VALUE_KINDS)}
    if m.passages:
        limits |= {"passages_by_name": m.passages, "fact_passages": m.passages, "passage_facts": facts}
    for owner, rows in (("entity", m.entity_attributes), ("fact", m.fact_attributes)):
        if rows:
            limits[f"{owner}_attribute_keys"] = _get_length(directory, "attribute_keys.offsets") - 1
            limits[f"{owner}_attribute_texts"] = _get_length(directory, "attribute_texts.offsets") - 1
    return limits


def _list_bound_files(m: Manifest) -> dict[str, str | int]:
    """Files of bounds, and where the last one lies: at a number, or at the end of a file."""
    tables = ["entity_labels", "relation_names", "relation_labels", "entity_iris", "names", "words"]
    bounds: dict[str, str | int] = {f"{way}_offsets": m.triples for way in ("in", "out")}
    bounds |= {f"{way}_group_starts": m.triples for way in ("in", "out")}
    bounds |= {"words_starts": "words_rows", "trigram_starts": "trigram_rows"}
    if m.passages:
        tables += [f"passage_{column}s" for column in COLUMNS]
        bounds |= {"fact_passage_offsets": "fact_passages", "passage_fact_offsets": "passage_facts"}
    for owner, rows in (("entity", m.entity_attributes), ("fact", m.fact_attributes)):
        if rows:
            tables += ["attribute_keys", "attribute_texts"]
            bounds[f"{owner}_attribute_offsets"] = rows
    return bounds | {f"{table}.offsets": f"{table}.utf8" for table in tables}


def _get_length(directory: Path, name: str) -> int:
    try:
        return len(load_array(directory, name))
    except DamagedError:
        return 0


def _is_below(directory: Path, name: str, top: int) -> bool:
    """Whether all numbers are at least 0 and less than ``top``."""
    try:
        array = load_array(directory, name)
    except DamagedError:
        return False
    pieces = (array[start : start + _PIECE] for start in range(0, len(array), _PIECE))
    return all(int(piece.min()) >= 0 and int(piece.max()) < top for piece in pieces)


def _is_ascending(directory: Path, name: str, last: str | int) -> bool:
    """Whether numbers begin with 0, never become less, and end with ``last``."""
    try:
        array = load_array(directory, name, "int64")
        end = len(load_array(directory, last)) if isinstance(last, str) else last
    except DamagedError:
        return False
    if not len(array) or int(array[0]) != 0 or int(array[-1]) != end:
        return False
    pieces = (array[start : start + _PIECE + 1] for start in range(0, len(array), _PIECE))
    return all(bool((piece[1:] >= piece[:-1]).all()) for piece in pieces)
