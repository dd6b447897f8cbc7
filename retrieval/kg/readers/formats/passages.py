"""Passages as JSON objects, and the question sets that bring theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg.readers.documents.records import detect_passage_format
from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

_NAMES = ("passages", "hotpotqa", "2wiki", "musique")


def _make_passage_format(name: str, label: str, holds: str) -> Format:
    def detect(file: InputFile) -> Certainty:
        matches = file.begins_json and detect_passage_format(file.head) == name
        return Certainty.LIKELY if matches else Certainty.NO

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
    _make_passage_format("passages", "Passages", "passages as JSON objects, with the triples extracted from them"),
    _make_passage_format("hotpotqa", "HotpotQA", "the passages of a question set"),
    _make_passage_format("2wiki", "2WikiMultihopQA", "the passages of a question set"),
    _make_passage_format("musique", "MuSiQue", "the passages of a question set"),
)
