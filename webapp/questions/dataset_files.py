"""Question sets and labels as one file for other tools: a zip of the folder that the engine writes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes

from retrieval.questions.dataset_folder import Table, make_questions_table, write_dataset
from retrieval.questions.files import to_json
from webapp.accounts.models import User
from webapp.api.concurrency import ConcurrencyLimit
from webapp.api.errors import BusyError
from webapp.graphs.models import Graph
from webapp.questions import selectors
from webapp.questions.models import QuestionSet

RESPONSES = {(200, "application/zip"): OpenApiTypes.BINARY}
"""Of the endpoints, as the schema has them."""

_exporting = ConcurrencyLimit()


def make_table(question_set: QuestionSet) -> Table:
    """The questions of a set, fetched as far as they are written."""
    return make_questions_table(map(to_json, selectors.iter_engine_questions(question_set)))


def send(user: User, name: str, graph: Graph, tables: Iterable[Table]) -> FileResponse:
    """Send tables about a graph as a zip.

    Raises:
        BusyError: the user is sent another one.
        TrainingDataError: there is no row.
    """
    refusal = BusyError("A dataset is being exported for you already.", hint="Wait until that is done.")
    about = f"Questions over the knowledge graph {graph.name}."
    with (
        _exporting.take_turn(user.pk, most=1, refusal=refusal),
        TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder,
    ):
        write_dataset(Path(folder) / "data", name, about, tables)
        archive = Path(shutil.make_archive(f"{folder}/dataset", "zip", f"{folder}/data"))
        content = archive.open("rb")  # which stays readable when the folder is removed
    return FileResponse(content, as_attachment=True, filename=f"{name}.zip", content_type="application/zip")
