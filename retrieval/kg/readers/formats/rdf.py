"""RDF in its five spellings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

_NAMES = ("ntriples", "turtle", "nquads", "rdfxml", "jsonld")
_NTRIPLES = re.compile(
    r'^(<[^<>"\s]+>|_:\S+)\s+<[^<>"\s]+>\s+(<[^<>"\s]+>|_:\S+|".*")\S*\s*(<\S+>|_:\S+)?\s*\.\s*$'
)


def rdf_format(text: str) -> str | None:
    """Which format of RDF a file begins like; None where it is something else, or JSON."""
    start = text.lstrip()
    if start.startswith(("<?xml", "<rdf:RDF")):
        return "rdfxml"
    if re.match(r"(@prefix|@base|prefix|base)\s", start, re.IGNORECASE):
        return "turtle"
    lines = [line for line in text.splitlines()[:50] if line.strip() and not line.startswith("#")]
    matches = [_NTRIPLES.match(line) for line in lines[:20]]
    if lines and sum(m is not None for m in matches) > len(matches) / 2:
        return "nquads" if any(m and m[3] for m in matches) else "ntriples"
    return None


def _begins_like(name: str) -> Callable[[InputFile], Certainty]:
    return lambda file: Certainty.LIKELY if rdf_format(file.head) == name else Certainty.NO


def _detect_jsonld(file: InputFile) -> Certainty:
    named = any(key in file.head for key in ('"@context"', '"@id"', '"@graph"'))
    return Certainty.LIKELY if named and file.begins_json else Certainty.NO


def _rdf(name: str, label: str, *suffixes: str, one_piece: bool = False) -> Format:
    return Format(
        name=name,
        label=label,
        holds="RDF",
        family="rdf",
        read="retrieval.kg.readers.rdf:read_rdf",
        suffixes=suffixes,
        detect=_detect_jsonld if name == "jsonld" else _begins_like(name),
        alternatives=("passages", "hotpotqa", "2wiki", "musique", "property-jsonl")
        if name == "jsonld"
        else _NAMES,
        one_piece=one_piece,
    )


FORMATS = (
    _rdf("ntriples", "N-Triples", ".nt"),
    _rdf("turtle", "Turtle", ".ttl", ".turtle"),
    _rdf("nquads", "N-Quads", ".nq"),
    _rdf("rdfxml", "RDF/XML", ".rdf", ".owl", ".xml", one_piece=True),
    _rdf("jsonld", "JSON-LD", ".jsonld", one_piece=True),
)
