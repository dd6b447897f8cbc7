"""What tells whether a program is what was asked, of its words, its operators, its shape and what it gives.

The ranker (:mod:`retrieval.programs.weights`) weighs how a program was composed. Here it is looked at as a whole:
whether the words that say what is asked for are those that its outcome was read from, how well each word is explained,
whether it has the operators that were asked for and no others, and whether it gives as many things as were asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ClewError
from retrieval.kg.snapshot.arrays import is_among
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.numbers import get_result_nodes
from retrieval.programs.algebra.operations import (
    EVERY,
    And,
    Arithmetic,
    Constant,
    Count,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Holds,
    KeyOf,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.scoring.operator_signs import compute_operator_signs, compute_shape_signs
from retrieval.programs.scoring.question_traits import QuestionTraits, Signs

if TYPE_CHECKING:
    from retrieval.programs.grammar.constituents import Part
    from retrieval.programs.grounding.schema import Schema
    from retrieval.programs.scoring.candidates import Candidate

#: A cosine that says nothing of what a word means, and the one from which on it says as much as a form.
_UNLIKE, _LIKE = 0.3, 0.7
#: How well words are explained by what is less than their form.
_BY_MEANING, _RELATED, _ADJECTIVE, _ASKING, _IN_PART, _NAMED, _WIDER = 0.9, 0.85, 0.8, 0.6, 0.6, 0.9, 0.4
#: Answers that are few.
_FEW = 12


def compute_signs(traits: QuestionTraits, candidate: Candidate, executor: Executor, schema: Schema) -> Signs:
    """What speaks for and against a program, by name; what is not named is 0."""
    leaves = list(iter_anchored_parts(candidate.part))
    nodes = _get_nodes(candidate, executor)
    out = _find_outcome_words(candidate.program, leaves, nodes, executor, schema)
    read: dict[int, float] = {}
    for part in leaves:
        for n in range(*(part.anchored or (0, 0))):
            read[n] = max(read.get(n, 0.0), compute_strength(part)[0])
    all_signs = {
        **_compute_head_signs(traits, out, read),
        **_compute_word_signs(traits, read),
        **_compute_leaf_signs(leaves, out),
        **compute_operator_signs(traits, candidate.program, leaves),
        **compute_shape_signs(candidate.program, schema.snapshot.num_relations),
        **_compute_result_signs(traits, candidate, nodes, schema),
    }
    return {name: value for name, value in all_signs.items() if value}


def compute_shares(features: Mapping[str, float], weights: Mapping[str, float]) -> Signs:
    """What each group of the ranker's features adds to its score."""
    group_shares: Counter[str] = Counter()
    for name, value in features.items():
        weight = weights.get(name, 0.0)
        if weight:
            group_shares[f"g.{name.partition('.')[0]}"] += weight * value  # type: ignore[assignment]
    return dict(group_shares)


def compute_agreement(candidates: Sequence[Candidate]) -> list[Signs]:
    """How likely each result is by all programs that give it, and by the others."""
    keys = [get_result_key(candidate) for candidate in candidates]
    likely: dict[object, float] = {}
    for key, candidate in zip(keys, candidates, strict=True):
        likely[key] = likely.get(key, 0.0) + candidate.probability
    return [
        {"ag.mass": likely[key], "ag.more": likely[key] - candidate.probability}
        for key, candidate in zip(keys, candidates, strict=True)
    ]


def get_result_key(candidate: Candidate) -> object:
    """What programs of the same result share."""
    result = candidate.result
    if isinstance(result, Rows):
        return result.content
    return result.tobytes() if isinstance(result, np.ndarray) else result


def iter_anchored_parts(part: Part) -> Iterator[Part]:
    """The parts of a program that words of the question stand for."""
    if part.anchored and not part.parts:
        yield part
    for inner in part.parts:
        yield from iter_anchored_parts(inner)


def compute_strength(part: Part) -> tuple[float, str]:
    """How well its words say what a part is, 1 by their form, and by what they say it."""
    features = dict(part.features)
    similar = next((value for name, value in part.features if name.endswith(".similar")), None)
    if similar is not None:
        return max(0.0, min(_BY_MEANING, (similar - _UNLIKE) / _LIKE)), "meaning"
    if part.category == "R":
        if "r.recall" in features:
            return 1.0, "form"
        if "r.related" in features:
            return _RELATED, "related"
        if "r.adjective" in features:
            return _ADJECTIVE * min(1.0, features["r.adjective"]), "adjective"
        if "r.where" in features or "r.when" in features:
            return _ASKING, "asking"
    if part.extra == "node":
        if "e.exact" in features or "e.alias" in features:
            return 1.0, "name"
        return (_IN_PART, "part") if "e.fuzzy" in features or "e.part" in features else (_NAMED, "name")
    return (_WIDER, "wider") if "k.any" in features else (1.0, "form")


def _get_nodes(candidate: Candidate, executor: Executor) -> np.ndarray | None:
    """The nodes that are given or counted."""
    nodes = get_result_nodes(candidate.result)
    if nodes is not None:
        return nodes
    program = candidate.program
    while isinstance(program, Count | Exists):
        program = program.source
    if isinstance(program, Fold | KeyOf | Arithmetic | Holds | Constant):
        return None
    try:
        return executor.compute_nodes(program)
    except ClewError:
        return None


