"""``/runs``."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import Role, User
from webapp.accounts.permissions import has_role
from webapp.accounts.rights import require_manager
from webapp.answers import flagging, selectors, services, steering
from webapp.answers import serializers as shapes
from webapp.answers.models import Run, RunState
from webapp.api.access import visible
from webapp.api.errors import ForbiddenError, InvalidError
from webapp.api.params import integer, truth, uuid, validated
from webapp.experiments.api import find_checkpoint
from webapp.graphs.selectors import visible_graphs


class RunViewSet(viewsets.GenericViewSet[Run]):
    """Questions that were asked, and their answers."""

    queryset = Run.objects.none()
    serializer_class = shapes.RunSerializer
    lookup_value_converter = "uuid"

    def get_queryset(self) -> QuerySet[Run]:
        """Newest first."""
        return selectors.runs()

    @extend_schema(
        parameters=[
            OpenApiParameter("graph", int),
            OpenApiParameter("q", str, description="a part of the question"),
            OpenApiParameter("state", str, enum=RunState.values),
            OpenApiParameter("group", UUID, description="runs of one comparison"),
            OpenApiParameter("all", bool, description="everybody's, for administrators"),
        ]
    )
    def list(self, request: Request) -> Response:
        """One's own history; of a comparison, whose id nobody can guess, all runs."""
        query = request.query_params
        state = query.get("state", "")
        if state and state not in RunState.values:
            raise InvalidError(
                f"No run is ever {state}.", hint=f"Choose one of {', '.join(RunState.values)}."
            )
        rows = selectors.runs(
            graph_id=integer(query, "graph"),
            text=query.get("q", "").replace("\0", ""),
            state=state,
            group=uuid(query, "group"),
            user_id=_whose(request),
        )
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.RunSerializer(page, many=True).data)

    @extend_schema(request=shapes.AskSerializer, responses={201: shapes.RunSerializer})
    def create(self, request: Request) -> Response:
        """Ask."""
        data = validated(shapes.AskSerializer(data=request.data))
        graph = get_object_or_404(visible_graphs(request.user), pk=data.pop("graph"))
        ask = services.Ask(checkpoint=find_checkpoint(data.pop("checkpoint"), request.user), **data)
        run = services.create_run(graph=graph, ask=ask, user=cast(User, request.user))
        return Response(shapes.RunSerializer(run).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=shapes.RunDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One run."""
        return Response(shapes.RunDetailSerializer(self.get_object()).data)

    @extend_schema(request=shapes.NewFlagSerializer, responses=shapes.FlaggedSerializer)
    @action(detail=True, methods=["post"])
    def flag(self, request: Request, pk: str) -> Response:
        """Say that an answer or a path is wrong: analysts will judge the question with the paths that were shown."""
        data = validated(shapes.NewFlagSerializer(data=request.data))
        flag = flagging.flag_run(
            run=self.get_object(), user=cast(User, request.user), flag=flagging.NewFlag(**data)
        )
        return Response({"queue": flag.item.queue_id, "item": flag.item_id})

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a run."""
        run = self.get_object()
        require_manager(request.user, run)
        services.delete_run(run=run)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(
        parameters=[OpenApiParameter("after", int, description="only events behind this sequence number")],
        responses=shapes.EventSerializer(many=True),
    )
    @action(detail=True, pagination_class=None)
    def events(self, request: Request, pk: str) -> Response:
        """The run's log."""
        run = self.get_object()
        return Response(selectors.events(run.pk, after=integer(request.query_params, "after") or 0))

    @extend_schema(request=None, responses={202: shapes.RunSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop the run; what was found is kept."""
        run = self.get_object()
        require_manager(request.user, run)
        run = services.cancel_run(run=run)
        return Response(shapes.RunSerializer(run).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses={202: shapes.RunSerializer})
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:
        """Let an agent rest after the step it is at."""
        run = self.get_object()
        require_manager(request.user, run)
        run = steering.pause_run(run=run)
        return Response(shapes.RunSerializer(run).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=shapes.SteerSerializer, responses={202: shapes.RunSerializer})
    @action(detail=True, methods=["post"])
    def steer(self, request: Request, pk: str) -> Response:
        """Take steps of an agent back, choose the next one, and go on. Without ``pause_after`` it rests as before."""
        run = self.get_object()
        require_manager(request.user, run)
        data = validated(shapes.SteerSerializer(data=request.data))
        steer = steering.Steer(**{"pause_after": run.pause_after, **data})
        run = steering.steer_run(run=run, steer=steer, user=cast(User, request.user))
        return Response(shapes.RunSerializer(run).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=shapes.ExportSerializer)
    @action(detail=True)
    def export(self, request: Request, pk: str) -> Response:
        """The run and all its events as one file."""
        run = self.get_object()
        content: dict[str, Any] = {"run": shapes.RunSerializer(run).data, "events": selectors.events(run.pk)}
        return Response(content, headers={"Content-Disposition": f'attachment; filename="run-{run.pk}.json"'})


class ComparisonsView(APIView):
    """One question for several methods."""

    @extend_schema(request=shapes.CompareSerializer, responses={201: shapes.RunGroupSerializer})
    def post(self, request: Request) -> Response:
        """Ask several methods at once."""
        data = validated(shapes.CompareSerializer(data=request.data))
        graph = get_object_or_404(visible_graphs(request.user), pk=data.pop("graph"))
        contenders = [
            services.Contender(named["method"], find_checkpoint(named["checkpoint"], request.user))
            for named in data.pop("methods")
        ]
        group = services.create_comparison(
            graph=graph, ask=services.Ask(**data), contenders=contenders, user=cast(User, request.user)
        )
        return Response(_group(group, request.user), status=status.HTTP_201_CREATED)


class ComparisonView(APIView):
    """A comparison."""

    @extend_schema(responses=shapes.RunGroupSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The runs of a comparison."""
        return Response(_group(pk, request.user))


def _whose(request: Request) -> int | None:
    """Whose runs a list holds: one's own; None for everybody's.

    Raises:
        ForbiddenError: somebody else than an administrator asks for everybody's.
    """
    if request.query_params.get("group"):
        return None
    if not truth(request.query_params, "all"):
        return cast(User, request.user).pk
    if not has_role(request, Role.ADMIN):
        raise ForbiddenError("The questions of others are theirs.", hint="Leave all out to see your own.")
    return None


def _group(group: UUID, user: Any) -> dict[str, Any]:
    """A comparison as the API shows it: what its runs have in common, and the runs as they were named."""
    runs = list(visible(selectors.runs(group=group), user).reverse())
    if not runs:
        raise Http404
    first = runs[0]
    whole = {
        "id": group,
        "graph": first.graph_id,
        "graph_name": first.graph.name,
        "question": first.question,
        "created_at": first.created_at,
        "runs": runs,
    }
    return dict(shapes.RunGroupSerializer(whole).data)
