"""Questions made from a graph, in a process of its own: hundreds of them on a large graph take seconds of a core."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from retrieval.kg.readers import child_process
from retrieval.questions.sampling import sample_of
from retrieval.types import QuestionRecord
from webapp.accounts.models import User
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import BusyError, InvalidError
from webapp.graphs import snapshots
from webapp.graphs.files import ensure_local_path
from webapp.graphs.models import Graph

KEPT = 64
"""Samples of a version that are remembered: the same seed makes the same."""

LIMITS = child_process.Limits(memory=1 << 30, seconds=30.0)
Key = tuple[str, int, int, tuple[int, ...]]

_turns = ConcurrencyLimit()
_processes = threading.BoundedSemaphore(2)
"""People wait for each other, so that they do not take all cores."""

_remembered: OrderedDict[Key, list[QuestionRecord]] = OrderedDict()
_lock = threading.Lock()


def make_questions(*, graph: Graph, n: int, seed: int, hops: Sequence[int], user: User) -> list[QuestionRecord]:
    """As many questions as there can be, ``n`` at most; the same seed makes the same of the same version.

    Raises:
        NotImportedError, GraphNotReadyError, DamagedError: as :func:`snapshots.open_current`.
        BusyError: the person has some made already just now.
        InvalidError: it takes too long.
    """
    version = snapshots.require_current(graph)
    snapshots.open_snapshot(version.path)  # whether it is sound
    key = (version.hash, n, seed, tuple(hops))
    with _lock:
        if key in _remembered:
            _remembered.move_to_end(key)
            return _remembered[key]
    refusal = BusyError("Questions are being made for you already.", hint="Wait until they are there.")
    with _turns.take_turn(user.pk, most=1, refusal=refusal):
        release_connection()
        with _processes:
            questions = _sample_questions(ensure_local_path(version.path), n, seed, tuple(hops))
    with _lock:
        _remembered[key] = questions
        while len(_remembered) > KEPT:
            _remembered.popitem(last=False)
    return questions


def _sample_questions(path: Path, n: int, seed: int, hops: tuple[int, ...]) -> list[QuestionRecord]:
    try:
        return child_process.call(sample_of, path, n, seed, hops, what="The graph", limits=LIMITS)
    except child_process.TooMuchError as error:
        raise InvalidError(
            f"Making {n} questions of this graph took too long.",
            hint="Ask for fewer of them, or of fewer hops.",
        ) from error
