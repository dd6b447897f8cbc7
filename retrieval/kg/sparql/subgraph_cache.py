"""What was pulled from endpoints lately, kept for a while: the next question is often about the same entity."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pyoxigraph as ox

    from retrieval.kg.snapshot import Snapshot

T = TypeVar("T")

#: Subgraphs kept, and for how many seconds: an endpoint has no versions, and what it holds may change at any time.
_KEPT, _KEPT_S = 8, 600.0


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What lies near some topics.

    Attributes:
        snapshot: it, as a graph of its own.
        topics: the topics' ids in it.
        truncated: whether a limit cut something off.
        at: when it was pulled, ISO 8601 in UTC.
    """

    snapshot: Snapshot
    topics: tuple[int, ...]
    truncated: bool
    queries: int
    at: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of an endpoint.

    Attributes:
        triples: as they came, in that order.
        truncated: whether a limit cut some off.
        names: the facts that name what the others speak of; None where nobody asked.
    """

    triples: dict[ox.Triple, None]
    truncated: bool = False
    names: dict[ox.Triple, None] | None = None


class Recent(Generic[T]):
    """What was asked lately, by what it was asked by; the least recently used are first to go. Threads may share it."""

    def __init__(self, size: int = _KEPT, seconds: float = _KEPT_S) -> None:
        self._size, self._seconds = size, seconds
        self._kept: OrderedDict[tuple[Any, ...], tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...]) -> T | None:
        """What was kept under a key, unless it is too old."""
        with self._lock:
            since, value = self._kept.pop(key, (0.0, None))
            if value is None or time.monotonic() - since > self._seconds:
                return None
            self._kept[key] = since, value
            return value

    def keep(self, key: tuple[Any, ...], value: T) -> None:
        """Keep what just came."""
        with self._lock:
            self._kept[key] = time.monotonic(), value
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing any more."""
        with self._lock:
            self._kept.clear()


class SubgraphCache(Recent[Subgraph]):
    """Subgraphs that were pulled lately.

    A subgraph's directory goes when nobody holds its snapshot any more.

    Args:
        folder: where the directories lie; None for the system's place for temporary files.
        size: subgraphs kept.
    """

    def __init__(self, folder: Path | None = None, *, size: int = _KEPT, seconds: float = _KEPT_S) -> None:
        super().__init__(size, seconds)
        self._folder = folder
        self.facts: Recent[Facts] = Recent(size, seconds)

    def make_folder(self) -> Path:
        """A new directory for a subgraph."""
        return Path(tempfile.mkdtemp(prefix="clew-sparql-", dir=self._folder))

    def clear(self) -> None:
        """See :meth:`Recent.clear`."""
        super().clear()
        self.facts.clear()


def get_term(snapshot: Snapshot, entity: int) -> str:
    """What an entity of a pulled snapshot is beyond it.

    ``<`` and its IRI, ``"`` and the text of a literal, or ``_`` and a name of a blank node, which nothing else has.
    """
    iri = snapshot.get_entity_iri(entity)
    if iri:
        return "<" + iri
    label = snapshot.get_entity_label(entity)
    return '"' + label if snapshot.get_kind(entity) == "literal" else f"_{snapshot.hash}:{label}"
