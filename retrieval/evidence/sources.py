"""Where the facts of evidence come from, as text."""

from __future__ import annotations

from retrieval.evidence.verbalise import format_path
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.fact_sources import FactSource
from retrieval.types import EvidenceChain, Hop


def find_source(graph: Snapshot, hop: Hop) -> FactSource | None:
    """Where the fact of a hop comes from; None where nobody knows, or the graph does not hold it."""
    head, tail = (hop.target, hop.source) if hop.step.inverse else (hop.source, hop.target)
    relation = graph.find_relation(hop.step.name)
    fact = None if relation is None else graph.find_fact(head.id, relation, tail.id)
    return None if fact is None else graph.get_fact_source(fact)


def list_source_lines(graph: Snapshot, chain: EvidenceChain) -> list[str]:
    """``Paris → [country] → France: cities.csv, row 1`` for each fact of a chain that has a source."""
    sources = [(hop, find_source(graph, hop)) for hop in chain.hops]
    return [f"{format_path([hop])}: {source}" for hop, source in sources if source is not None]
