"""``/jobs``."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.kg.readers.options import ReadOptions
from webapp.accounts.rights import require_manager
from webapp.accounts.views import RowViewSet
from webapp.api.errors import InvalidError
from webapp.api.params import parse_flag, validate_form
from webapp.graphs.reading import ReadingSerializer
from webapp.jobs import selectors, services
from webapp.jobs.models import Job, JobKind
from webapp.jobs.serializers import JobSerializer, LogLineSerializer

OF_GRAPH = (JobKind.IMPORT, JobKind.INDEX, JobKind.EXTRACT, JobKind.TEST)
"""Kinds of jobs that change a graph, or what of it is current, which is for its owner and administrators."""


class RetrySerializer(ReadingSerializer):
    """How an import is to read its files this time; all left out: as before. A model that is left out stays."""


class JobViewSet(RowViewSet[Job]):
    """Long work, newest first."""

    queryset = Job.objects.none()
    serializer_class = JobSerializer

    def get_queryset(self) -> QuerySet[Job]:
        """Newest first."""
        return selectors.list_jobs(active=parse_flag(self.request.query_params, "active"))

    @extend_schema(parameters=[OpenApiParameter("active", bool, description="only those that have not ended")])
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """Jobs, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop a job."""
        return Response(JobSerializer(services.cancel_job(job=self.get_object())).data)

    @extend_schema(request=RetrySerializer, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """Do a job after all that failed or was stopped. An import may be told to read its files otherwise."""
        job = self.get_object()
        data = validate_form(RetrySerializer(data=request.data))
        params = ReadOptions.from_values(data).to_json() if request.data else {}
        if data["model"] is None:
            params.pop("model", None)  # the one that the import was given stays
        if params and job.kind != JobKind.IMPORT:
            raise InvalidError("Only an import can be told to read otherwise.", hint="Send nothing.")
        if job.kind in OF_GRAPH:
            require_manager(self.user, job.graph)
        retried = services.retry(job=job, params=params)
        return Response(JobSerializer(retried).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=LogLineSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def log(self, request: Request, pk: str) -> Response:
        """What happened to it, line by line."""
        return Response(LogLineSerializer(self.get_object().log.all(), many=True).data)
