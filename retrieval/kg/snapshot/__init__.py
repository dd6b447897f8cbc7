"""A snapshot: one immutable version of a graph, opened by memory map. This package reads and nothing else."""

from retrieval.kg.snapshot.groups import Groups
from retrieval.kg.snapshot.snapshot import KINDS, Snapshot, open, verify

__all__ = ["KINDS", "Groups", "Snapshot", "open", "verify"]
