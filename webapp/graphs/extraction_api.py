"""``/graphs/{id}/extract``."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.permissions import AdminWrites
from webapp.accounts.views import UserView
from webapp.api.fields import ErrorSerializer, PlainText
from webapp.api.params import validate_form
from webapp.graphs import extraction
from webapp.graphs import serializers as shapes
from webapp.graphs.selectors import find_graph
from webapp.jobs.serializers import JobSerializer
from webapp.language_models import selectors as language_models
from webapp.language_models.serializers import Amount


class ExtractableSerializer(serializers.Serializer[object]):
    """Whether facts can be read in a graph's passages, and what is missing where they cannot."""

    available = serializers.BooleanField()
    passages = serializers.IntegerField()
    llm = serializers.CharField(allow_null=True)
    missing = ErrorSerializer(allow_null=True)


class ExtractSerializer(serializers.Serializer[object]):
    """What to extract how."""

    name = PlainText(max_length=200)
    llm = serializers.IntegerField(allow_null=True, default=None, min_value=0, max_value=2**31 - 1)
    max_tokens = serializers.IntegerField(allow_null=True, default=None, min_value=1, max_value=10**12)
    max_cost = Amount(default=None)
    merge = serializers.FloatField(default=extraction.MERGE)
    form = serializers.ChoiceField(choices=extraction.FORMS, default=extraction.FORMS[0])


class ExtractView(UserView):
    """A graph from another graph's passages."""

    permission_classes = [AdminWrites]

    @extend_schema(operation_id="graphs_extractable", responses=ExtractableSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Whether it can be done."""
        graph = find_graph(self.user, pk)
        obstacle = extraction.find_obstacle(graph)
        model = language_models.get_default()
        shown = {
            "available": obstacle is None,
            "passages": extraction.count_passages(graph),
            "llm": model.name if model else None,
            "missing": obstacle and {"code": obstacle.code, "message": obstacle.message, "hint": obstacle.hint},
        }
        return Response(ExtractableSerializer(shown).data)

    @extend_schema(operation_id="graphs_extract", request=ExtractSerializer, responses={202: shapes.UploadedSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Begin, or go on with one that failed."""
        data = validate_form(ExtractSerializer(data=request.data))
        graph, job = extraction.start_extraction(
            source=find_graph(self.user, pk),
            wanted=extraction.Wanted(**data),
            user=self.user,
        )
        made = {"graph": shapes.GraphSerializer(graph).data, "job": JobSerializer(job).data}
        return Response(made, status=status.HTTP_202_ACCEPTED)
