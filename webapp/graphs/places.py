"""Where the entities of a picture lie on the earth, as their facts and attributes say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval.kg.snapshot import Snapshot

_FACTS_MAX = 500
"""Facts of an entity that are looked at."""

_LATITUDE = frozenset({"latitude", "lat"})
_LONGITUDE = frozenset({"longitude", "long", "lon", "lng"})
_BOTH = frozenset({"coordinates", "coordinate", "coordinate location", "location", "point", "geometry"})
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_WKT = re.compile(rf"point\s*\(\s*({_NUMBER})\s+({_NUMBER})\s*\)", re.IGNORECASE)
_PAIR = re.compile(rf"\s*({_NUMBER})\s*[,; ]\s*({_NUMBER})\s*")
Place = tuple[float, float]


def find_places(snapshot: Snapshot, entities: Sequence[int]) -> list[Place | None]:
    """Latitude and longitude of each entity in degrees; None where the graph does not say.

    A pair in one value is read as latitude and longitude, WKT's ``Point`` as longitude and latitude.
    """
    names = [snapshot.get_relation_label(r).casefold() for r in range(snapshot.num_relations)]
    if not any(name in _LATITUDE | _BOTH for name in names) and not snapshot.manifest.entity_attributes:
        return [None] * len(entities)
    return [_parse_place(_iter_values(snapshot, entity, names)) for entity in entities]


def _iter_values(snapshot: Snapshot, entity: int, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is said of an entity: names of relations and attributes with their values."""
    start, stop = int(snapshot.out_offsets[entity]), int(snapshot.out_offsets[entity + 1])
    for fact in range(start, min(stop, start + _FACTS_MAX)):
        name = names[int(snapshot.relations[fact])]
        if name in _LATITUDE | _LONGITUDE | _BOTH:
            yield name, snapshot.get_entity_label(int(snapshot.tails[fact]))
    for key, value in snapshot.get_entity_attributes(entity).items():
        yield key.replace("_", " ").casefold(), value


def _parse_place(values: Iterator[tuple[str, str]]) -> Place | None:
    latitude = longitude = None
    for name, value in values:
        if name in _BOTH:
            if match := _WKT.search(value):
                return _validate_place(float(match[2]), float(match[1]))
            if match := _PAIR.fullmatch(value):
                return _validate_place(float(match[1]), float(match[2]))
        elif re.fullmatch(_NUMBER, value.strip()):
            if name in _LATITUDE and latitude is None:
                latitude = float(value)
            elif name in _LONGITUDE and longitude is None:
                longitude = float(value)
    return None if latitude is None or longitude is None else _validate_place(latitude, longitude)


def _validate_place(latitude: float, longitude: float) -> Place | None:
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None
