"""The front end's one page, for every address that is not the API's. Its assets come from WhiteNoise."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

_NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Clew</title></head>
<body><h1>The pages are not built yet</h1>
<p>Clew's server runs, and its API answers under <a href="/api/v1/schema">/api/v1/</a>.
To see the pages, run <code>make build</code> in the checkout and start Clew again.</p></body></html>
"""


@require_safe
@ensure_csrf_cookie
def front_end(request: HttpRequest) -> HttpResponse:
    """``index.html``, always fresh; a file that is not there is a plain 404."""
    last = request.path.rsplit("/", 1)[-1]
    if request.path.startswith("/assets/") or (
        "." in last and "text/html" not in request.headers.get("Accept", "")
    ):
        return HttpResponse("There is no such file.\n", status=404, content_type="text/plain; charset=utf-8")
    index = settings.FRONTEND_DIST / "index.html"
    if not index.is_file():
        return HttpResponse(_NOT_BUILT, status=503, headers={"Cache-Control": "no-store"})
    return HttpResponse(index.read_bytes(), headers={"Cache-Control": "no-cache"})
