"""Shapes of JSON rows that are no plain table: maps by code, and records of several kinds in one list."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from retrieval.kg.readers.property_rows import NAMES, expand_names

#: Objects that show what their keys are, and the share of them that have a key that is no value.
_FEWEST, _COMMON = 5, 0.5
#: Kinds in one list: the most of them, the fewest rows of each on average, and how alike their keys may be.
_KINDS, _ROWS_OF_KIND, _ALIKE = 100, 2, 0.5
#: The share of records that say their kind and hold their content as others do, and the kind of the rest.
_USUAL, _ODD = 0.9, "other"
#: How often things that rows share are listed, on average.
_MENTIONS = 1.5

Row = dict[str, Any]


def find_name_key(row: Row) -> str:
    """The key of what names a thing; empty where nothing does."""
    keys = (key for word in NAMES for key in row if key.casefold() == word)
    return next((key for key in keys if isinstance(row[key], str) and row[key].strip()), "")


def convert_maps(rows: Sequence[Row]) -> list[Row]:
    """Rows with maps as lists: ``{"deu": "German", "fra": "French"}`` becomes German and French, and a map of objects
    the objects, each with its key as ``code``.

    An object is a map and no part of a row where few rows have the same keys in it.
    """
    inner: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for key, value in row.items():
            if isinstance(value, dict) and value:
                inner[key].append(value)
    translated = {
        key for key, values in inner.items() if all(expand_names({key: value}).keys() != {key} for value in values)
    }
    maps = {key for key, values in inner.items() if key not in translated and _has_maps_only(values)}
    nested = {key: iter(convert_maps(values)) for key, values in inner.items() if key not in maps}
    converted: list[Row] = []
    for row in rows:
        new: Row = {}
        for key, value in row.items():
            if not isinstance(value, dict) or not value:
                new[key] = value
            elif key not in maps:
                new[key] = next(nested[key])
            elif all(isinstance(item, dict) and find_name_key(item) for item in value.values()):
                new[key] = [{"code": code, **item} for code, item in value.items()]
            else:
                new[key] = _list_values(list(value.values()))
        converted.append(new)
    return converted


def _list_values(items: Sequence[Any]) -> Any:
    """The values of a map as a list; of objects, a list for each of their keys."""
    objects = [item for item in items if isinstance(item, dict)]
    if objects:
        return {key: [item[key] for item in objects if key in item] for key in dict.fromkeys(chain(*objects))}
    return [item for item in items if not isinstance(item, list)]


def _has_maps_only(values: Sequence[Row]) -> bool:
    """Whether objects have keys that are values: many in all, most of them in few of the objects."""
    counts = Counter(key for value in values for key in value)
    largest = max(len(value) for value in values)
    common = sum(count > _COMMON * len(values) for count in counts.values())
    return len(values) >= _FEWEST and len(counts) > 2 * largest and 2 * common < len(counts)


def find_shared_lists(value: Any) -> set[str]:
    """The keys whose lists hold things that several rows share (``languages``), not parts of one row (``items``).

    Objects under such a key have names, objects with the same name are equal, and most are listed more than once.

    Args:
        value: what a file of JSON holds. A key is decided on all its lists, at any depth.
    """
    lists: dict[str, list[Row]] = defaultdict(list)
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            pending += item.values()
            for key, inner in item.items():
                if isinstance(inner, list):
                    lists[key] += [row for row in inner if isinstance(row, dict)]
    return {key for key, rows in lists.items() if rows and _are_shared(rows)}


def _are_shared(rows: Sequence[Row]) -> bool:
    names = [row.get(find_name_key(row)) for row in rows]
    distinct = {json.dumps(row, sort_keys=True) for row in rows}
    return all(names) and len(distinct) == len(set(names)) and len(rows) >= _MENTIONS * len(distinct)


def split_records(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by their kind, where a key such as ``type`` or ``model`` says which it is; empty where they are all alike.

    A key tells kinds apart if rows with another value of it have other keys. The object that holds the content of each
    record (``fields``, ``properties``) is opened. A few rows without a usual value are a kind of their own.
    """
    bag = _find_bag(rows)
    for key in rows[0] if rows else ():
        texts = [value if isinstance(value := row.get(key), str) else "" for row in rows]
        counts = Counter(texts)
        usual = (
            {text for text in counts if text} if all(texts) else {text for text in counts if text and counts[text] > 1}
        )
        if len(usual) > _KINDS or sum(text in usual for text in texts) < _USUAL * len(rows):
            continue
        groups: dict[str, list[Row]] = defaultdict(list)
        for row, text in zip(rows, texts, strict=True):
            groups[text if text in usual else _ODD].append(_open_bag(row, bag, key))
        odd = groups.pop(_ODD, [])
        if 1 < len(groups) <= min(_KINDS, len(rows) // _ROWS_OF_KIND) and _has_differences(list(groups.values())):
            return _format_kinds(groups) | ({_ODD: odd} if odd else {})
    return {}


def _format_kinds(groups: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """Groups by the last part of their kinds' names, ``album`` of ``shop.album``, where these differ."""
    short = {kind.rpartition(".")[2]: rows for kind, rows in groups.items()}
    return short if len(short) == len(groups) and all(short) else dict(groups)


def _find_bag(rows: Sequence[Row]) -> str:
    """The only key under which nearly all rows hold an object; empty where others do in many rows, or none does."""
    counts = Counter(key for row in rows for key, value in row.items() if isinstance(value, dict))
    [(bag, count), *others] = [*counts.most_common(2), ("", 0)]
    is_alone = all(other <= (1 - _USUAL) * len(rows) for _, other in others)
    return bag if is_alone and count >= _USUAL * len(rows) else ""


def _open_bag(row: Row, bag: str, kind_key: str) -> Row:
    """A row without the key that says its kind, and with what its bag holds beside the rest."""
    rest = {key: value for key, value in row.items() if key not in (bag, kind_key)}
    content = row.get(bag, {})
    if not isinstance(content, dict):
        return {**rest, bag: content}
    return {**rest, **content} if not rest.keys() & content.keys() else {**rest, bag: content}


def _has_differences(groups: Sequence[Sequence[Row]]) -> bool:
    """Whether the usual keys of each group are mostly not those of the others."""
    keys = [_list_usual_keys(rows) for rows in groups]
    alike = [len(some & others) / len(some | others) for some, others in combinations(keys, 2) if some | others]
    return bool(alike) and sum(alike) / len(alike) <= _ALIKE


def _list_usual_keys(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    counts = Counter(key for row in rows for key in row)
    return {key for key, count in counts.items() if 2 * count >= len(rows)}


def convert_feature(value: Row) -> Row:
    """The properties of a feature of GeoJSON, and where it is if it is a point."""
    properties, geometry = (
        part if isinstance(part := value.get(key), dict) else {} for key in ("properties", "geometry")
    )
    row = {"id": value["id"], **properties} if isinstance(value.get("id"), (int, str)) else dict(properties)
    place = geometry.get("coordinates")
    if geometry.get("type") == "Point" and isinstance(place, list) and len(place) > 1:
        row |= {"longitude": place[0], "latitude": place[1]}
    return row
