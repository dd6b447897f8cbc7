"""Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile


def _detect(file: InputFile) -> Certainty:
    return Certainty.CERTAIN if file.start.startswith(b"PAR1") else Certainty.NO


FORMATS = (
    Format(
        name="parquet",
        label="Parquet",
        holds="facts, nodes, edges or passages, told by the columns' names",
        family="parquet",
        read="retrieval.kg.readers.parquet:read_parquet",
        detect=_detect,
        options=("columns",),
        opens_itself=True,
    ),
)
