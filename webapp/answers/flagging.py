"""Doubting an answer: the question and the paths that were shown go to the analysts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db import IntegrityError, transaction

from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    PathRetrieved,
    QuestionLinked,
    QuestionRewritten,
    from_payload,
)
from retrieval.results import Answer
from retrieval.types import EvidenceChain, RelationStep
from webapp.accounts.models import User
from webapp.answers.models import ACTIVE, Flag, FlagKind, Run, RunEvent
from webapp.api.errors import ConflictError, InvalidError
from webapp.graphs import browse, selectors, snapshots
from webapp.graphs.models import GraphVersion
from webapp.review.services import flagged, right_answers
from webapp.review.services.flagged import ShownPath

SHOWN_EVENTS = (QuestionRewritten, QuestionLinked, PathRetrieved, ChainsBuilt, AnswerFinal)


@dataclass(frozen=True, slots=True)
class NewFlag:
    """What is doubted.

    Attributes:
        id: made by the client; repeating a request with the same id changes nothing.
        kind: of :class:`FlagKind`.
        answer: entity id of the answer that is wrong, or missing; None for all.
        chain: index of the evidence chain that is not why; None for all.
        right_answers: names of entities: all right answers, or those that are missing; none where it is not known.
    """

    id: UUID
    kind: str
    answer: int | None = None
    chain: int | None = None
    comment: str = ""
    right_answers: Sequence[str] = ()


@dataclass(slots=True)
class ShownEvidence:
    """What a run showed, as its log tells it."""

    question: str = ""
    topics: list[str] = field(default_factory=list)
    paths: dict[tuple[str, tuple[tuple[str, bool], ...]], float] = field(default_factory=dict)
    chains: Sequence[EvidenceChain] = ()
    answers: Sequence[Answer] = ()


def create_flag(*, run: Run, user: User, flag: NewFlag) -> Flag:
    """Put a run's question, with the paths that it showed, into the queue of flagged answers of its graph's version.

    Raises:
        ConflictError: the run has not ended, its version of the graph is gone, or the id is another flag's.
        UnknownEntityError: the graph does not have that answer, or one of those that are called right.
        InvalidError: the run has no such chain, did not give what is called wrong or right, gave what is missing, or
            an answer is called wrong and right at once.
    """
    repeated = Flag.objects.select_related("item").filter(pk=flag.id).first()
    if repeated is not None:
        return _require_same(repeated, run, user)
    if run.state in ACTIVE:
        raise ConflictError("The run has not ended.", hint="Wait for its answer, or stop it.")
    snapshots.require_imported(run.graph)
    snapshot = selectors.find_version(run.graph, run.snapshot_hash)
    if snapshot is None:
        raise ConflictError("The run's version of the graph is gone.", hint="Ask again on the current one.")
    shown = _load_shown(run.pk)
    label = "" if flag.answer is None else _get_label(snapshot, flag.answer)
    remark = _write_remark(user, flag, label, shown.chains)
    right = right_answers.resolve_labels(snapshots.open_snapshot(snapshot.path), flag.right_answers)
    _require_sense(flag, label, right, shown.answers)
    doubted = flagged.FlaggedQuestion(
        key=str(run.pk),
        question=shown.question or run.question,
        topics=shown.topics,
        answers=_list_undoubted(flag, label, shown.answers),
        right=_list_right(flag, right, shown.answers),
        paths=[ShownPath(topic, path, score) for (topic, path), score in shown.paths.items()],
        method=run.method,
        remark=remark,
    )
    try:
        with transaction.atomic():
            item = flagged.put_question(graph=run.graph, snapshot=snapshot, flagged=doubted, user=user)
            return Flag.objects.create(
                id=flag.id,
                run=run,
                item=item,
                kind=flag.kind,
                answer=label,
                chain=flag.chain,
                comment=flag.comment,
                right_answers=right,
                user=user,
            )
    except IntegrityError:  # the same request at the same moment
        return _require_same(Flag.objects.select_related("item").get(pk=flag.id), run, user)


def _require_same(flag: Flag, run: Run, user: User) -> Flag:
    if flag.run_id != run.pk or flag.user_id != user.pk:
        raise ConflictError(f"The id {flag.pk} is another's.", hint="Make a new one for each flag.")
    return flag


def _load_shown(run_id: UUID) -> ShownEvidence:
    shown = ShownEvidence()
    rows = RunEvent.objects.filter(run_id=run_id, type__in=[cls.type for cls in SHOWN_EVENTS]).order_by("seq")
    for payload in rows.values_list("payload", flat=True):
        event = from_payload(payload)
        if isinstance(event, QuestionRewritten):
            shown.question = event.shown
        elif isinstance(event, QuestionLinked):
            shown.topics = [linked.entity.label for linked in event.entities]
        elif isinstance(event, PathRetrieved) and event.hops:
            _keep(shown, event.hops[0].source.label, [hop.step for hop in event.hops], event.score)
        elif isinstance(event, ChainsBuilt):
            shown.chains = event.chains
            for chain in event.chains:
                _keep(shown, chain.source.label, chain.steps, chain.score)
        elif isinstance(event, AnswerFinal):
            shown.answers = event.answers
    return shown


def _keep(shown: ShownEvidence, topic: str, steps: Sequence[RelationStep], score: float) -> None:
    """Paths of one topic and one chain of relations are one; the best score counts, cut to [0, 1]."""
    key = topic, tuple((step.name, step.inverse) for step in steps)
    shown.paths[key] = max(shown.paths.get(key, 0.0), min(1.0, score))


def _get_label(snapshot: GraphVersion, entity: int) -> str:
    opened = snapshots.open_snapshot(snapshot.path)
    return opened.get_entity_label(browse.require_entity(opened, entity))


def _require_sense(flag: NewFlag, label: str, right: Sequence[str], answers: Sequence[Answer]) -> None:
    """Refuse what nobody can mean, since analysts and trainings would take it at its word.

    Raises:
        InvalidError: see :func:`create_flag`.
    """
    if flag.kind == FlagKind.ANSWER_WRONG and label and label in right:
        raise InvalidError(f"“{label}” is called wrong and right at once.", hint="Leave it out of the right answers.")
    if flag.answer is None or flag.kind == FlagKind.PATH_WRONG:
        return
    was_given = flag.answer in {answer.entity.id for answer in answers if answer.entity is not None}
    if flag.kind == FlagKind.ANSWER_MISSING and was_given:
        raise InvalidError(f"The run gave the answer “{label}”.", hint="Name one that it did not give.")
    if flag.kind != FlagKind.ANSWER_MISSING and not was_given:
        raise InvalidError(
            f"The run did not give the answer “{label}”.",
            hint="Choose one of its answers, or flag this one as missing.",
        )


def _list_undoubted(flag: NewFlag, label: str, answers: Sequence[Answer]) -> list[str]:
    """The answers as far as nobody doubts them: what analysts measure paths by until they know better."""
    known = list(dict.fromkeys(answer.label for answer in answers))
    if flag.kind == FlagKind.ANSWER_WRONG:
        return [name for name in known if label and name != label]
    if flag.kind == FlagKind.ANSWER_MISSING and label and label not in known:
        return [*known, label]
    return known


def _list_right(flag: NewFlag, right: Sequence[str], answers: Sequence[Answer]) -> list[str]:
    """All right answers: where one is said to be missing, or all to be right, those that the run gave are right."""
    only_entities = all(
        answer.entity is not None for answer in answers
    )  # a number or a text is no entity to lead paths to
    called_right = flag.kind == FlagKind.ANSWER_RIGHT and flag.answer is None and only_entities
    counts = called_right or (right and flag.kind == FlagKind.ANSWER_MISSING)
    given_labels = [answer.label for answer in answers] if counts else []
    return list(dict.fromkeys([*given_labels, *right]))


def _write_remark(user: User, flag: NewFlag, label: str, chains: Sequence[EvidenceChain]) -> str:
    what = {
        FlagKind.ANSWER_WRONG: f"the answer {label} is wrong" if label else "the answer is wrong",
        FlagKind.PATH_WRONG: "the paths are not why",
        FlagKind.ANSWER_MISSING: f"the answer {label} is missing" if label else "an answer is missing",
        FlagKind.ANSWER_RIGHT: f"the answer {label} is right" if label else "the answers are right",
    }[FlagKind(flag.kind)]
    if flag.chain is not None:
        if flag.chain >= len(chains):
            raise InvalidError(f"The run has no chain {flag.chain}.", hint="Count its chains from 0.")
        steps = ", then ".join(
            step.label + (" (backward)" if step.inverse else "") for step in chains[flag.chain].steps
        )
        what = f"“{steps}” is not why" if flag.kind == FlagKind.PATH_WRONG else f"{what} (by “{steps}”)"
    if flag.kind == FlagKind.ANSWER_RIGHT:
        return f"Called right by {user.username}: {what}.{' ' + flag.comment if flag.comment else ''}"
    return f"Flagged by {user.username}: {what}.{' ' + flag.comment if flag.comment else ''}"
