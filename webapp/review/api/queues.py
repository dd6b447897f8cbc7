"""``/review/queues``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any, cast

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.questions.dataset_folder import make_labels_table, make_questions_table
from webapp.accounts.permissions import AnalystWrites
from webapp.accounts.views import RowViewSet
from webapp.api.access import filter_visible
from webapp.api.errors import InvalidError
from webapp.api.params import parse_flag, parse_integer, validate_form
from webapp.experiments.models import LabelSet
from webapp.graphs.selectors import find_graph
from webapp.jobs.serializers import JobSerializer
from webapp.questions import dataset_files
from webapp.questions.selectors import list_question_sets
from webapp.review import selectors
from webapp.review.api import inputs
from webapp.review.api import queue_serializers as queue_shapes
from webapp.review.api import serializers as shapes
from webapp.review.api.items import render_item
from webapp.review.domain import statistics
from webapp.review.models import Queue
from webapp.review.services import (
    adjudication,
    carry_over,
    deletion,
    events,
    exports,
    import_undo,
    imports,
    queues,
    reservations,
    training,
    undo,
    verdict_files,
)


class QueueViewSet(RowViewSet[Queue]):
    """Review queues, newest first. All analysts who see one judge it; who manages it deletes it."""

    queryset = selectors.list_queues()
    serializer_class = queue_shapes.QueueSerializer
    narrowed_by = {"graph": int}

    @extend_schema(request=inputs.NewQueueSerializer, responses={202: queue_shapes.StartedQueueSerializer})
    def create(self, request: Request) -> Response:
        """Make a queue of label sets."""
        data = validate_form(inputs.NewQueueSerializer(data=request.data))
        wanted = data["label_sets"]
        rows = list(filter_visible(LabelSet.objects.select_related("job").filter(pk__in=wanted), request.user))
        queue = queues.start_queue(
            graph=find_graph(self.user, data["graph"]),
            question_set=self.find(list_question_sets(), data["question_set"]),
            label_sets=queues.require_label_sets(rows, wanted),
            plan=queues.Plan(data["kind"], data["ordering"], data["overlap"], data["seed"], data["name"]),
            user=self.user,
        )
        started = {"queue": queue, "job": queue.job}
        answer = queue_shapes.StartedQueueSerializer(started, context=self.get_serializer_context()).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    @extend_schema(
        parameters=[OpenApiParameter("confirm", str, required=True, description="its name, repeated")],
        responses={204: None},
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a queue with all verdicts in it; it can be restored for some days."""
        confirm = request.query_params.get("confirm", "")
        deletion.mark_deleted(queue=self.get_object(), confirm=confirm, user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=queue_shapes.DeletedQueueSerializer(many=True))
    @action(detail=False)
    def deleted(self, request: Request) -> Response:
        """Queues that can be restored, the last deleted first."""
        return self.build_page(deletion.list_restorable(), queue_shapes.DeletedQueueSerializer)

    @extend_schema(request=None, responses=queue_shapes.QueueSerializer)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, pk: str) -> Response:
        """Undo its deletion."""
        queue = self.find(deletion.list_restorable(), int(pk))
        self.check_object_permissions(request, queue)
        deletion.restore(queue=queue)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"], url_path="carry-over", permission_classes=[AnalystWrites])
    def carry_over(self, request: Request, pk: str) -> Response:
        """Move it to the graph's current version: verdicts stay, and questions whose paths changed come back."""
        job = carry_over.start_carry_over(queue=self.get_object(), user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=inputs.HoldingSerializer, responses=shapes.NextSerializer)
    @action(detail=True, methods=["post"], permission_classes=[AnalystWrites])
    def next(self, request: Request, pk: str) -> Response:
        """Reserve the next item for the one who asks."""
        data = validate_form(inputs.HoldingSerializer(data=request.data))
        item = reservations.acquire_next_item(queue=self.get_object(), user=self.user, holding=data["holding"])
        return Response({"item": render_item(item, self.user, judged=False)})

    @extend_schema(request=inputs.UndoSerializer, responses=shapes.ChangedItemSerializer)
    @action(detail=True, methods=["post"], permission_classes=[AnalystWrites])
    def undo(self, request: Request, pk: str) -> Response:
        """Take back one's own last submission."""
        data = validate_form(inputs.UndoSerializer(data=request.data))
        item = undo.undo(queue=self.get_object(), user=self.user, id=data["id"])
        return Response({"item": render_item(item, self.user)})

    @extend_schema(request=inputs.UndoSerializer, responses=shapes.ChangedItemSerializer)
    @action(detail=True, methods=["post"], permission_classes=[AnalystWrites])
    def redo(self, request: Request, pk: str) -> Response:
        """Have what one took back last count again."""
        data = validate_form(inputs.UndoSerializer(data=request.data))
        item = undo.redo(queue=self.get_object(), user=self.user, id=data["id"])
        return Response({"item": render_item(item, self.user)})

    @extend_schema(
        parameters=[OpenApiParameter("all", bool, description="also those that were adjudicated")],
        responses=shapes.DisagreementSerializer(many=True),
    )
    @action(detail=True)
    def disagreements(self, request: Request, pk: str) -> Response:
        """Items that enough analysts judged, and not alike, with what each says."""
        every = parse_flag(request.query_params, "all")
        rows = adjudication.list_disagreements(self.get_object(), self.user, decided=every)
        page = self.paginate_queryset(cast(Any, rows))
        sides = adjudication.collect_opinions(cast(Any, page))
        return self.get_paginated_response(shapes.DisagreementSerializer(cast(Any, sides), many=True).data)

    @extend_schema(request=inputs.UndoSerializer, responses=shapes.AcceptedSerializer)
    @action(detail=True, methods=["post"], permission_classes=[AnalystWrites], url_path="accept-unanimous")
    def accept_unanimous(self, request: Request, pk: str) -> Response:
        """Settle every item that enough analysts judged alike."""
        data = validate_form(inputs.UndoSerializer(data=request.data))
        return Response(adjudication.accept_unanimous(queue=self.get_object(), user=self.user, id=data["id"]))

    @extend_schema(request=inputs.UndoSerializer, responses=shapes.TakenBackSerializer)
    @action(detail=True, methods=["post"], permission_classes=[AnalystWrites], url_path="accept-unanimous/undo")
    def take_acceptance_back(self, request: Request, pk: str) -> Response:
        """Open again what an acceptance settled; ``id`` is that of the acceptance."""
        data = validate_form(inputs.UndoSerializer(data=request.data))
        undone = adjudication.take_acceptance_back(queue=self.get_object(), user=self.user, id=data["id"])
        return Response({"undone": undone})

    @extend_schema(
        parameters=[OpenApiParameter("state", str), OpenApiParameter("q", str)],
        responses=shapes.ItemRowSerializer(many=True),
    )
    @action(detail=True)
    def items(self, request: Request, pk: str) -> Response:
        """The items of a queue, in their order."""
        query = request.query_params
        states = [state for state in query.get("state", "").split(",") if state]
        rows = selectors.list_items(queue=self.get_object(), states=states, text=query.get("q", ""))
        return self.build_page(rows, shapes.ItemRowSerializer)

    @extend_schema(responses=queue_shapes.StatisticsSerializer)
    @action(detail=True)
    def statistics(self, request: Request, pk: str) -> Response:
        """Progress, people and agreement."""
        return Response(statistics.compute_statistics(self.get_object()))

    @extend_schema(responses=queue_shapes.QueueTrainingSerializer(many=True))
    @action(detail=True)
    def trainings(self, request: Request, pk: str) -> Response:
        """What was trained from it, newest first."""
        page = self.paginate_queryset(cast(Any, training.list_trainings(self.get_object())))
        rows = training.describe_trainings(cast(Any, page))
        return self.get_paginated_response(queue_shapes.QueueTrainingSerializer(cast(Any, rows), many=True).data)

    @extend_schema(
        parameters=[
            OpenApiParameter("item", int),
            OpenApiParameter("analyst", str),
            OpenApiParameter("format", str, enum=events.FORMATS, description="all of them, as a file"),
        ],
        responses=shapes.ReviewEventSerializer(many=True),
    )
    @action(detail=True)
    def events(self, request: Request, pk: str) -> Response | FileResponse:
        """Everything that happened, newest first; as a file, oldest first."""
        query, queue = request.query_params, self.get_object()
        analyst = query.get("analyst", "")
        rows = events.list_events(queue, self.user, item=parse_integer(query, "item"), analyst=analyst)
        if "format" in query:
            wanted = _require_format(query["format"], events.FORMATS)
            return _send_file(events.write(rows, wanted), f"events-{queue.pk}.{wanted}", wanted)
        return self.build_page(rows, shapes.ReviewEventSerializer)

    @extend_schema(request={"multipart/form-data": inputs.ImportSerializer}, responses=shapes.ImportedSerializer)
    @action(
        detail=True,
        methods=["post"],
        permission_classes=[AnalystWrites],
        url_path="import",
        parser_classes=[MultiPartParser],
    )
    def import_verdicts(self, request: Request, pk: str) -> Response:
        """Take verdicts from a file, as exports and label files have them. The same file twice adds nothing."""
        data = validate_form(inputs.ImportSerializer(data=request.data))
        lines = verdict_files.read(data["file"], data["file"].name or "")
        result = imports.import_verdicts(queue=self.get_object(), user=self.user, lines=lines, name=data["as"])
        return Response(shapes.ImportedSerializer(result).data)

    @extend_schema(request=inputs.UndoSerializer, responses=shapes.TakenBackSerializer)
    @action(detail=True, methods=["post"], permission_classes=[AnalystWrites], url_path="import/undo")
    def take_import_back(self, request: Request, pk: str) -> Response:
        """Take back what an import brought; ``id`` is the ``undo`` of its answer."""
        data = validate_form(inputs.UndoSerializer(data=request.data))
        undone = import_undo.take_back(queue=self.get_object(), user=self.user, id=data["id"])
        return Response({"undone": undone})

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=[*exports.FORMATS])],
        responses={(200, "application/jsonl"): OpenApiTypes.STR, (200, "text/csv"): OpenApiTypes.STR},
    )
    @action(detail=True)
    def export(self, request: Request, pk: str) -> FileResponse:
        """What was judged: labels (jsonl), every verdict (csv), or the questions with their answers (questions)."""
        queue = self.get_object()
        wanted = _require_format(request.query_params.get("format", "jsonl"), [*exports.FORMATS])
        name = f"questions-{queue.pk}.jsonl" if wanted == "questions" else f"review-{queue.pk}.{wanted}"
        return _send_file(exports.write(queue, wanted, reader=self.user), name, wanted)

    @extend_schema(responses=dataset_files.RESPONSES)
    @action(detail=True, url_path="dataset")
    def export_dataset(self, request: Request, pk: str) -> FileResponse:
        """Labels and questions with known answers as a zip for other tools, without names and words of analysts."""
        queue = self.get_object()
        tables = [
            make_questions_table(exports.iter_questions(queue, self.user)),
            make_labels_table(exports.iter_labels(queue, self.user)),
        ]
        return dataset_files.send(self.user, queue.name, queue.graph, tables)


def _require_format(wanted: str, formats: Sequence[str]) -> str:
    if wanted not in formats:
        raise InvalidError(f"There is no format {wanted[:50]}.", hint=f"Choose one of: {', '.join(formats)}.")
    return wanted


def _send_file(content: IO[bytes], name: str, wanted: str) -> FileResponse:
    return FileResponse(content, as_attachment=True, filename=name, content_type=exports.FORMATS[wanted])
