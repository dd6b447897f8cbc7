"""The front end's one page, for the addresses of its pages. Its assets come from WhiteNoise.

Which addresses these are, its build writes down (``frontend/pageList.ts``): every other address is 404.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

_NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Clew</title></head>
<body><h1>The pages are not built yet</h1>
<p>Clew's server runs, and its API answers under <code>/api/v1/</code>.
To see the pages, run <code>make build</code> in the checkout and start Clew again.</p></body></html>
"""

#: What pages ask for first, in the words of the front end's own requests, so that the browser asks before the scripts
#: have come. Those who are not signed in would be refused all but the first. What is drawn first comes first.
_FIRST = "/api/v1/session"
_RUN = ("/api/v1/runs/{run}/events", "/api/v1/runs/{run}")
_ASKING = "/api/v1/graphs?page_size=200"
_SIGNED_IN = "/api/v1/status"
_RUN_PAGE = re.compile(r"/runs/([0-9a-f-]{36})$")


def _build_link_header(request: HttpRequest) -> str:
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
def send_front_end(request: HttpRequest) -> HttpResponse:
    """Send ``index.html``, always fresh; with 404 where the address is no page's."""
    index, pages = settings.FRONTEND_DIST / "index.html", settings.FRONTEND_DIST / "pages.json"
    if not (index.is_file() and pages.is_file()):
        return HttpResponse(_NOT_BUILT, status=503, headers={"Cache-Control": "no-store"})
    is_page = _build_pattern(pages, pages.stat().st_mtime_ns).fullmatch(request.path) is not None
    if not is_page and not _is_page_request(request):
        return HttpResponse("There is no such page.\n", status=404, content_type="text/plain; charset=utf-8")
    return HttpResponse(
        index.read_bytes(),
        status=200 if is_page else 404,
        headers={"Cache-Control": "no-cache", "Link": _build_link_header(request)},
    )


@functools.lru_cache(maxsize=1)
def _build_pattern(pages: Path, changed: int) -> re.Pattern[str]:
    """Return what matches the addresses of all pages, as the router of the front end does."""
    listed: list[str] = json.loads(pages.read_text(encoding="utf-8"))
    alternatives = (re.sub(r":\w+", "[^/]+", re.escape(path.rstrip("/"))) for path in listed)
    return re.compile(f"(?:{'|'.join(alternatives)})/?", re.IGNORECASE)


def _is_page_request(request: HttpRequest) -> bool:
    return "text/html" in request.headers.get("Accept", "") and not request.path.startswith("/assets/")
