"""The direction in which a program follows a relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.errors import ProgramError

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def split_direction(snapshot: Snapshot, relation: int) -> tuple[bool, int]:
    """Whether a directed relation is an inverse one, and its forward id.

    Raises:
        ProgramError: the graph lacks it.
    """
    if not 0 <= relation < 2 * snapshot.num_relations:
        raise ProgramError(f"The graph has no relation {relation}.")
    inverse, forward = divmod(relation, snapshot.num_relations)
    return bool(inverse), forward
