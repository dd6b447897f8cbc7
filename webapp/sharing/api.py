"""``/shared-links``: links that people made; ``/shared/{token}``: what one shows, to whoever has it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import Role
from webapp.accounts.permissions import AdminWrites, ManagerWrites, has_role
from webapp.accounts.views import RowViewSet
from webapp.answers.selectors import list_runs
from webapp.answers.serializers import EventSerializer
from webapp.api.errors import ForbiddenError
from webapp.api.params import parse_flag, validate_form
from webapp.graphs import names
from webapp.sharing import content, services
from webapp.sharing.models import SharedLink, SharingPolicy

DAYS_MAX = 3650
ORIGINS_MAX = 20
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\]")


def parse_origin(text: str) -> str:
    """A site as browsers name it: scheme, host and port.

    Raises:
        ValidationError: it is anything else, such as a pattern.
    """
    try:
        parts = urlsplit(text.strip().rstrip("/"))
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:
        host, port = "", None
    host = f"[{host}]" if ":" in host else host
    rest = parts.path or parts.query or parts.fragment or parts.username if host else True
    if parts.scheme not in {"http", "https"} or rest or not _HOST.fullmatch(host):
        raise serializers.ValidationError(f"{text!r} is not a site. Write it like https://blog.example.org.")
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


class OriginField(serializers.CharField):
    """A site whose pages may frame a link."""

    def to_internal_value(self, data: Any) -> str:
        """Check it."""
        return parse_origin(super().to_internal_value(data))


class SharedLinkSerializer(serializers.ModelSerializer[SharedLink]):
    """A link, without its token. ``opened_at`` is when it was opened last, to the minute."""

    question = serializers.CharField(source="run.question")
    user = serializers.CharField(source="user.username")
    origins = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = SharedLink
        fields = [
            *("id", "run", "question", "conversation", "origins"),
            *("created_at", "expires_at", "opened_at", "user"),
        ]


class NewLinkSerializer(serializers.Serializer[object]):
    """A link to be made: of a run, or of its thread up to that run."""

    run = serializers.UUIDField()
    conversation = serializers.BooleanField(default=False)
    expires_days = serializers.IntegerField(
        min_value=1, max_value=DAYS_MAX, allow_null=True, default=30, help_text="null: no end, if administrators allow"
    )
    origins = serializers.ListField(
        child=OriginField(max_length=300),
        default=list,
        max_length=ORIGINS_MAX,
        help_text="sites whose pages may frame it, such as https://blog.example.org",
    )


class MadeLinkSerializer(SharedLinkSerializer):
    """A new link, with its token: no other response has it. It opens ``/shared/TOKEN`` and ``/embed/TOKEN``."""

    token = serializers.CharField()

    class Meta(SharedLinkSerializer.Meta):
        fields = [*SharedLinkSerializer.Meta.fields, "token"]


class SharingPolicySerializer(serializers.ModelSerializer[SharingPolicy]):
    """What administrators allow: links at all (``enabled``), and links without an end (``endless``)."""

    class Meta:
        model = SharingPolicy
        fields = ["enabled", "endless"]


class SharedTurnSerializer(serializers.Serializer[object]):
    """A question with the events that hold its answer and the evidence."""

    question = serializers.CharField()
    asked_at = serializers.DateTimeField()
    events = EventSerializer(many=True)


class SharedContentSerializer(serializers.Serializer[object]):
    """What a link shows: its questions, oldest first."""

    expires_at = serializers.DateTimeField(allow_null=True)
    turns = SharedTurnSerializer(many=True)


class SharedLinkViewSet(RowViewSet[SharedLink]):
    """Links that were not revoked, the newest first."""

    queryset = services.list_links()
    serializer_class = SharedLinkSerializer
    permission_classes = [ManagerWrites]

    @extend_schema(parameters=[OpenApiParameter("all", bool, description="everybody's, for administrators")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The caller's own, including those that have expired."""
        rows = self.filter_queryset(self.get_queryset())
        if not parse_flag(request.query_params, "all"):
            rows = rows.filter(user=self.user)
        elif not has_role(request, Role.ADMIN):
            raise ForbiddenError(
                "Only administrators can list the links of all people.", hint="Leave out all to see yours."
            )
        return self.build_page(rows, SharedLinkSerializer)

    @extend_schema(request=NewLinkSerializer, responses={201: MadeLinkSerializer})
    def create(self, request: Request) -> Response:
        """Make a link to a run that the caller may see. The response is the only one with its token."""
        data = validate_form(NewLinkSerializer(data=request.data))
        row, token = services.create_link(
            user=self.user,
            run=self.find(list_runs(), data["run"]),
            conversation=data["conversation"],
            days=data["expires_days"],
            origins=sorted(set(data["origins"])),
        )
        shown: dict[str, Any] = {**SharedLinkSerializer(row).data, "token": token}
        return Response(shown, status=status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: int) -> Response:
        """Revoke it: nobody can open it any more."""
        services.revoke_link(link=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)


class SharingPolicyView(APIView):
    """What administrators allow."""

    permission_classes = [AdminWrites]

    @extend_schema(operation_id="sharing_policy", responses=SharingPolicySerializer)
    def get(self, request: Request) -> Response:
        """The policy."""
        return Response(SharingPolicySerializer(services.get_policy()).data)

    @extend_schema(
        operation_id="sharing_policy_update", request=SharingPolicySerializer, responses=SharingPolicySerializer
    )
    def patch(self, request: Request) -> Response:
        """Change the fields that are given. While links are turned off, existing ones do not open."""
        data = validate_form(SharingPolicySerializer(data=request.data, partial=True))
        return Response(SharingPolicySerializer(services.update_policy(**data)).data)


class SharedContentView(APIView):
    """What a link shows, without a log-in: session cookies and API tokens are ignored."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="shared_content", responses=SharedContentSerializer)
    def get(self, request: Request, token: str) -> Response:
        """The questions, their answers and evidence."""
        services.count_opening(request.META.get("REMOTE_ADDR", ""))
        link = services.find_link(token)
        preferred = names.list_preferred({}, request.headers.get("Accept-Language", ""))
        runs = services.list_shown_runs(link)
        turns = [content.build_turn(number, run, preferred) for number, run in enumerate(runs, 1)]
        shown = {"expires_at": link.expires_at, "turns": turns}
        headers = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex, nofollow"}
        return Response(shown, headers=headers)
