"""What an XML file declares before its first element, and a refusal of declarations that are attacks."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from retrieval.errors import SourceError
from retrieval.kg.readers.sources import Source

#: The longest text that an entity may stand for: namespaces are abbreviated by entities, and are short.
ENTITY_LIMIT = 1000
_PIECE = 64 * 1024


def check_prolog(source: Source) -> None:
    """Refuse entities that grow or that are read from elsewhere; those that abbreviate namespaces may stay.

    Raises:
        SourceError: the file declares such an entity.
    """
    parser = expat.ParserCreate()
    begun = False

    def entity(name: str, _parameter: bool, value: str | None, *_place: Any) -> None:
        if value is None or "&" in value or "%" in value or len(value) > ENTITY_LIMIT:
            raise SourceError(
                f"{source.name} declares the entity {name!r}, which grows or is kept elsewhere; that is not read.",
                hint="Write it without such entities.",
            )

    def start(*_element: Any) -> None:
        nonlocal begun
        begun = True

    parser.EntityDeclHandler = entity
    parser.StartElementHandler = start
    with source.open() as file:
        while not begun and (piece := file.read(_PIECE)):
            try:
                parser.Parse(piece, False)
            except expat.ExpatError:
                return  # its reader says where it is broken
