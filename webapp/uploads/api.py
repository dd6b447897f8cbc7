"""``/uploads``: resumable uploads by the tus 1.0 protocol, and a list of them."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from webapp.accounts import quotas
from webapp.accounts.models import User
from webapp.accounts.permissions import Analyst
from webapp.api.access import filter_visible
from webapp.api.concurrency import ConcurrencyLimit
from webapp.api.errors import GoneError, TooManyUploadsError
from webapp.uploads import services, streams, tus
from webapp.uploads.models import Upload

_sending = ConcurrencyLimit()
OVERRIDABLE = {"PATCH", "DELETE", "HEAD", "OPTIONS", "POST", "GET"}


class ResumableUploadSerializer(serializers.ModelSerializer[Upload]):
    """An upload: ``offset`` of ``length`` bytes are there."""

    offset = serializers.IntegerField()
    complete = serializers.BooleanField()

    class Meta:
        model = Upload
        fields = ["id", "name", "length", "offset", "complete", "created_at", "expires_at"]


class UploadPageSerializer(serializers.Serializer[object]):
    """A page of uploads."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = ResumableUploadSerializer(many=True)


class _Raw(BaseParser):
    """Any body; the views read it themselves."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        """Nothing of it."""
        return {}


class TusView(APIView):
    """What every answer of the protocol has."""

    permission_classes = [Analyst]
    parser_classes = [_Raw]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Some networks let only GET and POST through; the protocol has a header for them."""
        override = request.headers.get("X-HTTP-Method-Override", "").upper()
        if override in OVERRIDABLE:
            request.method = override
        return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the version of the protocol, for what is not of it the list and the schema alone."""
        super().initial(request, *args, **kwargs)
        if request.method not in ("GET", "OPTIONS"):
            tus.require_version(request._request)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Name the version, also on errors."""
        response["Tus-Resumable"] = tus.VERSION
        if response.status_code == status.HTTP_412_PRECONDITION_FAILED:
            response["Tus-Version"] = tus.VERSION
        return super().finalize_response(request, response, *args, **kwargs)

    @extend_schema(exclude=True)
    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """What this server can do."""
        return Response(status=status.HTTP_204_NO_CONTENT, headers=tus.build_offer_headers())


class UploadsView(TusView):
    """Beginning uploads, and one's own."""

    @extend_schema(
        operation_id="uploads_list",
        parameters=[OpenApiParameter("page", int), OpenApiParameter("page_size", int)],
        responses=UploadPageSerializer,
    )
    def get(self, request: Request) -> Response:
        """One's own uploads that something can still be made of, newest first."""
        pages = cast(PageNumberPagination, cast(Any, api_settings.DEFAULT_PAGINATION_CLASS)())
        page = pages.paginate_queryset(_list_kept(request), request)
        return pages.get_paginated_response(ResumableUploadSerializer(cast(Any, page), many=True).data)

    @extend_schema(
        operation_id="uploads_create",
        parameters=[
            OpenApiParameter("Tus-Resumable", str, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("Upload-Length", int, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("Upload-Metadata", str, OpenApiParameter.HEADER),
        ],
        request=None,
        responses={201: None},
    )
    def post(self, request: Request) -> Response:
        """Begin an upload; ``Location`` is where it goes."""
        length = tus.parse_number(request._request, "Upload-Length")
        metadata = request.headers.get("Upload-Metadata", "")
        name = PurePath(tus.parse_metadata(metadata).get("filename", "").replace("\\", "/")).name
        services.drop_expired()
        user = cast(User, request.user)
        quotas.require_room(user, length)
        upload = services.create(user=user, name=name or "file", length=length, metadata=metadata)
        headers = {
            "Location": f"{request.path.rstrip('/')}/{upload.pk}",
            **tus.build_expiry_header(upload.expires_at),
        }
        return Response(status=status.HTTP_201_CREATED, headers=headers)


class UploadView(TusView):
    """One upload."""

    @extend_schema(operation_id="uploads_get", responses=ResumableUploadSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """How far it is."""
        return Response(ResumableUploadSerializer(_find_own(request, pk)).data)

    @extend_schema(exclude=True)
    def head(self, request: Request, pk: UUID) -> Response:
        """How far it is, in headers."""
        return Response(headers=tus.build_state_headers(_find_own(request, pk)))

    @extend_schema(
        operation_id="uploads_append",
        parameters=[
            OpenApiParameter("Tus-Resumable", str, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("Upload-Offset", int, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("Upload-Checksum", str, OpenApiParameter.HEADER),
        ],
        request={tus.CONTENT_TYPE: bytes},
        responses={204: None},
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Add bytes at the end."""
        if request.content_type != tus.CONTENT_TYPE:
            raise exceptions.UnsupportedMediaType(request.content_type or "(none)")
        upload, most = _find_own(request, pk), settings.UPLOADS_AT_ONCE
        refusal = TooManyUploadsError(
            f"You send {most} files already.", hint="Go on with this one when one of them has arrived."
        )
        with _sending.take_turn(upload.user_id, most=most, refusal=refusal):
            end = services.append_chunks(
                upload=upload,
                offset=tus.parse_number(request._request, "Upload-Offset"),
                chunks=streams.read_body(request._request),
                checksum=tus.parse_checksum(request._request),
            )
        headers = {"Upload-Offset": str(end), **tus.build_expiry_header(upload.expires_at)}
        return Response(status=status.HTTP_204_NO_CONTENT, headers=headers)

    @extend_schema(operation_id="uploads_delete", responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Stop it; what has arrived is deleted."""
        services.drop(upload=_find_own(request, pk))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _list_kept(request: Request) -> QuerySet[Upload]:
    return filter_visible(Upload.objects.filter(expires_at__gt=timezone.now()), request.user)


def _find_own(request: Request, pk: UUID) -> Upload:
    """One's own upload; somebody else's is not there."""
    upload = filter_visible(Upload.objects.filter(pk=pk), request.user).first()
    if upload is None:
        raise exceptions.NotFound("There is no such upload.")
    if upload.expires_at <= timezone.now():
        raise GoneError(f"The upload of {upload.name} has expired.", hint="Begin it again.")
    return upload
