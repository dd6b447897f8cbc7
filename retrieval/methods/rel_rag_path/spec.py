"""What ``rel-rag-path`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.methods.paths.settings import READ_PATHS, STATIC, PathConfig, PathOptions
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class RelRagPathConfig(PathConfig):
    """Settings of ``rel-rag-path`` (REL-RAG section 4.1, App. F.1)."""


SPEC = MethodSpec(
    name="rel-rag-path",
    label="Relation paths",
    description="Walks the graph triple by triple with a network that reads each triple's surroundings (REL-RAG).",
    config=RelRagPathConfig,
    options=PathOptions,
    presets={"paper": {**STATIC, "stop": "sum"}},
    asking={"paper": READ_PATHS},
    on_endpoints=True,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="retrieval.methods.rel_rag_path.retriever:open_retriever",
    task="retrieval.methods.rel_rag_path.training:make_task",
    model="retrieval.methods.paths.retriever:build_model",
)
