"""Capsules: a study in one file, to be run again elsewhere and compared.

A capsule is a zip: ``capsule.json`` (the plan, hashes of the data, every cell's figures), the questions and labels as
JSONL, what a language model labelled, every checkpoint with its weights as safetensors, and every report; an RO-Crate
by its metadata. Graphs are
named by the hash of their content and not in it: whoever runs it again has them, or builds them from the same files.
Nothing in a capsule is executed or unpickled.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from safetensors.torch import save

from retrieval.errors import EvaluationError
from retrieval.evaluation.crate import METADATA, describe_crate
from retrieval.evaluation.report import read_report
from retrieval.evaluation.study import StudyRunner
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.storage import publish_directory
from retrieval.methods.model_card import CARD, render_card
from retrieval.studies.plan import Cell, StudyConfig, parse
from retrieval.training.checkpoint import WEIGHTS, read_weights
from retrieval.training.manifest import CONFIG, PACKED, read_manifest
from retrieval.version import get_code_version

FORMAT = 1
INDEX = "capsule.json"
#: What a capsule may hold, by the ends of names, and bytes of one file at most.
_ENDS, _BYTES = (".json", ".json.gz", ".jsonl", ".safetensors", ".md"), 4 * 2**30
_CHECKSUMS = "checksums.json"


def write(out: Path, study: StudyRunner, name: str) -> None:
    """Write the finished cells of a study as a capsule, beside ``out``, and rename it into place.

    Args:
        out: the zip.
        study: as it was run; cells that are not finished are left out.

    Raises:
        EvaluationError: no cell is finished.
    """
    done = [(cell, result) for cell in study.cells if (result := study.find_result(cell)) is not None]
    if not done:
        raise EvaluationError("No cell of this study is finished.", hint="Run it first.")
    part = out.with_name(f".{out.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
        kept: list[dict[str, Any]] = []
        index = {
            "format": FORMAT,
            "name": name,
            "code_version": get_code_version(),
            "encoder": study.encoder.name,
            "plan": {**_describe_plan(study.config), "data": dict(_add_data_sets(file, study))},
            "cells": kept,
        }
        trained: set[Path] = set()
        for position, (cell, result) in enumerate(done):
            report = f"reports/{position}.json"
            file.write(study.get_report_path(cell), report)
            home = study.get_checkpoint(cell)
            if home is not None and home not in trained:
                trained.add(home)
                _add_checkpoint(file, home)
            kept.append({**result, "report": report})
        for labels in sorted((study.out / "labels").glob("*--llm-*.jsonl")):
            file.write(labels, f"labels/{labels.name}")
        file.writestr(INDEX, json.dumps(index, ensure_ascii=False, indent=1) + "\n")
        file.writestr(METADATA, describe_crate(index, file.namelist()))
    part.replace(out)


def _describe_plan(config: StudyConfig) -> dict[str, Any]:
    """A plan as its file has it, without the data."""
    plan = asdict(config)
    del plan["data"]
    plan["variants"] = {
        name: {what: value for what, value in variant.items() if value is not None}
        for name, variant in plan["variants"].items()
    }
    return {name: value for name, value in plan.items() if value is not None}


def _add_data_sets(file: zipfile.ZipFile, study: StudyRunner) -> Iterator[tuple[str, dict[str, Any]]]:
    """The data sets: their questions and labels put into the file, and their hashes."""
    for position, (name, data) in enumerate(study.config.data.items()):
        graph = study.get_snapshot(name)
        entry: dict[str, Any] = {
            "graph": graph.hash,
            "entities": graph.num_entities,
            "triples": graph.num_triples,
            "questions": f"data/{position}.jsonl",
            "questions_sha256": hashlib.sha256(data.questions.read_bytes()).hexdigest(),
        }
        file.write(data.questions, entry["questions"])
        if data.labels is not None:
            entry["labels"] = f"data/{position}.labels.jsonl"
            file.write(data.labels, entry["labels"])
        yield name, entry


def _add_checkpoint(file: zipfile.ZipFile, checkpoint: Path) -> None:
    home = f"cells/{checkpoint.parent.name}"
    file.write(checkpoint.parent / "trained.json", f"{home}/trained.json")
    settings = json.loads((checkpoint / CONFIG).read_text(encoding="utf-8"))
    file.writestr(f"{home}/checkpoint/{CARD}", render_card(read_manifest(checkpoint), settings))
    for path in sorted(checkpoint.iterdir()):
        if path.name == WEIGHTS:
            weights = {key: tensor.contiguous() for key, tensor in read_weights(checkpoint).items()}
            file.writestr(f"{home}/checkpoint/{PACKED}", save(weights))
        elif path.is_file() and path.name != _CHECKSUMS and path.name.endswith(_ENDS):
            file.write(path, f"{home}/checkpoint/{path.name}")


@dataclass(frozen=True, slots=True)
class Capsule:
    """A capsule that was unpacked.

    Attributes:
        folder: where.
        index: its ``capsule.json``.
    """

    folder: Path
    index: Mapping[str, Any]

    @property
    def data(self) -> Mapping[str, Any]:
        """The data sets, by name."""
        data_sets: Mapping[str, Any] = self.index["plan"]["data"]
        return data_sets

    def build_plan(self, graphs: Mapping[str, Path]) -> StudyConfig:
        """Its plan on graphs of one's own.

        Args:
            graphs: the directory of each data set's graph.

        Raises:
            EvaluationError: one is missing, or holds something else.
        """
        data = {}
        for name, of in self.data.items():
            if name not in graphs:
                raise EvaluationError(
                    f"The capsule's data set {name!r} needs its graph, of {of['triples']:,} triples.",
                    hint=f'Name it: --graph "{name}=DIRECTORY".',
                )
            graph = snapshots.open(graphs[name])
            if graph.hash != of["graph"]:
                raise EvaluationError(
                    f"The graph for {name!r} holds {graph.num_triples:,} triples of other content than the capsule's "
                    f"{of['triples']:,} (its hash is {graph.hash[:12]}, not {of['graph'][:12]}).",
                    hint="Build the graph of the same files, by the same version of Clew.",
                )
            files = {what: str(self.folder / of[what]) for what in ("questions", "labels") if what in of}
            data[name] = {"graph": str(graphs[name].resolve()), **files}
        return parse({**self.index["plan"], "data": data}, self.folder)

    def take_checkpoints(self, out: Path) -> None:
        """Put the capsule's trainings where a study in ``out`` looks for them, so that none is done again."""
        for home in sorted((self.folder / "cells").glob("*")):
            target = out / "cells" / home.name
            target.mkdir(parents=True, exist_ok=True)
            with publish_directory(target / "checkpoint") as directory:
                shutil.copytree(home / "checkpoint", directory, dirs_exist_ok=True)
            shutil.copyfile(home / "trained.json", target / "trained.json")

    def take_labels(self, out: Path) -> None:
        """Put what a language model labelled where a study in ``out`` looks for it."""
        if (self.folder / "labels").is_dir():
            shutil.copytree(self.folder / "labels", out / "labels", dirs_exist_ok=True)


