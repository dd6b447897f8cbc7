"""Passages as JSON objects, and the question sets that bring theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg.readers.documents.records import passage_format
from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

_NAMES = ("passages", "hotpotqa", "2wiki", "musique")


def _passages(name: str, label: str, holds: str) -> Format:
    def detect(file: InputFile) -> Certainty:
        found = file.begins_json and passage_format(file.head) == name
        return Certainty.LIKELY if found else Certainty.NO

    return Format(
        name=name,
        label=label,
        holds=holds,
        family="passages",
        read="retrieval.kg.readers.documents.reading:read_passages",
        detect=detect,
        alternatives=(*_NAMES, "property-jsonl", "jsonld"),
    )


FORMATS = (
    _passages("passages", "Passages", "passages as JSON objects, with the triples extracted from them"),
    _passages("hotpotqa", "HotpotQA", "the passages of a question set"),
    _passages("2wiki", "2WikiMultihopQA", "the passages of a question set"),
    _passages("musique", "MuSiQue", "the passages of a question set"),
)
