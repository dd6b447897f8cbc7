"""Opening what an answerer needs once, and keeping it warm.

Loading costs seconds (encoder, triple states); a question then costs tens of milliseconds. A worker
keeps one :class:`AnswererCache`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from retrieval import environment
from retrieval.answering.reasoners import make_reasoner, require_written
from retrieval.answering.spec import AnswererSpec
from retrieval.answering.wordings import RenamedAnswerers
from retrieval.errors import ConfigError, DamagedError
from retrieval.kg.snapshot.vocabulary import Vocabulary, load_vocabulary
from retrieval.methods import registry

if TYPE_CHECKING:
    from retrieval.answering.parts import GraphParts
    from retrieval.answering.pipeline import Answerer
    from retrieval.answering.settings import AnsweringSettings
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.encoder import Encoder

_GraphKey = tuple[Path, int]
"""A snapshot and when it was built."""


def load_encoder(name: str | None = None, device: str | None = None) -> Encoder:
    """The text encoder, offline; loaded once per process.

    Args:
        name: None takes ``CLEW_ENCODER``, else the built-in one.
        device: ``auto``, ``cpu`` or ``cuda``; None takes ``CLEW_DEVICE``, else ``auto``.
    """
    from retrieval.linking import encoder  # noqa: PLC0415 - imports torch

    return encoder.load(name, device=device or environment.get_device())


def load_answerer(
    spec: AnswererSpec,
    parts: GraphParts,
    *,
    llm: LLMSettings | None = None,
    settings: AnsweringSettings | None = None,
    vocabulary: Vocabulary | None = None,
) -> Answerer:
    """Open the answerer of a method.

    Args:
        parts: the graph, and what its other answerers have opened already.
        llm: the language model, when one is configured.
        settings: of answerers that answer through relation paths.
        vocabulary: whose synonyms are read as labels are; None takes what the graph was imported with.

    Raises:
        CheckpointError, MethodError, ConfigError: a part cannot be opened.
    """
    answerer = _open_method(spec, parts, llm, settings)
    answerer.renamed = RenamedAnswerers(
        load_vocabulary(spec.snapshot) if vocabulary is None else vocabulary,
        parts.snapshot,
        lambda renaming: _open_method(spec, parts.rename(renaming), llm, settings),
    )
    return answerer


def _open_method(
    spec: AnswererSpec, parts: GraphParts, llm: LLMSettings | None, settings: AnsweringSettings | None
) -> Answerer:
    from retrieval.answering.parts import Opening  # noqa: PLC0415 - imports torch

    require_written(spec)
    opening = Opening(spec, parts, make_reasoner(spec.reasoner, llm, settings), llm, settings)
    answerer: Answerer = registry.get_method(spec.method).load_part("answerer")(opening)
    answerer.follow_ups = parts.get_program_reader(spec.checkpoint)
    return answerer


def load_parts(snapshot: Path | Snapshot, encoder: Encoder) -> GraphParts:
    """Open what the answerers of one graph share.

    Args:
        snapshot: directory of the graph, or the graph when it is open already.

    Raises:
        SnapshotError: the graph cannot be opened.
    """
    from retrieval.answering.parts import GraphParts  # noqa: PLC0415 - imports torch
    from retrieval.kg import snapshot as snapshots  # noqa: PLC0415

    return GraphParts(snapshots.open(snapshot) if isinstance(snapshot, Path) else snapshot, encoder)


class AnswererCache:
    """Answerers kept open, least recently used first to go. Threads may share it.

    A warm answerer is returned without waiting for another that is still being opened; two threads that want
    the same answerer open it once.

    Args:
        encoder_name: text encoder; None for the default one.
        device: ``auto``, ``cpu`` or ``cuda``; None takes ``CLEW_DEVICE``.
        llm: the language model that is used unless another is named, when one is configured.
        size: answerers kept.
    """

    def __init__(
        self,
        *,
        encoder_name: str | None = None,
        device: str | None = None,
        llm: LLMSettings | None = None,
        settings: AnsweringSettings | None = None,
        size: int = 4,
    ) -> None:
        if size < 1:
            raise ConfigError(f"size is {size}.", hint="Keep at least one answerer.")
        self._encoder_name, self._device = encoder_name, device
        self._llm, self._settings, self._size = llm, settings, size
        self._lock = threading.Lock()
        self._slots: OrderedDict[tuple[object, ...], _Slot] = OrderedDict()
        self._graphs: WeakValueDictionary[_GraphKey, _OpenGraph] = WeakValueDictionary()

    @property
    def encoder(self) -> Encoder:
        """The encoder, loaded at first use."""
        return load_encoder(self._encoder_name, self._device)

    def get(self, spec: AnswererSpec, llm: LLMSettings | None = None, vocabulary: Vocabulary | None = None) -> Answerer:
        """The answerer of ``spec``, opened when it is not, or when its files or the vocabulary changed since.

        Args:
            llm: the language model that it asks, when it is not this cache's own.
            vocabulary: see :func:`load_answerer`.

        Raises:
            ClewError: a part cannot be opened; nothing is kept then, and the next call tries again.
        """
        llm = llm or self._llm
        built, *others = read_stamp(spec)
        key = (spec, built, *others, llm, vocabulary)
        with self._lock:
            slot = self._slots.get(key)
            if slot is None:
                slot = _Slot(self._graphs.setdefault((spec.snapshot, built), _OpenGraph()))
            self._slots[key] = slot
            self._slots.move_to_end(key)
            while len(self._slots) > self._size:
                self._slots.popitem(last=False)
        try:
            with slot.lock:
                if slot.answerer is None:
                    slot.answerer = self._open_answerer(spec, slot.graph, llm, vocabulary)
                slot.answerer.snapshot.require_sound()
                return slot.answerer
        except DamagedError:
            self._drop_graph(spec.snapshot)
            raise
        except BaseException:
            with self._lock:
                self._slots.pop(key, None)
            raise

    def _open_answerer(
        self, spec: AnswererSpec, graph: _OpenGraph, llm: LLMSettings | None, vocabulary: Vocabulary | None
    ) -> Answerer:
        """An answerer over what the others of its graph have opened. They are opened one after the other: what two
        opened at once neither would share, and methods that are compared would each read the question.
        """
        with graph.lock:
            if graph.parts is None:
                graph.parts = load_parts(spec.snapshot, self.encoder)
            return load_answerer(spec, graph.parts, llm=llm, settings=self._settings, vocabulary=vocabulary)

    def _drop_graph(self, snapshot: Path) -> None:
        """Open a graph anew for the next who asks: its files may have been put in place again by then."""
        with self._lock:
            for key in [key for key in self._slots if isinstance(key[0], AnswererSpec) and key[0].snapshot == snapshot]:
                del self._slots[key]
            for graph in [graph for graph in self._graphs if graph[0] == snapshot]:
                del self._graphs[graph]

    def __len__(self) -> int:
        return len(self._slots)


class _Slot:
    """One answerer, or the lock under which it is being opened."""

    def __init__(self, graph: _OpenGraph) -> None:
        self.lock = threading.Lock()
        self.answerer: Answerer | None = None
        self.graph = graph


class _OpenGraph:
    """What the answerers of one graph, as it is now, share, or the lock under which it is being opened."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.parts: GraphParts | None = None


def read_stamp(spec: AnswererSpec) -> tuple[int, ...]:
    """Times of the files behind a spec, which show a graph that was built again or a replaced checkpoint.

    The vectors of entity labels are not among them: an open index takes them up by itself.
    """
    places = [spec.snapshot / "manifest.json"]
    places += [place for place in (spec.checkpoint, spec.asked_with) if place is not None]
    return tuple(place.stat().st_mtime_ns if place.exists() else 0 for place in places)
