"""``/language-models``, ``/language-limits`` and ``/language-usage``."""

from __future__ import annotations

from datetime import date
from typing import Any, cast
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import Role
from webapp.accounts.permissions import Admin, AdminWrites, has_role
from webapp.accounts.views import UserView
from webapp.api.access import filter_visible
from webapp.api.errors import InvalidError
from webapp.api.params import validate_form
from webapp.language_models import selectors, services
from webapp.language_models import serializers as shapes
from webapp.language_models.models import Provider, ProviderChange, Spending


class LanguageModelViewSet(UserView, viewsets.GenericViewSet[Any]):
    """Language models: everybody sees their names, administrators the rest."""

    queryset = Provider.objects.none()
    serializer_class = shapes.LanguageModelSerializer
    lookup_value_converter = "int"
    permission_classes = [AdminWrites]

    @extend_schema(responses=shapes.LanguageModelSerializer(many=True))
    def list(self, request: Request) -> Response:
        """All of them; the environment's first."""
        page = self.paginate_queryset(cast("QuerySet[Any]", selectors.list_models()))
        rows = [_render_model(request, model) for model in page or ()]
        return self.get_paginated_response(rows)

    @extend_schema(request=shapes.ProviderSerializer, responses={201: shapes.LanguageModelSerializer})
    def create(self, request: Request) -> Response:
        """Add one."""
        data = validate_form(shapes.ProviderSerializer(data=request.data))
        made = services.create_provider(values=data, user=self.user)
        return Response(_render_model(request, selectors.find(made.pk)), status=status.HTTP_201_CREATED)

    def retrieve(self, request: Request, pk: int) -> Response:
        """One."""
        return Response(_render_model(request, selectors.find(pk)))

    @extend_schema(request=shapes.ProviderSerializer, responses=shapes.LanguageModelSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change what is named."""
        data = validate_form(shapes.ProviderSerializer(data=request.data, partial=True))
        services.update_provider(key=pk, values=data, user=self.user)
        return Response(_render_model(request, selectors.find(pk)))

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: int) -> Response:
        """Delete one."""
        services.delete_provider(key=pk, user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={202: shapes.StartedModelTestSerializer})
    @action(detail=True, methods=["post"])
    def test(self, request: Request, pk: int) -> Response:
        """Have a worker ask it something."""
        started = services.start_test(key=pk, user=self.user)
        return Response({"test": started}, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=shapes.ModelChangeSerializer(many=True))
    @action(detail=False, permission_classes=[Admin])
    def changes(self, request: Request) -> Response:
        """Who changed what, the newest first."""
        page = self.paginate_queryset(cast("QuerySet[Any]", ProviderChange.objects.select_related("user")))
        return self.get_paginated_response(shapes.ModelChangeSerializer(cast(Any, page), many=True).data)


class ModelTestView(APIView):
    """A test of a language model."""

    permission_classes = [Admin]

    @extend_schema(responses=shapes.ModelTestSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """How far it is."""
        test = services.read_test(str(pk))
        if test is None:
            raise Http404
        return Response(shapes.ModelTestSerializer(test).data)


class LimitsView(UserView):
    """What runs and users may spend."""

    permission_classes = [AdminWrites]

    @extend_schema(operation_id="language_limits", responses=shapes.LimitsSerializer)
    def get(self, request: Request) -> Response:
        """The limits."""
        return Response(shapes.LimitsSerializer(selectors.get_limits()).data)

    @extend_schema(request=shapes.LimitsSerializer, responses=shapes.LimitsSerializer)
    def patch(self, request: Request) -> Response:
        """Change those that are named."""
        data = validate_form(shapes.LimitsSerializer(data=request.data))
        limits = services.update_limits(values=data, user=self.user)
        return Response(shapes.LimitsSerializer(limits).data)


class UsageView(APIView):
    """What was spent in a day."""

    @extend_schema(
        parameters=[OpenApiParameter("day", date, description="UTC; today unless given")],
        responses=shapes.DayUsageSerializer,
    )
    def get(self, request: Request) -> Response:
        """One's own, and for administrators everyone's."""
        day = _parse_day(request.query_params.get("day"))
        rows = filter_visible(Spending.objects.select_related("user").filter(day=day), request.user)
        shown = {
            "day": day,
            "mine": selectors.get_usage(request.user.pk, day),
            "users": [
                {"user": row.user.username, "usage": selectors.to_usage(row)} for row in rows.order_by("user__username")
            ],
        }
        return Response(shapes.DayUsageSerializer(shown).data)


def _render_model(request: Request, model: selectors.LanguageModel) -> Any:
    admin = has_role(request, Role.ADMIN)
    return shapes.LanguageModelSerializer(model, context={"admin": admin}).data


def _parse_day(text: str | None) -> date:
    try:
        return date.fromisoformat(text) if text else selectors.get_today()
    except ValueError:
        raise InvalidError(f"{text!r} is no day.", hint="Write it as 2026-01-31.") from None
