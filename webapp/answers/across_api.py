"""``/across``: one question over several graphs."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.permissions import ManagerWrites
from webapp.accounts.views import UserView
from webapp.answers import across, fair_queue, services
from webapp.answers.models import AcrossQuestion, RunState
from webapp.answers.serializers import RunSerializer
from webapp.api.access import filter_visible
from webapp.api.fields import ErrorSerializer, PlainText
from webapp.api.params import validate_form
from webapp.graphs.selectors import find_graph
from webapp.graphs.serializers import HopSerializer

STATES = [*RunState.values, across.REFUSED, across.DELETED, across.HIDDEN]


class AskAcrossSerializer(serializers.Serializer[object]):
    """A question for several graphs; each is asked by its own automatic method where none is named."""

    graphs = serializers.ListField(child=serializers.IntegerField(), max_length=50)
    question = PlainText(allow_blank=True, max_length=100_000)
    method = PlainText(max_length=32, allow_null=True, default=None)
    reasoner = PlainText(max_length=32, allow_null=True, default=None)
    llm = serializers.IntegerField(allow_null=True, default=None)
    budget = serializers.IntegerField(allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)


class AskedGraphSerializer(serializers.Serializer[object]):
    """A graph of the question."""

    graph = serializers.IntegerField(allow_null=True, help_text="null where it was deleted or may not be seen")
    name = serializers.CharField(help_text="empty where another person's graph may not be seen")
    state = serializers.ChoiceField(
        choices=STATES,
        help_text="of its run; or `refused` (it could not be asked), `deleted` (it or its run), `hidden`",
    )
    run = RunSerializer(allow_null=True)
    error = ErrorSerializer(allow_null=True, help_text="why it could not be asked")
    text = serializers.CharField(help_text="the answer in words, as far as the run gave one")


class AcrossMemberSerializer(serializers.Serializer[object]):
    """An answer as one graph gives it."""

    place = serializers.IntegerField(help_text="of the graph among `graphs`")
    by = serializers.ChoiceField(
        choices=["", "iri", "name"], help_text="by what it is taken for the same as those before it"
    )
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    entity = serializers.IntegerField(allow_null=True)
    iri = serializers.CharField()
    score = serializers.FloatField()
    verified = serializers.BooleanField()
    facts = HopSerializer(many=True, help_text=f"that lead to it, at most {across.FACTS_MAX} of `facts_total`")
    facts_total = serializers.IntegerField()


class AcrossAnswerSerializer(serializers.Serializer[object]):
    """Answers of several graphs that mean the same thing."""

    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    score = serializers.FloatField(help_text="the highest of its members")
    guess = serializers.BooleanField()
    members = AcrossMemberSerializer(many=True)


class AcrossSerializer(serializers.Serializer[object]):
    """A question over several graphs, with what is found by now."""

    id = serializers.UUIDField()
    question = serializers.CharField()
    created_at = serializers.DateTimeField()
    going = serializers.BooleanField(help_text="a graph is still being asked")
    graphs = AskedGraphSerializer(many=True)
    answers = AcrossAnswerSerializer(many=True)


class AcrossQuestionsView(UserView):
    """One question over several graphs."""

    @extend_schema(request=AskAcrossSerializer, responses={201: AcrossSerializer})
    def post(self, request: Request) -> Response:
        """Ask two to five graphs at once."""
        data = validate_form(AskAcrossSerializer(data=request.data))
        graphs = [find_graph(self.user, pk) for pk in data.pop("graphs")]
        question = across.ask(graphs=graphs, ask=services.Ask(**data), user=self.user)
        headers = fair_queue.build_limit_headers(self.user)
        return Response(_render_question(question, self), status=status.HTTP_201_CREATED, headers=headers)


class AcrossQuestionView(UserView):
    """A question over several graphs."""

    permission_classes = [ManagerWrites]

    @extend_schema(responses=AcrossSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """What each graph answers, and the answers put together."""
        return Response(_render_question(self._find_question(pk), self))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Delete it with its runs; those that go on are stopped."""
        question = self._find_question(pk)
        self.check_object_permissions(request, question)
        for run in question.runs.all():
            services.delete_run(run=run)
        question.delete()
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _find_question(self, pk: UUID) -> AcrossQuestion:
        return get_object_or_404(filter_visible(AcrossQuestion.objects.all(), self.user), pk=pk)


def _render_question(question: AcrossQuestion, view: UserView) -> dict[str, object]:
    return dict(AcrossSerializer(across.render_question(question, view.user)).data)
