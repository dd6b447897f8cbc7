"""``/schema``: what the API can do, as OpenAPI. It is the same for everybody and built once a process."""

from __future__ import annotations

import functools
import hashlib
import threading

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from webapp.accounts.permissions import Viewer
from webapp.accounts.views import UserView

_lock = threading.Lock()


class OpenApiView(UserView):
    """The schema."""

    permission_classes = [Viewer]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponseBase:
        """Send it; 304 where the client has it."""
        with _lock:  # who asks meanwhile waits for the same document
            document = _build()
        etag = f'"{hashlib.sha256(document).hexdigest()}"'
        response = HttpResponse(
            document,
            content_type=OpenApiJsonRenderer.media_type,
            headers={"Cache-Control": "private, no-cache"},
        )
        response["ETag"] = etag
        return get_conditional_response(request._request, etag=etag, response=response) or response


@functools.cache
def _build() -> bytes:
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    document: bytes = OpenApiJsonRenderer().render(schema, renderer_context={})
    return document
