"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    """Question sets."""

    name = "webapp.questions"
    label = "questions"

    def ready(self) -> None:
        """Say what goes with a graph."""
        from webapp.accounts import quotas  # noqa: PLC0415  # models are not loaded before this
        from webapp.graphs import dependents, storage, trash  # noqa: PLC0415
        from webapp.questions.models import QuestionSet  # noqa: PLC0415

        quotas.count(QuestionSet, owner="created_by", size="bytes")
        storage.count_rows(QuestionSet, "bytes")
        dependents.register(dependents.Dependent("question_sets", QuestionSet))
        trash.register(
            "question-sets",
            model=QuestionSet,
            name=lambda row: str(row.name),
            purge=lambda row: row.delete(),
            renamed=True,
        )
