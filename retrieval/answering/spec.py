"""What an answerer is opened for; it imports nothing heavy, so that what only names an answerer is quick to start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.methods.registry import DEFAULT

EXTRACTIVE = "extractive"
LLM = "llm"
LLM_PROGRAM = "llm-program"
REASONERS = (EXTRACTIVE, LLM, LLM_PROGRAM)


@dataclass(frozen=True, slots=True)
class AnswererSpec:
    """What to open.

    Attributes:
        snapshot: directory of the graph.
        checkpoint: file or directory of the trained retriever; None for the zero-shot retriever.
        reasoner: ``extractive``, ``llm``, or ``llm-program``: a language model writes the program.
        cache: directory for what is computed once a snapshot; inside the snapshot's own when None, so that
            it goes when the graph goes.
        options: settings of the retriever for asking, as (name, value), that differ from its defaults.
        asked_with: of ``router``: the checkpoint of relation paths that it asks the graph with, where
            ``checkpoint`` only decides; None asks zero-shot.
        asks_foreign: ask ``checkpoint`` also where the graph lacks most of the relations that it learned, as tables
            across data sets do; else the zero-shot retriever stands in for it.
    """

    snapshot: Path
    checkpoint: Path | None = None
    method: str = DEFAULT
    reasoner: str = EXTRACTIVE
    cache: Path | None = None
    options: tuple[tuple[str, str | int | float | bool], ...] = ()
    asked_with: Path | None = None
    asks_foreign: bool = False

    @property
    def cache_dir(self) -> Path:
        """Where what is computed once a snapshot is kept."""
        return self.cache or get_cache_folder(self.snapshot)
