"""What the operators and the shape of a program say for and against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.operations import (
    EVERY,
    And,
    Count,
    Entities,
    Except,
    Filter,
    Fold,
    Having,
    Key,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
    walk,
)
from retrieval.programs.scoring.question_traits import CUES, QuestionTraits, Signs

if TYPE_CHECKING:
    from retrieval.programs.grammar.constituents import Part


def compute_operator_signs(traits: QuestionTraits, program: Program, leaves: list[Part]) -> Signs:
    """Which operators are asked for and there, missing, or there without being asked for."""
    has = set(_list_operators(program))
    if any(part.category == "H" for part in leaves):  # parents are mothers or fathers, siblings not oneself
        has -= {"or", "neg"} - traits.cues
    operator_signs = {"op.counted": float("counted" in has), "op.eq": float("eq" in has)}
    for name in CUES:
        if name in traits.cues or name in has:
            how = "both" if name in traits.cues and name in has else "miss" if name in traits.cues else "extra"
            operator_signs[f"op.{how}.{name}"] = 1.0
    return operator_signs


def _list_operators(program: Program) -> Iterator[str]:
    folded = {Folding.SUM: "sum", Folding.AVERAGE: "avg"}
    for node in walk(program):
        match node:
            case Fold(how):
                yield folded.get(how, "sup")
            case Count():
                yield "count"
            case Top():
                yield "each" if node.count == EVERY else "sup"
            case Filter():
                if node.comparison is Comparison.NOT_EQUAL:
                    yield "neg"
                yield "eq" if node.comparison in (Comparison.EQUAL, Comparison.NOT_EQUAL) else "cmp"
            case Except():
                yield "neg"
            case Or():
                yield "or"
        key = getattr(node, "key", None)
        if isinstance(key, Key):
            if key.counted:
                yield "counted"
            if key.folding in folded:
                yield folded[key.folding]


def compute_shape_signs(program: Program, relations: int) -> Signs:
    """How large a program is, and what it repeats; ``relations`` is how many the graph has."""
    every = list(walk(program))
    sorts = Counter(type(node) for node in every)
    walked = [node.relation for node in every if isinstance(node, Walk)]
    back = [
        node for node in every
        if isinstance(node, Walk) and isinstance(node.source, Walk)
        and node.relation % relations == node.source.relation % relations
    ]  # fmt: skip
    return {
        "n.dup": float(len(every) - len(set(every))), "n.size": float(len(every)), "n.walk": float(len(walked)),
        "n.and": float(sorts[And]), "n.filter": float(sorts[Filter] + sorts[TextFilter]),
        "n.top": float(sorts[Top]), "n.ent": float(sorts[Entities]), "n.having": float(sorts[Having]),
        "n.rep": float(len(walked) - len({relation % relations for relation in walked})), "n.back": float(len(back)),
    }  # fmt: skip
