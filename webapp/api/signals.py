"""What happens in the apps that people may be told of, by whatever app above them tells it."""

from __future__ import annotations

from django.db import models
from django.dispatch import Signal


class Event(models.TextChoices):
    """Something that happens to rows."""

    RUN_ENDED = "run.ended", "a run of one's own ended"
    JOB_ENDED = "job.ended", "a job ended, such as an import, a training or an evaluation"
    VERSION_ACTIVATED = "version.activated", "another version of a graph became current"
    REVIEW_DECIDED = "review.decided", "a person decided a question of a review, or accepted what all agree on"
    ANSWER_CHANGED = "answer.changed", "a watched question, or a test of a graph, has another answer"


event_occurred = Signal()
"""``event`` happened to the rows with the ids ``keys`` of the sender, a model. Sent within the transaction of it."""
