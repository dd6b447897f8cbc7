"""``/review/items``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import User
from webapp.accounts.permissions import AnalystWrites
from webapp.accounts.views import UserView
from webapp.api.errors import render_error
from webapp.api.params import validate_form
from webapp.graphs.serializers import EntitySerializer
from webapp.review import selectors
from webapp.review.api import inputs
from webapp.review.api import serializers as shapes
from webapp.review.domain.annotation import VerdictData
from webapp.review.models import Item
from webapp.review.services import (
    added_paths,
    adjudication,
    drafts,
    path_previews,
    reservations,
    right_answers,
    submissions,
)

ID_MAX = 2**63 - 1


def render_item(item: Item | None, user: User, *, judged: bool = True) -> dict[str, Any] | None:
    """An item as its analyst sees it; ``judged`` False says that they did not judge it, so nothing is looked for."""
    if item is None:
        return None
    mine = selectors.get_own_submission(item, user) if judged else None
    context = {"mine": mine, "drafts": selectors.get_drafts(item, user)}
    return dict(shapes.ItemSerializer(item, context=context).data)


class ItemViewSet(UserView, viewsets.GenericViewSet[Item]):
    """Questions to be judged."""

    queryset = selectors.list_items()
    serializer_class = shapes.ItemSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def _find_visible(self, pk: str) -> QuerySet[Item]:
        """The item, if the user may see it. It is read once: whoever changes it, locks it while reading."""
        number = int(pk)
        if number > ID_MAX:
            raise Http404
        return self.filter_queryset(Item.objects.filter(pk=number, queue__deleted_at=None))

    def retrieve(self, request: Request, pk: str) -> Response:
        """One item."""
        return Response(render_item(self.get_object(), self.user))

    @extend_schema(
        parameters=[OpenApiParameter("candidates", str, description="ids with commas; without it, all")],
        responses=shapes.PathPreviewSerializer(many=True),
    )
    @action(detail=True, pagination_class=None)
    def drawing(self, request: Request, pk: str) -> Response:
        """The facts of each candidate, to be drawn."""
        keys = request.query_params.get("candidates", "").split(",")
        only = [int(key) for key in keys if key.isdecimal() and len(key) < len(str(ID_MAX))]
        rows = path_previews.build_previews(self.get_object(), only)
        return Response(shapes.PathPreviewSerializer(cast(Any, rows), many=True).data)

    @extend_schema(parameters=[inputs.HopsQuerySerializer], responses=shapes.HopsSerializer)
    @action(detail=True)
    def hops(self, request: Request, pk: str) -> Response:
        """A path hop by hop on the queue's version of the graph: what it reaches, and how it can go on."""
        data = validate_form(inputs.HopsQuerySerializer(data=request.query_params))
        return Response(path_previews.describe_path(self.get_object(), data["topic"], data["path"]))

    @extend_schema(
        parameters=[OpenApiParameter("q", str, description="a part of the name; empty: of this question")],
        responses=EntitySerializer(many=True),
    )
    @action(detail=True, pagination_class=None)
    def topics(self, request: Request, pk: str) -> Response:
        """Entities that a path could start from."""
        return Response(path_previews.find_topics(self.get_object(), request.query_params.get("q", "")[:200]))

    @extend_schema(request=inputs.NewPathSerializer, responses=shapes.ChangedItemSerializer)
    @action(detail=True, methods=["post"])
    def candidates(self, request: Request, pk: str) -> Response:
        """Add a path; one that the question has already is left as it is."""
        data = validate_form(inputs.NewPathSerializer(data=request.data))
        item = added_paths.add_path(item=self.get_object(), user=self.user, **data)
        return Response({"item": render_item(item, self.user)})

    @extend_schema(request=inputs.RightAnswersSerializer, responses=shapes.ChangedItemSerializer)
    @action(detail=True, methods=["post"])
    def answers(self, request: Request, pk: str) -> Response:
        """Say what the right answers are: the paths are measured by them, and those that lead there are found."""
        data = validate_form(inputs.RightAnswersSerializer(data=request.data))
        item = right_answers.set_answers(item=self.get_object(), user=self.user, **data)
        return Response({"item": render_item(item, self.user)})

    @extend_schema(request=inputs.AnnotationInputSerializer, responses=shapes.SubmittedSerializer)
    @action(detail=True, methods=["post"])
    def submit(self, request: Request, pk: str) -> Response:
        """Judge an item, and get the next one. 409 with the item as it is when it was judged meanwhile."""
        data = validate_form(inputs.AnnotationInputSerializer(data=request.data))
        holding = data.pop("holding")

        def save_and_load_next(rows: QuerySet[Item]) -> dict[str, Any]:
            item = submissions.save_annotation(item=rows, user=self.user, annotation=_build_annotation(data))
            following = reservations.acquire_next_item(queue=item.queue, user=self.user, holding=holding)
            return {**_render_row(item), "next": render_item(following, self.user, judged=False)}

        return self._apply_change(pk, save_and_load_next)

    @extend_schema(request=inputs.DecisionSerializer, responses=shapes.DecidedItemSerializer)
    @action(detail=True, methods=["post"])
    def adjudicate(self, request: Request, pk: str) -> Response:
        """Decide an item that analysts do not agree on. Administrators, and analysts who did not judge it."""
        data = validate_form(inputs.DecisionSerializer(data=request.data))
        annotation = _build_annotation({"shown": "", **data})
        return self._apply_change(
            pk,
            lambda rows: _render_row(adjudication.save_decision(item=rows, user=self.user, annotation=annotation)),
        )

    @extend_schema(request=inputs.TakeBackSerializer, responses=shapes.DecidedItemSerializer)
    @action(detail=True, methods=["post"], url_path="adjudicate/undo")
    def take_decision_back(self, request: Request, pk: str) -> Response:
        """Open a decided item again. Who decided it, and administrators."""
        data = validate_form(inputs.TakeBackSerializer(data=request.data))
        return self._apply_change(
            pk, lambda rows: _render_row(adjudication.take_decision_back(item=rows, user=self.user, **data))
        )

    def _apply_change(self, pk: str, change: Callable[[QuerySet[Item]], dict[str, Any]]) -> Response:
        """What a change answers; 404 where the item is gone, 409 with both versions where it was judged meanwhile."""
        try:
            return Response(change(self._find_visible(pk)))
        except Item.DoesNotExist:
            raise Http404 from None
        except submissions.AnnotationConflictError as error:
            conflict = _render_conflict(error, self.user, self.request.data)
            return Response(conflict, status=status.HTTP_409_CONFLICT)

    @extend_schema(request=inputs.DraftInputSerializer, responses={204: None})
    @action(detail=True, methods=["put"])
    def draft(self, request: Request, pk: str) -> Response:
        """Save what was entered and is not submitted. 409 with the other draft where another tab changed it."""
        data = validate_form(inputs.DraftInputSerializer(data=request.data))
        try:
            drafts.save_draft(item=self.get_object(), user=self.user, **data)
        except drafts.DraftChangedError as error:
            other = None if error.draft is None else shapes.DraftSerializer(error.draft).data
            conflict = {**render_error(error.code, error.message, error.hint), "draft": other}
            return Response(conflict, status=status.HTTP_409_CONFLICT)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def release(self, request: Request, pk: str) -> Response:
        """Give an item back."""
        reservations.release(item=self.get_object(), user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _render_row(item: Item) -> dict[str, Any]:
    return {"item": shapes.ItemRowSerializer(item).data}


def _render_conflict(error: submissions.AnnotationConflictError, user: User, yours: Any) -> dict[str, Any]:
    """The error with the item, which has what the person said of it before, and what was sent.

    Other people's verdicts are not in it: who judges an item stays blind to them until the judgement is recorded.
    """
    return {
        **render_error(error.code, error.message, error.hint),
        "item": render_item(error.item, user),
        "yours": yours,
    }


def _build_annotation(data: dict[str, Any]) -> submissions.NewAnnotation:
    reasons = tuple(data.pop("reasons"))
    verdicts = tuple(
        VerdictData(verdict["candidate"], verdict["kind"], tuple(verdict["reasons"]), verdict["comment"])
        for verdict in data.pop("verdicts")
    )
    return submissions.NewAnnotation(verdicts=verdicts, reasons=reasons, **data)
