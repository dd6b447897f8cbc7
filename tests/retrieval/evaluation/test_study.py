"""A study on the film world: every cell once, and figures by hand."""

import json

import pytest
import torch

from retrieval.errors import ConfigError, EvaluationError
from retrieval.evaluation import study as studies
from retrieval.evaluation.pages import render_markdown
from retrieval.evaluation.study import StudyRunner
from retrieval.evaluation.study_page import build_blocks
from retrieval.questions.files import write_questions
from retrieval.studies import plan as study_config
from retrieval.studies.plan import Cell, list_cells
from retrieval.studies.summary import build_summary, compute_spread
from tests.retrieval.films import WordEncoder, build, questions

torch.set_num_threads(1)

TINY = {"hidden": 8, "epochs": 1, "batch_size": 64}


@pytest.fixture
def films(tmp_path):
    build(tmp_path / "films.graph")
    write_questions(tmp_path / "films.jsonl", questions())
    return {"films": {"graph": "films.graph", "questions": "films.jsonl"}}


def config(tmp_path, data, /, **settings):
    variants = {
        "tiny": {"method": "rel-rag-path", "config": TINY},
        "none": {"method": "rel-rag-path", "trained": False},
    }
    raw = {"data": data, "variants": variants, "seeds": [0, 1], "limit": 6, **settings}
    path = tmp_path / "study.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    return study_config.read(path)


def run(tmp_path, chosen):
    said = []
    found = list(StudyRunner(chosen, tmp_path / "out", encoder=WordEncoder(), say=said.append).run())
    return found, said


@pytest.mark.slow
def test_finished_cells_are_not_done_again(tmp_path, films, monkeypatch):
    chosen = config(tmp_path, films)
    first, said = run(tmp_path, chosen)
    assert said == [
        "training films--tiny--1--0", "testing films--tiny--1--0 on films",
        "training films--tiny--1--1", "testing films--tiny--1--1 on films",
        "testing films--none--1--0 on films", "testing films--none--1--1 on films",
    ]  # fmt: skip
    assert [result["n"] for result in first] == [6] * 4
    assert first[0]["manifest"]["checkpoint"] != first[1]["manifest"]["checkpoint"]
    assert first[2]["manifest"]["checkpoint"] is None
    assert not (tmp_path / "out" / "cache" / "states").exists()
    assert run(tmp_path, chosen) == (first, [])

    again, said = run(tmp_path, config(tmp_path, films, budget=7))
    assert said == [f"testing films--{v}--1--{s} on films" for v in ("tiny", "none") for s in (0, 1)]
    assert again[0]["manifest"]["checkpoint"] == first[0]["manifest"]["checkpoint"]

    write_questions(tmp_path / "films.jsonl", questions()[:-6])
    _, said = run(tmp_path, config(tmp_path, films, budget=7, seeds=[0]))
    assert said[0] == "training films--tiny--1--0"


@pytest.mark.slow
def test_a_study_that_was_stopped_keeps_what_is_finished(tmp_path, films, monkeypatch):
    chosen = config(tmp_path, films, seeds=[0, 1])
    whole = StudyRunner(chosen, tmp_path / "out", encoder=WordEncoder()).run()
    first = next(whole)
    whole.close()
    asked, real = [], studies.train
    monkeypatch.setattr(
        studies,
        "train",
        lambda *args, **kwargs: asked.append(kwargs["config"]["seed"]) or real(*args, **kwargs),
    )
    found, _ = run(tmp_path, chosen)
    assert found[0] == first
    assert asked == [1]


def test_labels_are_made_once_for_a_strategy_and_learned_from(tmp_path, films):
    variants = {
        strategy: {"method": "rel-rag-path", "config": TINY, "strategy": strategy}
        for strategy in ("answer-set", "shortest-path")
    }
    run(tmp_path, config(tmp_path, films, variants=variants, seeds=[0]))
    assert len(list((tmp_path / "out" / "labels").iterdir())) == 2
    for strategy in variants:
        home = tmp_path / "out" / "cells" / f"films--{strategy}--1--0"
        manifest = json.loads((home / "checkpoint" / "manifest.json").read_text())
        assert set(manifest["labels"]) == {strategy}


def test_a_variant_may_ask_another_s_checkpoints_in_its_own_way(tmp_path, films):
    variants = {
        "tiny": {"method": "rel-rag-path", "config": TINY},
        "paths": {"method": "rel-rag-path", "of": "tiny", "budget": 3, "options": {"evidence": "paths"}},
    }
    found, said = run(tmp_path, config(tmp_path, films, variants=variants, seeds=[0]))
    assert said == [
        "training films--tiny--1--0", "testing films--tiny--1--0 on films", "testing films--paths--1--0 on films",
    ]  # fmt: skip
    first, second = (result["manifest"] for result in found)
    assert first["checkpoint"] == second["checkpoint"]
    assert (first["config"]["budget"], second["config"]["budget"]) == (50, 3)
    assert found[1]["metrics"]["avg_triples"] <= 3


