"""Recording one training in experiment trackers. A tracker that breaks is left out; the training goes on."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pkgutil import resolve_name
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from retrieval import plugins
from retrieval.errors import Cancelled, ConfigError

logger = logging.getLogger(__name__)

Status = Literal["finished", "stopped", "failed"]

#: The trackers that come with Clew, each with what pip installs for it.
BUILT_IN = {
    "mlflow": ("retrieval.tracking.mlflow:MLflowTracker", "clew[mlflow]"),
    "tensorboard": ("retrieval.tracking.tensorboard:TensorBoardTracker", "clew[tensorboard]"),
}


class Tracker(Protocol):
    """Records trainings, one after the other; what it raises costs the record and not the training."""

    def start_run(self, name: str, params: Mapping[str, Any]) -> None:
        """Begin a run: its name, its settings and what it is trained on."""

    def log_metrics(self, metrics: Mapping[str, float], step: int) -> None:
        """Record finite figures of an epoch, counted from 1; those of the trained checkpoint come last."""

    def end_run(self, status: Status) -> None:
        """End the run."""


Factory = Callable[[str], Tracker]
"""Opens a tracker. It is given where to record, such as a folder or an address; empty where nothing is said."""


@cache
def load_plugin_trackers() -> tuple[plugins.Plugin, ...]:
    """The trackers of plug-ins, those that cannot be used too."""
    return plugins.load_plugins(plugins.TRACKERS, check_tracker, reserved=BUILT_IN.keys())


def check_tracker(_name: str, factory: object) -> None:
    """Refuse what cannot be called.

    Raises:
        ConfigError: it cannot.
    """
    if not callable(factory):
        raise ConfigError(f"It is of type {type(factory).__name__} and not a class or function that opens a tracker.")


def open_trackers(names: Iterable[str]) -> dict[str, Tracker]:
    """Open trackers by what they are called in ``--track`` and ``CLEW_TRACKERS``: ``NAME`` or ``NAME=WHERE``.

    Raises:
        ConfigError: there is none of that name, or it cannot be opened.
    """
    opened = {}
    for text in names:
        name, _, where = text.partition("=")
        part, needs = BUILT_IN.get(name, ("", ""))
        factory = None if part else _find_factory(name)
        try:
            opened[name] = (factory or resolve_name(part))(where)
        except Exception as error:  # whatever a library raises that is missing or cannot record there
            missing = isinstance(error, ImportError) and needs
            hint = f"It needs: pip install '{needs}'." if missing else f"Correct {text!r}, or train without it."
            raise ConfigError(f"The tracker {name} cannot be opened: {error}.", hint=hint) from error
    return opened


def _find_factory(name: str) -> Factory:
    usable = plugins.select_usable(load_plugin_trackers())
    if name not in usable:
        hint = plugins.explain_missing(load_plugin_trackers(), name, [*BUILT_IN, *usable])
        raise ConfigError(f"No tracker is called {name!r}.", hint=hint)
    factory: Factory = usable[name]
    return factory


class TrackedRun:
    """One training as its trackers record it. Use as a context.

    Attributes:
        notes: which trackers broke, one sentence each.
    """

    def __init__(self, trackers: Mapping[str, Tracker], name: str, params: Mapping[str, Any]) -> None:
        self._trackers = dict(trackers)
        self._name, self._params = name, params
        self.notes: list[str] = []

    def __enter__(self) -> Self:
        self._call("start_run", self._name, self._params)
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        stopped = isinstance(error, Cancelled | KeyboardInterrupt)
        self._call("end_run", "stopped" if stopped else "failed" if error else "finished")

    def log_metrics(self, metrics: Mapping[str, float], step: int) -> None:
        """Record figures of an epoch; those that are not finite are left out."""
        self._call("log_metrics", {name: value for name, value in metrics.items() if math.isfinite(value)}, step)

    def _call(self, method: str, *args: Any) -> None:
        for name, tracker in list(self._trackers.items()):
            try:
                getattr(tracker, method)(*args)
            except Exception as error:  # a server that is away, a full disk, a defect of a plug-in
                del self._trackers[name]
                self.notes.append(f"The tracker {name} recorded no further: {type(error).__name__}: {error}.")
                logger.warning("%s", self.notes[-1])
