"""What the planner of ReG@Path learns from: questions with the relation paths that may answer them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from retrieval.errors import check
from retrieval.kg.search import walks
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.linking.linker import Linker
from retrieval.linking.questions import replace_topic_names
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, select_usable, to_directed_path
from retrieval.training.losses import compute_segment_logsumexp

if TYPE_CHECKING:
    from retrieval.types import QuestionRecord


#: Of a question with more relation paths, so many are drawn for each step.
PATHS = 12


@dataclass(frozen=True, slots=True)
class Planned:
    """A question as seen from a topic, with relation paths of which at least one answers it.

    Attributes:
        masked: without the topic's name.
        paths: distinct, ascending. Directed relation ids; plain ids when not ``marked``.
        marked: the directions are known.
    """

    masked: str
    written: str
    paths: tuple[tuple[int, ...], ...]
    marked: bool


def from_labels(
    snapshot: Snapshot,
    questions: Sequence[Grounded],
    labels: Sequence[Label],
    *,
    max_hops: int,
    mask_names: bool = True,
) -> list[Planned]:
    """One for each question and topic that has accepted paths of at most ``max_hops``."""
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in select_usable(labels):
        by_question[label.question].append(label)
    examples: list[Planned] = []
    for question in questions:
        by_topic: dict[int, set[tuple[int, ...]]] = defaultdict(set)
        for label in by_question.get(question.question.id, ()):
            topic, path = snapshot.find_entity(label.topic), to_directed_path(snapshot, label.path)
            if topic in question.topics and path is not None and len(path) <= max_hops:
                by_topic[question.topics.index(topic)].add(path)
        text = question.question.question
        is_written = any(label.source == "written" for label in by_question[question.question.id])
        for index, paths in by_topic.items():
            masked = replace_topic_names(text, index, question.names) if mask_names else text
            # Names of questions written from the graph are its own; they are never missed when asking.
            examples.append(Planned(masked, masked if is_written else text, tuple(sorted(paths)), marked=True))
    return examples


def from_relation_paths(
    snapshot: Snapshot,
    questions: Sequence[QuestionRecord],
    *,
    max_hops: int,
    mask_names: bool = True,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Planned]:
    """One for each question with a relation path that this graph's relations can spell.

    The topic is not given. What the linker finds in the question stands in for it, best the entity from which
    most of the relation paths can be walked; a question whose topic the graph lacks is left as written.
    """
    linker = Linker(snapshot)
    examples: list[Planned] = []
    for question in questions:
        check(cancelled)
        spelled = [tuple(snapshot.find_relation(name) for name in path) for path in question.relation_paths]
        known = {
            tuple(r for r in path if r is not None) for path in spelled
            if None not in path and len(path) <= max_hops
        }  # fmt: skip
        if not known:
            continue
        linked = linker.link(Question(question.question)).entities
        walked = [sum(_can_walk(snapshot, link.entity.id, path) for path in known) for link in linked]
        mention = linked[int(np.argmax(walked))].mention if linked else ""
        hides = mask_names and mention
        masked = replace_topic_names(question.question, 0, [mention]) if hides else question.question
        examples.append(Planned(masked, question.question, tuple(sorted(known)), marked=False))
    return examples


def _can_walk(snapshot: Snapshot, topic: int, path: Sequence[int]) -> bool:
    """Whether the relations can be walked from the topic, each in some direction."""
    entities = np.array([topic], np.int64)
    for relation in path:
        ends = [walks.walk_relation(snapshot, entities, relation, inverse)[1] for inverse in (False, True)]
        entities = np.unique(np.concatenate(ends))
        if not len(entities):
            return False
    return True


def draw(paths: tuple[tuple[int, ...], ...], rng: np.random.Generator) -> list[tuple[int, ...]]:
    """The paths of a question for one step: all, or ``PATHS`` of them."""
    if len(paths) <= PATHS:
        return list(paths)
    return [paths[i] for i in rng.permutation(len(paths))[:PATHS]]


def compute_plan_loss(logs: Tensor, owner: Tensor, judged: Tensor) -> Tensor:
    """Mean over questions of eq. 35.

    Where the paths were judged to be rational, the mean of their negative log-likelihoods; where they were not,
    the negative log of their summed likelihood: whichever of them the other questions bear out may take it all.

    Args:
        logs: log-likelihood of each path, [m].
        owner: its question, [m].
        judged: [n] bool.
    """
    count = len(judged)
    sizes = torch.bincount(owner, minlength=count)
    every = logs.new_zeros(count).index_add(0, owner, logs) / sizes
    any_of = compute_segment_logsumexp(logs, owner, count)
    return -torch.where(judged, every, any_of).mean()
