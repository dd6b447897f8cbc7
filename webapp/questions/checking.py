"""Whether a question set belongs to its graph, told once for each version of the graph."""

from __future__ import annotations

import dataclasses
from typing import Any

from retrieval.questions.checking import check_questions
from webapp.graphs import snapshots
from webapp.questions import selectors
from webapp.questions.models import QuestionSet


def check(question_set: QuestionSet) -> dict[str, Any]:
    """What the current version of the graph knows of a set's topics, answers, relations, passages and programs.

    Raises:
        GraphNotReadyError: the graph has no version yet.
    """
    version = snapshots.require_current(question_set.graph)
    known = question_set.checked
    # What was kept before programs were looked up is made again.
    if known is None or "programs" not in known or question_set.checked_on != version.hash:
        made = check_questions(snapshots.open_snapshot(version.path), selectors.to_engine_questions(question_set))
        known = question_set.checked = {**dataclasses.asdict(made), "splits": dict(made.splits)}
        question_set.checked_on = version.hash
        question_set.save(update_fields=["checked", "checked_on"])
    return {**known, "snapshot": version.hash, "version": version.version}
