"""``/graphs/{id}/error-limit``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.metrics.guarantee import CERTAINTY, LEAST, MOST, Guarantee
from webapp.api.params import validate_form
from webapp.experiments import error_limits, resolution
from webapp.experiments.report_serializers import GuaranteeSerializer
from webapp.graphs.models import Graph
from webapp.graphs.views import GraphView

OFFERED = (1, 2, 5, 10, 20)
"""Limits that are offered, with what each would answer."""


class SetErrorLimitSerializer(serializers.Serializer[object]):
    """The limit that is to be kept; null removes it."""

    at_most_wrong = serializers.IntegerField(
        min_value=LEAST, max_value=MOST, allow_null=True, help_text="answers of 100 that may be wrong"
    )


class ErrorLimitSerializer(serializers.Serializer[object]):
    """A graph's limit on wrong answers, and what is known of it for what answers the graph by itself now.

    ``guarantee`` is of the limit, ``offered`` of others that could be chosen; null and none until it is calibrated.
    """

    at_most_wrong = serializers.IntegerField(allow_null=True)
    certainty = serializers.FloatField(help_text="how certain a guarantee is, 0 to 1")
    method = serializers.CharField(allow_null=True, help_text="null while the graph has no version")
    fingerprint = serializers.CharField(allow_null=True, help_text="of the checkpoint; null without one")
    job = serializers.IntegerField(allow_null=True, help_text="the calibration that waits or runs")
    calibrated_at = serializers.DateTimeField(allow_null=True)
    guarantee = GuaranteeSerializer(allow_null=True)
    offered = GuaranteeSerializer(many=True)


class ErrorLimitView(GraphView):
    """The limit on wrong answers of a graph, which is for everybody who asks it."""

    @extend_schema(operation_id="graphs_error_limit", responses=ErrorLimitSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The limit, and what is known of it."""
        return Response(_render(self.get_graph(pk)))

    @extend_schema(
        operation_id="graphs_error_limit_set", request=SetErrorLimitSerializer, responses=ErrorLimitSerializer
    )
    def put(self, request: Request, pk: int) -> Response:
        """Set or remove it; what answers the graph is calibrated where it was not."""
        graph = self.get_graph(pk)
        data = validate_form(SetErrorLimitSerializer(data=request.data))
        error_limits.set_limit(graph=graph, at_most_wrong=data["at_most_wrong"], user=self.user)
        return Response(_render(graph))

    @extend_schema(operation_id="graphs_error_limit_calibrate", request=None, responses={202: ErrorLimitSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Calibrate anew, with what was reviewed since."""
        graph = self.get_graph(pk)
        error_limits.start_calibration(graph=graph, user=self.user, anew=True)
        return Response(_render(graph), status=status.HTTP_202_ACCEPTED)


def _render(graph: Graph) -> dict[str, Any]:
    limit, job, version = error_limits.get_limit(graph), error_limits.find_active(graph), graph.snapshot
    method = checkpoint = calibration = None
    if version is not None:
        method, checkpoint = resolution.resolve_method_and_checkpoint(graph, None, None)
        fingerprint = checkpoint.fingerprint if checkpoint else ""
        calibration = error_limits.find_calibration(graph, version.hash, method, fingerprint)

    def describe(at_most_wrong: int) -> dict[str, Any]:
        assert calibration is not None, "what was calibrated is described"
        guarantee: Guarantee = error_limits.compute_guarantee(calibration, at_most_wrong)
        return {**asdict(guarantee), "too_few": guarantee.too_few}

    content = {
        "at_most_wrong": limit,
        "certainty": CERTAINTY,
        "method": method,
        "fingerprint": checkpoint.fingerprint if checkpoint else None,
        "job": job.pk if job else None,
        "calibrated_at": calibration.made_at if calibration else None,
        "guarantee": describe(limit) if calibration and limit is not None else None,
        "offered": [describe(number) for number in OFFERED] if calibration else [],
    }
    return dict(ErrorLimitSerializer(content).data)
