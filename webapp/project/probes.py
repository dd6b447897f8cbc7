"""``/healthz`` and ``/readyz``: for load balancers and monitors, without a log-in.

The first says that the web process answers. The second says whether all that answering a question takes is there.
"""

from __future__ import annotations

import asyncio
import functools
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from health_check.base import HealthCheck, HealthCheckResult
from health_check.checks import Database
from health_check.exceptions import ServiceUnavailable
from health_check.views import HealthCheckView
from redis.exceptions import RedisError

from webapp.api.redis import get_redis_client
from webapp.jobs import heartbeats

FRESH_S = 2.0
"""How long a result is told again: probes of many cost no more than those of one."""

_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="readyz")


@never_cache
@require_safe
def show_alive(request: HttpRequest) -> JsonResponse:
    """Say that the web process answers."""
    return JsonResponse({"status": "ok"})


@dataclass
class Redis(HealthCheck):  # type: ignore[misc]  # health_check has no types
    """The queue and the cache answer."""

    def run(self) -> None:
        """Ping it."""
        try:
            get_redis_client().ping()
        except (RedisError, OSError) as error:
            raise ServiceUnavailable("Redis is not reachable.") from error


@dataclass
class Migrations(HealthCheck):  # type: ignore[misc]
    """The database is as this version of Clew wants it."""

    def run(self) -> None:
        """Compare the migrations that are applied with those that there are."""
        try:
            with connection.temporary_connection():
                missing = _list_migrations() - MigrationRecorder(connection).applied_migrations().keys()
        except Error as error:
            raise ServiceUnavailable("The database is not reachable.") from error
        if missing:
            raise ServiceUnavailable(f"{len(missing)} migrations are not applied.")


@functools.cache
def _list_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)


@dataclass
class Worker(HealthCheck):  # type: ignore[misc]
    """Somebody works on a queue."""

    queue: str

    def run(self) -> None:
        """Count the workers that gave a sign of life."""
        try:
            workers = heartbeats.count(self.queue)
        except (RedisError, OSError) as error:
            raise ServiceUnavailable("Redis is not reachable.") from error
        if not workers:
            raise ServiceUnavailable(f"No worker for {self.queue} is running.")


class ReadinessView(HealthCheckView):  # type: ignore[misc]
    """200 where everything works, else 503; what each part says as JSON, or with ``?format=openmetrics``."""

    checks = (
        Database,
        Migrations,
        Redis,
        *((Worker, {"queue": queue}) for queue in (heartbeats.ANSWERS, heartbeats.JOBS)),
    )
    _latest: ClassVar[asyncio.Future[list[HealthCheckResult]] | None] = None
    _began: ClassVar[float] = 0.0

    async def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Look, unless somebody else looks or has just looked."""
        cls = type(self)
        stale = time.monotonic() - cls._began > FRESH_S
        if cls._latest is None or (cls._latest.done() and stale):
            cls._began, cls._latest = time.monotonic(), asyncio.ensure_future(self._run_checks())
        self.results = await asyncio.shield(cls._latest)
        if request.GET.get("format") == "openmetrics":
            metrics: HttpResponse = self.render_to_response_openmetrics()
            return metrics
        code = 503 if any(result.error for result in self.results) else 200
        response: HttpResponse = self.render_to_response_json(code)
        return response

    async def _run_checks(self) -> list[HealthCheckResult]:
        return await asyncio.gather(*(check.get_result(_threads) for check in self.get_checks()))