def unpack(path: Path, folder: Path) -> Capsule:
    """Unpack a capsule; only files that one can hold, under names that stay within it.

    Raises:
        EvaluationError: it is no capsule, of another format, or names something else.
    """
    try:
        with zipfile.ZipFile(path) as file:
            for member in file.infolist():
                _require_plain(member, path)
            file.extractall(folder)
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise EvaluationError(f"{path} is no capsule of a study: {error}.") from error
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise EvaluationError(f"{path} is a capsule of another format.", hint="Use the version of Clew that made it.")
    for name, of in index["plan"]["data"].items():
        digest = hashlib.sha256((folder / of["questions"]).read_bytes()).hexdigest()
        if digest != of["questions_sha256"]:
            raise EvaluationError(f"The questions of {name!r} in {path} were changed.", hint="Take the capsule anew.")
    return Capsule(folder, index)


def _require_plain(member: zipfile.ZipInfo, path: Path) -> None:
    name = PurePosixPath(member.filename)
    plain = not name.is_absolute() and ".." not in name.parts and "\\" not in member.filename
    if not plain or not member.filename.endswith(_ENDS) or member.file_size > _BYTES:
        raise EvaluationError(f"{path} holds {member.filename!r}, which no capsule has.", hint="Take it anew.")


def compare_cells(capsule: Capsule, study: StudyRunner) -> list[dict[str, Any]]:
    """What came out otherwise, cell by cell.

    Returns:
        For each cell of the capsule ``{cell, metrics: {name: [then, now]}, questions, changed, same}``: ``changed``
        counts the questions whose answers are others, ``same`` says that no figure is.

    Raises:
        EvaluationError: a cell is not finished.
    """
    rows = []
    for then in capsule.index["cells"]:
        cell = Cell(**then["cell"])
        now = study.find_result(cell)
        if now is None:
            raise EvaluationError(f"The cell {cell.training} on {cell.test} is not finished.", hint="Run it first.")
        before = _get_answers(read_report(capsule.folder / then["report"]))
        after = _get_answers(read_report(study.get_report_path(cell)))
        metrics = {
            name: [value, now["metrics"].get(name)] for name, value in then["metrics"].items() if value is not None
        }
        changed = sum(before[key] != after.get(key) for key in before)
        same = all(a == b for a, b in metrics.values())
        rows.append(
            {
                "cell": then["cell"],
                "metrics": metrics,
                "questions": len(before),
                "changed": changed,
                "same": same,
            }
        )
    return rows


def _get_answers(report: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    return {row["id"]: frozenset(row["predicted"]) for row in report["per_question"]}
