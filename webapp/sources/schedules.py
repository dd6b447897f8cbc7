"""Times of refreshes: lines of cron, read by Celery, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from celery.schedules import ParseException, crontab

from webapp.api.errors import InvalidError

FIELDS = 5


def compute_next(schedule: str, after: datetime) -> datetime | None:
    """The first time of a schedule after a moment; None of an empty one.

    Raises:
        InvalidError: the line cannot be read, or names a day that never comes.
    """
    if not schedule:
        return None
    parts = schedule.split()
    if len(parts) != FIELDS:
        raise _make_error(schedule, f"it has {len(parts)} parts instead of {FIELDS}")
    try:
        cron = crontab.from_string(" ".join(parts))
        last, delta, _ = cron.remaining_delta(after, tz=UTC)
    except (ParseException, ValueError, TypeError) as error:
        raise _make_error(schedule, str(error)) from None
    except RuntimeError:
        raise _make_error(schedule, "that day never comes") from None
    following: datetime = last + delta
    return following


def _make_error(schedule: str, reason: str) -> InvalidError:
    return InvalidError(
        f"The schedule {schedule!r} cannot be used: {reason}.",
        hint="Write minute, hour, day of the month, month and day of the week: 30 6 * * 1-5 is 6:30 on weekdays.",
    )