def _find_outcome_words(
    program: Program, leaves: list[Part], nodes: np.ndarray | None, executor: Executor, schema: Schema
) -> set[int]:
    """The words that the outcome was read from: a set that all answers are of, the relation that leads to them."""
    relations = {relation % schema.snapshot.num_relations for relation in _find_last_relations(program)}
    words = set[int]()
    for part in leaves:
        is_outcome = part.category == "H" or (part.category == "R" and part.extra.relation in relations)
        if part.category == "S" and part.extra != "node" and part.program is not None and nodes is not None:
            every = executor.compute_nodes(part.program)
            is_outcome = 0 < len(nodes) <= len(every) and bool(is_among(nodes, every).all())
        if is_outcome:
            words.update(range(*(part.anchored or (0, 0))))
    return words


def _find_last_relations(program: Program) -> set[int]:
    """The directed relations that lead to what a program gives."""
    while isinstance(program, Count | Exists):
        program = program.source
    stack, relations = [program], set[int]()
    while stack:
        node = stack.pop()
        match node:
            case And(left, right) | Or(left, right):
                stack += [left, right]
            case Filter() | Top() | TextFilter() | Except():
                stack.append(node.source)
            case Walk() | Having():
                relations.add(node.relation)
            case Fold() | KeyOf():
                relations.add(node.key.path[-1])
    return relations


def _compute_head_signs(traits: QuestionTraits, out: set[int], read: Mapping[int, float]) -> Signs:
    head, head_signs = traits.head, {"out.none": float(not out)}
    if out:
        head_signs["out.pos"] = min(out) / len(traits.question.words)
    if not head:
        return {**head_signs, "hd.none": 1.0}
    in_outcome, known = [n in out for n in head], [n in read for n in head]
    return {
        **head_signs,
        "out.late": float(bool(out) and min(out, default=0) > head[-1]),
        "hd.out": float(any(in_outcome)), "hd.first": float(in_outcome[0]), "hd.last": float(in_outcome[-1]),
        "hd.other": float(any(known) and not any(in_outcome)), "hd.unread": float(not any(known)),
        "hd.part": float(not all(known)),
        "hd.strength": max((read[n] for n in head if n in out), default=0.0),
    }  # fmt: skip


def _compute_word_signs(traits: QuestionTraits, read: Mapping[int, float]) -> Signs:
    words = traits.question.words
    lost = [1.0 - read.get(n, 0.0) for n in traits.content]
    missed = [n for n in traits.content if n not in read]
    return {
        "cov.n": float(len(missed)), "cov.sum": sum(lost), "cov.mean": sum(lost) / max(1, len(lost)),
        "cov.max": max(lost, default=0.0), "cov.cap": float(sum(n > 0 and words[n].capital for n in missed)),
        "cov.num": float(
            sum(any(n not in read for n in range(q.first, q.last)) for q in traits.question.quantities)
        ),
    }  # fmt: skip


def _compute_leaf_signs(leaves: list[Part], out: set[int]) -> Signs:
    """How much of the names of relations and kinds was said."""
    features = [dict(part.features) for part in leaves]
    relations = [
        _compute_recall(leaf_features)
        for part, leaf_features in zip(leaves, features, strict=True)
        if part.category == "R"
    ]
    sets = [
        leaf_features.get("k.recall", leaf_features.get("s.ends.quality", leaf_features.get("s.starts.quality", 1.0)))
        for part, leaf_features in zip(leaves, features, strict=True)
        if part.category == "S" and part.extra != "node"
    ]
    outcome_recalls = [
        leaf_features.get("r.recall", leaf_features.get("k.recall", leaf_features.get("s.ends.quality", 0.5)))
        for part, leaf_features in zip(leaves, features, strict=True)
        if part.anchored and part.anchored[0] in out and part.extra != "node"
    ]
    every = [(compute_strength(part), part) for part in leaves]
    leaf_signs = {
        "n.leaves": float(len(leaves)),
        "n.sim": float(sum(how == "meaning" for (_, how), _ in every)),
        "n.fuzzy": float(sum(how == "part" for (_, how), _ in every)),
        "rec.none": float(not relations),
        "out.recall": max(outcome_recalls, default=0.0),
        "ec.min": min((score for (score, _), part in every if part.extra == "node"), default=0.0),
        "st.min": min((score for (score, _), part in every if part.category in "SR"), default=0.0),
    }
    if relations:
        leaf_signs |= {"rec.min": min(relations), "rec.mean": sum(relations) / len(relations)}
    if sets:
        leaf_signs |= {"kc.min": min(sets), "kc.mean": sum(sets) / len(sets)}
    return leaf_signs


def _compute_recall(features: Mapping[str, float]) -> float:
    if "r.recall" in features:
        return features["r.recall"]
    if "r.related" in features:
        return 0.9 * features["r.related"]
    return 0.8 * features.get("r.similar", 0.4)


def _compute_result_signs(
    traits: QuestionTraits, candidate: Candidate, nodes: np.ndarray | None, schema: Schema
) -> Signs:
    result = candidate.result
    if not isinstance(result, np.ndarray):
        result_signs = {"res.num": 1.0}
        if isinstance(result, float):
            result_signs |= {"res.zero": float(result == 0), "res.one": float(result == 1)}
        if nodes is not None:
            result_signs |= {"res.of1": float(len(nodes) == 1), "res.of0": float(not len(nodes))}
        return result_signs
    if not len(result):
        return {"res.0": 1.0}
    last = traits.question.words[traits.head[-1]].text if traits.head else ""
    number = "pl" if last.endswith("s") and not last.endswith("ss") else "sg"
    size = "1" if len(result) == 1 else "few" if len(result) <= _FEW else "many"
    rows, naming = schema.surrogates
    program = candidate.program
    return {
        f"res.{number}.{size}": 1.0,
        "res.sur": float(bool(naming) and bool(rows[result].all())),
        "res.val": float(bool(schema.columns.kinds[result].all())),
        "res.topmany": float(isinstance(program, Top) and program.count < EVERY and len(result) > program.count),
    }
