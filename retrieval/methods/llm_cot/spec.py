"""What ``llm-cot`` is, without loading it."""

from __future__ import annotations

from retrieval.methods.spec import MethodSpec

SPEC = MethodSpec(
    name="llm-cot",
    label="Language model alone, step by step",
    description="The same with worked examples that make it reason first. A baseline for comparison.",
    needs=("llm",),
    model_alone=True,
    answerer="retrieval.answering.model_alone:open_answerer",
)
