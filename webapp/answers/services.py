"""The life of a run: asked, claimed by one worker, streamed, ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from retrieval.errors import MethodError, QuestionError
from retrieval.events import AnswerFinal, RunCancelled, RunFailed, to_payload
from retrieval.limits import QUESTION_LIMIT
from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.answers import announce, fair_queue, log, programs, threads
from webapp.answers.log import get_last_seq
from webapp.answers.models import ACTIVE, Diagnosis, Run, RunState
from webapp.api.errors import ConflictError, InvalidError, NotImportedError
from webapp.api.failures import build_error_columns
from webapp.api.signals import Event, event_occurred
from webapp.experiments import methods, resolution
from webapp.experiments.models import Checkpoint
from webapp.graphs import browse, endpoints, snapshots
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint
from webapp.jobs import cancel, heartbeats, queue
from webapp.uploads import remote_sources

ANSWERS_LISTED = 20
"""Answers kept in the run's row for lists; all of them are in its last event."""

Ending = AnswerFinal | RunFailed | RunCancelled


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked, as it came."""

    question: str
    method: str | None = None
    checkpoint: Checkpoint | None = None
    reasoner: str | None = None
    budget: int | None = None
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    llm: int | None = None
    entities: Sequence[int] = ()
    step_by_step: bool = False
    program: Any = None
    corrects: Run | None = None
    follows: Run | None = None
    trial: bool = False


@dataclass(frozen=True, slots=True)
class Contender:
    """One method of a comparison."""

    method: str
    checkpoint: Checkpoint | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _CheckedQuestion:
    """What of an asked question does not depend on the method."""

    question: str
    written: programs.EditedProgram
    context: dict[str, Any] | None
    snapshot_hash: str


def create_run(*, graph: Graph, ask: Ask, user: User) -> Run:
    """Check a question and hand it to the workers.

    Raises:
        QuestionError: the question is empty or over-long.
        GraphNotReadyError: the graph has no snapshot.
        UnknownEntityError: a given entity is not in it.
        MethodError: there is no such method.
        CheckpointError: the checkpoint is of another graph or method.
        ConfigError: the method has no such setting, or not of this value.
        InvalidError: the budget or the reasoner makes no sense.
        NotConfiguredError: the language model was asked for and none is set up.
        TooManyRunsError: the person has enough of them waiting.
        ProgramError: the program is none, or the graph lacks something that it names.
        ForbiddenError: the question before is somebody else's.
        ConflictError: the question before has no answer to lean on.
    """
    fair_queue.require_room(user)
    run = _build_run(graph, ask, _check_ask(graph, ask, user), user)
    with transaction.atomic():
        run.save(force_insert=True)
        queue.enqueue(queue.ANSWER, run.pk)
    return run


def _check_ask(graph: Graph, ask: Ask, user: User) -> _CheckedQuestion:
    """Raises:
    ClewError: as :func:`create_run`.
    """
    return _CheckedQuestion(
        question=check_question(ask.question),
        written=programs.check_program(graph, ask.program, ask.corrects),
        context=threads.build_context(graph, ask.follows, user),
        snapshot_hash=_check_entities(graph, ask.entities),
    )


def _build_run(
    graph: Graph,
    ask: Ask,
    checked: _CheckedQuestion,
    user: User,
    used: Mapping[str, Checkpoint] | None = None,
) -> Run:
    """The run of a question, not kept yet. ``used`` are the checkpoints in use by method, where they are known.

    Raises:
        ClewError: as :func:`create_run`.
    """
    method, checkpoint = _resolve_method(graph, ask, used)
    reasoner = resolution.resolve_reasoner(ask.reasoner, method)
    llm = resolution.resolve_language_model(reasoner, ask.llm)
    return Run(
        graph=graph,
        snapshot_hash=checked.snapshot_hash,
        question=checked.question,
        method=method,
        reasoner=reasoner,
        llm=llm.id if llm else None,
        llm_name=llm.name if llm else "",
        checkpoint=checkpoint,
        budget=resolution.resolve_budget(ask.budget),
        seed=ask.seed,
        options=resolution.resolve_options(method, ask.options, checkpoint),
        entities=list(dict.fromkeys(ask.entities)),
        user=user,
        pause_after=1 if ask.step_by_step and registry.get_method(method).steerable else None,
        program=checked.written.program,
        program_before=checked.written.before,
        corrects=ask.corrects,
        follows=ask.follows,
        context=checked.context,
        thread=threads.ensure_thread(ask.follows),
        trial=ask.trial,
    )


def _resolve_method(graph: Graph, ask: Ask, used: Mapping[str, Checkpoint] | None) -> tuple[str, Checkpoint | None]:
    """What answers; a program, a method that runs it: one that nobody chose, and the router, give way to the default.

    Raises:
        ClewError: as :func:`create_run`.
    """
    method, checkpoint = resolution.resolve_method_and_checkpoint(graph, ask.method, ask.checkpoint, used)
    if ask.program is None or registry.get_method(method).runs_programs:
        return method, checkpoint
    if method == "router" or (ask.method is None and ask.checkpoint is None):
        return resolution.resolve_method_and_checkpoint(graph, registry.DEFAULT, None, used)
    raise MethodError(f"{method} does not run programs.", hint=f"Ask with {', '.join(methods.list_program_runners())}.")


def _check_entities(graph: Graph, entities: Sequence[int]) -> str:
    """Refuse entities that the graph does not have; the hash of the version that they are of, empty in an endpoint.

    Raises:
        GraphNotReadyError, UnknownEntityError: as :func:`create_run`.
        NotAllowedError: the operator has not listed the endpoint's host any more.
    """
    endpoint = get_endpoint(graph)
    if endpoint is not None:
        remote_sources.require_host(endpoint.url, "Graphs may not be asked at")
        endpoints.require_iris(graph.pk, entities)
        return ""
    snapshot = snapshots.open_current(graph)
    for entity in entities:
        browse.require_entity(snapshot, entity)
    return snapshot.hash


def create_comparison(*, graph: Graph, ask: Ask, contenders: Sequence[Contender], user: User) -> UUID:
    """Ask one question of several methods at once, all or none of them; the runs' group.

    Raises:
        InvalidError: a method with the same checkpoint and settings is named twice.
        ClewError: as :func:`create_run`.
    """
    fair_queue.require_room(user, len(contenders))
    checked, used = _check_ask(graph, ask, user), resolution.find_checkpoints_in_use(graph)
    group, likely = uuid4(), fair_queue.estimate_seconds(graph)
    runs = []
    for contender in contenders:
        contender_ask = replace(
            ask, method=contender.method, checkpoint=contender.checkpoint, options=contender.options
        )
        run = _build_run(graph, contender_ask, checked, user, used)
        run.group, run.likely_s = group, likely.get(contender.method)
        runs.append(run)
    _require_different(runs)
    with transaction.atomic():
        for run in Run.objects.bulk_create(runs):
            queue.enqueue(queue.ANSWER, run.pk)
    return group


def create_retrievals(*, graph: Graph, ask: Ask, questions: Sequence[str], user: User) -> list[Run]:
    """Queue the retrieval of several questions, all or none of them; nobody answers them.

    Raises:
        NotImportedError: the graph lives in an endpoint.
        MethodError: the method retrieves nothing.
        ClewError: as :func:`create_run`.
    """
    if get_endpoint(graph) is not None:
        raise NotImportedError(
            f"{graph.name} lives in an endpoint, and retrieval reads a graph of this server.", hint="Import the graph."
        )
    fair_queue.require_room(user, len(questions))
    used = resolution.find_checkpoints_in_use(graph)
    runs = []
    for question in questions:
        each = replace(ask, question=question, reasoner=methods.REASONERS[0])
        run = _build_run(graph, each, _check_ask(graph, each, user), user, used)
        if registry.get_method(run.method).model_alone:
            raise MethodError(f"{run.method} retrieves nothing.", hint="Choose a method that reads the graph.")
        run.retrieval = True
        runs.append(run)
    with transaction.atomic():
        for run in Run.objects.bulk_create(runs):
            queue.enqueue(queue.ANSWER, run.pk)
    return runs


def _require_different(runs: Sequence[Run]) -> None:
    """Raises:
    InvalidError: a method with the same checkpoint and settings is named twice.
    """
    seen: set[tuple[Any, ...]] = set()
    for run in runs:
        same = (run.method, run.checkpoint_id, *run.options.items())
        if same in seen:
            raise InvalidError(
                f"{run.method} is named twice with the same checkpoint and settings.",
                hint="Name each method once, or with different checkpoints or settings.",
            )
        seen.add(same)


def check_question(text: str) -> str:
    """The question without surrounding space.

    Raises:
        QuestionError: it is empty or over-long.
    """
    question = " ".join(text.split())
    if not question:
        raise QuestionError("The question is empty.", hint="Type a question about the graph.")
    if len(question) > QUESTION_LIMIT:
        raise QuestionError(
            f"The question has {len(question)} characters.",
            hint=f"Shorten it to at most {QUESTION_LIMIT}.",
        )
    return question


# --- the worker's side --------------------------------------------------------------------------------


def claim(*, worker: str) -> Run | Diagnosis | None:
    """Begin the run or diagnosis whose turn it is, or go on with it; None when none waits."""
    return fair_queue.claim_next(worker)


def close_run(
    *,
    run_id: UUID,
    after: int,
    event: Ending,
    usage: dict[str, Any] | None = None,
    unwritten: Sequence[log.Timed] = (),
) -> None:
    """Append the event that ends a run, with the run's own row in the same transaction, and announce it.

    ``usage`` is what the run cost, when a worker has counted it; None leaves what was counted before. ``unwritten`` are
    events before the end that are not in the log yet.
    """
    counted = {} if usage is None else {"usage": usage}
    with transaction.atomic():
        ended = Run.objects.filter(pk=run_id, state__in=ACTIVE).update(
            finished_at=Now(), paused_at=None, next_action=None, **counted, **_build_columns(event)
        )
        if not ended:
            return
        wire = log.append_end(run_id, after=after, unwritten=unwritten, event=event)
        event_occurred.send(sender=Run, event=Event.RUN_ENDED, keys=[run_id])
        transaction.on_commit(lambda: announce.send_events(run_id, wire))


def _build_columns(event: Ending) -> dict[str, Any]:
    if isinstance(event, AnswerFinal):
        return {
            "state": RunState.DONE,
            "answers": [answer.label for answer in event.answers[:ANSWERS_LISTED]],
            "answers_count": len(event.answers),
            "no_answer": to_payload(event)["no_answer"],
        }
    if isinstance(event, RunCancelled):
        return {"state": RunState.CANCELLED, "incomplete": True}
    return {
        "state": RunState.FAILED,
        "incomplete": True,
        **build_error_columns(event),
    }


# --- stopping, deleting, and runs whose worker died -----------------------------------------------------


def cancel_run(*, run: Run) -> Run:
    """Stop a run: at once when no worker has it, else within a second.

    Raises:
        ConflictError: it has ended already.
    """
    if run.state not in (*ACTIVE, RunState.PAUSED):
        raise ConflictError(f"This run has ended already: {run.state}.", hint="Ask again to start another.")
    if not cancel_unheld(run_id=run.pk):
        cancel.ask_to_stop("run", run.pk)
        if not cancel_unheld(run_id=run.pk):
            # Going on clears the flags of before; a worker that has it by now reads this one.
            cancel.ask_to_stop("run", run.pk)
    run.refresh_from_db()
    return run


def cancel_unheld(*, run_id: UUID) -> bool:
    """Stop a run that no worker has; whether there was one to stop."""
    with transaction.atomic():
        # Whoever takes the state from queued or paused is the only writer of the log: this, or a worker's claim.
        taken = Run.objects.filter(pk=run_id, state__in=(RunState.QUEUED, RunState.PAUSED)).update(
            state=RunState.RUNNING
        )
        if taken:
            after = get_last_seq(run_id)
            message = "Stopped while it waited." if after else "Stopped before a worker began."
            close_run(run_id=run_id, after=after, event=RunCancelled(message, 0))
    return bool(taken)


def delete_run(*, run: Run) -> None:
    """Delete a run and its events. One that goes on is stopped first."""
    if run.state in ACTIVE:
        cancel.ask_to_stop("run", run.pk)
    run.delete()


def fail_if_worker_lost(*, run_id: UUID | str) -> None:
    """End a running run whose worker gives no sign of life. What it had streamed is kept."""
    run = Run.objects.filter(pk=run_id, state=RunState.RUNNING).exclude(worker="").first()
    # A worker of jobs answers too, while no other does.
    if run is not None and all(
        heartbeats.is_lost(queued, run.worker) for queued in (heartbeats.ANSWERS, heartbeats.JOBS)
    ):
        _handle_lost(run, again=False)


def _handle_lost(run: Run, *, again: bool) -> None:
    """End a run that no worker is at any more; with ``again`` it is queued once more if nobody saw anything of it."""
    with transaction.atomic():
        rows = Run.objects.filter(pk=run.pk, state=RunState.RUNNING, worker=run.worker)
        locked = rows.filter(claimed_at=run.claimed_at).select_for_update().first()
        if locked is None:
            return
        after = get_last_seq(locked.pk)
        if again and not after and locked.claimed_at == locked.started_at:
            release_run(run_id=locked.pk)
            return
        lost = RunFailed(
            "worker_lost",
            "The worker stopped in the middle of this run.",
            "What was found is kept. Ask again to get the whole answer.",
        )
        close_run(run_id=locked.pk, after=after, event=lost)


def release_run(*, run_id: UUID) -> None:
    """Queue a running run again of which nothing was found yet, since its worker could not go on."""
    if Run.objects.filter(pk=run_id, state=RunState.RUNNING).update(state=RunState.QUEUED, worker=""):
        queue.enqueue(queue.ANSWER, run_id)


def handle_lost_runs() -> None:
    """End all runs whose worker is gone."""
    for run_id in Run.objects.filter(state=RunState.RUNNING).values_list("pk", flat=True):
        fail_if_worker_lost(run_id=run_id)


def handle_forgotten_runs(*, worker: str, held: Collection[UUID]) -> None:
    """End the runs that a worker has by the database and not by itself: their end could not be written."""
    forgotten = Run.objects.filter(
        state=RunState.RUNNING, worker=worker, claimed_at__lt=Now() - heartbeats.SETTLED
    ).exclude(pk__in=held)
    for run in forgotten:
        _handle_lost(run, again=True)


def send_waiting() -> None:
    """Wake the workers for runs and diagnoses whose messages were lost. One too many is harmless."""
    waiting = fair_queue.list_waiting()
    missing = max(0, len(waiting) - queue.count_waiting(heartbeats.ANSWERS))
    for key in waiting[:missing]:
        queue.send(queue.ANSWER, key)
