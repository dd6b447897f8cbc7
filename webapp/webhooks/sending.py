"""Sending what waits for a webhook, in order, signed as https://www.standardwebhooks.com says."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from retrieval.errors import ConfigError
from webapp.api.concurrency import release_connection
from webapp.api.errors import NotAllowedError
from webapp.uploads.remote_sources import require_host
from webapp.webhooks import services
from webapp.webhooks.models import Delivery, DeliveryState, Webhook
from webapp.webhooks.payloads import MODELS, list_rows

DELAYS_S = tuple(5 * 4**attempt for attempt in range(8))
"""How long the attempts after the first wait: 30 hours in all. A webhook whose last attempt fails is turned off."""

ATTEMPTS_KEPT = 20
LOG_MAX = 200
"""Ended deliveries that are kept of each webhook."""

RESPONSE_BYTES = 1000
"""Bytes of a response that are read and kept."""

AT_ONCE = 2
"""Webhooks that are sent to at the same time: the others' threads are for jobs."""

TURN_S = 20.0
"""How long one task goes on with new deliveries."""

CLAIM = timedelta(minutes=2)
"""How long a worker has a webhook for itself; longer than a turn with its last attempt."""

GONE = 410
_UNQUOTED = "%/:=&?~+!$,;'@()*[]"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request: when it began, the response's status and beginning, how long it took, and why it failed."""

    started_at: str
    status: int | None
    ms: float
    response: str = ""
    error: str = ""


def send_waiting(key: int) -> None:
    """Send what waits for a webhook, the oldest first, until an attempt fails; nothing where another worker does so."""
    if not _claim(key):
        return
    until = time.monotonic() + TURN_S
    waiting = Delivery.objects.select_related("webhook__user").order_by("pk")
    waiting = waiting.filter(webhook=key, state=DeliveryState.WAITING, webhook__enabled=True)
    try:
        while time.monotonic() < until and (delivery := waiting.first()) is not None:
            if not _send_delivery(delivery):
                break
    finally:
        Webhook.objects.filter(pk=key).update(sending_until=None)
    ended = Delivery.objects.filter(webhook=key).exclude(state=DeliveryState.WAITING).order_by("-pk")
    Delivery.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[LOG_MAX:])).delete()


def _claim(key: int) -> bool:
    now = timezone.now()
    if Webhook.objects.filter(sending_until__gte=now).count() >= AT_ONCE:
        return False
    if not services.list_due(now).filter(pk=key).exists():
        return False
    free = Q(sending_until=None) | Q(sending_until__lt=now)
    return bool(Webhook.objects.filter(free, pk=key).update(sending_until=now + CLAIM))


def _send_delivery(delivery: Delivery) -> bool:
    """Whether the next one can be sent: this one arrived, or its owner does not see any more what it is about."""
    webhook = delivery.webhook
    if not list_rows(MODELS[delivery.model], [delivery.key], webhook.user).exists():
        Delivery.objects.filter(pk=delivery.pk).update(state=DeliveryState.DROPPED)
        return True
    attempt = _send(webhook, delivery.payload)
    attempts = [*delivery.attempts, asdict(attempt)][-ATTEMPTS_KEPT:]
    rows, webhooks = Delivery.objects.filter(pk=delivery.pk), Webhook.objects.filter(pk=webhook.pk)
    with transaction.atomic():
        if not attempt.error:
            rows.update(state=DeliveryState.DELIVERED, attempts=attempts)
            webhooks.update(failures=0)
            return True
        failures = webhook.failures + 1
        if attempt.status == GONE or failures > len(DELAYS_S):
            rows.update(state=DeliveryState.FAILED, attempts=attempts)
            times = "once" if failures == 1 else f"{failures} times in a row"
            services.stop_webhook(webhook, f"Sending failed {times}: {attempt.error}")
        else:
            rows.update(attempts=attempts)
            delay = timedelta(seconds=DELAYS_S[failures - 1])
            webhooks.update(failures=failures, next_at=timezone.now() + delay)
    return False


def _send(webhook: Webhook, payload: dict[str, Any]) -> Attempt:
    started, began = timezone.now(), time.monotonic()
    status, response, error = None, "", ""
    release_connection()  # the host may take as long as it needs
    try:
        require_host(webhook.url, services.NOT_SENT)  # the operator's list may be another one than before
        body = json.dumps(payload).encode()
        headers = sign(services.list_secrets(webhook), payload["id"], body)
        status, response = _send_request(webhook.url, headers, body)
        if not 200 <= status < 300:
            error = f"The server answered {status}."
            if 300 <= status < 400:
                error += " Redirects are not followed: enter the address that it leads to."
    except ConfigError:
        error = "The webhook's secret was stored with another secret key: rotate it."
    except NotAllowedError as refusal:
        error = f"{refusal.message} {refusal.hint}"
    except (OSError, ValueError, http.client.HTTPException) as failure:
        late = time.monotonic() - began >= settings.WEBHOOK_TIMEOUT_S
        why = f"within {settings.WEBHOOK_TIMEOUT_S:g} s" if late else f"({failure or type(failure).__name__})"
        error = f"The server did not answer {why}."
    return Attempt(started.isoformat(), status, round((time.monotonic() - began) * 1000, 1), response, error)


def sign(secrets: Sequence[str], message: str, body: bytes) -> dict[str, str]:
    """The headers of a request by Standard Webhooks: HMAC-SHA256 of id, time and body, by each secret's bytes."""
    timestamp = str(int(time.time()))
    signed = b".".join([message.encode(), timestamp.encode(), body])
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    digests = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode() for key in keys]
    return {
        "webhook-id": message,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{digest}" for digest in digests),
        "Content-Type": "application/json",
        "User-Agent": "Clew",
    }


def _send_request(url: str, headers: dict[str, str], body: bytes) -> tuple[int, str]:
    """The status of a response and its beginning; redirects are not followed, and no proxy is used.

    Raises:
        OSError, HTTPException: there is no response in time.
    """
    parts = urlsplit(quote(url, safe=_UNQUOTED))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = make(parts.hostname or "", parts.port, timeout=settings.WEBHOOK_TIMEOUT_S)
    connection.connect()
    timer = threading.Timer(
        settings.WEBHOOK_TIMEOUT_S, _close_socket, [connection.sock]
    )  # one byte at a time is no answer
    timer.start()
    try:
        connection.request("POST", target, body, headers)
        answer = connection.getresponse()
        text = answer.read(RESPONSE_BYTES).decode(errors="replace").replace("\0", "\ufffd")
        return answer.status, text
    finally:
        timer.cancel()
        connection.close()


def _close_socket(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
