"""The imports that made a version, to be repeated: its first files, and each addition or removal since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.kg.readers.options import ReadOptions
from webapp.graphs.models import GraphVersion, Mode, SourceFile


@dataclass(frozen=True, slots=True)
class ImportStep:
    """Files, how they are read, and what is made of them."""

    mode: Mode
    options: ReadOptions
    files: Sequence[SourceFile]

    def to_json(self) -> dict[str, Any]:
        """As JSON types, with the ids of the files."""
        return {"mode": self.mode.value, **self.options.to_json(), "files": [file.pk for file in self.files]}


def list_steps(version: GraphVersion) -> list[ImportStep]:
    """The steps that made a version; none where a file of them is not kept, or it was made otherwise."""
    params = version.job.params if version.job is not None else {}
    if "steps" in params:
        return read_steps(params["steps"])
    if version.mode == Mode.EDIT:  # edits by hand are applied again after the steps
        return list_steps(version.base) if version.base is not None else []
    sources = list(version.files.all())
    if not sources or not all(source.path for source in sources):
        return []
    step = ImportStep(Mode(version.mode), ReadOptions.from_values(params), sources)
    if step.mode == Mode.REPLACE:
        return [step]
    before = list_steps(version.base) if version.base is not None else []
    return [*before, step] if before else []


def read_steps(rows: Sequence[Mapping[str, Any]]) -> list[ImportStep]:
    """The steps in the parameters of a job; none where a file is not kept any more."""
    kept = SourceFile.objects.exclude(path="").in_bulk([key for row in rows for key in row["files"]])
    if not all(key in kept for row in rows for key in row["files"]):
        return []
    return [
        ImportStep(Mode(row["mode"]), ReadOptions.from_values(row), [kept[key] for key in row["files"]]) for row in rows
    ]


def keep_files_of_current(version: GraphVersion) -> None:
    """Hand the files of a version that is deleted for good to the current version, if that is made of them."""
    current = version.graph.snapshot
    if current is None or current.pk == version.pk:
        return
    steps = list_steps(current)
    kept = [file.pk for step in steps for file in step.files if file.snapshot_id == version.pk]
    if kept and current.job is not None:
        current.job.params = {**current.job.params, "steps": [step.to_json() for step in steps]}
        current.job.save(update_fields=["params"])
        SourceFile.objects.filter(pk__in=kept).update(snapshot=current)
