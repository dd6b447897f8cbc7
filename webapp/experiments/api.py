"""``/methods``, ``/checkpoints`` and ``/label-sets``."""

from __future__ import annotations

import json

from django.db.models import QuerySet
from django.http import FileResponse, Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.mixins import DestroyModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from retrieval.methods import registry
from retrieval.questions.dataset_folder import make_labels_table
from webapp.accounts.rights import require_manager
from webapp.accounts.views import RowViewSet
from webapp.api.errors import InvalidError
from webapp.api.params import validate_form
from webapp.api.parsers import Json
from webapp.experiments import exchange, label_sets, methods, promotions, selectors
from webapp.experiments import serializers as shapes
from webapp.experiments.models import Checkpoint, LabelSet
from webapp.graphs import files
from webapp.graphs.selectors import find_graph, find_managed_graph
from webapp.graphs.views import TrashableMixin, download
from webapp.jobs.serializers import JobSerializer
from webapp.questions import dataset_files
from webapp.questions.selectors import list_question_sets

CURVES = {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "number"}}}


class MethodView(APIView):
    """A retrieval method."""

    @extend_schema(operation_id="methods_retrieve", responses=shapes.MethodDetailSerializer)
    def get(self, request: Request, name: str) -> Response:
        """What a method is, and the settings of training and asking it."""
        if name not in registry.METHODS:
            raise Http404
        forms = {"settings": methods.list_settings(name), "options": methods.list_options(name)}
        untrained = list(registry.list_untrained_options(name))
        return Response(
            {
                **methods.render_method(name),
                **forms,
                **methods.get_paper_form(name),
                "untrained_options": untrained,
            }
        )


class CheckpointViewSet(TrashableMixin, RowViewSet[Checkpoint]):
    """Trained retrievers, newest first."""

    queryset = selectors.list_checkpoints()
    serializer_class = shapes.CheckpointSerializer
    narrowed_by = {"graph": int, "method": str}
    parser_classes = [Json, MultiPartParser]

    def get_queryset(self) -> QuerySet[Checkpoint]:
        """All; a list leaves out those of studies, unless they were promoted."""
        rows = super().get_queryset()
        return rows.exclude(of_study=True, promotions=None) if self.action == "list" else rows

    @extend_schema(
        request={"multipart/form-data": shapes.CheckpointUploadSerializer},
        responses={202: JobSerializer},
    )
    def create(self, request: Request) -> Response:
        """Upload a checkpoint: a file that the download of one makes, with weights as safetensors."""
        data = validate_form(shapes.CheckpointUploadSerializer(data=request.data))
        graph = find_managed_graph(self.user, data["graph"])
        if data["file"] is None:
            raise InvalidError(
                "The request has no file.", hint="Send the file that the download of a checkpoint makes."
            )
        job = exchange.start_upload(graph=graph, upload=data["file"], user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    @action(detail=True)
    def download(self, request: Request, pk: str) -> StreamingHttpResponse:
        """The checkpoint as a file: settings, weights as safetensors, and what it was trained on."""
        checkpoint = self.get_object()
        name = f"{checkpoint.method}-{checkpoint.fingerprint[:10]}.zip"
        return StreamingHttpResponse(
            exchange.stream_checkpoint(checkpoint),
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    @extend_schema(responses={200: CURVES})
    @action(detail=True, pagination_class=None)
    def curves(self, request: Request, pk: str) -> Response:
        """What each step of its training measured, where its method records that; else nothing."""
        path = files.ensure_local_path(self.get_object().path) / "curves.json"
        return Response(json.loads(path.read_text(encoding="utf-8")) if path.is_file() else [])

    @extend_schema(request=None, responses={200: shapes.CheckpointSerializer})
    @action(detail=True, methods=["post"])
    def promote(self, request: Request, pk: str) -> Response:
        """Use it from now on where its method is asked without a checkpoint: for who manages the graph."""
        checkpoint = self.get_object()
        require_manager(self.user, checkpoint.graph)
        promotions.promote(checkpoint=checkpoint, user=self.user)
        return Response(shapes.CheckpointSerializer(checkpoint).data)

    @extend_schema(request=shapes.CheckpointComparisonSerializer, responses={202: shapes.CheckpointSerializer})
    @action(detail=True, methods=["post"])
    def compare(self, request: Request, pk: str) -> Response:
        """Ask what answers now, and this checkpoint, the same held-out questions."""
        data = validate_form(shapes.CheckpointComparisonSerializer(data=request.data))
        checkpoint = self.get_object()
        questions = self.find(list_question_sets(), data["question_set"])
        promotions.start_comparison(checkpoint=checkpoint, question_set=questions, user=self.user)
        return Response(shapes.CheckpointSerializer(checkpoint).data, status=status.HTTP_202_ACCEPTED)


class LabelSetViewSet(DestroyModelMixin, RowViewSet[LabelSet]):
    """The rational paths of question sets, newest first. Checkpoints that learned from one stay when it is deleted."""

    queryset = selectors.list_label_sets()
    serializer_class = shapes.LabelSetSerializer
    narrowed_by = {"graph": int, "question_set": int}

    @extend_schema(request=shapes.LabelSerializer, responses={202: shapes.LabellingSerializer})
    def create(self, request: Request) -> Response:
        """Start labelling a question set."""
        data = validate_form(shapes.LabelSerializer(data=request.data))
        label_set = label_sets.start_labelling(
            graph=find_graph(self.user, data.pop("graph")),
            question_set=self.find(list_question_sets(), data.pop("question_set")),
            user=self.user,
            **data,
        )
        return _render_labelling(label_set)

    @extend_schema(request=shapes.CombineSerializer, responses={202: shapes.LabellingSerializer})
    @action(detail=False, methods=["post"])
    def combine(self, request: Request) -> Response:
        """Keep what either of two label sets says (union), or what both say (intersection)."""
        data = validate_form(shapes.CombineSerializer(data=request.data))
        first, second = (self.find(selectors.list_label_sets(), data.pop(each)) for each in ("first", "second"))
        return _render_labelling(label_sets.start_combining(first=first, second=second, user=self.user, **data))

    def perform_destroy(self, instance: LabelSet) -> None:
        """Delete it with its file."""
        label_sets.delete_label_set(label_set=instance)

    @extend_schema(responses={(200, "application/jsonl"): OpenApiTypes.STR})
    @action(detail=True)
    def download(self, request: Request, pk: str) -> FileResponse:
        """The labels, one JSON object a line."""
        label_set = self.get_object()
        label_set.require_done()
        path = files.ensure_local_path(files.build_labels_name(label_set.graph_id, label_set.pk))
        return download(path, f"labels-{label_set.pk}.jsonl", "application/jsonl")

    @extend_schema(responses=dataset_files.RESPONSES)
    @action(detail=True, url_path="dataset")
    def export_dataset(self, request: Request, pk: str) -> FileResponse:
        """The labels, and their questions where these still exist, as a zip for other tools."""
        label_set = self.get_object()
        label_set.require_done()
        path = files.ensure_local_path(files.build_labels_name(label_set.graph_id, label_set.pk))
        questions = label_set.question_set
        tables = [dataset_files.make_table(questions)] if questions and not questions.deleted_at else []
        with path.open(encoding="utf-8") as lines:
            tables.append(make_labels_table(map(json.loads, lines)))
            return dataset_files.send(self.user, label_set.name, label_set.graph, tables)


def _render_labelling(label_set: LabelSet) -> Response:
    answer = shapes.LabellingSerializer({"label_set": label_set, "job": label_set.job}).data
    return Response(answer, status=status.HTTP_202_ACCEPTED)
