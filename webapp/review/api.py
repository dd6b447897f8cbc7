"""``/review/queues`` and ``/review/items``."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import User
from webapp.api.errors import InvalidError, body
from webapp.api.params import integer
from webapp.api.permissions import AnalystWrites
from webapp.experiments.models import LabelSet
from webapp.graphs.selectors import graphs
from webapp.questions.selectors import question_sets
from webapp.review import drawing, exporting, judging, queues, selectors, statistics
from webapp.review import serializers as shapes
from webapp.review.models import Item, Queue


def shown(item: Item | None, user: User) -> dict[str, Any] | None:
    """An item as its analyst sees it."""
    if item is None:
        return None
    return dict(shapes.ItemSerializer(item, context={"mine": selectors.mine(item, user)}).data)


def _valid(form: Any) -> dict[str, Any]:
    form.is_valid(raise_exception=True)
    return cast(dict[str, Any], form.validated_data)


class QueueViewSet(viewsets.GenericViewSet[Queue]):
    """Review queues."""

    queryset = Queue.objects.none()
    serializer_class = shapes.QueueSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def get_queryset(self) -> QuerySet[Queue]:
        """Newest first."""
        return selectors.queues()

    @extend_schema(parameters=[OpenApiParameter("graph", int)])
    def list(self, request: Request) -> Response:
        """Queues, newest first."""
        rows = selectors.queues(graph_id=integer(request.query_params, "graph"))
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.QueueSerializer(page, many=True).data)

    @extend_schema(request=shapes.NewQueueSerializer, responses={202: shapes.StartedQueueSerializer})
    def create(self, request: Request) -> Response:
        """Make a queue of label sets."""
        data = _valid(shapes.NewQueueSerializer(data=request.data))
        wanted = data["label_sets"]
        rows = list(LabelSet.objects.select_related("job").filter(pk__in=wanted))
        queue = queues.start_queue(
            graph=get_object_or_404(graphs(), pk=data["graph"]),
            question_set=get_object_or_404(question_sets(), pk=data["question_set"]),
            label_sets=queues.require_label_sets(rows, wanted),
            plan=queues.Plan(data["ordering"], data["overlap"], data["seed"], data["name"]),
            user=cast(User, request.user),
        )
        answer = shapes.StartedQueueSerializer({"queue": queue, "job": queue.job}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """One queue."""
        return Response(shapes.QueueSerializer(self.get_object()).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a queue with all verdicts in it."""
        queues.delete_queue(queue=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=shapes.HoldingSerializer, responses=shapes.NextSerializer)
    @action(detail=True, methods=["post"])
    def next(self, request: Request, pk: str) -> Response:
        """Reserve the next item for the one who asks."""
        data = _valid(shapes.HoldingSerializer(data=request.data))
        user = cast(User, request.user)
        item = judging.next_item(queue=self.get_object(), user=user, holding=data["holding"])
        return Response({"item": shown(item, user)})

    @extend_schema(request=shapes.UndoSerializer, responses=shapes.NextSerializer)
    @action(detail=True, methods=["post"])
    def undo(self, request: Request, pk: str) -> Response:
        """Take back one's own last submission."""
        data = _valid(shapes.UndoSerializer(data=request.data))
        user = cast(User, request.user)
        item = judging.undo(queue=self.get_object(), user=user, id=data["id"])
        return Response({"item": shown(item, user)})

    @extend_schema(
        parameters=[OpenApiParameter("state", str), OpenApiParameter("q", str)],
        responses=shapes.ItemRowSerializer(many=True),
    )
    @action(detail=True)
    def items(self, request: Request, pk: str) -> Response:
        """The items of a queue, in their order."""
        query = request.query_params
        states = [one for one in query.get("state", "").replace("\0", "").split(",") if one]
        rows = selectors.items(
            queue=self.get_object(), states=states, text=query.get("q", "").replace("\0", "")
        )
        page = self.paginate_queryset(cast(Any, rows))
        return self.get_paginated_response(shapes.ItemRowSerializer(cast(Any, page), many=True).data)

    @extend_schema(responses=shapes.StatisticsSerializer)
    @action(detail=True)
    def statistics(self, request: Request, pk: str) -> Response:
        """Progress, people and agreement."""
        return Response(shapes.StatisticsSerializer(statistics.statistics(self.get_object())).data)

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=[*exporting.FORMATS])],
        responses={(200, "application/jsonl"): OpenApiTypes.STR, (200, "text/csv"): OpenApiTypes.STR},
    )
    @action(detail=True)
    def export(self, request: Request, pk: str) -> FileResponse:
        """What stands: labels (jsonl) or every verdict (csv)."""
        queue = self.get_object()
        wanted = request.query_params.get("format", "jsonl")
        if wanted not in exporting.FORMATS:
            raise InvalidError(
                f"There is no format {wanted[:50]}.", hint=f"Choose one of: {', '.join(exporting.FORMATS)}."
            )
        return FileResponse(
            exporting.write(queue, wanted),
            as_attachment=True,
            filename=f"review-{queue.pk}.{wanted}",
            content_type=exporting.FORMATS[wanted],
        )


class ItemViewSet(viewsets.GenericViewSet[Item]):
    """Questions to be judged."""

    queryset = Item.objects.none()
    serializer_class = shapes.ItemSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def get_queryset(self) -> QuerySet[Item]:
        """In their order."""
        return selectors.items()

    def retrieve(self, request: Request, pk: str) -> Response:
        """One item."""
        return Response(shown(self.get_object(), cast(User, request.user)))

    @extend_schema(responses=shapes.DrawingSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def drawing(self, request: Request, pk: str) -> Response:
        """The facts of each candidate, to be drawn."""
        return Response(shapes.DrawingSerializer(drawing.drawing(self.get_object()), many=True).data)

    @extend_schema(request=shapes.JudgementSerializer, responses=shapes.SubmittedSerializer)
    @action(detail=True, methods=["post"])
    def submit(self, request: Request, pk: str) -> Response:
        """Judge an item, and get the next one. 409 with all versions when it was judged meanwhile."""
        data = _valid(shapes.JudgementSerializer(data=request.data))
        item, user = self.get_object(), cast(User, request.user)
        holding = data.pop("holding")
        said = [judging.Said(one.pop("candidate"), one.pop("kind"), **one) for one in data.pop("verdicts")]
        try:
            item = judging.submit(
                item=item, user=user, judgement=judging.Judgement(verdicts=tuple(said), **data)
            )
        except judging.JudgedMeanwhileError as error:
            return Response(_meanwhile(error, user, request.data), status=status.HTTP_409_CONFLICT)
        following = judging.next_item(queue=item.queue, user=user, holding=holding)
        row = shapes.ItemRowSerializer(item).data
        return Response({"item": row, "next": shown(following, user)})

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def release(self, request: Request, pk: str) -> Response:
        """Give an item back."""
        judging.release(item=self.get_object(), user=cast(User, request.user))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _meanwhile(error: judging.JudgedMeanwhileError, user: User, yours: Any) -> dict[str, Any]:
    """The error with both versions: what stands now, and what was sent."""
    theirs = shapes.StandingSerializer(selectors.standing(error.item), many=True).data
    return {
        **body(error.code, error.message, error.hint),
        "item": shown(error.item, user),
        "theirs": theirs,
        "yours": yours,
    }
