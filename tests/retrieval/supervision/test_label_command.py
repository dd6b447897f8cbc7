"""The label command with a language model: a real server, a real kill, and what is printed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from retrieval.__main__ import main
from retrieval.supervision.labels import Label, read_labels, write_labels
from tests.retrieval.world import build
from tests.support.llm_server import LLMServer

FILMS = {"Jaws": "Horror", "Munich": "Drama", "Lincoln": "History"}


@pytest.fixture
def paths(tmp_path):
    """Arguments of the command for six questions over the tiny world."""
    build(tmp_path / "graph")
    rows = [
        {"id": f"{kind}-{film}", "question": f"{kind} {film}?", "topic_entities": [film], "answers": [answer]}
        for film, genre in FILMS.items()
        for kind, answer in (("Who made", "Spielberg"), ("What kind is", genre))
    ]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "labels.jsonl"
    return ["--graph", str(tmp_path / "graph"), "--questions", str(questions), "--out", str(out)], out


@pytest.fixture
def llm(monkeypatch):
    with LLMServer(lambda _: "It is direct.\nans: Path 0") as server:
        monkeypatch.setenv("LLM_BASE_URL", server.url)
        monkeypatch.setenv("LLM_MODEL", "tiny")
        yield server


def figures(capsys):
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    return {line[0]: line[1:] for line in lines}


def test_coverage_fit_compression_and_usage_are_printed(paths, llm, capsys):
    arguments, out = paths
    assert main(["label", *arguments, "--strategy", "llm"]) == 0
    said = figures(capsys)
    assert said["coverage"] == ["1.0000", "6 of 6 questions have a path"]
    assert said["fit"][0] == "1.0000"
    # Who: 1 path, 2 facts of the film, 3 of Spielberg. What kind: 1, 2, and 1 of the genre.
    assert said["candidates"][0] == "5.00 -> 3.00"
    assert said["compression"] == ["0.6000", "of the average; of the largest pool 0.5000 (6 -> 3)"]
    assert said["usage"][0] == "6 calls"
    assert said["usage"][1].startswith("600 prompt and 30 completion tokens; 0 replies")
    assert {label.source for label in read_labels(out)} == {"llm"}
    assert main(["label", *arguments, "--strategy", "llm"]) == 0
    assert figures(capsys)["usage"] == [
        "0 calls", "0 prompt and 0 completion tokens; 6 replies were kept from before",
    ]  # fmt: skip
    assert len(llm.requests) == 6


@pytest.mark.slow
def test_a_killed_run_is_resumed_and_pays_only_for_the_rest(paths, llm):
    arguments, out = paths
    llm.delay = 0.15  # a word
    command = [
        sys.executable,
        "-m",
        "retrieval",
        "label",
        *arguments,
        "--strategy",
        "llm",
        "--concurrency",
        "1",
    ]
    run = subprocess.Popen(command, env=os.environ, stderr=subprocess.DEVNULL)
    while len(llm.requests) < 3 and run.poll() is None:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert not out.exists()
    llm.delay = 0.0
    asked_before = len(llm.requests)
    assert main(["label", *arguments, "--strategy", "llm"]) == 0
    # Two replies had come whole; the third was broken off.
    assert asked_before == 3
    assert len(llm.requests) == asked_before + 4
    assert len(read_labels(out)) == 6


def test_verdicts_win(paths, tmp_path, llm):
    arguments, out = paths
    accepted = Label("Who made-Jaws", "Jaws", (("in_genre", False),), "analyst")
    write_labels(tmp_path / "verdicts.jsonl", [accepted])
    verdicts = ["--verdicts", str(tmp_path / "verdicts.jsonl")]
    assert main(["label", *arguments, "--strategy", "llm", "--prompt", "rel-rag", *verdicts]) == 0
    assert [label for label in read_labels(out) if label.question == "Who made-Jaws"] == [accepted]
    assert not any("Who made Jaws" in request["messages"][-1]["content"] for request in llm.requests)


def test_without_a_language_model_the_settings_are_named(paths, monkeypatch, capsys):
    monkeypatch.delenv("LLM_BASE_URL", raising=False)
    assert main(["label", *paths[0], "--strategy", "llm"]) == 2
    assert "Set LLM_BASE_URL and LLM_MODEL" in capsys.readouterr().err


def test_options_of_another_strategy_are_refused(paths, capsys):
    assert main(["label", *paths[0], "--prompt", "reg"]) == 2
    assert "--prompt and --candidates are for --strategy llm" in capsys.readouterr().err


def test_nothing_labelled_is_an_error_and_no_file(paths, llm, capsys):
    arguments, out = paths
    llm.reply = lambda _: "I'm sorry, I cannot help with that."
    assert main(["label", *arguments, "--strategy", "llm"]) == 2
    said = capsys.readouterr().err
    assert "6 replies could not be read." in said
    assert "None of the 6 questions could be labelled" in said
    assert not out.exists()
