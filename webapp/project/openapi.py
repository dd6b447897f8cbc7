"""``/schema``: what the API can do, as OpenAPI, and ``/explorer``, a page to read and try it.

The build of the pages keeps the schema as a file beside them. Without that file it is built once a process.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

FILE = "openapi.json"
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Document:
    """The schema as JSON, plain and gzipped; ``gzipped`` is None where the build did not compress it."""

    plain: bytes
    gzipped: bytes | None
    etag: str


class OpenApiView(APIView):
    """The schema, for everybody: it says nothing that the source code does not."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponseBase:
        """Send it; 304 where the client has it."""
        document = _load_document()
        headers = {"Cache-Control": "no-cache", "ETag": document.etag, "Vary": "Accept-Encoding"}
        content = document.plain
        if document.gzipped is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
            content = document.gzipped
            headers["Content-Encoding"] = "gzip"
        response = HttpResponse(content, content_type=OpenApiJsonRenderer.media_type, headers=headers)
        return get_conditional_response(request._request, etag=document.etag, response=response) or response


class ExplorerView(SpectacularSwaggerSplitView):
    """Swagger UI of the schema; its files come from a Python package, so that it works without the internet."""

    authentication_classes = []
    permission_classes = [AllowAny]
    url = "/api/v1/schema"


def _load_document() -> Document:
    """The file of the build, or the same schema built now."""
    file: Path = settings.FRONTEND_DIST / FILE
    if file.is_file():
        return _read_file(file, file.stat().st_mtime_ns)
    with _lock:  # requests that arrive meanwhile wait for the same document
        return _build_document()


@functools.lru_cache(maxsize=1)
def _read_file(file: Path, changed: int) -> Document:
    gzipped = file.with_name(f"{file.name}.gz")
    return _make_document(file.read_bytes(), gzipped.read_bytes() if gzipped.is_file() else None)


@functools.cache
def _build_document() -> Document:
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return _make_document(OpenApiJsonRenderer().render(schema, renderer_context={}))


def _make_document(plain: bytes, gzipped: bytes | None = None) -> Document:
    return Document(plain, gzipped, f'W/"{hashlib.sha256(plain).hexdigest()}"')
