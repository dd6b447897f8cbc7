"""Question sets and labels as a folder for other tools: Hugging Face ``datasets`` and readers of Croissant 1.1."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

import yaml

from retrieval import __version__
from retrieval.errors import TrainingDataError
from retrieval.questions.splits import SPLITS

#: Hugging Face's names of splits, and Croissant's names of types.
_SPLIT_NAMES = {"train": "train", "dev": "validation", "test": "test"}
_CROISSANT_TYPES = {"string": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}
_CONTEXT = json.loads(Path(__file__).with_name("croissant_context.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its type, how deep its values are nested in lists, and what it says."""

    about: str
    type: str = "string"
    depth: int = 0


QUESTIONS: Mapping[str, Column] = MappingProxyType({
    "id": Column("identifies the question within its set"),
    "question": Column("the text"),
    "topic_entities": Column("labels of the entities that the question names", depth=1),
    "answers": Column("labels of all right answers", depth=1),
    "paths": Column("reasoning paths, each a list of [head, relation, tail]", depth=3),
    "triples": Column("the question's own subgraph, as [head, relation, tail]", depth=2),
    "relation_paths": Column("relation paths from a topic to an answer", depth=2),
    "passages": Column("names of the passages that support the answer", depth=1),
    "hops": Column("length of the path to the answer", "int64"),
    "split": Column("train, dev or test"),
    "program": Column("the typed program that answers the question, as JSON"),
    "operators": Column("operators that the question needs", depth=1),
    "also": Column("other sets of answers that are right", depth=2),
    "rows": Column("rows of the table that answers the question", depth=2),
})  # fmt: skip
LABELS: Mapping[str, Column] = MappingProxyType({
    "question_id": Column("the `id` of the question"),
    "topic": Column("label of the entity where the path starts"),
    "path": Column("relations of the path, in order", depth=1),
    "inverse": Column("for each relation, whether it is walked from tail to head", "bool", 1),
    "program": Column("the judged program, as JSON"),
    "source": Column("who labelled it: analyst, llm, or a strategy"),
    "score": Column("how well the reached entities fit the answers, from 0 to 1", "float64"),
    "role": Column("path, or one step: topic-fact, answer-fact, first-relation"),
    "verdict": Column("accepted or rejected"),
    "rational": Column("analysts who judged it rational", "int64"),
    "not_rational": Column("analysts who judged it not rational", "int64"),
    "unsure": Column("analysts who were unsure", "int64"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a dataset; a row without ``split`` is of the split ``train``."""

    name: str
    columns: Mapping[str, Column]
    rows: Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _DataFile:
    table: Table
    split: str
    path: Path
    rows: int

    @property
    def name(self) -> str:
        """Its path within the folder."""
        return f"{self.table.name}/{self.path.name}"


def make_questions_table(questions: Iterable[Mapping[str, Any]]) -> Table:
    """Make the table ``questions`` of lines of a set; programs become text, because each has another structure."""
    return Table("questions", QUESTIONS, ({**each, "program": _to_text(each.get("program"))} for each in questions))


def make_labels_table(labels: Iterable[Mapping[str, Any]]) -> Table:
    """Make the table ``labels`` of lines of a label file or of a review; names and words of people are left out."""
    return Table("labels", LABELS, map(_flatten_label, labels))


def write_dataset(folder: Path, name: str, about: str, tables: Iterable[Table]) -> None:
    """Write tables as JSON lines, one file a split, with a dataset card (``README.md``) and ``croissant.json``.

    Args:
        folder: made where it is missing.
        about: one or more sentences.

    Raises:
        TrainingDataError: there is no row.
    """
    files = [file for table in tables for file in _write_table(folder, table)]
    if not files:
        raise TrainingDataError(f"{name} has no rows to export.", hint="Choose another set.")
    (folder / "README.md").write_text(_render_card(name, about, files), encoding="utf-8")
    croissant = json.dumps(_build_croissant(name, about, files), ensure_ascii=False, indent=1)
    (folder / "croissant.json").write_text(croissant + "\n", encoding="utf-8")


def _to_text(program: object) -> str | None:
    return None if program is None else json.dumps(program, ensure_ascii=False)


def _flatten_label(label: Mapping[str, Any]) -> dict[str, Any]:
    agreement = label.get("agreement", {})
    return {
        **label,
        "question_id": label["question"],
        "path": [relation for relation, _ in label.get("path") or ()],
        "inverse": [inverse for _, inverse in label.get("path") or ()],
        "program": _to_text(label.get("program")),
        "role": label.get("role", "path"),
        "verdict": label.get("verdict", "accepted"),
        **{kind: agreement.get(kind.replace("_", "-")) for kind in ("rational", "not_rational", "unsure")},
    }


def _write_table(folder: Path, table: Table) -> Iterator[_DataFile]:
    home = folder / table.name
    counts = dict.fromkeys(SPLITS, 0)
    with ExitStack() as stack:
        files: dict[str, TextIO] = {}
        for row in table.rows:
            split = row.get("split") or "train"
            if split not in files:
                home.mkdir(parents=True, exist_ok=True)
                files[split] = stack.enter_context((home / f"{split}.jsonl").open("w", encoding="utf-8"))
            cells = {key: row.get(key, [] if column.depth else None) for key, column in table.columns.items()}
            files[split].write(json.dumps(cells, ensure_ascii=False) + "\n")
            counts[split] += 1
    yield from (_DataFile(table, split, home / f"{split}.jsonl", n) for split, n in counts.items() if n)


def _render_card(name: str, about: str, files: list[_DataFile]) -> str:
    tables = {file.table.name: file.table for file in files}
    front = {
        "pretty_name": name,
        "task_categories": ["question-answering"],
        "tags": ["knowledge-graph", "clew"],
        "configs": [
            {
                "config_name": table,
                **({} if position else {"default": True}),
                "data_files": [
                    {"split": _SPLIT_NAMES[file.split], "path": file.name} for file in files if file.table.name == table
                ],
            }
            for position, table in enumerate(tables)
        ],
        "dataset_info": [
            {"config_name": table.name, "features": [_build_feature(*item) for item in table.columns.items()]}
            for table in tables.values()
        ],
    }
    lines = ["---", yaml.safe_dump(front, sort_keys=False, allow_unicode=True) + "---", f"# {name}", "", about, ""]
    lines += ["| file | rows |", "|---|---|", *(f"| `{file.name}` | {file.rows:,} |" for file in files)]
    for table in tables.values():
        lines += ["", f"## Columns of `{table.name}`", ""]
        lines += [f"- `{key}`: {column.about}" for key, column in table.columns.items()]
    return "\n".join([*lines, "", f"Exported by Clew {__version__}.", ""])


def _build_feature(name: str, column: Column) -> dict[str, Any]:
    nested: Any = column.type
    for _ in range(column.depth - 1):
        nested = {"list": nested}
    return {"name": name, "list" if column.depth else "dtype": nested}


def _build_croissant(name: str, about: str, files: list[_DataFile]) -> dict[str, Any]:
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": name,
        "description": about,
        "datePublished": datetime.now(UTC).date().isoformat(),
        "version": "1.0.0",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.name,
                "name": file.name,
                "contentUrl": file.name,
                "contentSize": f"{file.path.stat().st_size} B",
                "encodingFormat": "application/jsonlines",
                "sha256": _hash_file(file.path),
            }
            for file in files
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"{file.table.name}/{file.split}",
                "name": f"{file.table.name} {file.split}",
                "field": [_build_field(file, key, column) for key, column in file.table.columns.items()],
            }
            for file in files
        ],
    }


def _build_field(file: _DataFile, key: str, column: Column) -> dict[str, Any]:
    shape = {"isArray": True, "arrayShape": ",".join(["-1"] * column.depth)} if column.depth else {}
    return {
        "@type": "cr:Field",
        "@id": f"{file.table.name}/{file.split}/{key}",
        "name": key,
        "description": column.about,
        "dataType": _CROISSANT_TYPES[column.type],
        **shape,
        "source": {"fileObject": {"@id": file.name}, "extract": {"column": key}},
    }


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
