"""RDF in its spellings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

_NAMES = ("ntriples", "turtle", "nquads", "n3", "rdfxml", "jsonld")
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_COMMENTS = re.compile(r"\A(?:\ufeff?\s*#[^\n]*(?:\n|\Z))+")
#: A statement of Turtle without prefixes, and what only N3 has: rules, formulas that are subjects or objects.
_STATEMENT = re.compile(r"<\w+:[^<>\"\s]*>\s+(?:a|<\w+:[^<>\"\s]*>)\s+[<\"_\[(]")
_PREFIX = re.compile(r"@?prefix\s+[\w.-]*:\s*<|@?base\s+<", re.IGNORECASE)
_N3 = re.compile(r"\}\s*(?:=>|<=)\s*\{|^\s*@(?:forAll|forSome|keywords)\b", re.MULTILINE)
_NTRIPLES = re.compile(
    r'^(<<.*>>|<[^<>"\s]+>|_:\S+)\s+<[^<>"\s]+>\s+(<[^<>"\s]+>|_:\S+|".*")\S*\s*(<\S+>|_:\S+)?\s*\.\s*$'
)


#: Endings of names that say which format it is: parts of a broken file may look like another.
_OF_ONE = frozenset({".nt", ".nq", ".nquads", ".n3"})


def detect_rdf_format(text: str) -> str | None:
    """Which format of RDF a file begins like; None where it is something else, or JSON."""
    lines = [line for line in text.splitlines()[:50] if line.strip() and not line.startswith("#")]
    matches = [_NTRIPLES.match(line) for line in lines[:20]]
    if lines and sum(m is not None for m in matches) > len(matches) / 2:
        return "nquads" if any(m and m[3] for m in matches) else "ntriples"
    start = _COMMENTS.sub("", text).lstrip("\ufeff \t\r\n")
    if start.startswith("<") and _RDF in text and not _STATEMENT.match(start):
        return "rdfxml"
    if _PREFIX.match(start):
        return "n3" if _N3.search(text) else "turtle"
    return "turtle" if _STATEMENT.match(start) else None


def _make_detector(name: str) -> Callable[[InputFile], Certainty]:
    """Content tells more than a name, an ontology called .owl may be Turtle; but for one that only one format has."""

    def detect(file: InputFile) -> Certainty:
        if detect_rdf_format(file.head) != name:
            return Certainty.NO
        return Certainty.LIKELY if file.suffix in _OF_ONE else Certainty.CERTAIN

    return detect


def _detect_jsonld(file: InputFile) -> Certainty:
    has_keys = any(key in file.head for key in ('"@context"', '"@id"', '"@graph"'))
    return Certainty.LIKELY if has_keys and file.begins_json else Certainty.NO


def _make_rdf_format(name: str, label: str, *suffixes: str, one_piece: bool = False) -> Format:
    return Format(
        name=name,
        label=label,
        holds="RDF",
        family="rdf",
        read="retrieval.kg.readers.rdf:read_rdf",
        suffixes=suffixes,
        detect=_detect_jsonld if name == "jsonld" else _make_detector(name),
        alternatives=("passages", "hotpotqa", "2wiki", "musique", "property-jsonl") if name == "jsonld" else _NAMES,
        one_piece=one_piece,
    )


FORMATS = (
    _make_rdf_format("ntriples", "N-Triples", ".nt"),
    _make_rdf_format("turtle", "Turtle and TriG", ".ttl", ".turtle", ".trig"),
    _make_rdf_format("nquads", "N-Quads", ".nq", ".nquads"),
    _make_rdf_format("n3", "Notation3", ".n3"),
    _make_rdf_format("rdfxml", "RDF/XML", ".rdf", ".owl", ".rdfs", one_piece=True),
    _make_rdf_format("jsonld", "JSON-LD", ".jsonld", one_piece=True),
)
