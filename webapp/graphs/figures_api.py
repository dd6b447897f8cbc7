"""What a graph is like: the report of its import, its statistics and its schema."""

from __future__ import annotations

import dataclasses
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from retrieval.kg.analysis import import_report, schema, statistics
from webapp.graphs import selectors, snapshots
from webapp.graphs.api import VERSION
from webapp.graphs.models import GraphVersion
from webapp.graphs.selectors import find_graph


class CountSerializer(serializers.Serializer[object]):
    """How often something occurs."""

    kind = serializers.CharField()
    count = serializers.IntegerField()


class SourceReportSerializer(serializers.Serializer[object]):
    """What was read of one file. ``same_as`` names the file that has the same content and was read in its place."""

    name = serializers.CharField()
    format = serializers.CharField()
    rows = serializers.IntegerField()
    problems = serializers.IntegerField()
    kinds = CountSerializer(many=True)
    encoding = serializers.CharField()
    same_as = serializers.CharField()


class ImportReportSerializer(serializers.Serializer[object]):
    """What became of the files of a version."""

    triples = serializers.IntegerField()
    entities = serializers.IntegerField()
    relations = serializers.IntegerField()
    passages = serializers.IntegerField()
    duplicates = serializers.IntegerField(help_text="facts given more than once, each further time counted")
    self_loops = serializers.IntegerField()
    dangling = serializers.IntegerField(help_text="entities that are declared and in no fact")
    blank_labels = serializers.IntegerField(help_text="rows left out because a name in them is empty")
    odd_encodings = serializers.IntegerField(help_text="files whose text is not UTF-8 throughout")
    problems = serializers.IntegerField(help_text="rows left out")
    files = SourceReportSerializer(many=True)
    edits_applied = serializers.IntegerField(
        default=0, help_text="edits by hand that were applied to the files' content"
    )
    edits_failed = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="edits by hand that could not be applied again, and why"
    )


class VersionedView(APIView):
    """The version that is looked at: the current one unless ``snapshot`` names another by its hash."""

    def get_version(self, request: Request, pk: int) -> GraphVersion:
        """It.

        Raises:
            GraphNotReadyError: there is none yet.
            VersionGoneError: it was deleted.
        """
        graph = find_graph(request.user, pk)
        wanted = request.query_params.get("snapshot", "")
        return selectors.require_version(graph, wanted) if wanted else snapshots.require_current(graph)


class ReportView(VersionedView):
    """The report of an import."""

    @extend_schema(operation_id="graphs_report", parameters=[VERSION], responses=ImportReportSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """What became of the files of a version."""
        version = self.get_version(request, pk)
        return Response(ImportReportSerializer(_render_report(version)).data)


def _render_report(version: GraphVersion) -> dict[str, Any]:
    """The report that was kept; of versions that were made before reports were, what can still be told."""
    kept = version.report or dataclasses.asdict(import_report.build_report(snapshots.open_snapshot(version.path), ()))
    files = [
        {**file, "kinds": [{"kind": kind, "count": count} for kind, count in file["kinds"]]} for file in kept["files"]
    ]
    return {**kept, "files": files, "problems": version.problem_count}


class StatisticsView(VersionedView):
    """The statistics of a graph."""

    @extend_schema(operation_id="graphs_statistics", parameters=[VERSION], responses=statistics.GraphStatistics)
    def get(self, request: Request, pk: int) -> Response:
        """Degrees, relations with examples, components, text."""
        made = statistics.describe(snapshots.open_snapshot(self.get_version(request, pk).path))
        return Response(dataclasses.asdict(made))


class SchemaView(VersionedView):
    """The schema of a graph."""

    @extend_schema(operation_id="graphs_schema", parameters=[VERSION], responses=schema.GraphSchema)
    def get(self, request: Request, pk: int) -> Response:
        """Types and the relations between them."""
        made = schema.get_schema(snapshots.open_snapshot(self.get_version(request, pk).path))
        return Response(dataclasses.asdict(made))
