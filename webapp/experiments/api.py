"""``/methods``, ``/checkpoints`` and ``/label-sets``."""

from __future__ import annotations

import json
from typing import Any, cast

from django.db.models import QuerySet
from django.http import FileResponse, Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.accounts.permissions import AnalystWrites
from webapp.accounts.rights import require_manager
from webapp.api.access import visible
from webapp.api.params import integer, validated
from webapp.experiments import labelling, methods, promoting, selectors
from webapp.experiments import serializers as shapes
from webapp.experiments.models import Checkpoint, LabelSet
from webapp.graphs import files, trash
from webapp.graphs.selectors import visible_graphs
from webapp.questions.selectors import question_sets

CURVES = {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "number"}}}


def find_checkpoint(key: int | None, user: Any) -> Checkpoint | None:
    """The checkpoint that a user's request names, if it names one; 404 when it is not there for that user."""
    return None if key is None else get_object_or_404(visible(selectors.checkpoints(), user), pk=key)


class MethodView(APIView):
    """A retrieval method."""

    @extend_schema(operation_id="methods_retrieve", responses=shapes.MethodDetailSerializer)
    def get(self, request: Request, name: str) -> Response:
        """What a method is, and the settings of training and asking it."""
        if name not in registry.METHODS:
            raise Http404
        method = name
        return Response({**methods.shown(method), **_forms(method)})


def _forms(method: str) -> dict[str, object]:
    return {"settings": methods.settings_of(method), "options": methods.options_of(method)}


class CheckpointViewSet(viewsets.GenericViewSet[Checkpoint]):
    """Trained retrievers."""

    queryset = Checkpoint.objects.none()
    serializer_class = shapes.CheckpointSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def get_queryset(self) -> QuerySet[Checkpoint]:
        """Newest first."""
        return selectors.checkpoints()

    @extend_schema(parameters=[OpenApiParameter("graph", int), OpenApiParameter("method", str)])
    def list(self, request: Request) -> Response:
        """Checkpoints, newest first."""
        query = request.query_params
        rows = selectors.checkpoints(
            graph_id=integer(query, "graph"), method=query.get("method", "").replace("\0", "")
        )
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.CheckpointSerializer(page, many=True).data)

    def retrieve(self, request: Request, pk: str) -> Response:
        """One checkpoint."""
        return Response(shapes.CheckpointSerializer(self.get_object()).data)

    @extend_schema(responses={200: CURVES})
    @action(detail=True, pagination_class=None)
    def curves(self, request: Request, pk: str) -> Response:
        """What each step of its training measured, where its method records that; else nothing."""
        path = files.local_path(self.get_object().path) / "curves.json"
        return Response(json.loads(path.read_text(encoding="utf-8")) if path.is_file() else [])

    @extend_schema(request=None, responses={200: shapes.CheckpointSerializer})
    @action(detail=True, methods=["post"])
    def promote(self, request: Request, pk: str) -> Response:
        """Use it from now on where its method is asked without a checkpoint."""
        checkpoint = self.get_object()
        promoting.promote(checkpoint=checkpoint, user=cast(User, request.user))
        return Response(shapes.CheckpointSerializer(checkpoint).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Put a checkpoint into the trash. Reports and runs that used it stay."""
        trash.put(self.get_object(), user=cast(User, request.user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class LabelSetViewSet(viewsets.GenericViewSet[LabelSet]):
    """The rational paths of question sets."""

    queryset = LabelSet.objects.none()
    serializer_class = shapes.LabelSetSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def get_queryset(self) -> QuerySet[LabelSet]:
        """Newest first."""
        return selectors.label_sets()

    @extend_schema(parameters=[OpenApiParameter("graph", int), OpenApiParameter("question_set", int)])
    def list(self, request: Request) -> Response:
        """Label sets, newest first."""
        query = request.query_params
        rows = selectors.label_sets(
            graph_id=integer(query, "graph"), question_set_id=integer(query, "question_set")
        )
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.LabelSetSerializer(page, many=True).data)

    @extend_schema(request=shapes.LabelSerializer, responses={202: shapes.LabellingSerializer})
    def create(self, request: Request) -> Response:
        """Start labelling a question set."""
        data = validated(shapes.LabelSerializer(data=request.data))
        label_set = labelling.start_labelling(
            graph=get_object_or_404(visible_graphs(request.user), pk=data["graph"]),
            question_set=get_object_or_404(visible(question_sets(), request.user), pk=data["question_set"]),
            strategy=data["strategy"],
            prompt=data["prompt"],
            name=data["name"],
            user=cast(User, request.user),
        )
        answer = shapes.LabellingSerializer({"label_set": label_set, "job": label_set.job}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """One label set."""
        return Response(shapes.LabelSetSerializer(self.get_object()).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a label set. Checkpoints that learned from it stay."""
        label_set = self.get_object()
        require_manager(request.user, label_set)
        labelling.delete_label_set(label_set=label_set)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses={(200, "application/jsonl"): OpenApiTypes.STR})
    @action(detail=True)
    def download(self, request: Request, pk: str) -> FileResponse:
        """The labels, one JSON object a line."""
        label_set = self.get_object()
        label_set.require_done()
        path = files.local_path(files.labels_name(label_set.graph_id, label_set.pk))
        return FileResponse(
            path.open("rb"),
            as_attachment=True,
            filename=f"labels-{label_set.pk}.jsonl",
            content_type="application/jsonl",
        )
