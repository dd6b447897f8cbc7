"""``/runs``."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.mixins import DestroyModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import Role, User
from webapp.accounts.permissions import ManagerWrites, Viewer, has_role
from webapp.accounts.views import UserView
from webapp.answers import fair_queue, flagging, prov, selectors, services, steering
from webapp.answers import serializers as shapes
from webapp.answers.evidence_sources import list_evidence_sources
from webapp.answers.models import Run, RunState
from webapp.api.access import filter_visible
from webapp.api.errors import ForbiddenError, InvalidError
from webapp.api.params import parse_flag, parse_integer, parse_uuid, validate_form
from webapp.experiments.selectors import list_checkpoints
from webapp.graphs import names
from webapp.graphs.selectors import find_graph, find_version


class RunViewSet(DestroyModelMixin, UserView, viewsets.GenericViewSet[Run]):
    """Questions that were asked, and their answers; newest first."""

    queryset = selectors.list_runs()
    serializer_class = shapes.RunSerializer
    permission_classes = [ManagerWrites]
    lookup_value_converter = "uuid"

    @extend_schema(
        parameters=[
            OpenApiParameter("graph", int),
            OpenApiParameter("q", str, description="a part of the question"),
            OpenApiParameter("state", str, enum=RunState.values),
            OpenApiParameter("group", UUID, description="runs of one comparison"),
            OpenApiParameter("thread", UUID, description="questions and their follow-ups"),
            OpenApiParameter("all", bool, description="everybody's, for administrators"),
        ]
    )
    def list(self, request: Request) -> Response:
        """One's own history; of a comparison or a thread, whose ids nobody can guess, all runs."""
        query = request.query_params
        state = query.get("state", "")
        if state and state not in RunState.values:
            raise InvalidError(f"No run is ever {state}.", hint=f"Choose one of {', '.join(RunState.values)}.")
        rows = selectors.list_runs(
            graph_id=parse_integer(query, "graph"),
            text=query.get("q", ""),
            state=state,
            group=parse_uuid(query, "group"),
            thread=parse_uuid(query, "thread"),
            user_id=_resolve_user_id(request),
            history=True,
        )
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.RunSerializer(page, many=True).data)

    @extend_schema(request=shapes.AskSerializer, responses={201: shapes.RunSerializer})
    def create(self, request: Request) -> Response:
        """Ask."""
        data = validate_form(shapes.AskSerializer(data=request.data))
        graph = find_graph(self.user, data.pop("graph"))
        ask = services.Ask(
            checkpoint=self.find_named(list_checkpoints(), data.pop("checkpoint")),
            corrects=self.find_named(selectors.list_runs(), data.pop("corrects")),
            follows=self.find_named(selectors.list_runs(), data.pop("follows")),
            **data,
        )
        run = services.create_run(graph=graph, ask=ask, user=self.user)
        headers = fair_queue.build_limit_headers(self.user)
        return Response(shapes.RunSerializer(run).data, status=status.HTTP_201_CREATED, headers=headers)

    @extend_schema(responses=shapes.RunDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One run."""
        return Response(shapes.RunDetailSerializer(self.get_object()).data)

    @extend_schema(request=shapes.NewFlagSerializer, responses=shapes.FlaggedSerializer)
    @action(detail=True, methods=["post"], permission_classes=[Viewer])
    def flag(self, request: Request, pk: str) -> Response:
        """Say that an answer or a path is wrong: analysts will judge the question with the paths that were shown."""
        data = validate_form(shapes.NewFlagSerializer(data=request.data))
        flag = flagging.create_flag(run=self.get_object(), user=self.user, flag=flagging.NewFlag(**data))
        return Response({"queue": flag.item.queue_id, "item": flag.item_id})

    def perform_destroy(self, instance: Run) -> None:
        """Delete it with its log."""
        services.delete_run(run=instance)

    @extend_schema(
        parameters=[OpenApiParameter("after", int, description="only events behind this sequence number")],
        responses=shapes.EventSerializer(many=True),
    )
    @action(detail=True, pagination_class=None)
    def events(self, request: Request, pk: str) -> Response:
        """The run's log."""
        run = self.get_object()
        events = selectors.load_events(run.pk, after=parse_integer(request.query_params, "after") or 0)
        preferred = names.list_preferred(request.COOKIES, request.headers.get("Accept-Language", ""))
        writer = names.open_writer(find_version(run.graph, run.snapshot_hash), preferred)
        return Response(events if writer is None else writer.write(events))

    @extend_schema(request=None, responses={202: shapes.RunSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop the run; what was found is kept."""
        return _render_accepted(services.cancel_run(run=self.get_object()))

    @extend_schema(request=None, responses={202: shapes.RunSerializer})
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:
        """Let an agent rest after the step it is at."""
        return _render_accepted(steering.pause_run(run=self.get_object()))

    @extend_schema(request=shapes.SteerSerializer, responses={202: shapes.RunSerializer})
    @action(detail=True, methods=["post"])
    def steer(self, request: Request, pk: str) -> Response:
        """Take steps of an agent back, choose the next one, and go on. Without ``pause_after`` it rests as before."""
        run = self.get_object()
        data = validate_form(shapes.SteerSerializer(data=request.data))
        steer = steering.Steer(**{"pause_after": run.pause_after, **data})
        return _render_accepted(steering.apply_steering(run=run, steer=steer, user=self.user))

    @extend_schema(responses=shapes.ExportSerializer)
    @action(detail=True)
    def export(self, request: Request, pk: str) -> Response:
        """The run, all its events and the sources of its evidence as one file."""
        run = self.get_object()
        return Response(_export(run), headers={"Content-Disposition": f'attachment; filename="run-{run.pk}.json"'})

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=[*prov.FORMATS], description="turtle unless named")],
        responses={(200, media): OpenApiTypes.STR for media, _ in prov.FORMATS.values()},
    )
    @action(detail=True, url_path="provenance")
    def export_provenance(self, request: Request, pk: str) -> HttpResponse:
        """The run as W3C PROV-O: what was used, and from which facts and files its answers are derived."""
        run = self.get_object()
        wanted = request.query_params.get("format") or "turtle"
        if wanted not in prov.FORMATS:
            raise InvalidError(f"There is no format {wanted[:50]}.", hint=f"Choose one of: {', '.join(prov.FORMATS)}.")
        media, ending = prov.FORMATS[wanted]
        name = f'attachment; filename="run-{run.pk}.{ending}"'
        text = prov.render_provenance(_export(run), wanted)
        return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers={"Content-Disposition": name})


def _export(run: Run) -> dict[str, Any]:
    events = selectors.load_events(run.pk)
    return {
        "run": shapes.RunSerializer(run).data,
        "events": events,
        "sources": shapes.EvidenceSourceSerializer(list_evidence_sources(run, events), many=True).data,
    }


class ComparisonsView(UserView):
    """One question for several methods."""

    @extend_schema(request=shapes.CompareSerializer, responses={201: shapes.RunGroupSerializer})
    def post(self, request: Request) -> Response:
        """Ask several methods at once."""
        data = validate_form(shapes.CompareSerializer(data=request.data))
        graph = find_graph(self.user, data.pop("graph"))
        contenders = [
            services.Contender(
                contender["method"],
                self.find_named(list_checkpoints(), contender["checkpoint"]),
                contender["options"],
            )
            for contender in data.pop("methods")
        ]
        group = services.create_comparison(
            graph=graph,
            ask=services.Ask(
                corrects=self.find_named(selectors.list_runs(), data.pop("corrects")),
                follows=self.find_named(selectors.list_runs(), data.pop("follows")),
                **data,
            ),
            contenders=contenders,
            user=self.user,
        )
        headers = fair_queue.build_limit_headers(self.user)
        return Response(_render_group(group, self.user), status=status.HTTP_201_CREATED, headers=headers)


class ComparisonView(UserView):
    """A comparison."""

    @extend_schema(responses=shapes.RunGroupSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The runs of a comparison."""
        return Response(_render_group(pk, self.user))


def _render_accepted(run: Run) -> Response:
    return Response(shapes.RunSerializer(run).data, status=status.HTTP_202_ACCEPTED)


def _resolve_user_id(request: Request) -> int | None:
    """Whose runs a list holds: one's own; None for everybody's.

    Raises:
        ForbiddenError: somebody else than an administrator asks for everybody's.
    """
    if request.query_params.get("group") or request.query_params.get("thread"):
        return None
    if not parse_flag(request.query_params, "all"):
        return cast(User, request.user).pk
    if not has_role(request, Role.ADMIN):
        raise ForbiddenError("The questions of others are theirs.", hint="Leave all out to see your own.")
    return None


def _render_group(group: UUID, user: Any) -> dict[str, Any]:
    """A comparison as the API shows it: what its runs have in common, and the runs as they were named."""
    runs = list(filter_visible(selectors.list_runs(group=group), user).reverse())
    if not runs:
        raise Http404
    first = runs[0]
    comparison = {
        "id": group,
        "graph": first.graph_id,
        "graph_name": first.graph.name,
        "question": first.question,
        "created_at": first.created_at,
        "runs": runs,
    }
    return dict(shapes.RunGroupSerializer(comparison).data)
