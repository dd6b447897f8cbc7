"""``/graphs/{id}/tests``, ``/tests`` and ``/test-rounds``."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import User
from webapp.accounts.permissions import AnalystWrites, OwnerWrites, Viewer
from webapp.accounts.views import RowViewSet, UserView
from webapp.answers.selectors import list_runs
from webapp.api.params import validate_form
from webapp.graph_tests import history, selectors, services
from webapp.graph_tests import serializers as shapes
from webapp.graph_tests.models import GraphTest, TestRound
from webapp.graphs import trash
from webapp.graphs.models import Graph
from webapp.graphs.selectors import find_graph
from webapp.graphs.views import GraphView, TrashableMixin
from webapp.jobs.models import ACTIVE, Job, JobKind
from webapp.jobs.serializers import JobSerializer

FIELDS = ("question", "expected", "entities", "method", "options", "program", "budget", "seed")
"""What a test is, as files hold it."""


def _render_tests(graph: Graph) -> dict[str, Any]:
    tests = list(selectors.list_tests(graph))
    listed = shapes.TestSerializer(tests, many=True, context={"last": selectors.find_last_results(tests)}).data
    return {"hold": selectors.should_hold(graph), "tests": listed}


class TestsView(GraphView):
    """The tests of a graph. They hold versions and checkpoints back, so that who manages the graph keeps them."""

    @extend_schema(operation_id="graphs_tests", responses=shapes.TestsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """All of them, oldest first, each with its last result."""
        return Response(_render_tests(self.get_graph(pk)))

    @extend_schema(
        operation_id="graphs_tests_keep",
        request=shapes.KeepSerializer,
        responses={201: shapes.TestsSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Keep tests: typed or imported ones, or the answer of a run. One that is there expects what it says now."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.KeepSerializer(data=request.data))
        run = self.find_named(list_runs(graph_id=graph.pk), data["run"])
        new = [services.NewTest(**fields) for fields in data["tests"]]
        kept = services.add(graph=graph, tests=[*([services.build_from_run(run)] if run else []), *new], user=self.user)
        context = {"last": selectors.find_last_results(kept)}
        listed = shapes.TestSerializer(kept, many=True, context=context).data
        return Response({"hold": selectors.should_hold(graph), "tests": listed}, status=status.HTTP_201_CREATED)


class TestsFileView(UserView):
    """The tests of a graph as a file."""

    @extend_schema(operation_id="graphs_tests_download", responses={(200, "application/json"): OpenApiTypes.ANY})
    def get(self, request: Request, pk: int) -> Response:
        """What keeps them again in another graph: ``{"tests": [...]}``."""
        graph = find_graph(self.user, pk)
        rows = [{name: getattr(test, name) for name in FIELDS} for test in selectors.list_tests(graph)]
        name = f"tests-{graph.pk}.json"
        return Response({"tests": rows}, headers={"Content-Disposition": f'attachment; filename="{name}"'})


class TestPolicyView(GraphView):
    """What failing tests do."""

    @extend_schema(
        operation_id="graphs_tests_policy", request=shapes.PolicySerializer, responses=shapes.PolicySerializer
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Say whether they hold a new version or checkpoint back, or only warn."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.PolicySerializer(data=request.data))
        services.set_hold(graph=graph, hold=data["hold"])
        return Response(data)


class AskTestsView(UserView):
    """Asking the tests of a graph."""

    permission_classes = [AnalystWrites]

    @extend_schema(
        operation_id="graphs_tests_ask",
        request=shapes.AskTestsSerializer,
        responses={202: shapes.RoundSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Ask them of the current version."""
        graph = find_graph(self.user, pk)
        data = validate_form(shapes.AskTestsSerializer(data=request.data))
        made = services.start(graph=graph, user=self.user, tests=data["tests"])
        return Response(shapes.RoundSerializer(made).data, status=status.HTTP_202_ACCEPTED)


