"""Questions whose graph lacks what they ask for: each over a copy of its graph without a relation of its program."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from retrieval.programs.algebra.operations import Having, Key, Program, Walk, walk
from retrieval.programs.grounding.schema import Schema
from tests.benchmarks.operators import Asked, without

#: Relations that a graph is copied without, those that most questions need; and questions asked of each copy.
_RELATIONS, _QUESTIONS = 4, 8


def needed(schema: Schema, program: Program) -> frozenset[str]:
    """The labels of the relations that a program needs, but for the one that tells kinds."""
    used = _relations(program, schema.snapshot.num_relations) - {schema.type_relation}
    return frozenset(schema.relations[relation].label for relation in used)


def masked(answered: Iterable[tuple[Asked, frozenset[str]]]) -> list[Asked]:
    """Questions, given with the labels of the relations that their answer needs, over copies of their graphs."""
    needing: dict[Path, dict[str, list[Asked]]] = defaultdict(lambda: defaultdict(list))
    for one, labels in answered:
        for label in sorted(labels):
            needing[one.graph][label].append(one)
    found, rng = [], random.Random(0)
    for by_relation in needing.values():
        most = sorted(by_relation.items(), key=lambda item: (-len(item[1]), item[0]))[:_RELATIONS]
        for relation, some in most:
            found += [
                replace(one, id=f"{one.id} without {relation}", graph=without(one, relation))
                for one in rng.sample(some, min(len(some), _QUESTIONS))
            ]
    return found


def _relations(program: Program, forward: int) -> set[int]:
    used: set[int] = set()
    for node in walk(program):
        if isinstance(node, Walk | Having):
            used.add(node.relation % forward)
        key = getattr(node, "key", None)
        if isinstance(key, Key):
            used.update(relation % forward for relation in key.path)
    return used
