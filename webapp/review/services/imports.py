"""Taking verdicts from files into a queue: what can be used goes in, what cannot is told by its line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.db import transaction

from retrieval.kg.snapshot import Snapshot
from webapp.accounts.models import Role, User
from webapp.api.errors import ForbiddenError, InvalidError
from webapp.graphs import snapshots
from webapp.review.domain import consensus, counters, relation_paths
from webapp.review.domain.annotation import Annotation, VerdictData
from webapp.review.models import (
    CandidatePath,
    CurrentAnnotation,
    EventKind,
    Item,
    Queue,
    QueueKind,
    Submission,
    Verdict,
    VerdictKind,
)
from webapp.review.services import added_paths, submissions
from webapp.review.services.exports import NO_PATH
from webapp.review.services.queues import hash_item
from webapp.review.services.verdict_files import BadLine, Line

BATCH = 500
"""Questions of one transaction: those who judge meanwhile wait for no more."""
PROBLEMS_MAX = 1000

T = TypeVar("T")
PathKey = tuple[str, relation_paths.Path]
ByAnalyst = dict[str, list[Line]]


@dataclass(slots=True)
class ImportResult:
    """What a file brought.

    Attributes:
        undo: id under which all of it can be taken back.
        read: lines.
        verdicts: those that did not count before; a question judged without a path is one.
        added_paths: paths that the questions did not have.
        problems: lines that could not be used, the first of them.
        problems_total: how many these are.
    """

    undo: UUID = field(default_factory=uuid4)
    read: int = 0
    verdicts: int = 0
    added_paths: int = 0
    problems: list[dict[str, object]] = field(default_factory=list)
    problems_total: int = 0

    def add_problem(self, line: Line | BadLine, message: str) -> None:
        """Tell why a line was not used."""
        self.problems_total += 1
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append({"line": line.number, "message": message, "text": line.text})


def import_verdicts(*, queue: Queue, user: User, lines: Iterable[Line | BadLine], name: str = "") -> ImportResult:
    """Take verdicts into a queue, by events. What counts already is not recorded again.

    A verdict on a path that the question does not have adds the path. Verdicts on some paths of a question leave what
    the analyst said of its others as it was; either way they have judged it.

    Args:
        queue: which is filled.
        name: whose verdicts they are; empty for the names in the file, and the one who imports where it has none.

    Raises:
        ConflictError: the queue is not filled yet.
        ForbiddenError: verdicts of others are imported by an administrator only.
        InvalidError: there is no such analyst, or the queue is of programs.
    """
    queue.require_done()
    added_paths.require_kind(queue, QueueKind.PATHS)
    result = ImportResult()
    by_question = _group_lines(lines, name or user.username, use_name=bool(name), result=result)
    accounts = _find_accounts({who for analyst_lines in by_question.values() for who in analyst_lines}, user, name)
    items = _find_items(queue, by_question)
    work: dict[int, ByAnalyst] = {}
    for question, by_analyst in by_question.items():
        if question in items:
            work[items[question]] = by_analyst
        else:
            for line in (line for analyst_lines in by_analyst.values() for line in analyst_lines):
                result.add_problem(line, f"There is no question {question[:200]} in this queue.")
    for keys in split_chunks(sorted(work)):
        _Chunk(queue, user, accounts, result).take({key: work[key] for key in keys})
    result.problems.sort(key=lambda problem: int(str(problem["line"])))
    return result


def _group_lines(
    lines: Iterable[Line | BadLine], name: str, *, use_name: bool, result: ImportResult
) -> dict[str, ByAnalyst]:
    by_question: dict[str, ByAnalyst] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        result.read += 1
        if isinstance(line, BadLine):
            result.add_problem(line, line.message)
        else:
            by_question[line.question][name if use_name else line.analyst or name].append(line)
    return by_question


def _find_accounts(names: set[str], user: User, name: str) -> dict[str, User]:
    """The accounts of those whose verdicts come; one that is gone has none, and its verdicts come all the same."""
    if names - {user.username} and not user.has_role(Role.ADMIN):
        raise ForbiddenError(
            f"Verdicts of {min(names - {user.username})} are imported by an administrator only.",
            hint=f"Import them as your own: as={user.username}.",
        )
    accounts = {account.username: account for account in User.objects.filter(username__in=names)}
    if name and name not in accounts and names:
        raise InvalidError(f"There is no user {name[:150]}.", hint="Choose one who has an account.")
    return accounts


def _find_items(queue: Queue, questions: Iterable[str]) -> dict[str, int]:
    item_ids: dict[str, int] = {}
    for keys in split_chunks(list(questions), 5000):
        item_ids.update(queue.rows.filter(key__in=keys).order_by("-position").values_list("key", "pk"))
    return item_ids


def split_chunks(values: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Consecutive pieces of a sequence."""
    for first in range(0, len(values), size):
        yield values[first : first + size]


