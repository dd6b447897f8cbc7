"""The retrieval methods as a person chooses among them, and which this version can run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from retrieval.errors import MethodError
from retrieval.methods import registry

REASONERS = ("extractive", "llm", "llm-program")


#: Methods whose checkpoints the router can ask the graph with.
ROUTED = frozenset(name for name in registry.RETRIEVERS if not registry.get_method(name).steerable)


def require_available(name: str) -> str:
    """The method of that name, if it can be asked here.

    Raises:
        MethodError: it cannot, or there is none.
    """
    if name not in registry.METHODS:
        raise MethodError(f"There is no method {name} here.", hint=f"Choose one of: {_join_names(registry.METHODS)}.")
    return name


def get_default_method(*, facts: int, passages: int) -> str:
    """The method of a graph of which nothing else is said: text alone is asked as text."""
    return "text-rag" if passages and not facts else registry.DEFAULT


def require_served(method: str, name: str, *, facts: int, passages: int) -> None:
    """Refuse a method on a graph that does not hold what it needs.

    Raises:
        MethodError: something is missing; says what.
    """
    held = {"facts": facts, "passages": passages}
    missing = [what for what in registry.get_method(method).needs if not held.get(what, 1)]
    if missing:
        fitting = "text-rag" if passages else "a method for facts"
        raise MethodError(
            f"{method} needs {missing[0]}, and the graph {name} has none.",
            hint=f"Ask it with {fitting}, or build a graph with {missing[0]}.",
        )


def require_on_endpoint(method: str, name: str) -> None:
    """Refuse a method that cannot be asked of a graph in an endpoint.

    Raises:
        MethodError: it cannot; says what can.
    """
    if not registry.get_method(method).on_endpoints:
        able = [name for name, spec in registry.METHODS.items() if spec.on_endpoints]
        raise MethodError(
            f"{method} cannot be asked of {name}: the graph lives in a SPARQL endpoint.",
            hint=f"Ask one of {_join_names(able)}, or upload the graph.",
        )


def require_trained(name: str) -> str:
    """The method of that name, if it learns from questions.

    Raises:
        MethodError: it does not, or there is none.
    """
    if name not in registry.TRAINED:
        raise MethodError(f"{name} cannot be trained.", hint=f"Choose one of: {_join_names(registry.TRAINED)}.")
    return name


def render_method(method: str) -> dict[str, Any]:
    """A method as the API shows it."""
    spec = registry.get_method(method)
    return {
        "id": spec.name,
        "label": spec.label,
        "description": spec.description,
        "trained": spec.trained,
        "standalone": spec.standalone,
        "available": True,
        "steerable": spec.steerable,
        "on_endpoints": spec.on_endpoints,
        "takes_written_programs": spec.takes_written_programs,
        "needs": list(spec.needs),
    }


def list_steerable() -> list[str]:
    """Methods whose steps a person may pause, take back and choose."""
    return [name for name, spec in registry.METHODS.items() if spec.steerable]


def list_program_runners() -> list[str]:
    """Methods that run a program that a person wrote or edited."""
    return [name for name, spec in registry.METHODS.items() if spec.runs_programs]


def list_settings(method: str) -> list[dict[str, Any]]:
    """The settings of training a method: name, type, default, what it does, and its range; none when untrained."""
    return [asdict(setting) for setting in registry.describe(method)] if method in registry.TRAINED else []


def list_options(method: str) -> list[dict[str, Any]]:
    """The settings of asking a method, like :func:`list_settings`."""
    return [asdict(setting) for setting in registry.describe_options(method)]


def get_paper_form(method: str) -> dict[str, Any]:
    """What settings of training and of asking are in the form of the method's paper; None where it has no such form."""
    spec = registry.get_method(method)
    return {"paper_settings": spec.presets.get("paper"), "paper_options": spec.asking.get("paper")}


def _join_names(methods: Iterable[str]) -> str:
    return ", ".join(sorted(methods))
