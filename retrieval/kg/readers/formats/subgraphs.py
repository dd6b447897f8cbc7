"""The subgraphs that the questions of a set bring with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

_SUBGRAPHS = re.compile(r'"(graph|triples|tuples)"\s*:\s*\[\s*\[')


def _detect(file: InputFile) -> Certainty:
    has_question = file.begins_json and '"question"' in file.head
    return Certainty.LIKELY if has_question and _SUBGRAPHS.search(file.head) else Certainty.NO


FORMATS = (
    Format(
        name="subgraphs",
        label="Subgraphs of questions",
        holds="the subgraphs that the questions of a set bring with them, put together",
        family="subgraphs",
        read="retrieval.kg.readers.subgraphs:read_subgraphs",
        detect=_detect,
    ),
)