class _Chunk:
    """One transaction of an import."""

    def __init__(self, queue: Queue, user: User, accounts: Mapping[str, User], result: ImportResult) -> None:
        self._queue, self._user, self._accounts, self._found = queue, user, accounts, result
        self._snapshot: Snapshot = snapshots.open_snapshot(queue.snapshot.path)
        self._events: list[Submission] = []
        self._grown: set[int] = set()
        self._verdicts: list[Verdict] = []
        self._before: Counter[counters.Key] = Counter()
        self._after: Counter[counters.Key] = Counter()

    def take(self, work: Mapping[int, ByAnalyst]) -> None:
        """Take the verdicts on some items, by item and analyst."""
        with transaction.atomic():
            added_paths.lock_queue(self._queue.pk)
            items = self._lock_items(work)
            paths = self._collect_paths(items, work)
            held = consensus.load_annotations(item.pk for item in items)
            changed = [item for item in items if self._apply_verdicts(item, work[item.pk], paths[item.pk], held)]
            Submission.objects.bulk_create(self._events)
            Verdict.objects.bulk_create(self._verdicts, batch_size=2000)
            self._set_current(held)
            consensus.save_items(changed)
            counters.add(self._queue.pk, self._user.username, self._before, self._after)

    def _lock_items(self, work: Mapping[int, ByAnalyst]) -> list[Item]:
        """The items that nothing decided, locked in one order."""
        rows = Item.objects.select_for_update(of=("self",)).select_related("queue", "queue__snapshot")
        items = list(rows.filter(pk__in=work).order_by("pk"))
        for item in items:
            if item.settled or item.adjudicated_id is not None:
                for line in (line for analyst_lines in work[item.pk].values() for line in analyst_lines):
                    self._found.add_problem(line, f"The question {item.key} was decided and takes no more verdicts.")
        return [item for item in items if not item.settled and item.adjudicated_id is None]

    def _collect_paths(
        self, items: Sequence[Item], work: Mapping[int, ByAnalyst]
    ) -> dict[int, dict[PathKey, CandidatePath]]:
        """The paths of the items, with those that only the file has; what is no path is not among them."""
        there: dict[int, dict[PathKey, CandidatePath]] = {item.pk: {} for item in items}
        for candidate in CandidatePath.objects.filter(item__in=items).order_by("item", "position"):
            there[candidate.item_id][candidate.topic, candidate.as_path] = candidate
        for item in items:
            fresh = self._add_missing_paths(item, work[item.pk], there[item.pk])
            if not fresh:
                continue
            there[item.pk].update({(candidate.topic, candidate.as_path): candidate for candidate in fresh})
            item.shown = hash_item(item, [candidate for candidate in there[item.pk].values() if not candidate.retired])
            for candidate in fresh:
                self._create_event(item, self._user.username, EventKind.ADDED_PATH).path = candidate
            self._found.added_paths += len(fresh)
            self._grown.add(item.pk)
        return there

    def _add_missing_paths(
        self, item: Item, by_analyst: ByAnalyst, there: Mapping[PathKey, CandidatePath]
    ) -> list[CandidatePath]:
        """Paths of the file that the item lacks or that were taken back, stored."""
        wanted: dict[PathKey, str] = {}
        for name, lines in by_analyst.items():
            for line in lines:
                if line.path is not None:
                    wanted.setdefault((line.topic, line.path), name)
        again = [candidate for key in wanted if (candidate := there.get(key)) is not None and candidate.retired]
        for candidate in again:
            candidate.retired = False
            candidate.save(update_fields=["retired"])
        new = {key: name for key, name in wanted.items() if key not in there}
        return [
            *again,
            *(self._save_paths(item, new, added_paths.CANDIDATES_MAX - len(there)) if new else ()),
        ]

    def _save_paths(self, item: Item, new: Mapping[PathKey, str], room: int) -> list[CandidatePath]:
        """Store paths, by who says something of them first; what cannot be walked is left out."""
        answers = relation_paths.find_answers(self._snapshot, item)
        made: list[dict[str, Any]] = []
        authors: list[str] = []
        for (topic, path), name in new.items():
            walked = relation_paths.walk(self._snapshot, topic, path, simple=item.avoids_topics)
            if walked.error is None and len(made) < room:
                made.append(added_paths.build_fields(self._snapshot, topic, path, walked.end, answers))
                authors.append(name)
        return added_paths.save_candidates(item, made, authors)

    def _apply_verdicts(
        self,
        item: Item,
        by_analyst: ByAnalyst,
        paths: Mapping[PathKey, CandidatePath],
        held: dict[int, list[Annotation]],
    ) -> bool:
        """Record what each analyst says of an item; whether anything of it changed."""
        before = held.get(item.pk, [])
        after = list(before)
        for name, lines in by_analyst.items():
            mine = next((annotation for annotation in after if annotation.analyst == name), None)
            verdicts = self._merge_verdicts(item, lines, paths, mine)
            new = [verdict for verdict in verdicts if mine is None or verdict not in mine.verdicts]
            without_path = mine is None and any(line.kind == NO_PATH for line in lines)
            if not new and not without_path:
                continue
            self._found.verdicts += len(new) or 1
            event = self._create_event(item, name, EventKind.IMPORTED)
            event.replaces_id = mine.event if mine else None
            self._verdicts += submissions.build_verdicts(event, verdicts)
            account = self._accounts.get(name)
            now = Annotation(name, account.pk if account else None, None, event.pk, tuple(verdicts))
            after = submissions.replace_annotation(after, mine, now)
        if after != before:
            self._before.update(counters.count_item(item, before))
            consensus.apply(item, after)
            self._after.update(counters.count_item(item, after))
            held[item.pk] = after
        elif item.pk in self._grown:
            item.version += 1
        return after != before or item.pk in self._grown

    def _merge_verdicts(
        self,
        item: Item,
        lines: Sequence[Line],
        paths: Mapping[PathKey, CandidatePath],
        mine: Annotation | None,
    ) -> list[VerdictData]:
        """What an analyst says of an item with what the file has; of one path said twice, the later counts."""
        if lines[-1].kind == VerdictKind.BROKEN:
            return [VerdictData(None, VerdictKind.BROKEN, lines[-1].reasons, lines[-1].comment)]
        verdicts = (
            {verdict.candidate: verdict for verdict in mine.verdicts if verdict.candidate is not None} if mine else {}
        )
        for line in lines:
            if line.path is None:
                continue
            path = paths.get((line.topic, line.path))
            if path is None:
                walked = relation_paths.walk(self._snapshot, line.topic, line.path, simple=item.avoids_topics)
                self._found.add_problem(line, walked.error.message if walked.error else "There are too many paths.")
            else:
                verdicts[path.pk] = VerdictData(path.pk, line.kind, line.reasons, line.comment)
        return list(verdicts.values())

    def _create_event(self, item: Item, name: str, kind: EventKind) -> Submission:
        event = Submission(
            id=uuid4(),
            queue_id=item.queue_id,
            item=item,
            kind=kind,
            analyst=self._accounts.get(name, self._user if name == self._user.username else None),
            analyst_name=name,
            shown=item.shown,
            comment=f"Imported by {self._user.username}.",
            batch=self._found.undo,
        )
        self._events.append(event)
        return event

    def _set_current(self, held: Mapping[int, Sequence[Annotation]]) -> None:
        new = {event.pk: event for event in self._events if event.kind == EventKind.IMPORTED}
        rows: list[CurrentAnnotation] = []
        moved: list[CurrentAnnotation] = []
        for annotation in (
            item_annotation
            for item_annotations in held.values()
            for item_annotation in item_annotations
            if item_annotation.event in new
        ):
            event = new[annotation.event]
            row = CurrentAnnotation(
                pk=annotation.current,
                queue_id=event.queue_id,
                item_id=event.item_id,
                analyst_id=event.analyst_id,
                submission=event,
            )
            (rows if annotation.current is None else moved).append(row)
        CurrentAnnotation.objects.bulk_create(rows)
        CurrentAnnotation.objects.bulk_update(moved, ["submission"])
