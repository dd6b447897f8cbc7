"""What is the matter with the installation just now, as everybody may know it: no paths, no addresses, no secrets."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

from redis.exceptions import RedisError

from retrieval.kg.readers.catalog import load_plugin_formats
from retrieval.methods.registry import load_plugin_methods
from webapp.accounts.models import Role, User
from webapp.accounts.quotas import GB
from webapp.graphs import snapshots, storage
from webapp.graphs.selectors import list_visible_graphs
from webapp.jobs import heartbeats
from webapp.project.env import COMMAND

logger = logging.getLogger(__name__)
#: Less free disk than this and imports begin to fail.
FREE_MIN = 2 * GB
_OPERATOR = f"Whoever runs Clew finds out more with `{COMMAND} doctor`."


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that does not work as it should. ``code`` is ``queue``, ``workers``, ``disk``, ``graph`` or
    ``plugin``.
    """

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Health:
    """Living workers by queue, None while that cannot be told; and what is the matter."""

    workers: dict[str, int] | None
    troubles: list[dict[str, str]]


def check_health(user: User) -> Health:
    """How things are, for a user. PostgreSQL answers, or nobody could ask."""
    workers = _count_workers()
    troubles = [*_check_workers(workers), *_check_disk(user), *_check_graphs(user), *_check_plugins(user)]
    return Health(workers, [asdict(trouble) for trouble in troubles])


def _count_workers() -> dict[str, int] | None:
    try:
        return {queue: heartbeats.count(queue) for queue in (heartbeats.ANSWERS, *heartbeats.JOB_QUEUES)}
    except (RedisError, OSError):
        logger.warning("Redis is not reachable", exc_info=True)
        return None


def _check_workers(workers: dict[str, int] | None) -> list[Trouble]:
    kept = "What is asked now is kept and begins by itself."
    if workers is None:
        return [Trouble("queue", "The queue (Redis) is not reachable just now.", kept)]
    words = {
        heartbeats.ANSWERS: "No worker for answers is running: questions wait.",
        heartbeats.JOBS: "No worker for jobs is running: imports wait.",
        heartbeats.LONG: "No worker for long jobs is running: training and evaluations wait.",
    }
    return [Trouble("workers", words[queue], kept) for queue, count in workers.items() if not count]


def _check_disk(user: User) -> list[Trouble]:
    free = storage.get_free_bytes()
    if free >= FREE_MIN:
        return []
    left = f": {free / GB:.1f} GB are left" if user.has_role(Role.ADMIN) else ""
    hint = "Delete versions, graphs or uploads that nobody needs, or ask an administrator to."
    return [Trouble("disk", f"The server's disk is nearly full{left}.", hint)]


def _check_graphs(user: User) -> list[Trouble]:
    damaged = snapshots.list_damaged()
    if not damaged:
        return []
    names = list_visible_graphs(user).filter(snapshot__path__in=damaged).order_by("name").values_list("name", flat=True)
    hint = f"Go back to another version of it, or import it again. {_OPERATOR}"
    return [Trouble("graph", f"The files of the graph {name} are damaged.", hint) for name in names[:10]]


def _check_plugins(user: User) -> list[Trouble]:
    """Methods and formats that administrators installed and nobody can use; the other groups are loaded by workers."""
    if not user.has_role(Role.ADMIN):
        return []
    plugins = [*load_plugin_methods(), *load_plugin_formats()]
    return [
        Trouble("plugin", f"The plug-in {plugin.name} is not used: {plugin.problem}", f"Repair {plugin.package}.")
        for plugin in plugins
        if plugin.problem
    ]
