"""``/tokens``: one's own API tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import ApiToken, Scope, User
from webapp.accounts.services import make_token
from webapp.accounts.signals import person_changed
from webapp.accounts.views import UserView
from webapp.api.access import filter_visible
from webapp.api.fields import PlainText
from webapp.api.params import validate_form

DAYS_MAX = 3650


class ApiTokenSerializer(serializers.ModelSerializer[ApiToken]):
    """A token, without the token."""

    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.choices))

    class Meta:
        model = ApiToken
        fields = ["id", "name", "scopes", "created_at", "expires_at", "last_used_at"]


class NewTokenSerializer(serializers.Serializer[object]):
    """A token to be made."""

    name = PlainText(max_length=100)
    scopes = serializers.MultipleChoiceField(choices=Scope.choices, allow_empty=False)
    expires_days = serializers.IntegerField(min_value=1, max_value=DAYS_MAX, allow_null=True, default=None)


class MadeTokenSerializer(ApiTokenSerializer):
    """A new token; it is shown this once."""

    token = serializers.CharField()

    class Meta(ApiTokenSerializer.Meta):
        fields = [*ApiTokenSerializer.Meta.fields, "token"]


class TokensView(UserView):
    """One's own tokens."""

    @extend_schema(operation_id="tokens_list", responses=ApiTokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """All of them, the newest first."""
        rows = filter_visible(ApiToken.objects.all(), request.user)
        return Response(ApiTokenSerializer(rows, many=True).data)

    @extend_schema(operation_id="tokens_create", request=NewTokenSerializer, responses={201: MadeTokenSerializer})
    def post(self, request: Request) -> Response:
        """Make one. It is shown this once. Tokens make no tokens: one that leaked could not be taken back."""
        data = validate_form(NewTokenSerializer(data=request.data))
        days: int | None = data["expires_days"]
        row, token = make_token(
            user=self.user,
            name=data["name"],
            scopes=sorted(data["scopes"]),
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        shown: dict[str, Any] = {**ApiTokenSerializer(row).data, "token": token}
        return Response(shown, status=status.HTTP_201_CREATED)


class TokenRowView(UserView):
    """One token."""

    @extend_schema(operation_id="tokens_delete", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Take it back; whoever has it cannot use it any more."""
        self.find(ApiToken.objects.all(), pk).delete()
        person_changed.send(sender=User, person=self.user)  # sockets that it opened end at once
        return Response(status=status.HTTP_204_NO_CONTENT)
