"""Opening what an engine needs once, and keeping it warm.

Loading costs seconds (encoder, triple states); a question then costs tens of milliseconds. A worker
keeps one :class:`EngineCache`.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import ConfigError
from retrieval.types import Method

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.llm.settings import LLMSettings
    from retrieval.pipeline import Engine, EngineSettings
    from retrieval.reasoning.base import Reasoner
    from retrieval.text.encoder import Encoder

EXTRACTIVE = "extractive"
LLM = "llm"
REASONERS = (EXTRACTIVE, LLM)
DEFAULT_METHOD = Method.REL_RAG_PATH


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """What to open.

    Attributes:
        snapshot: directory of the graph.
        checkpoint: file or directory of the trained retriever; None for the zero-shot retriever.
        method: the retriever's method.
        reasoner: ``extractive`` or ``llm``.
        cache: directory for what is computed once a snapshot; inside the snapshot's own when None, so that
            it goes when the graph goes.
        options: settings of the retriever for asking, as (name, value), that differ from its defaults.
    """

    snapshot: Path
    checkpoint: Path | None = None
    method: str = DEFAULT_METHOD
    reasoner: str = EXTRACTIVE
    cache: Path | None = None
    options: tuple[tuple[str, str | int | float | bool], ...] = ()


def make_reasoner(name: str, llm: LLMSettings | None, settings: EngineSettings | None = None) -> Reasoner:
    """The reasoner of that name.

    Raises:
        ConfigError: no such reasoner, or a language model is asked for and none is configured.
    """
    if name == EXTRACTIVE:
        from retrieval.reasoning.extractive import ExtractiveReasoner  # noqa: PLC0415

        return ExtractiveReasoner(settings.extractive if settings else None)
    if name != LLM:
        raise ConfigError(f"No reasoner is called {name!r}.", hint=f"Choose one of {', '.join(REASONERS)}.")
    if llm is None:
        raise ConfigError(
            "No language model is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use the extractive reasoner.",
        )
    from retrieval.reasoning.llm import LLMReasoner  # noqa: PLC0415

    return LLMReasoner(llm)


def load_encoder(name: str | None = None, device: str | None = None) -> Encoder:
    """The text encoder, offline; loaded once per process.

    Args:
        name: None takes ``CLEW_ENCODER``, else the built-in one.
        device: ``auto``, ``cpu`` or ``cuda``; None takes ``CLEW_DEVICE``, else ``auto``.
    """
    from retrieval.text import encoder  # noqa: PLC0415 - imports torch

    return encoder.load(name, device=device or os.environ.get("CLEW_DEVICE") or "auto")


def load_engine(
    spec: EngineSpec,
    encoder: Encoder,
    *,
    llm: LLMSettings | None = None,
    settings: EngineSettings | None = None,
    snapshot: Snapshot | None = None,
    beside: Engine | None = None,
) -> Engine:
    """Open snapshot, entity index, retriever and reasoner.

    Args:
        spec: what to open.
        encoder: the text encoder.
        llm: the language model, when one is configured.
        settings: of the engine.
        snapshot: the graph, when it is open already.
        beside: an engine of the same graph and encoder; its snapshot and linker, which cost the most, are shared.

    Raises:
        SnapshotError, CheckpointError, MethodError, ConfigError: a part cannot be opened.
    """
    from retrieval.kg import snapshot as snapshots  # noqa: PLC0415
    from retrieval.pipeline import Engine  # noqa: PLC0415
    from retrieval.reasoning.text_fit import TextFit  # noqa: PLC0415
    from retrieval.retrievers import registry  # noqa: PLC0415
    from retrieval.text.entity_index import EntityIndex  # noqa: PLC0415
    from retrieval.text.linking import Linker  # noqa: PLC0415

    reasoner = make_reasoner(spec.reasoner, llm, settings)
    if beside is not None:
        graph, linker = beside.snapshot, beside.linker
    else:
        graph = snapshot if snapshot is not None else snapshots.open(spec.snapshot)
        linker = Linker(graph, EntityIndex.open(graph, encoder), encoder)
    cache = spec.cache or cache_of(spec.snapshot)
    retriever = registry.load(
        spec.method, spec.checkpoint, graph, encoder, cache=cache, options=dict(spec.options)
    )
    # The zero-shot retriever is the text encoder's opinion already, and a planner has read the relations' texts with
    # more of their names: on WebQSP the second opinion took 7 points of Macro-F1 away from it.
    text_fit = (
        None if retriever.checkpoint is None or spec.method == Method.REG_PATH else TextFit(graph, encoder)
    )
    return Engine(
        graph, retriever, linker, reasoner, encoder=encoder.name, text_fit=text_fit, settings=settings
    )


def cache_of(snapshot: Path) -> Path:
    """Where what is computed once a snapshot is kept when nobody says otherwise: it goes when the graph goes."""
    return snapshot / "cache"


class EngineCache:
    """Engines kept open, least recently used first to go. Threads may share it.

    A warm engine is returned without waiting for another that is still being opened; two threads that want
    the same engine open it once.

    Args:
        encoder_name: text encoder; None for the default one.
        device: ``auto``, ``cpu`` or ``cuda``; None takes ``CLEW_DEVICE``.
        llm: the language model, when one is configured.
        settings: of every engine.
        size: engines kept.
    """

    def __init__(
        self,
        *,
        encoder_name: str | None = None,
        device: str | None = None,
        llm: LLMSettings | None = None,
        settings: EngineSettings | None = None,
        size: int = 4,
    ) -> None:
        if size < 1:
            raise ConfigError(f"size is {size}.", hint="Keep at least one engine.")
        self._encoder_name, self._device = encoder_name, device
        self._llm, self._settings, self._size = llm, settings, size
        self._lock = threading.Lock()
        self._slots: OrderedDict[tuple[object, ...], _Slot] = OrderedDict()

    @property
    def encoder(self) -> Encoder:
        """The encoder, loaded at first use."""
        return load_encoder(self._encoder_name, self._device)

    def get(self, spec: EngineSpec) -> Engine:
        """The engine of ``spec``, opened when it is not, or when its files changed since.

        Raises:
            ClewError: a part cannot be opened; nothing is kept then, and the next call tries again.
        """
        key = (spec, *stamp(spec))
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > self._size:
                self._slots.popitem(last=False)
        try:
            with slot.lock:
                if slot.engine is None:
                    slot.engine = load_engine(
                        spec, self.encoder, llm=self._llm, settings=self._settings, beside=self._beside(spec)
                    )
                return slot.engine
        except BaseException:
            with self._lock:
                self._slots.pop(key, None)
            raise

    def _beside(self, spec: EngineSpec) -> Engine | None:
        """An engine of the same graph, as it is now, that is open."""
        graph = (spec.snapshot, stamp(spec)[0])
        with self._lock:
            for key, slot in self._slots.items():
                other = key[0]
                if (
                    slot.engine is not None
                    and isinstance(other, EngineSpec)
                    and (other.snapshot, key[1]) == graph
                ):
                    return slot.engine
        return None

    def __len__(self) -> int:
        return len(self._slots)


class _Slot:
    """One engine, or the lock under which it is being opened."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Engine | None = None


def stamp(spec: EngineSpec) -> tuple[int, ...]:
    """Times of the files behind a spec, which show a graph that was built again or a replaced checkpoint.

    The vectors of entity labels are not among them: an open index takes them up by itself.
    """
    places = [spec.snapshot / "manifest.json"]
    if spec.checkpoint is not None:
        places.append(spec.checkpoint)
    return tuple(place.stat().st_mtime_ns if place.exists() else 0 for place in places)
