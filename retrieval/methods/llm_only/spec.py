"""What ``llm-only`` is, without loading it."""

from __future__ import annotations

from retrieval.methods.spec import MethodSpec

SPEC = MethodSpec(
    name="llm-only",
    label="Language model alone",
    description="Asks the language model what it knows; looks at nothing. A baseline for comparison.",
    needs=("llm",),
    model_alone=True,
    answerer="retrieval.answering.model_alone:open_answerer",
)
