"""The front end's one page, for every address that is not the API's. Its assets come from WhiteNoise."""

from __future__ import annotations

import re

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

#: What pages ask for first, in the words of the front end's own requests, so that the browser asks before the scripts
#: have come. Those who are not signed in would be refused all but the first. What is drawn first comes first.
_FIRST = "/api/v1/session"
_RUN = ("/api/v1/runs/{run}/events", "/api/v1/runs/{run}")
_ASKING = "/api/v1/graphs?page_size=200"
_SIGNED_IN = "/api/v1/status"
_RUN_PAGE = re.compile(r"/runs/([0-9a-f-]{36})$")


def _asked_first(request: HttpRequest) -> str:
    """The ``Link`` header of a page."""
    paths = [_FIRST]
    if settings.SESSION_COOKIE_NAME in request.COOKIES:
        run = _RUN_PAGE.match(request.path)
        if run:
            paths += [path.format(run=run[1]) for path in _RUN]
        if run or request.path == "/":
            paths.append(_ASKING)
        paths.append(_SIGNED_IN)
    return ", ".join(f"<{path}>; rel=preload; as=fetch; crossorigin" for path in paths)


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
    return HttpResponse(
        index.read_bytes(), headers={"Cache-Control": "no-cache", "Link": _asked_first(request)}
    )
