"""``/jobs``."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.permissions import AnalystWrites
from webapp.jobs import selectors, services
from webapp.jobs.models import Job
from webapp.jobs.serializers import JobSerializer


class JobViewSet(mixins.RetrieveModelMixin, mixins.ListModelMixin, viewsets.GenericViewSet[Job]):
    """Long work."""

    queryset = Job.objects.none()
    serializer_class = JobSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def get_queryset(self) -> QuerySet[Job]:
        """Newest first."""
        return selectors.jobs(active=self.request.query_params.get("active", "") in {"1", "true"})

    @extend_schema(
        parameters=[OpenApiParameter("active", bool, description="only those that have not ended")]
    )
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """Jobs, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop a job."""
        return Response(JobSerializer(services.request_cancel(job=self.get_object())).data)
