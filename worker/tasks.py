"""What all tasks have in common."""

from __future__ import annotations

from typing import Any

from celery import Task

from worker import watchdog


class TaskError(Exception):
    """Something broke in a task that is no ``Exception``."""


class SafeTask(Task[Any, Any]):
    """A task that never loses its place in the worker.

    Celery takes a ``BaseException`` for the end of the worker: the message is never done with, and after as many of
    them as the worker has threads it takes no more. Libraries raise them for less, as polars does for a broken file.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it."""
        try:
            return super().__call__(*args, **kwargs)
        except Exception:
            raise
        except BaseException as error:
            if watchdog.is_process_ending(error):
                raise
            raise TaskError(f"{type(error).__name__}: {error}") from error
