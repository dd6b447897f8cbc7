"""Who may stop, change or delete what somebody made: the one place that decides.

Who may *see* a graph, and with it all that was made of it, is decided by ``webapp.graphs.access``; what a role may do
at all by ``webapp.api.permissions``; what a token may be used for by ``webapp.accounts.scopes``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model

from webapp.accounts.models import Role, User
from webapp.api.errors import ForbiddenError


@dataclass(frozen=True, slots=True)
class Ties:
    """How a row leads to whoever manages it.

    Attributes:
        owner: the way to its owner's id.
        graph: the way to the graph whose owner manages it as well; empty where that makes no difference.
        name: what people call it.
    """

    owner: str
    graph: str
    name: str


TIES = {
    "graphs.graph": Ties("owner_id", "", "graph"),
    # A question is its asker's own, also on somebody else's graph.
    "answers.run": Ties("user_id", "", "run"),
    "jobs.job": Ties("user_id", "graph", "job"),
    "questions.questionset": Ties("created_by_id", "graph", "question set"),
    "experiments.checkpoint": Ties("job.user_id", "graph", "checkpoint"),
    "experiments.labelset": Ties("created_by_id", "graph", "label set"),
    "experiments.trajectoryset": Ties("created_by_id", "graph", "trajectory set"),
    "experiments.report": Ties("created_by_id", "graph", "report"),
    "review.queue": Ties("created_by_id", "graph", "queue"),
}
"""Everything that belongs to somebody. What is not named here cannot be managed by anybody, by mistake or otherwise."""


def may_manage(user: User | AnonymousUser, thing: Model) -> bool:
    """Whether a user may stop, change and delete something: its owner, its graph's owner, and administrators.

    Owning a graph counts only for analysts: who was made a viewer may look at it and ask.
    """
    if not isinstance(user, User) or not user.is_active:
        return False
    ties = TIES[thing._meta.label_lower]
    if user.has_role(Role.ADMIN):
        return True
    needed = Role.ANALYST if ties.name == "graph" else Role.VIEWER
    owner = _reach(thing, ties.owner)
    if owner is not None and owner == user.pk and user.has_role(needed):
        return True
    return bool(ties.graph) and may_manage(user, _reach(thing, ties.graph))


def require_manager(user: User | AnonymousUser, thing: Model) -> None:
    """Refuse to stop, change or delete what is another's.

    Raises:
        ForbiddenError: the user may not (:func:`may_manage`).
    """
    if not may_manage(user, thing):
        ties = TIES[thing._meta.label_lower]
        others = (
            "its owner, the graph's owner or an administrator"
            if ties.graph
            else "its owner or an administrator"
        )
        raise ForbiddenError(f"This {ties.name} is somebody else's.", hint=f"Ask {others}.")


def _reach(thing: Any, way: str) -> Any:
    """What lies at the end of a way such as ``job.user_id``; None where it breaks off."""
    return reduce(lambda at, name: None if at is None else getattr(at, name), way.split("."), thing)
