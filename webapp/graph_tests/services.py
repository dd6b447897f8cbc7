"""Keeping tests, asking them, and deciding what becomes of what was tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from retrieval.events import AnswerFinal, QuestionRewritten, from_payload
from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.answers import programs
from webapp.answers.models import Run, RunEvent, RunState
from webapp.answers.services import check_question
from webapp.api.errors import ConflictError, GraphNotReadyError, InvalidError
from webapp.api.signals import Event, event_occurred
from webapp.experiments import promotions, resolution
from webapp.experiments.models import Checkpoint
from webapp.graph_tests import selectors
from webapp.graph_tests.models import Cause, Decision, GraphTest, RoundOutcome, TestPolicy, TestResult, TestRound
from webapp.graph_tests.outcomes import Answered
from webapp.graphs import announce, progress, snapshots
from webapp.graphs.models import Graph, GraphVersion
from webapp.graphs.selectors import find_version as version_of
from webapp.graphs.selectors import list_versions
from webapp.jobs import queue
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job, JobKind

TESTS_MAX = 2000
"""Tests of one graph."""

WATCHES_MAX = 200
"""Questions that one person watches."""

EXPECTED_MAX = 5000
"""Answers that one test may expect."""


@dataclass(frozen=True, slots=True)
class NewTest:
    """A test to be kept."""

    question: str
    expected: Sequence[str] = ()
    entities: Sequence[str] = ()
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    program: Any = None
    budget: int | None = None
    seed: int = 0


def watch(*, run: Run, user: User) -> GraphTest:
    """Tell a person when a question of theirs is answered otherwise: they watch it from now on.

    Raises:
        ClewError: as :func:`add` and :func:`build_from_run`.
    """
    mine = GraphTest.objects.filter(watcher=user)
    if mine.count() >= WATCHES_MAX:
        raise InvalidError(f"You watch {WATCHES_MAX} questions.", hint="Stop watching one first.")
    return add(graph=run.graph, tests=[build_from_run(run)], user=user, watcher=user)[0]


def add(*, graph: Graph, tests: Iterable[NewTest], user: User, watcher: User | None = None) -> list[GraphTest]:
    """Keep tests, all or none, or what a ``watcher`` watches.

    One that the graph has already, word for word, takes the new expected answers.

    Raises:
        NotImportedError: the graph stays in an endpoint, which has no versions.
        QuestionError, MethodError, ConfigError, ProgramError, InvalidError: one of them could never be asked.
    """
    snapshots.require_imported(graph)
    kept = []
    with transaction.atomic():
        Graph.objects.select_for_update().get(pk=graph.pk)
        for new in tests:
            values = {**_validate_test(graph, new), "watcher": watcher}
            known = _find_same_test(graph, values)
            if known is None:
                kept.append(GraphTest.objects.create(graph=graph, created_by=user, **values))
            else:
                known.expected = values["expected"]
                known.save(update_fields=["expected"])
                kept.append(known)
        if GraphTest.objects.filter(graph=graph, watcher=None).count() > TESTS_MAX:
            raise InvalidError(f"A graph has at most {TESTS_MAX:,} tests.", hint="Remove some first.")
    announce.notify_graph_on_commit(graph.pk)
    return kept


def _validate_test(graph: Graph, new: NewTest) -> dict[str, Any]:
    if len(new.expected) > EXPECTED_MAX:
        raise InvalidError(f"{len(new.expected):,} answers are expected.", hint=f"At most {EXPECTED_MAX:,}.")
    if new.method:
        registry.get_method(new.method)
        registry.parse_options(new.method, new.options)
    elif new.options:
        raise InvalidError("Settings are those of a method.", hint="Name the method too.")
    return {
        "question": check_question(new.question),
        "expected": list(dict.fromkeys(new.expected)),
        "entities": list(dict.fromkeys(new.entities)),
        "method": new.method,
        "options": dict(new.options),
        "program": programs.check_program(graph, new.program, None).program,
        "budget": resolution.resolve_budget(new.budget),
        "seed": new.seed,
    }


def _find_same_test(graph: Graph, values: Mapping[str, Any]) -> GraphTest | None:
    """The test that asks the same in the same way."""
    for test in GraphTest.objects.filter(graph=graph, question=values["question"], watcher=values.get("watcher")):
        if all(getattr(test, name) == value for name, value in values.items() if name != "expected"):
            return test
    return None


def build_from_run(run: Run) -> NewTest:
    """A run as a test that expects what it answered, asked as it was.

    A follow-up is asked in the words that it was read as. The method is kept where it is not the one that the graph
    is asked with by itself.

    Raises:
        ConflictError: the run has no answer, or its version of the graph is gone.
    """
    if run.state != RunState.DONE:
        raise ConflictError("The run has not answered.", hint="Wait for it, or ask again.")
    question, answers = run.question, run.answers
    events = RunEvent.objects.filter(run=run, type__in=[QuestionRewritten.type, AnswerFinal.type])
    for payload in events.order_by("seq").values_list("payload", flat=True):
        event = from_payload(payload)
        if isinstance(event, QuestionRewritten):
            question = event.question
        elif isinstance(event, AnswerFinal):
            answers = [answer.label for answer in event.answers]
    usual, _ = resolution.resolve_method_and_checkpoint(run.graph, None, None)
    names_method = run.method != usual or bool(run.options)
    return NewTest(
        question=question,
        expected=answers,
        entities=_list_entity_labels(run),
        method=run.method if names_method else "",
        options=run.options,
        program=run.program,
        budget=run.budget,
        seed=run.seed,
    )


def _list_entity_labels(run: Run) -> list[str]:
    if not run.entities:
        return []
    version = version_of(run.graph, run.snapshot_hash)
    if version is None:
        raise ConflictError("The run's version of the graph is gone.", hint="Ask again on the current one.")
    opened = snapshots.open_snapshot(version.path)
    return [opened.get_entity_label(entity) for entity in run.entities]


def update_expected(*, test: GraphTest, expected: Sequence[str]) -> GraphTest:
    """Expect other answers of a test."""
    if len(expected) > EXPECTED_MAX:
        raise InvalidError(f"{len(expected):,} answers are expected.", hint=f"At most {EXPECTED_MAX:,}.")
    test.expected = list(dict.fromkeys(expected))
    test.save(update_fields=["expected"])
    return test


def set_hold(*, graph: Graph, hold: bool) -> None:
    """Say whether failing tests hold a new version or checkpoint back."""
    TestPolicy.objects.update_or_create(graph=graph, defaults={"hold": hold})
    announce.notify_graph_on_commit(graph.pk)


# --- rounds -------------------------------------------------------------------------------------------


def start(*, graph: Graph, user: User | None, tests: Sequence[int] = ()) -> TestRound:
    """Ask the tests of the current version; all, or those that are named.

    Raises:
        GraphNotReadyError: the graph has no version.
        ConflictError: there is no test to be asked.
    """
    if graph.snapshot is None:
        raise GraphNotReadyError(f"{graph.name} has no version yet.", hint="Wait until its import is done.")
    return _start(graph, graph.snapshot, Cause.ASKED, user, tests=tests)


def take_version(graph: Graph, version: GraphVersion, user: User | None) -> bool:
    """Have the tests of a graph asked of a version before it becomes current; whether there are any."""
    if not GraphTest.objects.filter(graph=graph).exists():
        return False
    _start(graph, version, Cause.VERSION, user)
    return True


def take_checkpoint(checkpoint: Checkpoint, user: User | None) -> bool:
    """Have the tests of a graph asked with a checkpoint before it is promoted; whether there are any."""
    graph = checkpoint.graph
    if graph.snapshot is None or not GraphTest.objects.filter(graph=graph).exists():
        return False
    going = TestRound.objects.filter(checkpoint=checkpoint, cause=Cause.PROMOTION, job__state__in=ACTIVE)
    if not going.exists():
        _start(graph, graph.snapshot, Cause.PROMOTION, user, checkpoint=checkpoint)
    return True


def _start(
    graph: Graph,
    version: GraphVersion,
    cause: Cause,
    user: User | None,
    *,
    checkpoint: Checkpoint | None = None,
    tests: Sequence[int] = (),
) -> TestRound:
    rows = GraphTest.objects.filter(graph=graph)
    rows = rows.filter(watcher=None) if cause == Cause.ASKED else rows
    chosen = list((rows.filter(pk__in=tests) if tests else rows).values_list("pk", flat=True))
    if not chosen:
        raise ConflictError(f"{graph.name} has no such test.", hint="Keep an answer as a test, or type one.")
    with transaction.atomic():
        round = TestRound.objects.create(
            graph=graph,
            version=version,
            snapshot_hash=version.hash,
            number=version.version,
            before=graph.snapshot.version if graph.snapshot is not None else None,
            checkpoint=checkpoint,
            cause=cause,
            hold=cause != Cause.ASKED and selectors.should_hold(graph),
            violations=version.violations if cause == Cause.VERSION else 0,
            tests=chosen,
            created_by=user,
        )
        of = f"version {version.version}" if checkpoint is None else f"checkpoint {checkpoint.pk}"
        round.job = jobs.create(
            kind=JobKind.TEST,
            title=f"Test {of} of {graph.name}",
            graph=graph,
            user=user,
            params={"round": round.pk, "gate": cause == Cause.VERSION},
        )
        round.save(update_fields=["job"])
    announce.notify_graph_on_commit(graph.pk)
    return round


def ask_through_time(*, test: GraphTest, user: User) -> Job:
    """Ask a test of the versions of its graph that it was not asked of.

    Raises:
        ConflictError: it was asked of all of them.
    """
    tested = TestResult.objects.filter(test=test).exclude(outcome=RoundOutcome.ERROR).values("number")
    rows = list_versions(test.graph).exclude(version__in=tested).order_by("version")
    numbers = list(rows.values_list("version", flat=True))
    if not numbers:
        raise ConflictError("The question was asked of all versions.", hint="Its page shows what they say.")
    return jobs.create(
        kind=JobKind.TEST,
        title=f"Ask {len(numbers)} versions of {test.graph.name}",
        graph=test.graph,
        user=user,
        params={"test": test.pk, "versions": numbers, "gate": False},
    )


def create_history_round(*, test: GraphTest, version: GraphVersion, user: User | None) -> TestRound:
    """What holds the answer of one test on one version."""
    return TestRound.objects.create(
        graph_id=test.graph_id,
        version=version,
        snapshot_hash=version.hash,
        number=version.version,
        cause=Cause.HISTORY,
        tests=[test.pk],
        created_by=user,
    )


def mark_seen(*, test: GraphTest) -> None:
    """The person has looked at what changed."""
    GraphTest.objects.filter(pk=test.pk).update(unread=False)
    test.unread = False


def find_known_result(*, test: GraphTest, key: str) -> TestResult | None:
    """What a test answered the last time when everything was as now; None where it was never so."""
    rows = TestResult.objects.filter(test=test, key=key).exclude(outcome=RoundOutcome.ERROR)
    return rows.order_by("-at", "-pk").first()


def save_result(
    *, round: TestRound, test: GraphTest, key: str, answered: Answered, outcome: RoundOutcome, **compared: Any
) -> TestResult:
    """Keep what a test answered in a round, in place of what an earlier attempt kept."""
    columns = asdict(answered)
    columns["message"] = columns.pop("error")
    row, _ = TestResult.objects.update_or_create(
        round=round,
        test=test,
        defaults={
            **columns,
            "key": key,
            "number": round.number,
            "expected": test.expected,
            "outcome": outcome,
            **compared,
        },
    )
    return row


def close_round(*, round: TestRound) -> TestRound:
    """Count what a round found, and make current what was tested unless a failing test or shape holds it back."""
    counted = TestResult.objects.filter(round=round, test__watcher=None)
    rows = list(counted.values_list("outcome", "changed"))
    figures = {str(kind): sum(outcome == kind for outcome, _ in rows) for kind in RoundOutcome}
    round.figures = {**figures, "changed": sum(changed for _, changed in rows)}
    round.finished_at = timezone.now()
    round.save(update_fields=["figures", "finished_at"])
    _decide(round, held=round.hold and bool(figures[RoundOutcome.FAILED] or figures[RoundOutcome.ERROR]))
    return round


def handle_broken_off(*, job: Job) -> None:
    """Decide of a round that was stopped or broke: what was not tested is held back where tests may do that."""
    round = TestRound.objects.filter(job=job, decision=Decision.NONE).first()
    if round is not None:
        _decide(round, held=round.hold)


def _decide(round: TestRound, *, held: bool) -> None:
    """Hold back what failed its tests or violates its shapes, and make everything else current."""
    if round.cause == Cause.ASKED or round.decision:
        return
    held = held or round.violations > 0
    decision = Decision.HELD if held else Decision.CURRENT
    if not held and not _make_current(round, round.created_by):
        decision = Decision.HELD
    TestRound.objects.filter(pk=round.pk).update(decision=decision)
    round.decision = decision
    announce.notify_graph_on_commit(round.graph_id)


def accept(*, round: TestRound, user: User) -> TestRound:
    """Make current what was held back.

    Raises:
        ConflictError: nothing is held back, or what was is gone.
    """
    with transaction.atomic():
        locked = TestRound.objects.select_for_update(of=("self",)).get(pk=round.pk)
        if locked.decision != Decision.HELD:
            raise ConflictError("Nothing is held back here.", hint="The page says what became of it.")
        if not _make_current(locked, user):
            raise ConflictError("What was tested is gone.", hint="Test what there is now.")
        locked.decision = Decision.ACCEPTED
        locked.save(update_fields=["decision"])
    return locked


def _make_current(round: TestRound, user: User | None) -> bool:
    """Whether what was tested could be made current: a version or checkpoint may have been deleted meanwhile."""
    with transaction.atomic():
        graph = Graph.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=round.graph_id)
        if round.cause == Cause.PROMOTION:
            if not _promote(round, graph, user):
                return False
            _mark_changed(round)
            return True
        version = GraphVersion.objects.filter(pk=round.version_id or 0, deleted_at=None).first()
        if version is None:
            return False
        if graph.snapshot_id != version.pk:
            progress.use_version(graph=graph, snapshot=version, user=None)
        _mark_changed(round)
        transaction.on_commit(lambda: queue.send(queue.WARM, graph.pk))
    return True


def _mark_changed(round: TestRound) -> None:
    """Say of which tests the answers changed, and mark those that people watch."""
    changed = list(TestResult.objects.filter(round=round, changed=True).values_list("test", flat=True))
    GraphTest.objects.filter(pk__in=changed).exclude(watcher=None).update(unread=True)
    if changed:
        event_occurred.send(sender=GraphTest, event=Event.ANSWER_CHANGED, keys=changed)


def _promote(round: TestRound, graph: Graph, user: User | None) -> bool:
    checkpoint = round.checkpoint
    if checkpoint is None or not resolution.find_fitting_checkpoints(graph).filter(pk=checkpoint.pk).exists():
        return False
    promotions.promote(checkpoint=checkpoint, user=user, tested=True)
    return True
