"""How far a question lies from what a retriever was trained on (REL-RAG Definitions 1-3)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retrieval.errors import CheckpointError
from retrieval.supervision.labels import Label, NamedPath
from retrieval.types import QuestionRecord

Level = Literal["in-distribution", "compositional", "out-of-distribution"]
LEVELS: tuple[Level, ...] = ("in-distribution", "compositional", "out-of-distribution")
FILE = "seen.json.gz"


@dataclass(frozen=True)
class TrainingCoverage:
    """What appeared in training: E, R and Z of Definition 1.

    Attributes:
        entities: labels of the training questions' topic entities and answers, and of their gold paths' entities.
        paths: relation paths of their labels, by names.
    """

    entities: frozenset[str]
    paths: frozenset[NamedPath]

    @property
    def relations(self) -> frozenset[tuple[str, bool]]:
        """Directed relations of the paths."""
        return frozenset(step for path in self.paths for step in path)

    @classmethod
    def from_questions(cls, questions: Iterable[QuestionRecord], labels: Iterable[Label]) -> TrainingCoverage:
        """What these training questions and their labels show; labels of other questions are left out.

        Relation paths that a question brings without saying which way they are walked count as walked forward.
        """
        training_questions = list(questions)
        names = {name for q in training_questions for name in (*q.topic_entities, *q.answers)}
        names |= {end for q in training_questions for path in q.paths for head, _, tail in path for end in (head, tail)}
        ids = {question.id for question in training_questions}
        paths = {
            path
            for question, question_paths in group_by_question(labels).items()
            if question in ids
            for path in question_paths
        }
        paths |= {path for question in training_questions for path in find_gold_paths(question)}
        paths |= {
            tuple((name, False) for name in plan) for question in training_questions for plan in question.relation_paths
        }
        return cls(frozenset(names), frozenset(paths))

    def save(self, directory: Path) -> None:
        """Write ``seen.json.gz``; equal content makes equal files."""
        body = {"entities": sorted(self.entities), "paths": sorted(self.paths)}
        text = json.dumps(body, ensure_ascii=False).encode()
        (directory / FILE).write_bytes(gzip.compress(text, mtime=0))

    @classmethod
    def load(cls, checkpoint: Path) -> TrainingCoverage | None:
        """What a checkpoint was trained on; None where it does not say.

        Raises:
            CheckpointError: the file is damaged.
        """
        path = (checkpoint.parent if checkpoint.is_file() else checkpoint) / FILE
        if not path.is_file():
            return None
        try:
            body = json.loads(gzip.decompress(path.read_bytes()))
            paths = (tuple((str(name), bool(back)) for name, back in path) for path in body["paths"])
            return cls(frozenset(body["entities"]), frozenset(paths))
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            raise CheckpointError(f"{path} is damaged ({error}).", hint="Train again.") from error


@dataclass(frozen=True)
class Shift:
    """The level of each question.

    A question is *out-of-distribution* when a topic entity or a relation of its path never appeared in training
    (Def. 3); else *in-distribution* when its whole relation path did (Def. 1); else *compositional*: known
    relations, composed anew (Def. 2). With several paths the farthest level counts. Of entities, the topic entities
    count: they are what a retriever is given, answers are what it has to find. ``measure_relation_level`` leaves
    entities out, which is how a graph too large to have been seen whole is better judged.

    Attributes:
        seen: in training.
        labels: relation paths of questions, by id; a question's own gold paths come first.
    """

    seen: TrainingCoverage
    labels: Mapping[str, Sequence[NamedPath]] = field(default_factory=dict)

    def measure_level(self, question: QuestionRecord) -> Level | None:
        """By entities and relations; None when the question's relation path is not known."""
        level = self.measure_relation_level(question)
        known = self.seen.entities.issuperset(question.topic_entities)
        return level if known or level is None else "out-of-distribution"

    def measure_relation_level(self, question: QuestionRecord) -> Level | None:
        """By relations alone."""
        paths = find_gold_paths(question) or list(self.labels.get(question.id, ()))
        levels = [LEVELS.index(self._measure_path_level(path)) for path in paths]
        return LEVELS[max(levels)] if levels else None

    def _measure_path_level(self, path: NamedPath) -> Level:
        if not self.seen.relations.issuperset(path):
            return "out-of-distribution"
        return "in-distribution" if path in self.seen.paths else "compositional"


def find_gold_paths(question: QuestionRecord) -> list[NamedPath]:
    """Relation paths of the question's gold paths, walked from its topics; those that do not hold together are
    left out."""
    paths = []
    for path in question.paths:
        for topic in question.topic_entities:
            walked = _walk(topic, path)
            if walked:
                paths.append(walked)
                break
    return list(dict.fromkeys(paths))


def group_by_question(labels: Iterable[Label]) -> dict[str, list[NamedPath]]:
    """Relation paths of the labels that are paths and were not rejected, by the id of their question."""
    paths: dict[str, list[NamedPath]] = {}
    for label in labels:
        if label.role == "path" and label.verdict == "accepted":
            paths.setdefault(label.question, []).append(label.path)
    return paths


def _walk(topic: str, path: Sequence[tuple[str, str, str]]) -> NamedPath | None:
    entity, steps = topic, list[tuple[str, bool]]()
    for head, relation, tail in path:
        if entity not in (head, tail):
            return None
        steps.append((relation, entity != head))
        entity = tail if entity == head else head
    return tuple(steps) or None
