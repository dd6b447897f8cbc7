"""``/question-sets``."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.http import FileResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.kg.readers.options import ReadOptions
from retrieval.questions.formats import FORMATS
from webapp.accounts.views import RowViewSet
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.api.parsers import Json
from webapp.graphs import snapshots
from webapp.graphs.selectors import find_graph
from webapp.graphs.serializers import ProblemSerializer
from webapp.graphs.views import TrashableMixin
from webapp.questions import checking, dataset_files, selectors, services
from webapp.questions.models import QuestionRow, QuestionSet
from webapp.uploads import remote_sources
from webapp.uploads import services as uploads


class SplitsSerializer(serializers.Serializer[object]):
    """Questions by split."""

    train = serializers.IntegerField()
    dev = serializers.IntegerField()
    test = serializers.IntegerField()


class QuestionSetSerializer(serializers.ModelSerializer[QuestionSet]):
    """A question set."""

    graph_name = serializers.CharField(source="graph.name")
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)
    splits = SplitsSerializer()
    problems = ProblemSerializer(many=True)

    class Meta:
        model = QuestionSet
        fields = [
            *("id", "name", "graph", "graph_name", "format", "questions", "splits", "problems"),
            *("created_at", "created_by"),
        ]


@extend_schema_field({"type": "object", "additionalProperties": True})
class ProgramLabelField(serializers.JSONField):
    """What a question asks, by names of the graph."""


class QuestionSerializer(serializers.ModelSerializer[QuestionRow]):
    """A question."""

    id = serializers.CharField(source="key")
    topic_entities = serializers.ListField(child=serializers.CharField())
    answers = serializers.ListField(child=serializers.CharField())
    operators = serializers.ListField(child=serializers.CharField(), help_text="what it needs, as its set says")
    program = ProgramLabelField(allow_null=True)

    class Meta:
        model = QuestionRow
        fields = ["id", "question", "topic_entities", "answers", "hops", "split", "operators", "program"]


class QuestionUploadSerializer(serializers.Serializer[object]):
    """A file of questions."""

    name = PlainText(max_length=200)
    graph = serializers.IntegerField()
    file = serializers.FileField(allow_empty_file=True, default=None)
    upload = serializers.UUIDField(allow_null=True, default=None, help_text="a resumable upload that is complete")
    source = PlainText(  # type: ignore[assignment]  # a field of this name hides an option of the base
        max_length=2000,
        allow_blank=True,
        default="",
        help_text="a path on the server or an address that the operator allows",
    )
    format = serializers.ChoiceField(choices=["auto", *FORMATS], default="auto")
    encoding = PlainText(max_length=40, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One file, in the request or uploaded before."""
        if [attrs["file"] is None, attrs["upload"] is None, not attrs["source"]].count(False) != 1:
            raise serializers.ValidationError({"file": ["Give one of a file, an upload and a source."]})
        return attrs


class MissingNameSerializer(serializers.Serializer[object]):
    """A name that the graph lacks: how many questions have it, the first of them, and names that are spelt like it."""

    name = serializers.CharField()
    questions = serializers.IntegerField()
    question = serializers.CharField()
    nearest = serializers.ListField(child=serializers.CharField())


class MissingProgramSerializer(serializers.Serializer[object]):
    """A question whose program names something that the graph lacks, or is wrong otherwise."""

    question = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class QuestionCheckSerializer(serializers.Serializer[object]):
    """What a version of the graph knows of a question set. Names are counted once each."""

    snapshot = serializers.CharField()
    version = serializers.IntegerField()
    questions = serializers.IntegerField()
    askable = serializers.IntegerField(help_text="questions of which a topic is found, or which name none")
    measurable = serializers.IntegerField(help_text="questions of which all answers are found")
    topics = serializers.IntegerField()
    topics_found = serializers.IntegerField()
    answers = serializers.IntegerField()
    answers_found = serializers.IntegerField()
    relations = serializers.IntegerField()
    relations_found = serializers.IntegerField()
    passages = serializers.IntegerField()
    passages_found = serializers.IntegerField()
    topics_missing = MissingNameSerializer(many=True)
    answers_missing = MissingNameSerializer(many=True)
    splits = serializers.DictField(child=serializers.IntegerField())
    programs = serializers.IntegerField(help_text="questions that have a program")
    programs_found = serializers.IntegerField(help_text="of those, how many the graph has all names of")
    programs_missing = MissingProgramSerializer(many=True)


class QuestionSetViewSet(TrashableMixin, RowViewSet[QuestionSet]):
    """Questions with known answers, newest first."""

    queryset = selectors.list_question_sets()
    serializer_class = QuestionSetSerializer
    narrowed_by = {"graph": int}
    parser_classes = [Json, MultiPartParser]

    @extend_schema(
        request={
            "multipart/form-data": QuestionUploadSerializer,
            "application/json": QuestionUploadSerializer,
        },
        responses={201: QuestionSetSerializer},
    )
    def create(self, request: Request) -> Response:
        """Upload a question set."""
        data = validate_form(QuestionUploadSerializer(data=request.data))
        user = self.user
        graph = find_graph(user, data["graph"])
        snapshots.require_imported(graph)
        arrived = uploads.require_complete(ids=[data["upload"]] if data["upload"] else [], user=user)
        with ExitStack() as stack:
            file = stack.enter_context(uploads.Arrived(arrived[0])) if arrived else data["file"]
            if data["source"]:
                file = stack.enter_context(remote_sources.open_copy(data["source"], limit=settings.UPLOAD_MAX_BYTES))
            question_set = services.import_question_set(
                name=data["name"],
                graph=graph,
                upload=file,
                options=ReadOptions.from_values(data),
                user=user,
            )
        for upload in arrived:
            uploads.drop(upload=upload)
        return Response(QuestionSetSerializer(question_set).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=QuestionCheckSerializer)
    @action(detail=True, pagination_class=None)
    def check(self, request: Request, pk: str) -> Response:
        """How many topics and answers the graph knows, which it lacks, and what those may mean."""
        return Response(QuestionCheckSerializer(checking.check(self.get_object())).data)

    @extend_schema(responses=dataset_files.RESPONSES)
    @action(detail=True, url_path="dataset")
    def export_dataset(self, request: Request, pk: str) -> FileResponse:
        """The questions as a zip that Hugging Face datasets and readers of Croissant load."""
        question_set = self.get_object()
        tables = [dataset_files.make_table(question_set)]
        return dataset_files.send(self.user, question_set.name, question_set.graph, tables)

    @extend_schema(
        parameters=[OpenApiParameter("split", str), OpenApiParameter("q", str)],
        responses=QuestionSerializer(many=True),
    )
    @action(detail=True)
    def questions(self, request: Request, pk: str) -> Response:
        """The questions of a set."""
        query = request.query_params
        rows = selectors.list_questions(self.get_object(), split=query.get("split", ""), text=query.get("q", ""))
        return self.build_page(rows, QuestionSerializer)
