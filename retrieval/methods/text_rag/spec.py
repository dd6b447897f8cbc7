"""What ``text-rag`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import InferenceOptions, make_setting
from retrieval.methods.common.text_settings import DECOMPOSE, READER
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class TextOptions(InferenceOptions):
    """Settings of ``text-rag``; values in brackets are the paper's (INSES, Table 2)."""

    ranking: Literal["blend", "dense"] = make_setting(
        "blend",
        "How passages are ranked: by the meaning of the passage and its best sentence, and by words; or by the "
        "passage's meaning alone [dense].",
    )
    passages: int = make_setting(5, "Passages that are read [5 and 10].", below=51)
    reader: Literal["trained", "rules"] = make_setting("trained", READER)
    decompose: bool = make_setting(True, DECOMPOSE)


SPEC = MethodSpec(
    name="text-rag",
    label="Passages",
    description="Finds the passages of the text that fit the question and cites the sentences that answer it.",
    options=TextOptions,
    asking={"paper": {"ranking": "dense", "decompose": False}},
    standalone=True,
    needs=("passages",),
    answerer="retrieval.answering.text:open_answerer",
)
