"""Making webhooks, recording what they are to be told, and which of them are due."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone

from retrieval.errors import ConfigError
from webapp.accounts.models import User
from webapp.api.errors import ConflictError
from webapp.jobs import heartbeats, queue
from webapp.language_models import encryption
from webapp.uploads.remote_sources import require_host
from webapp.webhooks.models import TEST_EVENT, Delivery, DeliveryState, Webhook
from webapp.webhooks.payloads import build_payload, list_rows

WEBHOOKS_MAX = 20
"""Webhooks that a person may have."""

WAITING_MAX = 1000
"""Events that may wait for a webhook; with more it is turned off."""

OLD_SECRET_KEPT = timedelta(hours=24)
"""How long the secret before signs as well, so that receivers can take the new one meanwhile."""

NOT_SENT = "Webhooks may not be sent to"


def list_webhooks() -> QuerySet[Webhook]:
    """All of them, each with how many deliveries are ``waiting``."""
    return Webhook.objects.annotate(
        waiting=Count("deliveries", filter=Q(deliveries__state=DeliveryState.WAITING))
    ).order_by("-created_at", "-id")


def create_webhook(*, user: User, url: str, events: Sequence[str]) -> tuple[Webhook, str]:
    """A new webhook, and the secret that signs what is sent to it, which can be shown only now.

    Raises:
        NotAllowedError: the operator has not listed the host.
        ConflictError: the person has enough of them.
    """
    require_host(url, NOT_SENT)
    if Webhook.objects.filter(user=user).count() >= WEBHOOKS_MAX:
        raise ConflictError(f"You have {WEBHOOKS_MAX} webhooks already.", hint="Delete one that you do not need.")
    secret = _make_secret()
    row = Webhook.objects.create(user=user, url=url, events=sorted(events), encrypted_secret=encryption.encrypt(secret))
    return row, secret


def update_webhook(*, webhook: Webhook, **values: Any) -> None:
    """Change the address, the events, or whether it is on; what is turned on begins with what waits, at once.

    Raises:
        NotAllowedError: the operator has not listed the host.
    """
    if "url" in values:
        require_host(values["url"], NOT_SENT)
    if "events" in values:
        values["events"] = sorted(values["events"])
    if "enabled" in values:
        values.update(reason="", failures=0)
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(next_at=timezone.now(), **values)
        queue.enqueue(queue.DELIVER, webhook.pk)


def rotate_secret(*, webhook: Webhook) -> str:
    """Give a webhook another secret, which can be shown only now; the one before signs as well for a day."""
    secret = _make_secret()
    with transaction.atomic():
        row = Webhook.objects.select_for_update().get(pk=webhook.pk)
        try:
            encryption.decrypt(row.encrypted_secret)
            until = timezone.now() + OLD_SECRET_KEPT
        except ConfigError:  # it was stored with another secret key, and signs nothing any more
            until = None
        Webhook.objects.filter(pk=row.pk).update(
            encrypted_secret=encryption.encrypt(secret),
            encrypted_old_secret=row.encrypted_secret,
            old_secret_until=until,
        )
    return secret


def _make_secret() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def list_secrets(webhook: Webhook) -> list[str]:
    """The secrets that sign now, the latest first.

    Raises:
        ConfigError: they were stored with another secret key.
    """
    stored = [webhook.encrypted_secret]
    if webhook.old_secret_until is not None and webhook.old_secret_until > timezone.now():
        stored.append(webhook.encrypted_old_secret)
    return [encryption.decrypt(secret) for secret in stored]


def save_event(sender: type[Model], event: str, keys: Sequence[Any], **_: Any) -> None:
    """Keep an event for every webhook that asks for it and whose owner sees what it is about."""
    for webhook in Webhook.objects.filter(enabled=True, user__is_active=True, events__contains=[event]).order_by("pk"):
        rows = list(list_rows(sender, keys, webhook.user))
        if rows:
            _add(webhook, event, rows)


def _add(webhook: Webhook, event: str, rows: Sequence[Model]) -> list[Delivery]:
    """Append deliveries. The lock lets their numbers follow the order in which transactions are committed."""
    with transaction.atomic():
        if not Webhook.objects.select_for_update().filter(pk=webhook.pk, enabled=True).exists():
            return []
        waiting = Delivery.objects.filter(webhook=webhook, state=DeliveryState.WAITING).count()
        if waiting + len(rows) > WAITING_MAX:
            stop_webhook(webhook, f"More than {WAITING_MAX:,} events waited to be delivered.")
            return []
        queue.enqueue(queue.DELIVER, webhook.pk)
        return Delivery.objects.bulk_create(
            Delivery(webhook=webhook, model=row._meta.label_lower, key=str(row.pk), payload=build_payload(event, row))
            for row in rows
        )


def stop_webhook(webhook: Webhook, reason: str) -> None:
    """Stop sending to a webhook, and tell its owner why; what waits is kept."""
    Webhook.objects.filter(pk=webhook.pk).update(enabled=False, reason=reason)


def send_test(*, webhook: Webhook) -> Delivery:
    """Send an event that says nothing but that the webhook works.

    Raises:
        ConflictError: the webhook is off, or too much waits for it.
    """
    _require_enabled(webhook)
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(next_at=timezone.now())
        added = _add(webhook, TEST_EVENT, [webhook])
    if not added:
        raise ConflictError("The webhook was turned off.", hint="Its entry in the list says why.")
    return added[0]


def send_again(*, delivery: Delivery) -> None:
    """Send a delivery again, or now if it waits: the same event with the same id.

    Raises:
        ConflictError: the webhook is off.
    """
    _require_enabled(delivery.webhook)
    with transaction.atomic():
        Webhook.objects.filter(pk=delivery.webhook_id).update(next_at=timezone.now())
        Delivery.objects.filter(pk=delivery.pk).update(state=DeliveryState.WAITING)
        queue.enqueue(queue.DELIVER, delivery.webhook_id)
    delivery.state = DeliveryState.WAITING


def _require_enabled(webhook: Webhook) -> None:
    if not webhook.enabled:
        raise ConflictError("The webhook is off, so that nothing is sent.", hint="Turn it on first.")


def list_due(now: datetime) -> QuerySet[Webhook]:
    """Webhooks to which something can be sent now, and nobody does."""
    waiting = Delivery.objects.filter(webhook=OuterRef("pk"), state=DeliveryState.WAITING)
    free = Q(sending_until=None) | Q(sending_until__lt=now)
    return Webhook.objects.filter(free, Exists(waiting), enabled=True, user__is_active=True, next_at__lte=now)


def send_due() -> None:
    """Wake the workers for webhooks whose next attempt is due, or whose messages were lost. Twice is harmless."""
    due = list(list_due(timezone.now()).values_list("pk", flat=True))
    if len(due) > queue.count_waiting(heartbeats.JOBS):
        for key in due:
            queue.send(queue.DELIVER, key)
