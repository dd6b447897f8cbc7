"""Webhooks, and what is to be sent to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from webapp.api.access import AccessControlled, Person

TEST_EVENT = "webhook.test"


class Webhook(AccessControlled):
    """An address that is told of events which its owner may see.

    ``reason`` says why Clew turned it off. ``failures`` counts attempts in a row that failed; nothing is sent before
    ``next_at``. A worker sends to it alone until ``sending_until``. Until ``old_secret_until`` the secret before the
    last rotation signs as well.
    """

    owner_path = "user_id"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=2000)
    events = models.JSONField(default=list)
    encrypted_secret = models.TextField()
    encrypted_old_secret = models.TextField(blank=True)
    old_secret_until = models.DateTimeField(null=True)
    enabled = models.BooleanField(default=True)
    reason = models.TextField(blank=True)
    failures = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    sending_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.url

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """One's own."""
        return models.Q(user=user.pk)


class DeliveryState(models.TextChoices):
    """What became of a delivery."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed", "given up; the webhook was turned off"
    DROPPED = "dropped", "its owner does not see any more what it is about"


class Delivery(AccessControlled):
    """One event for one webhook: what is sent, about which row of which ``model``, and each attempt to send it.

    ``attempts`` are ``{started_at, status, ms, response, error}``, the last of them last.
    """

    visible_through = "webhook"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    model = models.CharField(max_length=100)
    key = models.CharField(max_length=40)
    payload = models.JSONField()
    state = models.CharField(max_length=10, choices=DeliveryState, default=DeliveryState.WAITING)
    attempts = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-id"]
        indexes = [models.Index(fields=["webhook", "state", "id"], name="delivery_state")]

    def __str__(self) -> str:
        return f"{self.webhook_id} {self.payload['id']}"
