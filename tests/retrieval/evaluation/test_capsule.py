"""A study in one file: whole, run again with the same figures, and refused where it was tampered with."""

import json
import zipfile

import pytest
import torch
from rocrate.rocrate import ROCrate

from retrieval.errors import EvaluationError
from retrieval.evaluation import capsule
from retrieval.evaluation import study as studies
from retrieval.evaluation.study import StudyRunner
from retrieval.questions.files import write_questions
from retrieval.studies.plan import parse
from tests.retrieval.films import WordEncoder, build, questions

torch.set_num_threads(1)

TINY = {"hidden": 8, "epochs": 1, "batch_size": 64}
VARIANTS = {
    "tiny": {"method": "rel-rag-path", "config": TINY},
    "again": {"method": "rel-rag-path", "of": "tiny", "budget": 3},
    "none": {"method": "rel-rag-path", "trained": False},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished study's capsule, and the graph."""
    home = tmp_path_factory.mktemp("study")
    build(home / "films.graph")
    write_questions(home / "films.jsonl", questions())
    data = {"films": {"graph": "films.graph", "questions": "films.jsonl"}}
    plan = parse({"data": data, "variants": VARIANTS, "limit": 6}, home)
    study = StudyRunner(plan, home / "out", encoder=WordEncoder())
    list(study.run())
    capsule.write(home / "capsule.zip", study, "Films")
    return home / "capsule.zip", home / "films.graph"


def again(made, tmp_path, *, checkpoints):
    file, graph = made
    found = capsule.unpack(file, tmp_path / "capsule")
    if checkpoints:
        found.take_checkpoints(tmp_path / "out")
    study = StudyRunner(found.build_plan({"films": graph}), tmp_path / "out", encoder=WordEncoder())
    list(study.run())
    return found, study


def test_a_capsule_holds_all_but_the_graph_and_no_pickle(made):
    names = zipfile.ZipFile(made[0]).namelist()
    assert sorted(names) == [
        "capsule.json",
        "cells/films--tiny--1--0/checkpoint/README.md",
        "cells/films--tiny--1--0/checkpoint/config.json",
        "cells/films--tiny--1--0/checkpoint/manifest.json",
        "cells/films--tiny--1--0/checkpoint/seen.json.gz",
        "cells/films--tiny--1--0/checkpoint/weights.safetensors",
        "cells/films--tiny--1--0/trained.json",
        "data/0.jsonl",
        "reports/0.json",
        "reports/1.json",
        "reports/2.json",
        "ro-crate-metadata.json",
    ]
    index = json.loads(zipfile.ZipFile(made[0]).read("capsule.json"))
    assert (index["name"], [cell["n"] for cell in index["cells"]]) == ("Films", [6, 6, 6])
    assert index["plan"]["variants"]["again"]["of"] == "tiny"


def test_a_capsule_is_an_ro_crate_that_describes_every_file(made, tmp_path):
    found = capsule.unpack(made[0], tmp_path / "capsule")
    crate = ROCrate(found.folder)
    assert crate.name == "Films"
    files = {path.relative_to(found.folder).as_posix() for path in found.folder.rglob("*") if path.is_file()}
    assert {part.id for part in crate.root_dataset["hasPart"]} == files - {"ro-crate-metadata.json"}
    actions = crate.root_dataset["mentions"]
    assert [(action["object"].id, action["result"].id, action["instrument"]["name"]) for action in actions] == [
        ("data/0.jsonl", f"reports/{number}.json", "Clew") for number in range(3)
    ]


def test_run_again_it_gives_the_same_figures(made, tmp_path):
    found, study = again(made, tmp_path, checkpoints=False)
    rows = capsule.compare_cells(found, study)
    assert [(row["cell"]["variant"], row["questions"], row["changed"], row["same"]) for row in rows] == [
        ("tiny", 6, 0, True), ("again", 6, 0, True), ("none", 6, 0, True),
    ]  # fmt: skip


def test_its_checkpoints_are_asked_without_training(made, tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "train", None)
    found, study = again(made, tmp_path, checkpoints=True)
    assert [row["same"] for row in capsule.compare_cells(found, study)] == [True] * 3


def test_a_difference_is_told_by_figure_and_by_question(made, tmp_path):
    found, study = again(made, tmp_path, checkpoints=True)
    then = found.index["cells"][0]
    then["metrics"]["hit"] = 0.125
    report = found.folder / then["report"]
    whole = json.loads(report.read_text())
    whole["per_question"][0]["predicted"] = ["Nobody"]
    report.write_text(json.dumps(whole))
    row = capsule.compare_cells(found, study)[0]
    assert (row["changed"], row["same"], row["metrics"]["hit"][0]) == (1, False, 0.125)


def test_another_graph_is_refused(made, tmp_path):
    build(tmp_path / "other.graph", extra=[("Film 99", "directed_by", "Varda")])
    found = capsule.unpack(made[0], tmp_path / "capsule")
    with pytest.raises(EvaluationError, match="other content"):
        found.build_plan({"films": tmp_path / "other.graph"})
    with pytest.raises(EvaluationError, match="needs its graph"):
        found.build_plan({})


def copied(file, out, change):
    """A copy of a capsule whose members are what ``change(name, bytes)`` says."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            for other, content in change(name, old.read(name)):
                new.writestr(other, content)
    return out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda name, raw: [(f"../{name}", raw)], "no capsule has"),
        (lambda name, raw: [(name, raw), (f"{name}.pt", b"")], "no capsule has"),
        (lambda name, raw: [(name, raw + b" " if name == "data/0.jsonl" else raw)], "were changed"),
        (lambda name, raw: [(name, b'{"format": 9}' if name == "capsule.json" else raw)], "another format"),
        (lambda name, raw: [] if name == "capsule.json" else [(name, raw)], "no capsule"),
    ],
)
def test_what_is_no_capsule_is_refused(made, tmp_path, change, says):
    file = copied(made[0], tmp_path / "c.zip", change)
    with pytest.raises(EvaluationError, match=says):
        capsule.unpack(file, tmp_path / "capsule")
