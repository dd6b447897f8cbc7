"""Asking the tests of a graph, and naming the facts that changed an answer."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from celery import shared_task

from retrieval.errors import Cancelled, ClewError
from retrieval.events import AnswerFinal, ChainsBuilt, RunCancelled, RunFailed
from retrieval.kg import snapshot as kg
from retrieval.language.question import Question
from retrieval.methods import registry
from retrieval.types import Hop, Progress
from retrieval.version import get_code_version
from webapp.experiments import resolution
from webapp.experiments.models import Checkpoint
from webapp.graph_tests import fact_changes, outcomes, services
from webapp.graph_tests.history import to_answered
from webapp.graph_tests.models import Cause, GraphTest, TestResult, TestRound
from webapp.graph_tests.outcomes import Answered, Fact
from webapp.graphs.files import ensure_local_path
from webapp.graphs.models import Graph, GraphVersion
from webapp.graphs.selectors import require_version
from webapp.jobs import queue
from webapp.jobs.models import Job
from webapp.vocabulary.selectors import load_graph_vocabulary
from worker import answerers, job_runs

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

FACTS_KEPT = 500
"""Facts of the evidence that are kept of an answer."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What tests are asked of.

    Attributes:
        graph: as it is when this is current: its snapshot is the version that is asked.
        checkpoint: to be used instead of the one in use; None leaves it at that.
    """

    graph: Graph
    version: GraphVersion
    checkpoint: Checkpoint | None = None


@shared_task(name=queue.TEST_GRAPH)
def test_graph(job_id: int) -> None:
    """Ask the tests that a job names."""
    job_runs.run(job_id, run_tests, failed=handle_failure)


def handle_failure(job: Job, error: ClewError) -> None:
    """Decide of what could not be tested."""
    services.handle_broken_off(job=job)


def run_tests(context: job_runs.Context) -> dict[str, Any]:
    """Ask each test of what is tested and, where that is something else, of what is current."""
    if "test" in context.job.params:
        return _test_versions(context)
    round = TestRound.objects.select_related("graph__snapshot", "checkpoint", "version", "created_by").get(
        pk=context.job.params["round"]
    )
    tests = list(GraphTest.objects.filter(pk__in=round.tests))
    context.update_progress(Progress("opening", 0, len(tests), "tests"))
    now = _make_subject(round)
    before = _find_current_subject(round, now)
    for done, test in enumerate(tests):
        _test(round, test, now, before, context.is_cancelled)
        context.update_progress(Progress("asking", done + 1, len(tests), "tests"))
    services.close_round(round=round)
    return {"round": round.pk, "decision": round.decision, "metrics": round.figures}


def _test_versions(context: job_runs.Context) -> dict[str, Any]:
    """Ask one test of versions that it was not asked of."""
    job = context.job
    test = GraphTest.objects.select_related("graph__snapshot").filter(pk=job.params["test"]).first()
    if test is None:
        raise Cancelled("The question was removed.")
    versions = GraphVersion.objects.filter(
        graph=job.graph, version__in=job.params["versions"], deleted_at=None
    ).order_by("version")
    context.update_progress(Progress("opening", 0, len(versions), "versions"))
    for done, version in enumerate(versions):
        round = services.create_history_round(test=test, version=version, user=job.user)
        _test(round, test, _make_subject(round), None, context.is_cancelled)
        context.update_progress(Progress("asking", done + 1, len(versions), "versions"))
    return {"test": test.pk, "versions": len(versions)}


def _make_subject(round: TestRound) -> Subject:
    version = round.version or require_version(round.graph, round.snapshot_hash)
    graph = copy(round.graph)
    graph.snapshot = version
    return Subject(graph, version, round.checkpoint)


def _find_current_subject(round: TestRound, now: Subject) -> Subject | None:
    """What is current; None where that is what is tested."""
    current = round.graph.snapshot
    if current is None or (current.pk == now.version.pk and now.checkpoint is None):
        return None
    return Subject(round.graph, current)


def _test(
    round: TestRound, test: GraphTest, now: Subject, before: Subject | None, cancelled: Callable[[], bool]
) -> TestResult:
    key, ask = _prepare_question(test, now, cancelled)
    answered = ask()
    compared: dict[str, Any] = {}
    if before is not None:
        compared = _compare_with_current(test, now, before, answered, cancelled)
    elif round.cause != Cause.HISTORY:
        last = TestResult.objects.filter(test=test).exclude(round=round).order_by("-at", "-pk").first()
        if last is not None and last.number != round.number:
            compared = _compare_with_last(round, last, answered)
    return services.save_result(
        round=round,
        test=test,
        key=key,
        answered=answered,
        outcome=outcomes.compute_outcome(test.expected, answered),
        **{"before": None, "changed": False, "added": [], "removed": [], **compared},
    )


def _compare_with_current(
    test: GraphTest, now: Subject, before: Subject, answered: Answered, cancelled: Callable[[], bool]
) -> dict[str, Any]:
    """How an answer differs from that of what is current, which is asked where it was not asked before."""
    key, ask = _prepare_question(test, before, cancelled)
    known = services.find_known_result(test=test, key=key)
    earlier = ask() if known is None else to_answered(known)
    if known is None:
        services.save_result(
            round=services.create_history_round(test=test, version=before.version, user=None),
            test=test,
            key=key,
            answered=earlier,
            outcome=outcomes.compute_outcome(test.expected, earlier),
        )
    return _describe_difference(before.version, now.version, earlier, answered, test.expected)


def _compare_with_last(round: TestRound, last: TestResult, answered: Answered) -> dict[str, Any]:
    """The same against the version that the test was asked of last, where that is still there."""
    version = GraphVersion.objects.filter(graph=round.graph_id, version=last.number, deleted_at=None).first()
    if version is None or round.version is None:
        return {}
    return _describe_difference(version, round.version, to_answered(last), answered, last.expected)


def _describe_difference(
    old: GraphVersion, new: GraphVersion, earlier: Answered, answered: Answered, expected: list[str]
) -> dict[str, Any]:
    """What the answer was, whether it is another now, and the facts behind that."""
    changed = outcomes.normalize_labels(earlier.answers) != outcomes.normalize_labels(answered.answers)
    earlier_result = {
        "number": old.version,
        "answers": list(earlier.answers),
        "outcome": str(outcomes.compute_outcome(expected, earlier)),
        "method": earlier.method,
        "fingerprint": earlier.fingerprint,
    }
    if not changed or old.pk == new.pk:
        return {"before": earlier_result, "changed": changed}
    changes = fact_changes.explain_change(_open_snapshot(old), _open_snapshot(new), earlier, answered)
    return {"before": earlier_result, "changed": True, "added": changes.added, "removed": changes.removed}


def _open_snapshot(version: GraphVersion) -> Snapshot:
    return kg.open(ensure_local_path(version.path))


def _prepare_question(
    test: GraphTest, subject: Subject, cancelled: Callable[[], bool]
) -> tuple[str, Callable[[], Answered]]:
    """What names all that the answer depends on, and how to get it."""
    try:
        method, checkpoint = _resolve_method(test, subject)
    except ClewError as error:
        return "", lambda why=f"{error.message} {error.hint}".strip(): Answered(error=why)
    fingerprint = checkpoint.fingerprint if checkpoint is not None else ""
    question_parts = [test.question, test.entities, test.options, test.program, test.budget, test.seed]
    vocabulary = load_graph_vocabulary(test.graph, ensure_local_path(subject.version.path))
    worded = [asdict(term) for term in vocabulary.terms if term.synonyms]
    what = [
        subject.version.hash,
        method,
        fingerprint,
        *question_parts,
        get_code_version(),
        *([worded] if worded else []),
    ]
    key = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def ask() -> Answered:
        since = time.monotonic()
        try:
            result = _ask(test, subject, method, checkpoint, cancelled)
        except Cancelled:
            raise
        except ClewError as error:
            result = Answered(error=f"{error.message} {error.hint}".strip())
        took = _convert_to_ms(time.monotonic() - since)
        return replace(result, method=method, fingerprint=fingerprint, took_ms=took)

    return key, ask


def _convert_to_ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def _resolve_method(test: GraphTest, subject: Subject) -> tuple[str, Checkpoint | None]:
    """The method and the checkpoint: the candidate where it answers, else what is used unless told otherwise.

    Raises:
        ClewError: the graph does not hold what the method needs.
    """
    candidate = subject.checkpoint
    if candidate is not None and test.method in ("", candidate.method):
        return candidate.method, candidate
    method, checkpoint = resolution.resolve_method_and_checkpoint(subject.graph, test.method or None, None)
    if test.program is not None and not registry.get_method(method).runs_programs:
        return resolution.resolve_method_and_checkpoint(subject.graph, registry.DEFAULT, None)
    return method, checkpoint


def _ask(
    test: GraphTest,
    subject: Subject,
    method: str,
    checkpoint: Checkpoint | None,
    cancelled: Callable[[], bool],
) -> Answered:
    from retrieval.answering.run import AskRequest  # noqa: PLC0415 - loads torch

    had = registry.list_untrained_options(method) if checkpoint is None else test.options
    options = {name: value for name, value in test.options.items() if name in had}
    answerer = answerers.open_test_engine(subject.version, checkpoint, method, options)
    entities = {label: answerer.snapshot.find_entity(label) for label in test.entities}
    lacking = [label for label, entity in entities.items() if entity is None]
    if lacking:
        return Answered(error=f"Version {subject.version.version} has no {', '.join(lacking)}.")
    request = AskRequest(
        Question(test.question),
        given=tuple(entity for entity in entities.values() if entity is not None),
        budget=test.budget,
        seed=test.seed,
        program=test.program,
    )
    facts: dict[Fact, None] = {}
    for event in answerer.run(request, cancelled=cancelled):
        if isinstance(event, ChainsBuilt):
            facts.update(dict.fromkeys(_iter_facts(hop for chain in event.chains for hop in chain.hops)))
        elif isinstance(event, RunCancelled):
            raise Cancelled("The job was stopped.")
        elif isinstance(event, RunFailed):
            return Answered(error=f"{event.message} {event.hint}".strip())
        elif isinstance(event, AnswerFinal):
            return Answered(
                tuple(answer.label for answer in event.answers),
                tuple(facts)[:FACTS_KEPT],
                str(event.no_answer.reason) if event.no_answer is not None else "",
            )
    raise RuntimeError("the engine ended without a terminal event")


def _iter_facts(hops: Iterable[Hop]) -> Iterable[Fact]:
    """The facts that were walked, in the direction that they have."""
    for hop in hops:
        if hop.verified:
            ends = (hop.source.label, hop.target.label)
            head, tail = reversed(ends) if hop.step.inverse else ends
            yield head, hop.step.name, tail
