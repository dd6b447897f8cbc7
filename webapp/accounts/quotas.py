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


def compute_usage(user: User) -> int:
    """Bytes that count against a user's quota: their files, versions, questions, and uploads as long as announced."""
    return sum(
        counted.model._base_manager.filter(**{counted.owner: user}).aggregate(n=Sum(counted.size))["n"] or 0
        for counted in _counted
    )


def compute_usage_by_user() -> dict[int, int]:
    """The same of everybody who keeps anything, by the user's id."""
    usage: Counter[int] = Counter()
    for counted in _counted:
        rows = counted.model._base_manager.exclude(**{counted.owner: None}).order_by()
        usage.update(dict(rows.values_list(counted.owner).annotate(n=Sum(counted.size))))
    return usage


def get_default_quota() -> int | None:
    """Bytes that each user may take of whom nothing else is said; None for no limit."""
    limit: float | None = settings.CLEW.quota_gb
    return None if limit is None else int(limit * GB)


def get_quota(user: User) -> int | None:
    """Bytes that a user may take; None for no limit."""
    return get_default_quota() if user.quota is None else user.quota


def require_room(user: User, more: int) -> None:
    """Refuse what would take a user over the quota.

    Raises:
        QuotaError: it would.
    """
    limit = get_quota(user)
    if limit is not None and compute_usage(user) + more > limit:
        raise QuotaError(
            f"You may keep {limit / GB:g} GB, and have {compute_usage(user) / GB:.2g} GB; {more / GB:.2g} GB more "
            "is too much.",
            hint="Delete versions, graphs, question sets or uploads that you do not need for good, or ask an "
            "administrator for more.",
        )
