"""All formats that graphs are read from: files below ``formats`` with a line here, and plug-ins (docs/plug-ins.md).

Lists, forms, detection, reading and the documentation take everything from here; no reader is loaded for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType

from retrieval import plugins
from retrieval.errors import ClewError, ConfigError
from retrieval.kg.readers.format import Certainty, Format
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.options import DETECTED, OPTIONS, ReadOptions

logger = logging.getLogger(__name__)

#: Modules of ``retrieval.kg.readers.formats``, in the order of lists. Of two formats that a file is equally likely to
#: be of, it is the one that comes first.
MODULES = (
    "rows",
    "properties",
    "table",
    "rdf",
    "parquet",
    "subgraphs",
    "documents",
    "passages",
)


def read(modules: Iterable[str]) -> Mapping[str, Format]:
    """The formats that modules declare, by name."""
    formats: list[Format] = []
    for module in modules:
        formats += import_module(f"retrieval.kg.readers.formats.{module}").FORMATS
    return MappingProxyType({fmt.name: fmt for fmt in formats})


@cache
def load_plugin_formats() -> tuple[plugins.Plugin, ...]:
    """The formats of plug-ins, those that cannot be used too."""
    return plugins.load_plugins(
        plugins.READERS, check_format, reserved=[*read(MODULES), *filter(None, DETECTED)], light=True
    )


def check_format(name: str, fmt: object) -> None:
    """Refuse what cannot be listed as a format of this name.

    Raises:
        ConfigError: it is no ``Format``, has another name, or names options that there are not.
    """
    if not isinstance(fmt, Format):
        raise ConfigError(f"It is of type {type(fmt).__name__} and not a Format.")
    if fmt.name != name:
        raise ConfigError(f"The format's name is {fmt.name!r}, that of its entry point {name!r}.")
    if unknown := {*fmt.options} - {*OPTIONS}:
        raise ConfigError(f"Formats have no option {', '.join(sorted(unknown))}.")


def _guard_detection(fmt: Format) -> Callable[[InputFile], Certainty]:
    """A plug-in's ``detect``, which finds nothing where it breaks: files of other formats are still told."""

    def detect(file: InputFile) -> Certainty:
        try:
            return Certainty(fmt.detect(file))
        except (ClewError, OSError):
            raise
        except Exception:
            logger.exception("The plug-in format %s cannot tell whether %s is of it.", fmt.name, file.name)
            return Certainty.NO

    return detect


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        **read(MODULES),
        **{
            name: replace(fmt, detect=_guard_detection(fmt))
            for name, fmt in plugins.select_usable(load_plugin_formats()).items()
        },
    }
)


def get_requested_format(options: ReadOptions) -> Format | None:
    """The format that was asked for; rows where only what rows have was said.

    Raises:
        ConfigError: there is none of that name.
    """
    name = options.format
    if name in DETECTED:
        return FORMATS["delimited"] if options.delimiter or options.columns else None
    if name not in FORMATS:
        hint = plugins.explain_missing(load_plugin_formats(), name, FORMATS)
        raise ConfigError(f"The graph format {name!r} is unknown.", hint=hint)
    return FORMATS[name]


def add_known_format(options: ReadOptions, name: str) -> ReadOptions:
    """Return options with the format of a part of a file, where another is not asked for; its tables have headers.

    Args:
        name: of the format; empty where the part's content tells it.
    """
    if not name or get_requested_format(options):
        return options
    has_header = True if name == "table" and options.header is None else options.header
    return replace(options, format=name, header=has_header)
