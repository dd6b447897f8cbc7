"""How much a person keeps, and how much they may: apps say which of their rows count."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Model, Sum

from webapp.accounts.models import User
from webapp.api.errors import QuotaError

GB = 10**9


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows that count against quotas, also those in the trash.

    Attributes:
        model: their model.
        owner: the way to whom they count for.
        size: the column of their bytes.
    """

    model: type[Model]
    owner: str
    size: str


_counted: list[Counted] = []


def count(model: type[Model], *, owner: str, size: str) -> None:
    """Count the rows of a model from now on."""
    _counted.append(Counted(model, owner, size))


def of_user(user: User) -> int:
    """Bytes that count against a user's quota: their files, versions, questions, and uploads as long as announced."""
    return sum(
        one.model._base_manager.filter(**{one.owner: user}).aggregate(n=Sum(one.size))["n"] or 0
        for one in _counted
    )


def of_users() -> dict[int, int]:
    """The same of everybody who keeps anything, by the user's id."""
    found: Counter[int] = Counter()
    for one in _counted:
        rows = one.model._base_manager.exclude(**{one.owner: None}).order_by()
        found.update(dict(rows.values_list(one.owner).annotate(n=Sum(one.size))))
    return found


def quota() -> int | None:
    """Bytes that each user may take of whom nothing else is said; None for no limit."""
    limit: float | None = settings.CLEW.quota_gb
    return None if limit is None else int(limit * GB)


def quota_of(user: User) -> int | None:
    """Bytes that a user may take; None for no limit."""
    return quota() if user.quota is None else user.quota


def require_room(user: User, more: int) -> None:
    """Refuse what would take a user over the quota.

    Raises:
        QuotaError: it would.
    """
    limit = quota_of(user)
    if limit is not None and of_user(user) + more > limit:
        raise QuotaError(
            f"You may keep {limit / GB:g} GB, and have {of_user(user) / GB:.2g} GB; {more / GB:.2g} GB more "
            "is too much.",
            hint="Delete versions, graphs, question sets or uploads that you do not need for good, or ask an "
            "administrator for more.",
        )
