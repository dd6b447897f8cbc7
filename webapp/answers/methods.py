"""The retrieval methods as a person chooses among them, and which this version can run."""

from __future__ import annotations

from retrieval.types import Method

REASONERS = ("extractive", "llm")

METHODS: dict[Method, tuple[str, str]] = {
    Method.REL_RAG_PATH: (
        "Relation paths",
        "Walks the graph triple by triple with a network that reads each triple's surroundings (REL-RAG).",
    ),
    Method.REL_RAG_TRIPLE: ("Relation triples", "Scores triples by their surroundings (REL-RAG, triples)."),
    Method.RAPL: ("Rational paths", "Walks the line graph guided by paths judged rational (RAPL)."),
    Method.REG_TRIPLE: ("Refined triples", "Scores triples, learnt from refined labels (ReG)."),
    Method.REG_ENTITY: ("Refined entities", "Scores entities, learnt from refined labels (ReG)."),
    Method.REG_PATH: ("Refined paths", "Plans relation paths, learnt from refined labels (ReG)."),
    Method.INSES: (
        "Language-model steps",
        "A language model explores step by step, with similarity jumps (INSES).",
    ),
    Method.GRAPH_S3: ("Trained agent", "An agent trained to search the graph (Graph-S3)."),
    Method.TEXT_RAG: ("Passages", "Plain retrieval of text passages."),
    Method.ROUTER: ("Let Clew choose", "Chooses a method for each question."),
}

AVAILABLE = frozenset({Method.REL_RAG_PATH.value})
