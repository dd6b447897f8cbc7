"""Where the facts of a run's evidence come from, for its export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from retrieval.events import ChainsBuilt
from webapp.answers.models import Run
from webapp.graphs.provenance import FactKey, list_fact_sources
from webapp.graphs.selectors import find_version
from webapp.graphs.snapshots import open_snapshot


def list_evidence_sources(run: Run, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts of the last evidence chains, each with its source; none where the version is gone or in an endpoint."""
    version = find_version(run.graph, run.snapshot_hash)
    chains: list[dict[str, Any]] = next(
        (event["chains"] for event in reversed(events) if event["type"] == ChainsBuilt.type), []
    )
    facts: dict[FactKey, dict[str, Any]] = {}
    for hop in (hop for chain in chains for hop in chain["hops"] if hop["verified"]):
        head, tail = _order_ends(hop)
        facts[FactKey(head["id"], hop["step"]["name"], tail["id"])] = describe_fact(hop)
    if version is None or not facts:
        return []
    sources = list_fact_sources(run.graph, open_snapshot(version.path), list(facts))
    return [{**fact, "source": source} for fact, source in zip(facts.values(), sources, strict=True)]


def describe_fact(hop: dict[str, Any]) -> dict[str, str]:
    """The fact of a hop by labels, in the direction of the graph."""
    head, tail = _order_ends(hop)
    return {"head": head["label"], "relation": hop["step"]["name"], "tail": tail["label"]}


def _order_ends(hop: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return (hop["target"], hop["source"]) if hop["step"]["inverse"] else (hop["source"], hop["target"])
