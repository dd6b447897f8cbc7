"""Chains and paths as text, for people and for language models (ReG, Appendix F).

A step walked against its fact is written ``[inverse of borders]``: the text never claims a fact in a
direction in which the graph does not hold it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from retrieval.types import EvidenceChain, Hop, Node, RelationStep

ARROW = " → "
_SPACE = re.compile(r"\s+")


def step_text(step: RelationStep) -> str:
    """``[borders]``, or ``[inverse of directed by]`` when walked against the fact."""
    label = _SPACE.sub(" ", step.label).strip()
    return f"[inverse of {label}]" if step.inverse else f"[{label}]"


def level_text(level: Sequence[Node], count: int) -> str:
    """The entities of one level, ``; `` between them, and how many more there are than listed."""
    names = "; ".join(_SPACE.sub(" ", node.label).strip() for node in level)
    hidden = count - len(level)
    return f"{names}; and {hidden:,} more" if hidden > 0 else names


def chain_text(chain: EvidenceChain) -> str:
    """``Switzerland → [borders] → Austria; Germany → [official language] → German``."""
    parts = [chain.source.label]
    for step, level, count in zip(chain.steps, chain.levels, chain.level_counts, strict=True):
        parts += [step_text(step), level_text(level, count)]
    return ARROW.join(parts)


def merged_texts(chains: Sequence[EvidenceChain]) -> list[str]:
    """The chains as text, parallel ones as one (ReG App. E): ``A → [written by ⊕ directed by] → B``.

    Chains are parallel when they come from one topic through the same entities and differ in the relation of a
    single step.
    """
    groups: list[list[EvidenceChain]] = []
    for chain in chains:
        for group in groups:
            if all(_parallel(chain, other, group[0]) for other in group):
                group.append(chain)
                break
        else:
            groups.append([chain])
    return [_merged_text(group) for group in groups]


def _parallel(chain: EvidenceChain, other: EvidenceChain, first: EvidenceChain) -> bool:
    same = (chain.source, chain.levels, chain.level_counts) == (
        other.source,
        other.levels,
        other.level_counts,
    )
    return same and len(_different(chain, first) | _different(other, first)) == 1


def _different(chain: EvidenceChain, other: EvidenceChain) -> set[int]:
    pairs = enumerate(zip(chain.steps, other.steps, strict=False))
    return {i for i, (mine, theirs) in pairs if mine != theirs}


def _merged_text(group: Sequence[EvidenceChain]) -> str:
    first = group[0]
    steps = zip(*(chain.steps for chain in group), strict=True)
    return parallel_text(first.source, steps, zip(first.levels, first.level_counts, strict=True))


def parallel_text(
    source: Node, steps: Iterable[Sequence[RelationStep]], levels: Iterable[tuple[Sequence[Node], int]]
) -> str:
    """Write a chain whose steps are several relations each: ``A → [written by ⊕ directed by] → B``.

    Args:
        source: where it begins.
        steps: the parallel relations of each step.
        levels: the entities that are listed after each step, and how many there are.
    """
    parts = [source.label]
    for parallel, (level, count) in zip(steps, levels, strict=True):
        names = dict.fromkeys(step_text(step)[1:-1] for step in parallel)
        parts += [f"[{' ⊕ '.join(names)}]", level_text(level, count)]
    return ARROW.join(parts)


def path_text(hops: Sequence[Hop]) -> str:
    """One walked path, ``h → [r] → t → [r'] → t'``; empty for no hops."""
    if not hops:
        return ""
    parts = [hops[0].source.label]
    for hop in hops:
        parts += [step_text(hop.step), hop.target.label]
    return ARROW.join(parts)
