"""Whose each answer is: of the populations of several countries one is of Chad, another of Niger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.programs.rendering.sentences.values import write_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.results import Answer
    from retrieval.types import EvidenceChain


def find_owners(answers: Sequence[Answer], chains: Sequence[EvidenceChain]) -> dict[int, str]:
    """Find what each answer belongs to, by the answer's entity.

    Returns:
        Nothing where all answers belong to one thing, where an answer is no entity, and for entities of which
        several belong to the same thing or one belongs to several things.
    """
    owners: dict[int, str] = {}
    # What another chain leads to is on the way to the answers, and not what was asked about.
    reached = {node.id for chain in chains for level in chain.levels for node in level}
    for answer in answers:
        if answer.entity is None:
            return {}
        sources = dict.fromkeys(
            hop.source.label
            for index in answer.chains
            for hop in chains[index].hops
            if hop.target.id == answer.entity.id and hop.step.name == chains[index].steps[-1].name
        )
        longest = max((len(chains[index].steps) for index in answer.chains), default=0)
        inner = any(chains[index].source.id in reached for index in answer.chains)
        # An entity says by itself what it is; whose it is matters where each thing has its own.
        if answer.entity.kind != "literal" and (len(sources) != 1 or longest != 1 or inner):
            return {}
        if sources:
            owners[answer.entity.id] = write_list(list(sources))
    different = len(set(owners.values()))
    are_values = all(answer.entity is not None and answer.entity.kind == "literal" for answer in answers)
    return owners if different > 1 and (different == len(owners) or are_values) else {}
