"""``/graphs/{id}/sample-questions``: questions made from a graph itself."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval import types
from webapp.accounts.models import Role
from webapp.accounts.permissions import Viewer
from webapp.accounts.views import UserView
from webapp.api.errors import ForbiddenError
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.graphs.selectors import find_graph
from webapp.questions import samples
from webapp.questions.api import QuestionSetSerializer
from webapp.questions.services import save_question_set

SAMPLES_MAX = 500
HOPS_MAX = 3


class SampleRequestSerializer(serializers.Serializer[object]):
    """How many questions of how many hops; with a name they are kept as a question set."""

    n = serializers.IntegerField(min_value=1, max_value=SAMPLES_MAX, default=10)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    hops = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=HOPS_MAX),
        allow_empty=False,
        max_length=HOPS_MAX,
        default=[1, 2, 3],
    )
    name = PlainText(max_length=200, allow_blank=True, default="")


class SampleSerializer(serializers.Serializer[types.QuestionRecord]):
    """A question made from the graph, with all its answers and paths that lead to them."""

    id = serializers.CharField()
    question = serializers.CharField()
    topic_entities = serializers.ListField(child=serializers.CharField())
    answers = serializers.ListField(child=serializers.CharField())
    hops = serializers.IntegerField(allow_null=True)
    paths = serializers.ListField(
        child=serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    )


class SamplesSerializer(serializers.Serializer[object]):
    """Questions made from a graph, and the set that they are kept as, if they are."""

    questions = SampleSerializer(many=True)
    question_set = QuestionSetSerializer(allow_null=True)


class SampleQuestionsView(UserView):
    """Questions made from a graph."""

    permission_classes = [Viewer]

    @extend_schema(operation_id="graphs_sample_questions", request=SampleRequestSerializer, responses=SamplesSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Make some. The same seed makes the same of the same version."""
        data, user = validate_form(SampleRequestSerializer(data=request.data)), self.user
        graph = find_graph(user, pk)
        if data["name"] and not user.has_role(Role.ANALYST):
            raise ForbiddenError("Keeping questions is for analysts.", hint="Leave the name out to see some.")
        hops = sorted(set(data["hops"]))
        questions = samples.make_questions(graph=graph, n=data["n"], seed=data["seed"], hops=hops, user=user)
        kept: Any = None
        if data["name"]:
            kept = save_question_set(name=data["name"], graph=graph, questions=questions, format="sampled", user=user)
        shown = SamplesSerializer({"questions": questions, "question_set": kept}).data
        return Response(shown, status=status.HTTP_201_CREATED if kept else status.HTTP_200_OK)
