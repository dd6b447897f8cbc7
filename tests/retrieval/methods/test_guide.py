"""The guide "Add a method", followed: a method that the command line knows, and a graph layer that it trains."""

import json

import pytest

from retrieval.__main__ import main
from retrieval.questions.files import write_questions
from retrieval.training.checkpoint import read_weights
from tests.retrieval.films import facts, questions
from tests.support.guides import layer_added, method_added

ONE_HOP = ("who directed", "what is the language", "which films did")


@pytest.fixture
def method(tmp_path):
    with method_added(tmp_path) as name:
        yield name


def write_inputs(tmp_path, config):
    (tmp_path / "facts.tsv").write_text("".join("\t".join(fact) + "\n" for fact in facts()))
    asked = [question for question in questions() if question.question.startswith(ONE_HOP)]
    write_questions(tmp_path / "questions.jsonl", asked)
    (tmp_path / "config.json").write_text(json.dumps(config))


def test_the_method_of_the_guide_is_trained_evaluated_and_asked(tmp_path, method, capsys):
    write_inputs(tmp_path, {"epochs": 3})
    graph, checkpoint, report = (
        str(tmp_path / "graph"),
        str(tmp_path / "checkpoint"),
        tmp_path / "report.json",
    )
    given = ["--graph", graph, "--questions", str(tmp_path / "questions.jsonl")]
    assert main(["build-graph", str(tmp_path / "facts.tsv"), "--out", graph, "--no-index"]) == 0
    assert main(["train", method, *given, "--config", str(tmp_path / "config.json"), "--out", checkpoint]) == 0
    assert main(["evaluate", *given, "--checkpoint", checkpoint, "--split", "test", "--out", str(report)]) == 0
    found = json.loads(report.read_text())
    assert (found["method"], found["metrics"]["exact_set"], found["n"]) == (method, 1.0, 10)
    capsys.readouterr()
    assert main(["ask", "--graph", graph, "--checkpoint", checkpoint, "who directed Film 05"]) == 0
    assert "Kurosawa" in capsys.readouterr().out


@pytest.mark.parametrize("method", ["rel-rag-path", "reg-entity"])
def test_the_layer_of_the_guide_is_trained_and_asked(tmp_path, method, capsys):
    with layer_added(tmp_path) as layer:
        write_inputs(tmp_path, {"conv": layer, "epochs": 1, "draws_per_epoch": 0, "hidden": 8, "words": False})
        graph, checkpoint = str(tmp_path / "graph"), str(tmp_path / "checkpoint")
        given = ["--graph", graph, "--questions", str(tmp_path / "questions.jsonl")]
        assert main(["build-graph", str(tmp_path / "facts.tsv"), "--out", graph, "--no-index"]) == 0
        assert main(["train", method, *given, "--config", str(tmp_path / "config.json"), "--out", checkpoint]) == 0
        weights = read_weights(tmp_path / "checkpoint")
        assert any(name.endswith("conv.gate.weight") for name in weights)
        capsys.readouterr()
        asked = ["ask", "--graph", graph, "--checkpoint", checkpoint, "who directed Film 05"]
        assert main(asked) == 0
        assert capsys.readouterr().out
    assert main(asked) != 0
    assert "conv is 'my_layers:RelationGate'" in capsys.readouterr().err
