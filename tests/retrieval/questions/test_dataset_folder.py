"""Folders for other tools, loaded by these tools."""

import warnings

import pytest

from retrieval.cli import app
from retrieval.errors import TrainingDataError
from retrieval.questions.dataset_folder import LABELS, write_dataset
from retrieval.questions.files import read_questions, write_questions
from retrieval.supervision.labels import Label, write_labels
from retrieval.types import QuestionRecord

PROGRAM = {"op": "count", "of": {"op": "entity", "name": "Köln"}}
QUESTIONS = [
    QuestionRecord(
        *("q1", "Which bridges are in Köln?", ("Köln",), ("Deutzer Brücke", "Südbrücke")),
        paths=((("Deutzer Brücke", "in", "Köln"),),),
        hops=1,
        split="train",
    ),
    QuestionRecord("q2", "How many bridges are in Köln?", ("Köln",), ("2",), program=PROGRAM, split="dev"),
    QuestionRecord("q3", "Which bridges are in Bonn?", also=(("Kennedybrücke",), ()), split="test"),
]


@pytest.fixture
def folder(tmp_path):
    """Written by the command."""
    write_questions(tmp_path / "q.jsonl", QUESTIONS)
    write_labels(tmp_path / "l.jsonl", [Label("q1", "Köln", (("in", True),), "answer-set", 0.5)])
    out = tmp_path / "bridges"
    app.app(
        ["export-dataset", str(tmp_path / "q.jsonl"), "--labels", str(tmp_path / "l.jsonl"), "--out", str(out)],
    )
    return out


def test_hugging_face_loads_it_without_a_network(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings(action="ignore"):
        import datasets

        questions = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
        labels = datasets.load_dataset(str(folder), "labels", cache_dir=str(tmp_path / "cache"))
    assert {split: rows["id"][:] for split, rows in questions.items()} == {
        "train": ["q1"], "validation": ["q2"], "test": ["q3"],
    }  # fmt: skip
    assert questions["train"][0]["paths"] == [[["Deutzer Brücke", "in", "Köln"]]]
    assert questions["test"][0]["also"] == [["Kennedybrücke"], []]
    assert labels["train"][0] == dict.fromkeys(LABELS) | {
        **{"question_id": "q1", "topic": "Köln", "path": ["in"], "inverse": [True], "source": "answer-set"},
        **{"score": 0.5, "role": "path", "verdict": "accepted"},
    }


def test_croissant_validates_it_and_reads_its_records(folder):
    with warnings.catch_warnings(action="ignore"):
        import mlcroissant

        loaded = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
        records = list(loaded.records("questions/train"))
    assert loaded.metadata.ctx.is_v1_1()
    assert loaded.metadata.issues.errors == set()
    assert records[0]["questions/train/answers"] == ["Deutzer Brücke".encode(), "Südbrücke".encode()]


def test_it_is_imported_again(folder):
    files = [folder / "questions" / f"{split}.jsonl" for split in ("train", "dev", "test")]
    assert [question for file in files for question in read_questions(file, problems=pytest.fail)] == QUESTIONS


def test_nothing_is_refused(tmp_path):
    with pytest.raises(TrainingDataError, match="has no rows"):
        write_dataset(tmp_path / "out", "Empty", "", [])
