"""All formats that graphs are read from. A format is one file below ``formats`` and its line here.

Lists, forms, detection, reading and the documentation take everything from here; no reader is loaded for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType

from retrieval.errors import ConfigError
from retrieval.kg.readers.format import Format
from retrieval.kg.readers.options import DETECTED, ReadOptions

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


FORMATS = read(MODULES)


def get_requested_format(options: ReadOptions) -> Format | None:
    """The format that was asked for; rows where only what rows have was said.

    Raises:
        ConfigError: there is none of that name.
    """
    name = options.format
    if name in DETECTED:
        return FORMATS["delimited"] if options.delimiter or options.columns else None
    if name not in FORMATS:
        raise ConfigError(f"The graph format {name!r} is unknown.", hint=f"Use one of: {', '.join(FORMATS)}.")
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
