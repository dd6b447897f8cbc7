"""The pages of shared links: the front end's one page with what search engines and previews of links are told."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_safe

from retrieval.errors import ClewError
from webapp.answers.models import Run
from webapp.api.errors import RateLimitError, get_status
from webapp.project.middleware import POLICY
from webapp.sharing import services
from webapp.sharing.card import HEIGHT, WIDTH, draw_card
from webapp.sharing.content import describe_answer
from webapp.sharing.models import SharedLink

_HEADERS = {
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",  # the address is the key
}
_ROBOTS = '<meta name="robots" content="noindex, nofollow" />'


@require_safe
def send_shared_page(request: HttpRequest, token: str) -> HttpResponse:
    """Send the page of a link; other sites cannot frame it."""
    return _send_page(request, token)[0]


@require_safe
def send_embedded_page(request: HttpRequest, token: str) -> HttpResponse:
    """Send the page of a link for the pages that may frame it. One that has ended says so in the frame."""
    response, link = _send_page(request, token)
    if link is not None and link.origins:
        ancestors = f"frame-ancestors {' '.join(link.origins)}"
        response.headers["Content-Security-Policy"] = POLICY.replace("frame-ancestors 'none'", ancestors)
        response.xframe_options_exempt = True  # read by Django's middleware
    return response


@require_safe
def send_card(request: HttpRequest, token: str) -> HttpResponse:
    """Send the picture of a link: its last question and the answer."""
    try:
        run = _open_link(request, token)[1]
    except ClewError as error:
        return HttpResponse(f"{error.message}\n", status=get_status(error), content_type="text/plain; charset=utf-8")
    picture = draw_card(run.question, describe_answer(run))
    return HttpResponse(picture, content_type="image/png", headers={**_HEADERS, "Cache-Control": "private, max-age=60"})


def _open_link(request: HttpRequest, token: str) -> tuple[SharedLink, Run]:
    services.count_opening(request.META.get("REMOTE_ADDR", ""))
    link = services.find_link(token)
    return link, services.list_shown_runs(link)[-1]


def _send_page(request: HttpRequest, token: str) -> tuple[HttpResponse, SharedLink | None]:
    """The page, and its link where there is one. The page asks for the content, or why there is none, itself."""
    index = settings.FRONTEND_DIST / "index.html"
    if not index.is_file():
        return HttpResponse("The pages are not built yet.\n", status=503, content_type="text/plain"), None
    status, headers, tags, link = 200, dict(_HEADERS), _ROBOTS, None
    try:
        services.count_opening(request.META.get("REMOTE_ADDR", ""))
        link = services.find_link(token)
        tags += _build_tags(request, token, services.list_shown_runs(link)[-1])
    except ClewError as error:
        status = get_status(error)
        if isinstance(error, RateLimitError):
            headers["Retry-After"] = str(error.retry_after)
    page = index.read_text(encoding="utf-8").replace("</head>", f"{tags}</head>", 1)
    return HttpResponse(page, status=status, headers=headers), link


def _build_tags(request: HttpRequest, token: str, run: Run) -> str:
    """Open Graph and Twitter's tags of an answer."""
    page = request.build_absolute_uri(f"/shared/{token}")
    answer = describe_answer(run)[:300]
    tags: list[tuple[str, str, Any]] = [
        ("property", "og:type", "article"),
        ("property", "og:site_name", "Clew"),
        ("property", "og:title", run.question[:200]),
        ("property", "og:description", answer),
        ("property", "og:url", page),
        ("property", "og:image", f"{page}/card.png"),
        ("property", "og:image:type", "image/png"),
        ("property", "og:image:width", WIDTH),
        ("property", "og:image:height", HEIGHT),
        ("property", "og:image:alt", f"{run.question[:200]} {answer}"),
        ("name", "twitter:card", "summary_large_image"),
    ]
    return format_html("{}", format_html_join("", '<meta {}="{}" content="{}" />', tags))
