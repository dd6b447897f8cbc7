"""Questions whose graph lacks what they ask for: each over a copy of its graph without a relation of its program."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.programs.algebra.operations import Having, Key, Program, Walk, walk
from retrieval.weights.suites import SuiteQuestion, build_copy_without

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.programs.grounding.schema import Schema
    from retrieval.weights.data import TrainingData

#: Relations that a graph is copied without, those that most questions need; and questions asked of each copy.
_RELATIONS, _QUESTIONS = 4, 8


def find_needed_relations(schema: Schema, program: Program) -> frozenset[str]:
    """The labels of the relations that a program needs, but for the one that tells kinds."""
    used = _collect_relations(program, schema.snapshot.num_relations) - {schema.type_relation}
    return frozenset(schema.relations[relation].label for relation in used)


def mask_questions(
    data: TrainingData, answered: Iterable[tuple[SuiteQuestion, frozenset[str]]], seed: int = 0
) -> list[tuple[SuiteQuestion, SuiteQuestion]]:
    """Ask questions of copies of their graphs that lack a relation.

    Args:
        data: where the graphs' files are.
        answered: questions with the labels of the relations that their answer needs.
        seed: of the draws.

    Returns:
        Each question over a copy, and the question as it was.
    """
    needing: dict[Path, dict[str, list[SuiteQuestion]]] = defaultdict(lambda: defaultdict(list))
    for question, labels in answered:
        for label in sorted(labels):
            needing[question.graph][label].append(question)
    masked, rng = list[tuple[SuiteQuestion, SuiteQuestion]](), random.Random(seed)
    for by_relation in needing.values():
        most = sorted(by_relation.items(), key=lambda item: (-len(item[1]), item[0]))[:_RELATIONS]
        for relation, questions in most:
            for question in rng.sample(questions, min(len(questions), _QUESTIONS)):
                copy = build_copy_without(data, question, relation)
                masked.append((replace(question, id=f"{question.id} without {relation}", graph=copy), question))
    return masked


def _collect_relations(program: Program, forward: int) -> set[int]:
    used: set[int] = set()
    for node in walk(program):
        if isinstance(node, Walk | Having):
            used.add(node.relation % forward)
        key = getattr(node, "key", None)
        if isinstance(key, Key):
            used.update(relation % forward for relation in key.path)
    return used
