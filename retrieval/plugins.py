"""Plug-ins: what installed packages add to Clew by entry points (docs/plug-ins.md).

An entry point's name is the name of what it adds. One that cannot be used is logged and listed with the reason, and
everything else works as without it.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pkgutil import resolve_name
from typing import Any

from retrieval.errors import ConfigError

logger = logging.getLogger(__name__)

METHODS, READERS, PROVIDERS, TRACKERS = "clew.methods", "clew.readers", "clew.llm", "clew.trackers"
#: What loads each group, once a process.
_LOADERS = {
    METHODS: "retrieval.methods.registry:load_plugin_methods",
    READERS: "retrieval.kg.readers.catalog:load_plugin_formats",
    PROVIDERS: "retrieval.llm.providers:load_providers",
    TRACKERS: "retrieval.tracking.runs:load_plugin_trackers",
}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME_MAX = 32


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of an installed package.

    Attributes:
        group, name: of the entry point.
        package: name and version of the package that declares it.
        value: the object that it names; None where it cannot be used.
        problem: why it cannot be used; empty where it can.
    """

    group: str
    name: str
    package: str
    value: Any = None
    problem: str = ""


def load_plugins(
    group: str, check: Callable[[str, Any], None], *, reserved: Collection[str] = (), light: bool = False
) -> tuple[Plugin, ...]:
    """Load a group's entry points in the order of their names; never raises because of one of them.

    Args:
        check: called with an entry point's name and object; raises ``ConfigError`` where Clew cannot use the object.
        reserved: names of what comes with Clew.
        light: the web process loads the group, so that loading must not import torch.
    """
    plugins: list[Plugin] = []
    for point in sorted(_find(group), key=lambda point: (point.name, _name_package(point))):
        plugins.append(_load(point, check, {**dict.fromkeys(reserved, "Clew"), **_list_owners(plugins)}, light=light))
    return tuple(plugins)


def list_plugins() -> list[Plugin]:
    """All plug-ins of all groups, loaded."""
    return [plugin for loader in _LOADERS.values() for plugin in resolve_name(loader)()]


def list_names(group: str) -> list[str]:
    """The names of a group's entry points, without loading them."""
    return sorted({point.name for point in _find(group)})


def select_usable(plugins: Iterable[Plugin]) -> dict[str, Any]:
    """The objects of the plug-ins that can be used, by name."""
    return {plugin.name: plugin.value for plugin in plugins if not plugin.problem}


def explain_missing(plugins: Iterable[Plugin], name: str, known: Iterable[str]) -> str:
    """Why nothing has this name: the problem of its plug-in, else what there is."""
    for plugin in plugins:
        if plugin.name == name:
            return f"Its plug-in ({plugin.package}) is not used. {plugin.problem}"
    return f"There is: {', '.join(known)}."


def import_part(part: str, title: str) -> Any:
    """Import what a plug-in, or Clew itself, names as ``"module:function"``.

    Raises:
        ConfigError: it cannot be imported; ``title`` says what it is.
    """
    try:
        return resolve_name(part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{title}, {part}, cannot be imported: {error}.",
            hint="Install what it needs, or repair or remove the plug-in that it comes from.",
        ) from error


@cache
def _read_entry_points() -> Any:
    return entry_points()  # reads the metadata of every installed package


def _find(group: str) -> Iterable[EntryPoint]:
    points: EntryPoints = _read_entry_points().select(group=group)
    return points


def _list_owners(plugins: Iterable[Plugin]) -> dict[str, str]:
    return {plugin.name: plugin.package for plugin in plugins if not plugin.problem}


def _load(point: EntryPoint, check: Callable[[str, Any], None], owners: Mapping[str, str], *, light: bool) -> Plugin:
    package, had_torch = _name_package(point), "torch" in sys.modules
    try:
        if not _NAME.fullmatch(point.name) or len(point.name) > _NAME_MAX:
            raise ConfigError(f"A name is at most {_NAME_MAX} lower-case letters, digits and single hyphens.")
        if point.name in owners:
            raise ConfigError(f"{owners[point.name]} has {point.name!r} already; give it another name.")
        value = point.load()
        if light and not had_torch and "torch" in sys.modules:
            raise ConfigError(f"{point.module} imports torch; name what needs it as 'module:function' instead.")
        check(point.name, value)
    except ConfigError as error:
        problem = error.message
    except (Exception, SystemExit) as error:  # whatever foreign code raises while it is imported
        problem = f"{point.value} cannot be loaded: {type(error).__name__}: {error}"
    else:
        return Plugin(point.group, point.name, package, value)
    logger.warning("The plug-in %s (%s, of %s) is not used. %s", point.name, point.group, package, problem)
    return Plugin(point.group, point.name, package, problem=problem)


def _name_package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else ""
