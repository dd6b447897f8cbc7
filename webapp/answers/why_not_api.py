"""``/runs/{id}/why-not``."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.views import UserView
from webapp.answers import selectors, why_not
from webapp.answers.models import ACTIVE, Diagnosis, RunState
from webapp.api.fields import ErrorSerializer, PlainText
from webapp.api.params import validate_form
from webapp.api.schema import allow_null, link_component

WAITING = "waiting"


class NewWhyNotSerializer(serializers.Serializer[object]):
    """The answer that was expected, by its name; ``entity`` where it was chosen among those of the graph."""

    name = PlainText(max_length=4096)
    entity = serializers.IntegerField(min_value=0, max_value=2**31 - 1, allow_null=True, default=None)


class StartedWhyNotSerializer(serializers.Serializer[object]):
    """Where what is found will be."""

    key = serializers.UUIDField()


@extend_schema_field(allow_null(link_component("WhyNot")))
class FoundField(serializers.JSONField):
    """A ``WhyNot``."""


class WhyNotAnswerSerializer(serializers.Serializer[object]):
    """How far it is, and what was found."""

    state = serializers.ChoiceField(choices=[WAITING, RunState.DONE.value, RunState.FAILED.value])
    found = FoundField()
    error = ErrorSerializer(allow_null=True)


class WhyNotView(UserView):
    """Why a run does not have an answer that somebody expected."""

    @extend_schema(
        operation_id="runs_why_not_create",
        request=NewWhyNotSerializer,
        responses={202: StartedWhyNotSerializer},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """Have a worker find the stage at which the answer is lost, and try what would bring it."""
        run = self.find(selectors.list_runs(), pk)
        data = validate_form(NewWhyNotSerializer(data=request.data))
        expected = why_not.ExpectedAnswer(data["name"], data["entity"])
        diagnosis = why_not.ask(run=run, expected=expected, user=self.user)
        return Response({"key": diagnosis.pk}, status=status.HTTP_202_ACCEPTED)


class WhyNotFoundView(UserView):
    """What was found."""

    @extend_schema(operation_id="runs_why_not_retrieve", responses=WhyNotAnswerSerializer)
    def get(self, request: Request, pk: UUID, key: UUID) -> Response:
        """How far it is."""
        diagnosis = self.find(Diagnosis.objects.filter(run=self.find(selectors.list_runs(), pk)), key)
        error = {
            "code": diagnosis.error_code,
            "message": diagnosis.error_message,
            "hint": diagnosis.error_hint,
        }
        shown = {
            "state": WAITING if diagnosis.state in ACTIVE else diagnosis.state,
            "found": diagnosis.findings,
            "error": error if diagnosis.state == RunState.FAILED else None,
        }
        return Response(WhyNotAnswerSerializer(shown).data)
