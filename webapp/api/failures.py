"""Why work failed, as its row keeps it."""

from __future__ import annotations

from django.db import models

from retrieval.errors import ClewError
from retrieval.events import RunFailed
from webapp.api.access import AccessControlled


class Failable(AccessControlled):
    """A row of work that may fail; the columns are empty where it did not."""

    error_code = models.CharField(max_length=50, blank=True)
    error_message = models.TextField(blank=True)
    error_hint = models.TextField(blank=True)

    class Meta:
        abstract = True


NO_ERROR = {"error_code": "", "error_message": "", "error_hint": ""}


def build_error_columns(error: ClewError | RunFailed) -> dict[str, str]:
    """The columns of what failed by an error, or by an event that tells of one."""
    return {"error_code": error.code, "error_message": error.message, "error_hint": error.hint}
