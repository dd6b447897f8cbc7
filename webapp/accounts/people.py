"""Who may log in: making people, their roles, passwords and quotas, and sending them away.

A password that is made for somebody is shown once, to who asked for it, and opens nothing but the way to another one.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from webapp.accounts import throttling
from webapp.accounts.models import ApiToken, Role, User
from webapp.accounts.signals import person_changed
from webapp.api.errors import ConflictError, LastAdminError, NameTakenError

logger = logging.getLogger(__name__)

ONE_TIME_FOR = timedelta(days=7)
_LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that are taken for each other
_LENGTH = 16


def create(*, username: str, role: Role, quota: int | None, by: User) -> tuple[User, str]:
    """Make a person; they, and the password for their first login.

    Raises:
        NameTakenError: somebody has this name, perhaps in other capitals.
    """
    name = User.normalize_username(username)
    with transaction.atomic():
        list(User.objects.select_for_update().filter(role=Role.ADMIN))  # one at a time, for the name
        if User.objects.filter(username__iexact=name).exists():
            raise NameTakenError(f"There is a person named {name}.", hint="Choose another name.")
        person = User(username=name, role=role, quota=quota)
        password = _set_one_time_password(person)
        person.save(force_insert=True)
    logger.info("%s made the account %s (%s)", by.username, name, role)
    return person, password


def update_person(*, person: User, role: Role | None, quota: int | None, sets_quota: bool, by: User) -> User:
    """Change somebody's role (None: as it is), and, where ``sets_quota``, how much they may keep.

    Raises:
        LastAdminError: no administrator would be left.
    """
    with transaction.atomic():
        locked = _lock_person(person)
        if sets_quota:
            locked.quota = quota
            locked.save(update_fields=["quota"])
        if role is not None and role != locked.role:
            if role != Role.ADMIN:
                _require_another_admin(locked)
            locked.role = role
            locked.save(update_fields=["role"])
            _notify_changed(locked)
            logger.info("%s made %s %s", by.username, locked.username, role)
    return locked


def deactivate(*, person: User, by: User) -> User:
    """Let somebody in no more: sessions, sockets and tokens end, what they made stays.

    Raises:
        ConflictError: it is oneself.
        LastAdminError: no administrator would be left.
    """
    _require_other(person, by)
    with transaction.atomic():
        locked = _lock_person(person)
        _require_another_admin(locked)
        locked.is_active = False
        locked.set_unusable_password()  # another one is needed to come back, so no old session comes back with it
        locked.save(update_fields=["is_active", "password", "one_time_until"])
        _delete_tokens(locked)
    logger.info("%s deactivated %s", by.username, locked.username)
    return locked


def reset_password(*, person: User, by: User) -> tuple[User, str]:
    """Make a new password for somebody, and let them in again if they were deactivated; all that was open to them ends.

    Raises:
        ConflictError: it is oneself.
        LastAdminError: no administrator would be left who can log in meanwhile.
    """
    _require_other(person, by)
    with transaction.atomic():
        locked = _lock_person(person)
        _require_another_admin(locked)
        locked.is_active = True
        password = _set_one_time_password(locked)
        locked.save(update_fields=["is_active", "password", "one_time_until"])
        _delete_tokens(locked)
    throttling.clear_lock(locked.username)
    logger.info("%s made a password for %s", by.username, locked.username)
    return locked, password


def unlock(*, person: User, by: User) -> User:
    """Let people log in to an account again that wrong passwords have locked."""
    throttling.clear_lock(person.username)
    logger.info("%s lifted the log-in lock of %s", by.username, person.username)
    return person


def update_password(*, user: User, password: str) -> None:
    """Give oneself another password; the sessions and tokens that were made with the one before end.

    Raises:
        ValidationError: it is too weak, or the one before.
    """
    if user.check_password(password):
        raise ValidationError("This is the password that you have. Choose another one.")
    validate_password(password, user)
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password", "one_time_until"])
        _delete_tokens(user)


def _set_one_time_password(person: User) -> str:
    password = get_random_string(_LENGTH, _LETTERS)
    person.set_password(password)
    person.one_time_until = timezone.now() + ONE_TIME_FOR
    return password


def _lock_person(person: User) -> User:
    """The person's row as it is now, held with those of all administrators until the transaction ends."""
    list(User.objects.select_for_update().filter(role=Role.ADMIN).order_by("pk"))
    return User.objects.select_for_update().get(pk=person.pk)


def _require_other(person: User, by: User) -> None:
    if person.pk == by.pk:
        raise ConflictError("This is your own account.", hint="Change your own password on your account page.")


def _require_another_admin(person: User) -> None:
    """Refuse to take away the last administrator who has logged in and can do so again."""
    able = User.objects.filter(role=Role.ADMIN, is_active=True, one_time_until=None)
    if person.role == Role.ADMIN and not able.exclude(pk=person.pk).exists():
        raise LastAdminError(
            f"Without {person.username}, no administrator could log in.",
            hint="Make another administrator first, and let them choose a password.",
        )


def _delete_tokens(person: User) -> None:
    ApiToken.objects.filter(user=person).delete()
    _notify_changed(person)


def _notify_changed(person: User) -> None:
    person_changed.send(sender=User, person=person)
