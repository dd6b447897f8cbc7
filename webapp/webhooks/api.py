"""``/webhooks``: one's own webhooks, and the log of their deliveries."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.permissions import Viewer
from webapp.accounts.views import RowViewSet
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.api.signals import Event
from webapp.webhooks import services
from webapp.webhooks.models import Delivery, DeliveryState, Webhook


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook, without its secret. ``next_at`` is when its next attempt is due, where the last one failed.

    ``old_secret_until`` is until when the secret before the last rotation signs as well.
    """

    events = serializers.ListField(child=serializers.ChoiceField(choices=Event.choices))
    waiting = serializers.IntegerField()

    class Meta:
        model = Webhook
        fields = [
            *("id", "url", "events", "enabled", "reason", "failures"),
            *("next_at", "waiting", "old_secret_until", "created_at"),
        ]


class NewWebhookSerializer(serializers.Serializer[object]):
    """A webhook to be made or changed."""

    url = PlainText(max_length=2000)
    events = serializers.MultipleChoiceField(choices=Event.choices, allow_empty=False)
    enabled = serializers.BooleanField(required=False)


class MadeWebhookSerializer(WebhookSerializer):
    """A webhook with a new secret, which is shown this once."""

    secret = serializers.CharField()

    class Meta(WebhookSerializer.Meta):
        fields = [*WebhookSerializer.Meta.fields, "secret"]


class AttemptSerializer(serializers.Serializer[object]):
    """One attempt to deliver an event; ``error`` is empty where it arrived."""

    started_at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True)
    ms = serializers.FloatField()
    response = serializers.CharField()
    error = serializers.CharField()


class PayloadSerializer(serializers.Serializer[object]):
    """What is sent: ``data`` holds ids, states and the address of what it is about."""

    id = serializers.CharField()
    type = serializers.CharField()
    timestamp = serializers.DateTimeField()
    data = serializers.DictField()  # type: ignore[assignment]  # the serializer's own is a property


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """An event for a webhook, and each attempt to deliver it."""

    state = serializers.ChoiceField(choices=DeliveryState.choices)
    payload = PayloadSerializer()
    attempts = AttemptSerializer(many=True)

    class Meta:
        model = Delivery
        fields = ["id", "payload", "state", "attempts", "created_at"]


class WebhookViewSet(RowViewSet[Webhook]):
    """One's own webhooks; whoever can log in may have some."""

    queryset = services.list_webhooks()
    serializer_class = WebhookSerializer
    permission_classes = [Viewer]

    @extend_schema(request=NewWebhookSerializer, responses={201: MadeWebhookSerializer})
    def create(self, request: Request) -> Response:
        """Make one. Its secret is shown this once."""
        data = validate_form(NewWebhookSerializer(data=request.data))
        row, secret = services.create_webhook(user=self.user, url=data["url"], events=data["events"])
        shown: dict[str, Any] = {**self._render(row), "secret": secret}
        return Response(shown, status=status.HTTP_201_CREATED)

    @extend_schema(request=NewWebhookSerializer, responses=WebhookSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change what is named; turned on again, it is sent what waits."""
        row = self.get_object()
        data = validate_form(NewWebhookSerializer(data=request.data, partial=True))
        services.update_webhook(webhook=row, **data)
        return Response(self._render(row))

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: int) -> Response:
        """Delete one, with what waits for it and its log."""
        self.get_object().delete()
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=MadeWebhookSerializer)
    @action(detail=True, methods=["post"], url_path="rotate-secret")
    def rotate_secret(self, request: Request, pk: int) -> Response:
        """Give it another secret, which is shown this once. The one before signs as well for 24 hours."""
        row = self.get_object()
        secret = services.rotate_secret(webhook=row)
        return Response({**self._render(row), "secret": secret})

    @extend_schema(request=None, responses={201: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def test(self, request: Request, pk: int) -> Response:
        """Send it an event of the type ``webhook.test``."""
        row = services.send_test(webhook=self.get_object())
        return Response(DeliverySerializer(row).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=DeliverySerializer(many=True))
    @action(detail=True)
    def deliveries(self, request: Request, pk: int) -> Response:
        """What was sent to it and what waits, the newest first."""
        return self.build_page(self.get_object().deliveries.all(), DeliverySerializer)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"], url_path="deliveries/<int:number>/resend")
    def resend(self, request: Request, pk: int, number: int) -> Response:
        """Send one again, with the same id."""
        row = self.find(self.get_object().deliveries.select_related("webhook"), number)
        services.send_again(delivery=row)
        return Response(DeliverySerializer(row).data, status=status.HTTP_202_ACCEPTED)

    def _render(self, row: Webhook) -> dict[str, Any]:
        return dict(WebhookSerializer(self.find(services.list_webhooks(), row.pk)).data)
