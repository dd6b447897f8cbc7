"""Follow-ups over a graph in an endpoint: read on a sample of what the question before was about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import EmptySourceError
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.dialogue.ellipsis import is_correction
from retrieval.programs.dialogue.follow import resolve_follow_up
from retrieval.programs.reader import ProgramReader
from retrieval.types import Denoted, Turn

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.programs.grounding.anchors.similarity import Encode

LEANED_ON = 40
"""Entities of the question before that a follow-up may speak of."""


@dataclass(frozen=True, slots=True)
class DenotedThere:
    """Characters [start, end) of a question that stand for entities of an endpoint, by their IRIs."""

    start: int
    end: int
    iris: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnThere:
    """A question that was answered: what a follow-up leans on.

    Attributes:
        topics: IRIs of the entities that it names.
        answers: IRIs of those that answered it, best first; values are left out.
        denoted: words of ``question`` that stand for entities.
    """

    question: Question
    topics: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    denoted: tuple[DenotedThere, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowedThere:
    """A follow-up as a question that stands on its own; ``shown`` is the same as people read it."""

    question: Question
    shown: str
    denoted: tuple[DenotedThere, ...]


def resolve_remote_follow_up(
    remote: SparqlGraph,
    encode: Encode | None,
    question: Question,
    turn: TurnThere,
    cancelled: Callable[[], bool] = lambda: False,
) -> FollowedThere | None:
    """The question that stands on its own which a follow-up comes to; None where it does so already.

    Args:
        encode: texts to unit vectors.
        turn: the question before.

    Raises:
        EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
    """
    try:
        sample = remote.fetch_sample(list(_list_candidate_iris(remote, question, turn))).snapshot
    except EmptySourceError:
        return None
    here = {iri: node for node in range(sample.num_entities) if (iri := sample.get_entity_iri(node))}

    def find_ids(iris: Iterable[str]) -> tuple[int, ...]:
        return tuple(here[iri] for iri in iris if iri in here)

    denoted = (
        Denoted(reference.start, reference.end, tuple(sorted(find_ids(reference.iris)))) for reference in turn.denoted
    )
    local = Turn(
        turn.question.text,
        find_ids(turn.topics),
        find_ids(turn.answers),
        denoted=tuple(reference for reference in denoted if reference.ids),
    )
    rewriting = resolve_follow_up(ProgramReader(sample, encode, PROGRAMS), question, local, cancelled)
    if rewriting is None:
        return None
    return FollowedThere(rewriting.question, rewriting.shown, tuple(_convert_denoted(sample, rewriting.denoted)))


def _list_candidate_iris(remote: SparqlGraph, question: Question, turn: TurnThere) -> Iterator[str]:
    """What a follow-up may speak of: IRIs, each once, at most ``LEANED_ON``."""
    iris = [*turn.topics, *(iri for reference in turn.denoted for iri in reference.iris), *turn.answers]
    if is_correction(question):
        # "No, the film": others of the name of a topic, which the sample would not hold.
        alike = remote.find_candidates(remote.get_names(turn.topics).values())
        iris = [*(candidate.iri for others in alike.values() for candidate in others), *iris]
    iris = [*remote.link(question.text).values(), *iris]
    yield from list(dict.fromkeys(iris))[:LEANED_ON]


def _convert_denoted(sample: Snapshot, denoted: Iterable[Denoted]) -> Iterator[DenotedThere]:
    """By IRIs; what has none cannot be asked about."""
    for reference in denoted:
        iris = tuple(iri for iri in map(sample.get_entity_iri, reference.ids) if iri)
        if iris:
            yield DenotedThere(reference.start, reference.end, iris)
