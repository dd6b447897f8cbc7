"""Who may stop, change or delete what somebody made: the one place that decides, by what models say of themselves.

Who may *see* it, its model says as well (:mod:`webapp.api.access`); what a role may do at all is decided by
``webapp.accounts.permissions``, which applies this rule to every row that a view changes; what a token may be used for
by ``webapp.accounts.scopes``.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from webapp.accounts.models import Role, User
from webapp.api.access import AccessControlled, Person
from webapp.api.errors import ForbiddenError


def can_manage(user: Person, thing: AccessControlled) -> bool:
    """Whether a user may stop, change and delete something: its owner, its graph's owner, and administrators."""
    if not isinstance(user, User) or not user.is_active or not (thing.owner_path or thing.managed_through):
        return False
    if user.has_role(Role.ADMIN):
        return True
    owner = _resolve_path(thing, thing.owner_path) if thing.owner_path else None
    if owner is not None and owner == user.pk and user.has_role(Role(thing.owner_role)):
        return True
    return bool(thing.managed_through) and can_manage(user, _resolve_path(thing, thing.managed_through))


def require_manager(user: Person, thing: AccessControlled) -> None:
    """Refuse to stop, change or delete what is another's.

    Raises:
        ForbiddenError: the user may not (:func:`can_manage`).
    """
    if not can_manage(user, thing):
        owners = [
            *(["its owner"] if thing.owner_path else []),
            *(["the graph's owner"] if thing.managed_through else []),
        ]
        raise ForbiddenError(
            f"This {thing._meta.verbose_name} is somebody else's.",
            hint=f"Ask {', '.join(owners)} or an administrator.",
        )


def _resolve_path(thing: Any, way: str) -> Any:
    """What lies at the end of a way such as ``job.user_id``; None where it breaks off."""
    return reduce(lambda value, name: None if value is None else getattr(value, name), way.split("."), thing)