@pytest.mark.slow
def test_trained_on_one_set_and_tested_on_another(tmp_path, films):
    build(tmp_path / "more.graph", extra=[("Film 99", "directed_by", "Varda")])
    films["more"] = {"graph": "more.graph", "questions": "films.jsonl"}
    chosen = config(tmp_path, films, train=["films"], test=["films", "more"], seeds=[0], baseline="none")
    assert list_cells(chosen)[:2] == [
        Cell("films", "tiny", 1.0, 0, "films"), Cell("films", "tiny", 1.0, 0, "more"),
    ]  # fmt: skip
    found, said = run(tmp_path, chosen)
    assert [line for line in said if line.startswith("training")] == ["training films--tiny--1--0"]
    assert [result["manifest"]["cross_dataset"] for result in found[:2]] == [False, True]
    assert found[0]["breakdowns"]["shift"]
    summary = build_summary(found, baseline="none")
    assert [(row["variant"], row["test"]) for row in summary["rows"]] == [
        ("tiny", "films"), ("tiny", "more"), ("none", "films"), ("none", "more"),
    ]  # fmt: skip
    assert "more (another graph)" in render_markdown("Study", build_blocks(summary, "about"))


def test_smaller_shares_train_on_fewer_questions(tmp_path, films):
    variants = {"tiny": {"method": "rel-rag-path", "config": TINY}}
    found, _ = run(tmp_path, config(tmp_path, films, variants=variants, fractions=[0.25, 1], seeds=[0]))
    train = sum(question.split == "train" for question in questions())
    assert [result["training"]["questions"] for result in found] == [-(-train // 4), train]


def test_an_empty_split_names_those_that_exist(tmp_path, films):
    with pytest.raises(EvaluationError, match=r"'holdout'.*dev, test, train"):
        run(tmp_path, config(tmp_path, films, split="holdout"))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"seads": [1]}, r"A study has no setting 'seads'.*'seeds'"),
        ({"data": {"a": {"graf": "x", "questions": "y"}}}, r"data set 'a' has no setting 'graf'.*'graph'"),
        ({"data": {"a": {"graph": "x"}}}, r"data set 'a' lacks 'questions'"),
        ({"variants": {"v": {"methud": "rapl"}}}, r"variant 'v' has no setting 'methud'"),
        ({"test": ["nowhere"]}, r"no data set 'nowhere'.*films"),
        ({"baseline": "raw"}, r"no variant 'raw'.*tiny, none"),
        ({"fractions": [0]}, r"fraction is 0"),
        ({"seeds": ["a"]}, r"seeds has 'a'"),
        ({"topics": "some"}, r"topics is 'some'"),
        ({"seeds": []}, r"no seeds"),
        ({"variants": {"v": {"method": "rapl", "of": "w"}}}, r"'v' asks the checkpoints of 'w'"),
        ({"variants": {"v": {"method": "rapl", "prompt": "reg"}}}, r"'v' has a prompt"),
    ],
)
def test_a_wrong_study_names_what_is_wrong(tmp_path, films, settings, said):
    with pytest.raises(ConfigError, match=said):
        config(tmp_path, films, **settings)


def result(variant, seed, exact, test="a"):
    metrics = dict.fromkeys(("hit", "hit_at_1", "macro_f1", "micro_f1", "exact_set", "avg_triples"), exact)
    times = {"p50": 2.0 + seed, "p95": 9.0}
    return {
        "cell": {"train": "a", "variant": variant, "fraction": 1.0, "seed": seed, "test": test},
        "n": 10,
        "metrics": metrics | {"path_recall": None},
        "intervals": {"exact_set": [exact - 0.1, exact + 0.1]},
        "breakdowns": {"hops": {"1": {"n": 4, "exact_set": exact, "path_recall": None}}},
        "latency_ms": times,
        "retrieval_ms": times,
        "usage": {"llm_calls": 0, "tokens": 0},
        "training": {"seconds": 10.0 * (seed + 1)},
        "manifest": {"cross_dataset": test != "a", "code_version": "1"},
    }


def test_seeds_are_summarised_and_gains_taken_seed_by_seed():
    found = [result("raw", 0, 0.5), result("raw", 1, 0.4), result("line", 0, 0.6), result("line", 1, 0.6)]
    summary = build_summary(found, baseline="raw")
    raw, line = summary["rows"]
    assert raw["metrics"]["exact_set"]["mean"] == pytest.approx(0.45)
    assert raw["metrics"]["exact_set"]["sd"] == pytest.approx(0.0707107, abs=1e-6)
    assert line["metrics"]["exact_set"] == {"mean": 0.6, "sd": 0.0, "values": [0.6, 0.6]}
    assert "path_recall" not in raw["metrics"]
    assert raw["training_s"]["mean"] == 15.0
    assert raw["groups"]["hops"]["1"] == {"n": 4, "exact_set": pytest.approx(0.45)}
    (gain,) = summary["gains"]
    assert gain["variant"] == "line"
    assert gain["metrics"]["exact_set"]["values"] == pytest.approx([0.2, 0.5])
    assert gain["metrics"]["exact_set"]["mean"] == pytest.approx(0.35)
    place = {"train": "a", "variant": "line", "fraction": 1.0}
    won = {**place, "test": "a", "metric": "hit", "runner_up": {**place, "variant": "raw"}, "questions": 4}
    summary["winners"] = [{**won, "difference": 0.15, "p": 0.0123, "significant": True}]
    page = render_markdown("Study", build_blocks(summary, "about", split="dev"))
    assert "| a | Hit | line (a, 100%) | raw (a, 100%) | 4 | +0.150 | 0.0123 | yes |" in page
    assert "tested on a; n = 10 dev questions; 100% of the training questions; seeds 0, 1." in page
    assert "| a | 100% | line | a | +35.0% ± 21.2% | +35.0% ± 21.2% |" in page
    assert "0.450 ± 0.071" in page


def test_one_value_has_no_deviation():
    assert compute_spread([0.5]) == {"mean": 0.5, "sd": None, "values": [0.5]}
