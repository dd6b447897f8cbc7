"""Making, revoking and opening links."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from webapp.accounts.models import User
from webapp.accounts.services import hash_token
from webapp.answers.models import Run, RunState
from webapp.api.access import filter_visible
from webapp.api.errors import ConflictError, ForbiddenError, GoneError, InvalidError, LinkNotFoundError, RateLimitError
from webapp.api.network import get_network
from webapp.api.redis import get_redis_client
from webapp.sharing.models import SharedLink, SharingPolicy

LINKS_MAX = 200
"""Links that a person may have open."""

TURNS_MAX = 50
"""Questions of a conversation that a link shows, the last ones."""

NOTED_EVERY = timedelta(minutes=1)


def get_policy() -> SharingPolicy:
    """What administrators allow; the defaults at first."""
    return SharingPolicy.objects.filter(pk=1).first() or SharingPolicy(pk=1)


def update_policy(**values: bool) -> SharingPolicy:
    """Change what is named."""
    return SharingPolicy.objects.update_or_create(pk=1, defaults=values)[0]


def list_links() -> QuerySet[SharedLink]:
    """All that were not revoked, the newest first."""
    return SharedLink.objects.filter(revoked_at=None).select_related("run", "user")


def create_link(
    *, user: User, run: Run, conversation: bool, days: int | None, origins: Sequence[str]
) -> tuple[SharedLink, str]:
    """A new link, and its token, which can be shown only now.

    Args:
        run: one that the user may see.
        days: after how many days it ends; None where it does not.

    Raises:
        ConflictError: the run has no answer, or the person has enough links.
        ForbiddenError: administrators do not allow it.
        InvalidError: the run belongs to no conversation.
    """
    policy = get_policy()
    if not policy.enabled:
        raise ForbiddenError("Administrators have turned off sharing by link.", hint="Ask them to allow it.")
    if days is None and not policy.endless:
        raise ForbiddenError("Links must end.", hint="Choose after how many days.")
    if run.state != RunState.DONE or run.trial or run.retrieval:
        raise ConflictError("There is no answer to share yet.", hint="Wait until the question is answered.")
    if conversation and run.thread is None:
        raise InvalidError("This question belongs to no conversation.", hint="Share the answer alone.")
    now = timezone.now()
    unended = Q(expires_at=None) | Q(expires_at__gt=now)
    if list_links().filter(unended, user=user).count() >= LINKS_MAX:
        raise ConflictError(f"You have {LINKS_MAX} links already.", hint="Revoke one that you do not need.")
    token = secrets.token_urlsafe(32)
    row = SharedLink.objects.create(
        **{"user": user, "run": run, "conversation": conversation, "digest": hash_token(token)},
        origins=list(origins),
        expires_at=None if days is None else now + timedelta(days=days),
    )
    return row, token


def revoke_link(*, link: SharedLink) -> None:
    """Let nobody open it any more."""
    SharedLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now())


def count_opening(address: str) -> None:
    """Count that a client opens a link.

    Raises:
        RateLimitError: it has opened too many in a short time.
    """
    most, window = settings.LINKS_OPENED_OF_ADDRESS
    key = f"clew:shared:{get_network(address)}"
    with get_redis_client().pipeline(transaction=True) as pipe:
        pipe.set(key, 0, ex=window, nx=True)
        pipe.incr(key)
        pipe.ttl(key)
        _, count, left = pipe.execute()
    if count > most:
        wait = max(1, int(left))
        raise RateLimitError(
            "Too many links were opened from your network.",
            hint=f"Wait {wait} seconds and try again.",
            retry_after=wait,
        )


def find_link(token: str) -> SharedLink:
    """The link of a token, whether or not it may still be opened.

    Raises:
        LinkNotFoundError: there is none.
    """
    row = SharedLink.objects.select_related("user", "run__graph").filter(digest=hash_token(token)).first()
    if row is None:
        hint = "It may be mistyped or cut off, or what it showed was deleted. Ask whoever sent it."
        raise LinkNotFoundError("There is no such link.", hint=hint)
    return row


def list_shown_runs(link: SharedLink) -> list[Run]:
    """The answered questions that a link shows, oldest first. That it was opened is noted once a minute.

    Raises:
        GoneError: it has ended, or whoever made it may not see the answer any more.
    """
    now = timezone.now()
    if link.revoked_at is not None:
        raise GoneError("This link was revoked.", hint="Ask whoever sent it for another one.")
    if link.expires_at is not None and link.expires_at <= now:
        raise GoneError("This link has expired.", hint="Ask whoever sent it for another one.")
    if not get_policy().enabled:
        raise GoneError("Sharing by link is turned off here.", hint="Ask whoever sent you the link.")
    runs = _list_visible(link, {"pk": link.run_id})
    if link.conversation and runs:
        runs = _list_visible(link, {"thread": link.run.thread, "created_at__lte": link.run.created_at})
    if not runs:
        raise GoneError("This answer is not shared any more.", hint="Ask whoever sent you the link.")
    if link.opened_at is None or now - link.opened_at > NOTED_EVERY:
        SharedLink.objects.filter(pk=link.pk).update(opened_at=now)
    return runs


def _list_visible(link: SharedLink, which: dict[str, Any]) -> list[Run]:
    """The answered ones of some runs that the link's maker may see now."""
    if not link.user.is_active:
        return []
    rows = Run.objects.filter(state=RunState.DONE, trial=False, retrieval=False, **which)
    rows = filter_visible(rows, link.user).select_related("graph").order_by("-created_at", "-pk")
    return list(rows[:TURNS_MAX])[::-1]