class TestViewSet(TrashableMixin, UserView, viewsets.GenericViewSet[GraphTest]):
    """A test."""

    queryset = GraphTest.objects.select_related("graph", "created_by")
    serializer_class = shapes.TestSerializer
    permission_classes = [OwnerWrites]
    lookup_value_converter = "int"

    @extend_schema(request=shapes.ChangeTestSerializer, responses=shapes.TestSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Expect other answers."""
        test = self.get_object()
        data = validate_form(shapes.ChangeTestSerializer(data=request.data))
        changed = services.update_expected(test=test, expected=data["expected"])
        context = {"last": selectors.find_last_results([changed])}
        return Response(shapes.TestSerializer(changed, context=context).data)

    @extend_schema(responses=shapes.HistorySerializer)
    @action(detail=True, methods=["get"], permission_classes=[Viewer])
    def history(self, request: Request, pk: str) -> Response:
        """What it answers on each version of the graph, and which facts made the difference."""
        return Response(_render_history(self.get_object(), self.user))

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"], url_path="through-time", permission_classes=[Viewer])
    def through_time(self, request: Request, pk: str) -> Response:
        """Ask the versions that were not asked yet."""
        job = services.ask_through_time(test=self.get_object(), user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


def _render_history(test: GraphTest, user: User) -> dict[str, Any]:
    going = Job.objects.filter(kind=JobKind.TEST, graph=test.graph_id, params__test=test.pk, state__in=ACTIVE).first()
    shown = {
        "test": test,
        "mine": test.watcher_id == user.pk,
        "job": going,
        "moments": history.list_moments(test),
    }
    context = {"last": selectors.find_last_results([test]), "graph": test.graph}
    return dict(shapes.HistorySerializer(shown, context=context).data)


class WatchesView(UserView):
    """What one watches."""

    permission_classes = [Viewer]

    @extend_schema(operation_id="watches_list", responses=shapes.WatchSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Questions whose answers changed first."""
        rows = list(selectors.list_watches(self.user))
        context = {"last": selectors.find_last_results(rows)}
        return Response(shapes.WatchSerializer(rows, many=True, context=context).data)

    @extend_schema(
        operation_id="watches_create",
        request=shapes.NewWatchSerializer,
        responses={201: shapes.WatchSerializer},
    )
    def post(self, request: Request) -> Response:
        """Watch the question of a run: tell me when it is answered otherwise."""
        data = validate_form(shapes.NewWatchSerializer(data=request.data))
        made = services.watch(run=self.find(list_runs(), data["run"]), user=self.user)
        context = {"last": selectors.find_last_results([made])}
        return Response(shapes.WatchSerializer(made, context=context).data, status=status.HTTP_201_CREATED)


class WatchView(UserView):
    """One of them."""

    permission_classes = [Viewer]

    def _find_watch(self, pk: int) -> GraphTest:
        return self.find(selectors.list_watches(self.user), pk)

    @extend_schema(operation_id="watches_seen", request=None, responses=shapes.WatchSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Say that one has looked at what changed."""
        test = self._find_watch(pk)
        services.mark_seen(test=test)
        context = {"last": selectors.find_last_results([test])}
        return Response(shapes.WatchSerializer(test, context=context).data)

    @extend_schema(operation_id="watches_delete", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Stop watching. It can be taken back from the trash, as a test can."""
        trash.put(self._find_watch(pk), user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RoundViewSet(RowViewSet[TestRound]):
    """Rounds of tests, newest first."""

    queryset = selectors.list_rounds()
    serializer_class = shapes.RoundSerializer
    narrowed_by = {"graph": int}

    @extend_schema(responses=shapes.RoundDetailSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One round, with what each test answered."""
        return Response(shapes.RoundDetailSerializer(self.get_object()).data)

    @extend_schema(request=None, responses=shapes.RoundSerializer)
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Make current what failing tests hold back."""
        accepted = services.accept(round=self.get_object(), user=self.user)
        return Response(shapes.RoundSerializer(accepted).data)
