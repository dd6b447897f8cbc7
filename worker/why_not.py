"""Finding out why a run does not have an answer that somebody expected."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from django.db import connection

from retrieval.errors import Cancelled, ClewError
from retrieval.events import from_payload
from webapp.answers import selectors, why_not
from webapp.answers.models import Diagnosis
from webapp.jobs.database_retry import retry_while_away
from worker import engines, identity, watchdog
from worker.requests import request_of

if TYPE_CHECKING:
    from retrieval.diagnosis.findings import WhyNot

logger = logging.getLogger(__name__)
SECONDS_MAX = 120.0
"""How long changes are tried."""


def work(diagnosis: Diagnosis) -> None:
    """Find the stage at which the expected answer is lost; the findings, or why there are none, are kept."""
    with watchdog.holding(
        watchdog.DIAGNOSIS,
        diagnosis.pk,
        limit_s=2 * SECONDS_MAX,
        stopped=lambda: not Diagnosis.objects.filter(pk=diagnosis.pk).exists(),
        give_up=lambda _: _fail(diagnosis, _too_long()),
    ) as one:
        try:
            with one.at_work():
                findings = _diagnose(diagnosis, one)
        except Cancelled:
            if identity.stopping.is_set():
                retry_while_away(partial(why_not.give_back, key=diagnosis.pk))
            else:
                _fail(diagnosis, _too_long())
        except ClewError as error:
            _fail(diagnosis, error)
        except BaseException as error:
            if watchdog.goes_down(error):
                raise
            logger.exception("why-not of run %s broke", diagnosis.run_id)
            connection.close()  # it may have broken in the middle of a request
            _fail(
                diagnosis,
                ClewError(
                    "Something inside Clew broke.", hint="The log of the answers worker has the details."
                ),
                code="internal",
            )
        else:
            retry_while_away(partial(why_not.finish, key=diagnosis.pk, findings=findings))


def _fail(diagnosis: Diagnosis, error: ClewError, code: str | None = None) -> None:
    if code is not None:
        error.code = code
    retry_while_away(partial(why_not.fail, key=diagnosis.pk, error=error))


def _too_long() -> ClewError:
    error = ClewError("The analysis took too long.", hint="Ask something narrower, or name another answer.")
    error.code = watchdog.Why.OVERDUE.value
    return error


def _diagnose(diagnosis: Diagnosis, one: watchdog.Held) -> WhyNot:
    from retrieval.diagnosis.case import Tools  # noqa: PLC0415 - loads torch
    from retrieval.diagnosis.why_not import why_not as diagnosed  # noqa: PLC0415 - as above

    run, late = diagnosis.run, time.monotonic() + SECONDS_MAX

    def is_over() -> bool:
        return identity.stopping.is_set() or one.why is not None or time.monotonic() > late

    tools = Tools(engines.encoder().encode, partial(engines.reopened, run), is_over)
    log = [from_payload(event) for event in selectors.events(run.pk)]
    expected = diagnosis.name if diagnosis.entity is None else diagnosis.entity
    engine, _ = engines.of_run_or_untrained(run)
    return diagnosed(engine, request_of(run), expected, tools, events=log)
