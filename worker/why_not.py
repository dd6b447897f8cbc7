"""Finding out why a run does not have an answer that somebody expected."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from celery import shared_task
from django.db import connection

from retrieval.errors import Cancelled, ClewError
from retrieval.events import from_payload
from webapp.answers import selectors, why_not
from webapp.answers.models import Run
from webapp.jobs import queue
from webapp.jobs.database_retry import retry_while_away
from worker import engines
from worker.answering import request_of

if TYPE_CHECKING:
    from retrieval.diagnosis.findings import WhyNot

logger = logging.getLogger(__name__)
SECONDS_MAX = 120.0
"""How long changes are tried."""


@shared_task(name=queue.WHY_NOT, acks_late=False)
def find_out(key: str) -> None:
    """Find the stage at which the expected answer is lost; what is found, or why not, is kept for whoever asked."""
    asked = why_not.read(key)
    if asked is None or asked["state"] != why_not.WAITING:
        return
    try:
        run = retry_while_away(lambda: selectors.runs().get(pk=asked["asked"]["run"]))
        wanted = asked["asked"]["entity"]
        why_not.found(key, _diagnosed(run, asked["asked"]["name"] if wanted is None else wanted))
    except Run.DoesNotExist:
        why_not.failed(key, code="not_found", message="The run was deleted.", hint="Ask again.")
    except Cancelled:
        hint = "Ask something narrower, or name another answer."
        why_not.failed(key, code="time_limit", message="Trying what would bring it took too long.", hint=hint)
    except ClewError as error:
        why_not.failed(key, code=error.code, message=error.message, hint=error.hint)
    except Exception:
        logger.exception("why-not of run %s broke", asked["asked"]["run"])
        hint = "The log of the answers worker has the details."
        why_not.failed(key, code="internal", message="Something inside Clew broke.", hint=hint)
    finally:
        connection.close()


def _diagnosed(run: Run, expected: int | str) -> WhyNot:
    from retrieval.diagnosis.case import Tools  # noqa: PLC0415 - loads torch
    from retrieval.diagnosis.why_not import why_not as diagnosed  # noqa: PLC0415 - as above

    late = time.monotonic() + SECONDS_MAX
    tools = Tools(engines.encoder().encode, partial(engines.reopened, run), lambda: time.monotonic() > late)
    log = [from_payload(event) for event in selectors.events(run.pk)]
    return diagnosed(engines.of_run_or_untrained(run)[0], request_of(run), expected, tools, events=log)
