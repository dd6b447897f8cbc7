"""Answering only where few answers are wrong: the limit of a graph, and the calibrations that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from retrieval.errors import ClewError
from retrieval.metrics.guarantee import CalibrationAnswer, Guarantee, check_limit, find_guarantee
from webapp.accounts.models import User
from webapp.experiments import methods, resolution
from webapp.experiments.models import Calibration, ErrorLimit
from webapp.graphs import announce, snapshots
from webapp.graphs.models import Graph, GraphVersion
from webapp.jobs import log
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job, JobKind


def get_limit(graph: Graph) -> int | None:
    """Answers of 100 that may be wrong; None without a limit."""
    return ErrorLimit.objects.filter(graph=graph).values_list("at_most_wrong", flat=True).first()


def set_limit(*, graph: Graph, at_most_wrong: int | None, user: User) -> None:
    """Set or remove the limit of a graph, and calibrate what answers it where that was not done.

    Raises:
        ConfigError: the limit is out of range.
        NotImportedError, GraphNotReadyError: the graph has no version here.
    """
    if at_most_wrong is not None:
        check_limit(at_most_wrong)
        snapshots.require_current(graph)
    with transaction.atomic():
        if at_most_wrong is None:
            ErrorLimit.objects.filter(graph=graph).delete()
            for job in _list_active(graph):
                jobs.stop(job)
        else:
            ErrorLimit.objects.update_or_create(graph=graph, defaults={"at_most_wrong": at_most_wrong, "set_by": user})
            start_calibration(graph=graph, user=user)
        announce.notify_graph_on_commit(graph.pk)


def start_calibration(*, graph: Graph, user: User | None, anew: bool = False) -> Job | None:
    """Queue the calibration of what answers a graph's current version; None where it was done, unless ``anew``.

    One of an earlier version or checkpoint is stopped: nobody wants its result any more.

    Raises:
        NotImportedError, GraphNotReadyError: the graph has no version here.
    """
    with transaction.atomic():
        graph = Graph.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=graph.pk)
        version = snapshots.require_current(graph)
        method, checkpoint = resolution.resolve_method_and_checkpoint(graph, None, None)
        what = {
            "snapshot": version.hash,
            "method": method,
            "checkpoint": checkpoint.pk if checkpoint else None,
            "fingerprint": checkpoint.fingerprint if checkpoint else "",
        }
        for job in _list_active(graph):
            if job.params == what:
                return job
            log.write(job.pk, "Another version or checkpoint answers by now, and is calibrated in its place.")
            jobs.stop(job)
        if not anew and find_calibration(graph, version.hash, method, str(what["fingerprint"])) is not None:
            return None
        return jobs.create(
            kind=JobKind.CALIBRATE,
            title=f"Calibrate the limit on wrong answers of {graph.name}",
            graph=graph,
            user=user,
            params=what,
        )


def calibrate_where_limited(*, graph: Graph, user: User | None) -> None:
    """Calibrate what answers from now on, where the graph has a limit. What cannot start costs nobody the rest."""
    if get_limit(graph) is not None:
        try:
            start_calibration(graph=graph, user=user)
        except ClewError:  # the graph is being imported; its index starts it
            return


def find_active(graph: Graph) -> Job | None:
    """The calibration that waits or runs."""
    return next(iter(_list_active(graph)), None)


def find_calibration(graph: Graph, snapshot_hash: str, method: str, fingerprint: str) -> Calibration | None:
    """That of a version, a method and a checkpoint."""
    return Calibration.objects.filter(
        graph=graph, snapshot__hash=snapshot_hash, method=method, fingerprint=fingerprint
    ).first()


def save_calibration(
    *, version: GraphVersion, method: str, fingerprint: str, answers: Sequence[CalibrationAnswer]
) -> None:
    """Keep what was learned of a version."""
    rows = [[answer.confidence, answer.right, answer.reviewed] for answer in answers]
    Calibration.objects.update_or_create(
        snapshot=version, method=method, fingerprint=fingerprint, defaults={"graph": version.graph, "answers": rows}
    )
    announce.notify_graph_on_commit(version.graph_id)


def compute_guarantee(calibration: Calibration, at_most_wrong: int) -> Guarantee:
    """What a calibration found for a limit."""
    return find_guarantee([CalibrationAnswer(*row) for row in calibration.answers], at_most_wrong)


def find_run_guarantee(
    *, graph: Graph, snapshot_hash: str, method: str, fingerprint: str, reasoner: str, changed: bool, at_most_wrong: int
) -> Guarantee | None:
    """What is known of the answers of a run or report; None where nothing is calibrated that answers as it does.

    Args:
        fingerprint: of the checkpoint, empty without one.
        reasoner: calibrations are of the extractive one.
        changed: settings of the method differ from its defaults, with which it was calibrated.
        at_most_wrong: of 100 answers.
    """
    if reasoner != methods.REASONERS[0] or changed:
        return None
    calibration = find_calibration(graph, snapshot_hash, method, fingerprint)
    return None if calibration is None else compute_guarantee(calibration, at_most_wrong)


def _list_active(graph: Graph) -> list[Job]:
    return list(Job.objects.filter(graph=graph, kind=JobKind.CALIBRATE, state__in=ACTIVE))
