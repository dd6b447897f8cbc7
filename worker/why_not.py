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
from worker import answerers, identity, watchdog
from worker.requests import build_request

if TYPE_CHECKING:
    from retrieval.diagnosis.findings import WhyNot

logger = logging.getLogger(__name__)
SECONDS_MAX = 120.0
"""How long changes are tried."""


def run_diagnosis(diagnosis: Diagnosis) -> None:
    """Find the stage at which the expected answer is lost; the findings, or why there are none, are kept."""
    with watchdog.register_work(
        watchdog.DIAGNOSIS,
        diagnosis.pk,
        limit_s=2 * SECONDS_MAX,
        stopped=lambda: not Diagnosis.objects.filter(pk=diagnosis.pk).exists(),
        give_up=lambda _: _fail(diagnosis, _build_timeout_error()),
    ) as hold:
        try:
            with hold.allow_interrupts():
                findings = _find_why_not(diagnosis, hold)
        except Cancelled:
            if identity.stopping.is_set():
                retry_while_away(partial(why_not.release_diagnosis, key=diagnosis.pk))
            else:
                _fail(diagnosis, _build_timeout_error())
        except ClewError as error:
            _fail(diagnosis, error)
        except BaseException as error:
            if watchdog.is_process_ending(error):
                raise
            logger.exception("why-not of run %s broke", diagnosis.run_id)
            connection.close()  # it may have broken in the middle of a request
            _fail(
                diagnosis,
                ClewError("Something inside Clew broke.", hint="The log of the answers worker has the details."),
                code="internal",
            )
        else:
            retry_while_away(partial(why_not.save_findings, key=diagnosis.pk, findings=findings))


def _fail(diagnosis: Diagnosis, error: ClewError, code: str | None = None) -> None:
    if code is not None:
        error.code = code
    retry_while_away(partial(why_not.fail, key=diagnosis.pk, error=error))


def _build_timeout_error() -> ClewError:
    error = ClewError("The analysis took too long.", hint="Ask something narrower, or name another answer.")
    error.code = watchdog.Why.OVERDUE.value
    return error


def _find_why_not(diagnosis: Diagnosis, hold: watchdog.HeldWork) -> WhyNot:
    from retrieval.diagnosis.case import Tools  # noqa: PLC0415 - loads torch
    from retrieval.diagnosis.why_not import explain_missing_answer as diagnosed  # noqa: PLC0415 - as above

    run, late = diagnosis.run, time.monotonic() + SECONDS_MAX

    def is_over() -> bool:
        return identity.stopping.is_set() or hold.why is not None or time.monotonic() > late

    tools = Tools(answerers.get_encoder().encode, partial(answerers.open_run_engine_on, run), is_over)
    log = [from_payload(event) for event in selectors.load_events(run.pk)]
    expected = diagnosis.name if diagnosis.entity is None else diagnosis.entity
    answerer, _ = answerers.open_run_engine_or_untrained(run)
    return diagnosed(answerer, build_request(run), expected, tools, events=log)
