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


def format_step(step: RelationStep) -> str:
    """``[borders]``, or ``[inverse of directed by]`` when walked against the fact."""
    label = _SPACE.sub(" ", step.label).strip()
    return f"[inverse of {label}]" if step.inverse else f"[{label}]"


def format_level(level: Sequence[Node], count: int) -> str:
    """The entities of one level, ``; `` between them, and how many more there are than listed."""
    names = "; ".join(_SPACE.sub(" ", node.label).strip() for node in level)
    hidden = count - len(level)
    return f"{names}; and {hidden:,} more" if hidden > 0 else names


def format_chain(chain: EvidenceChain) -> str:
    """``Switzerland → [borders] → Austria; Germany → [official language] → German``."""
    parts = [chain.source.label]
    for step, level, count in zip(chain.steps, chain.levels, chain.level_counts, strict=True):
        parts += [format_step(step), format_level(level, count)]
    return ARROW.join(parts)


def format_merged_chains(chains: Sequence[EvidenceChain]) -> list[str]:
    """The chains as text, parallel ones as one (ReG App. E): ``A → [written by ⊕ directed by] → B``.

    Chains are parallel when they come from one topic through the same entities and differ in the relation of a
    single step.
    """
    groups: list[list[EvidenceChain]] = []
    for chain in chains:
        for group in groups:
            if all(_is_parallel(chain, other, group[0]) for other in group):
                group.append(chain)
                break
        else:
            groups.append([chain])
    return [_format_group(group) for group in groups]


def _is_parallel(chain: EvidenceChain, other: EvidenceChain, first: EvidenceChain) -> bool:
    same = (chain.source, chain.levels, chain.level_counts) == (
        other.source,
        other.levels,
        other.level_counts,
    )
    return same and len(_find_differences(chain, first) | _find_differences(other, first)) == 1


def _find_differences(chain: EvidenceChain, other: EvidenceChain) -> set[int]:
    pairs = enumerate(zip(chain.steps, other.steps, strict=False))
    return {i for i, (mine, theirs) in pairs if mine != theirs}


def _format_group(group: Sequence[EvidenceChain]) -> str:
    first = group[0]
    steps = zip(*(chain.steps for chain in group), strict=True)
    return format_parallel(first.source, steps, zip(first.levels, first.level_counts, strict=True))


def format_parallel(
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
        names = dict.fromkeys(format_step(step)[1:-1] for step in parallel)
        parts += [f"[{' ⊕ '.join(names)}]", format_level(level, count)]
    return ARROW.join(parts)


def format_path(hops: Sequence[Hop]) -> str:
    """One walked path, ``h → [r] → t → [r'] → t'``; empty for no hops."""
    if not hops:
        return ""
    parts = [hops[0].source.label]
    for hop in hops:
        parts += [format_step(hop.step), hop.target.label]
    return ARROW.join(parts)
