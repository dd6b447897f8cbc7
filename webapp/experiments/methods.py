"""The retrieval methods as a person chooses among them, and which this version can run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from retrieval import config as configs
from retrieval.errors import MethodError
from retrieval.types import LLM_ALONE, ON_ENDPOINTS, TRAINED, UNTRAINED, Method

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
        "Step by step",
        "Explores the graph step by step, with jumps between similar entities (INSES). Needs no training; a language "
        "model chooses the steps where one also answers.",
    ),
    Method.GRAPH_S3: ("Trained agent", "An agent trained to search the graph (Graph-S3)."),
    Method.TEXT_RAG: (
        "Passages",
        "Finds the passages of the text that fit the question and cites the sentences that answer it.",
    ),
    Method.ROUTER: (
        "Let Clew choose",
        "Answers simple questions from passages and complex or unsure ones in the graph (INSES, Algorithm 2). What is "
        "complex can be learnt from questions whose hops are known.",
    ),
    Method.LLM_ONLY: (
        "Language model alone",
        "Asks the language model what it knows; looks at nothing. A baseline for comparison.",
    ),
    Method.LLM_COT: (
        "Language model alone, step by step",
        "The same with worked examples that make it reason first. A baseline for comparison.",
    ),
}

AVAILABLE: frozenset[Method] = TRAINED | LLM_ALONE | UNTRAINED
"""Methods that can be asked here."""

NEEDS: dict[Method, tuple[str, ...]] = {
    Method.TEXT_RAG: ("passages",),
    Method.ROUTER: (),
    Method.LLM_ONLY: ("llm",),
    Method.LLM_COT: ("llm",),
}
"""What a graph must hold, or the installation have, for a method: ``facts`` unless it is named here.

The router asks what there is."""

STEERABLE: frozenset[Method] = frozenset({Method.GRAPH_S3})
"""Methods whose steps a person may pause, take back and choose."""

ROUTED: frozenset[Method] = TRAINED - {Method.ROUTER, Method.GRAPH_S3}
"""Methods whose checkpoints the router can ask the graph with."""

DEFAULT = Method.REL_RAG_PATH


def require_available(name: str) -> Method:
    """The method of that name, if it can be asked here.

    Raises:
        MethodError: it cannot, or there is none.
    """
    if name not in AVAILABLE:
        raise MethodError(f"There is no method {name} here.", hint=f"Choose one of: {_listed(AVAILABLE)}.")
    return Method(name)


def default_for(*, facts: int, passages: int) -> Method:
    """The method of a graph of which nothing else is said: text alone is asked as text."""
    return Method.TEXT_RAG if passages and not facts else DEFAULT


def require_served(method: Method, name: str, *, facts: int, passages: int) -> None:
    """Refuse a method on a graph that does not hold what it needs.

    Raises:
        MethodError: something is missing; says what.
    """
    held = {"facts": facts, "passages": passages}
    missing = [what for what in NEEDS.get(method, ("facts",)) if not held.get(what, 1)]
    if missing:
        fitting = "text-rag" if passages else "a method for facts"
        raise MethodError(
            f"{method} needs {missing[0]}, and the graph {name} has none.",
            hint=f"Ask it with {fitting}, or build a graph with {missing[0]}.",
        )


def require_on_endpoint(method: Method, name: str) -> None:
    """Refuse a method that cannot be asked of a graph in an endpoint.

    Raises:
        MethodError: it cannot; says what can.
    """
    if method not in ON_ENDPOINTS:
        raise MethodError(
            f"{method} cannot be asked of {name}: the graph lives in a SPARQL endpoint.",
            hint=f"Ask one of {_listed(ON_ENDPOINTS)}, or upload the graph.",
        )


def require_trained(name: str) -> Method:
    """The method of that name, if it learns from questions.

    Raises:
        MethodError: it does not, or there is none.
    """
    if name not in TRAINED:
        raise MethodError(f"{name} cannot be trained.", hint=f"Choose one of: {_listed(TRAINED)}.")
    return Method(name)


def shown(method: Method) -> dict[str, Any]:
    """A method as the API shows it."""
    label, description = METHODS[method]
    return {
        "id": method.value,
        "label": label,
        "description": description,
        "trained": method in TRAINED,
        "standalone": method in UNTRAINED,
        "available": method in AVAILABLE,
        "steerable": method in STEERABLE,
        "on_endpoints": method in ON_ENDPOINTS,
        "needs": list(NEEDS.get(method, ("facts",))),
    }


def settings_of(method: Method) -> list[dict[str, Any]]:
    """The settings of training a method: name, type, default, what it does, and its range; none when untrained."""
    return [asdict(setting) for setting in configs.describe(method)] if method in TRAINED else []


def options_of(method: Method) -> list[dict[str, Any]]:
    """The settings of asking a method, like :func:`settings_of`."""
    return [asdict(setting) for setting in configs.describe_options(method)]


def _listed(methods: frozenset[Method]) -> str:
    return ", ".join(sorted(methods))
