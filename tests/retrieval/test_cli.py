"""The engine's command line, run in this process on tiny files."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.__main__ import main
from retrieval.cli.evaluation import get_short_names
from retrieval.events import AnswerFinal, RunStarted, from_payload
from retrieval.kg import snapshot
from tests.retrieval.world import FACTS
from tests.support.sparql_server import SparqlServer


@pytest.fixture
def facts_file(tmp_path):
    path = tmp_path / "facts.tsv"
    path.write_text("".join("\t".join(fact) + "\n" for fact in FACTS), encoding="utf-8")
    return path


@pytest.fixture
def graph_dir(tmp_path, facts_file, capsys):
    out = tmp_path / "graph"
    assert main(["build-graph", str(facts_file), "--out", str(out), "--no-index"]) == 0
    capsys.readouterr()
    return out


def one_line_error(capsys):
    """The only line on stderr, which names the error."""
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1
    return lines[0]


def test_help_imports_nothing_heavy():
    script = (
        "import sys; from retrieval.__main__ import main\n"
        "assert main(['--help']) == 0\n"
        "heavy = {'torch', 'polars', 'faiss', 'openai', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for command in ("build-graph", "label", "train", "evaluate", "report", "compare", "study", "ask"):
        assert command in done.stdout


def test_a_graph_is_built_from_a_file(tmp_path, facts_file, capsys):
    assert main(["build-graph", str(facts_file), "--out", str(tmp_path / "g"), "--no-index"]) == 0
    assert "19 triples, 18 entities, 5 relations" in capsys.readouterr().out
    assert snapshot.open(tmp_path / "g").num_triples == 19


def test_an_exported_graph_is_built_again(tmp_path, graph_dir, capsys):
    file, again = tmp_path / "again.parquet", tmp_path / "again"
    assert main(["export-graph", str(graph_dir), "--format", "parquet", "--out", str(file)]) == 0
    assert main(["build-graph", str(file), "--out", str(again), "--no-index"]) == 0
    assert snapshot.open(again).hash == snapshot.open(graph_dir).hash


def test_gzipped_files_and_given_forms_are_read(tmp_path, capsys):
    packed = tmp_path / "facts.txt.gz"
    packed.write_bytes(gzip.compress(b"head|relation|tail\nBern|in|Switzerland\n"))
    arguments = ["--delimiter", "pipe", "--header", "--no-index"]
    assert main(["build-graph", str(packed), "--out", str(tmp_path / "g"), *arguments]) == 0
    assert "1 triples, 2 entities, 1 relations" in capsys.readouterr().out


def test_bad_rows_are_named_and_the_good_ones_go_in(tmp_path, capsys):
    source = tmp_path / "mixed.tsv"
    source.write_text("Bern\tin\tSwitzerland\nnonsense\nGeneva\tin\tSwitzerland\n", encoding="utf-8")
    assert main(["build-graph", str(source), "--out", str(tmp_path / "g"), "--no-index"]) == 0
    said = capsys.readouterr()
    assert "2 triples" in said.out
    assert "mixed.tsv:2: " in said.err


def test_a_missing_file_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main(["build-graph", str(tmp_path / "none.tsv"), "--out", str(tmp_path / "g")]) == 2
    assert "none.tsv" in one_line_error(capsys)
    assert not (tmp_path / "g").exists()


def test_a_directory_that_is_no_graph_is_refused(tmp_path, capsys):
    assert main(["ask", "--graph", str(tmp_path), "who?"]) == 2
    assert "is not a snapshot" in one_line_error(capsys)


def test_wrong_arguments_are_exit_code_2(capsys):
    assert main(["ask", "who?"]) == 2
    assert "--graph" in one_line_error(capsys)
    assert main(["ask", "who?", "--grph", "x"]) == 2
    assert "--graph" in one_line_error(capsys)
    assert main(["label", "--graph", "x"]) == 2
    assert "--questions" in one_line_error(capsys)


@pytest.fixture
def questions_file(tmp_path):
    rows = [
        {
            "id": "a",
            "question": "What does Austria border?",
            "topic_entities": ["Austria"],
            "answers": ["Italy"],
            "split": "train",
        },
        {
            "id": "b",
            "question": "What does France border?",
            "topic_entities": ["France"],
            "answers": ["Italy"],
            "split": "dev",
        },
        {
            "id": "c",
            "question": "Who directed Jaws?",
            "topic_entities": ["Jaws"],
            "answers": ["Spielberg"],
            "split": "test",
        },
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_question_files_become_one_set_with_splits(tmp_path, capsys):
    first, second = tmp_path / "1-hop.txt", tmp_path / "2-hop.txt.gz"
    first.write_text("what does [Austria] border\tItaly\n", encoding="utf-8")
    second.write_bytes(gzip.compress(b"who directed films with [Ann]\tBob|Cy\n"))
    out = tmp_path / "all.jsonl.gz"
    assert main(["import-questions", str(first), str(second), "--format", "metaqa", "--out", str(out)]) == 0
    assert "2 questions" in capsys.readouterr().out
    rows = [json.loads(line) for line in gzip.decompress(out.read_bytes()).decode().splitlines()]
    assert [(r["question"], r["topic_entities"], r["answers"], r["hops"]) for r in rows] == [
        ("what does Austria border", ["Austria"], ["Italy"], 1),
        ("who directed films with Ann", ["Ann"], ["Bob", "Cy"], 2),
    ]
    assert all(r["split"] in {"train", "dev", "test"} for r in rows)


def test_the_same_file_twice_is_refused(tmp_path, questions_file, capsys):
    out = tmp_path / "all.jsonl"
    assert main(["import-questions", str(questions_file), str(questions_file), "--out", str(out)]) == 2
    assert "same question ids" in one_line_error(capsys)
    assert not out.exists()


def test_labels_say_which_path_is_rational(tmp_path, graph_dir, questions_file, capsys):
    out = tmp_path / "labels.jsonl"
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(out)]
    assert main(["label", *arguments, "--strategy", "shortest-path"]) == 0
    assert "3 labels" in capsys.readouterr().out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert rows[2]["path"] == [["directed_by", False]]
    assert rows[2]["source"] == "shortest-path"


def test_a_strategy_that_is_not_there_names_those_that_are(tmp_path, graph_dir, questions_file, capsys):
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(tmp_path / "x")]
    assert main(["label", *arguments, "--strategy", "window"]) == 2
    assert "'window'. There are: all-shortest, answer-set, llm, shortest-path." in one_line_error(capsys)


def test_a_question_is_answered_without_a_checkpoint(graph_dir, capsys):
    assert main(["ask", "--graph", str(graph_dir), "who directed Jaws?"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0].startswith("Spielberg\t")
    assert said.out.splitlines()[0].endswith("\tfacts in graph")
    assert "Jaws → [directed by] → Spielberg" in said.err


def test_evidence_has_the_file_and_row_of_each_fact(tmp_path, capsys):
    source = tmp_path / "films.tsv"
    source.write_text("Lincoln\tdirected by\tSpielberg\nJaws\tdirected by\tSpielberg\n", encoding="utf-8")
    graph = str(tmp_path / "g")
    assert main(["build-graph", str(source), "--out", graph]) == 0
    assert main(["ask", "--graph", graph, "who directed Jaws?"]) == 0
    assert "  Jaws → [directed by] → Spielberg: films.tsv, row 2\n" in capsys.readouterr().err
    many = tmp_path / "many.tsv"
    many.write_text("".join(f"Film {i}\tdirected by\tSpielberg\n" for i in range(12)), encoding="utf-8")
    assert main(["build-graph", str(many), "--out", graph]) == 0
    assert main(["ask", "--graph", graph, "which films were directed by Spielberg?"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sum("many.tsv, row" in line for line in lines) == 10
    assert "  ... and 2 more facts" in lines


def test_events_are_one_json_object_a_line(graph_dir, capsys):
    assert main(["ask", "--graph", str(graph_dir), "who directed it?", "--entity", "Jaws", "--events"]) == 0
    events = [from_payload(json.loads(line)) for line in capsys.readouterr().out.splitlines()]
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], AnswerFinal)
    assert events[0].checkpoint is None
    assert events[1].entities[0].source == "given"


LABELS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:at rdfs:label "Austria"@en, "Österreich"@de ; :capital :vi .
:vi rdfs:label "Vienna"@en, "Wien"@de, "Vienne"@fr .
"""


@pytest.mark.parametrize(
    ("arguments", "answer", "sentence"),
    [
        (["--language", "de-AT,en"], "Wien", "The capital of Österreich is Wien."),
        (["--language", "fr"], "Vienne", "The capital of Austria is Vienne."),
        ([], "Vienna", "The capital of Austria is Vienna."),
    ],
)
def test_answers_have_the_names_of_a_language(tmp_path, arguments, answer, sentence, capsys):
    (tmp_path / "labels.ttl").write_text(LABELS)
    assert main(["build-graph", str(tmp_path / "labels.ttl"), "--out", str(tmp_path / "g"), "--no-index"]) == 0
    capsys.readouterr()
    question = ["ask", "--graph", str(tmp_path / "g"), "What is the capital of Österreich?"]
    assert main([*question, *arguments]) == 0
    shown = capsys.readouterr()
    assert shown.out.split("\t")[0] == answer
    assert sentence in shown.err.splitlines()
    assert main([*question, *arguments, "--events"]) == 0
    final = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (final["answers"][0]["label"], final["answers"][0].get("name", "Vienna")) == ("Vienna", answer)


def test_a_language_that_is_none_is_refused_and_one_without_names_is_told(tmp_path, graph_dir, capsys):
    assert main(["ask", "--graph", str(graph_dir), "who directed Jaws?", "--language", "in german"]) == 2
    assert one_line_error(capsys) == "error: 'in german' is no language. Write en, de, pt-BR or their like."
    assert main(["ask", "--graph", str(graph_dir), "who directed Jaws?", "--language", "de"]) == 0
    assert "The graph has no names in de." in capsys.readouterr().err


def test_several_graphs_are_asked_and_their_answers_joined(tmp_path, graph_dir, capsys):
    more = tmp_path / "more.txt"
    more.write_text("Jaws|directed_by|SPIELBERG\nJaws|directed_by|Nobody\n", encoding="utf-8")
    assert main(["build-graph", str(more), "--out", str(tmp_path / "more")]) == 0
    capsys.readouterr()
    arguments = ["ask", "--graph", str(graph_dir), "--also", str(tmp_path / "more"), "who directed Jaws?"]
    assert main(arguments) == 0
    said = capsys.readouterr()
    joined = said.out.splitlines()[-2:]
    assert [line.split("\t")[0] for line in joined] == ["Spielberg", "Nobody"]
    assert [line.split("\t")[2] for line in joined] == [f"{graph_dir.name}, more (by name)", "more"]
    assert "2 answers of 2 graphs" in said.err
    # One that cannot be asked is told, and takes nothing from the others.
    assert main([*arguments[:4], str(tmp_path / "none"), arguments[-1]]) == 2
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].startswith("Spielberg\t")
    assert "was not asked" in said.err
    assert main([*arguments, "--entity", "Jaws"]) == 2


def test_an_unknown_entity_offers_near_names(graph_dir, capsys):
    assert main(["ask", "--graph", str(graph_dir), "who directed it?", "--entity", "Spielburg"]) == 2
    assert "Near names: Spielberg." in one_line_error(capsys)


def test_a_typed_no_answer_is_no_failure(graph_dir, capsys):
    assert main(["ask", "--graph", str(graph_dir), "who rules Zamunda?"]) == 0
    assert capsys.readouterr().out.startswith("no answer (entity_not_linked): ")


def test_an_empty_question_fails(graph_dir, capsys):
    assert main(["ask", "--graph", str(graph_dir), " "]) == 2
    assert "The question is empty." in one_line_error(capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--checkpoint", "none"], "checkpoint"),
        (["--method", "magic"], "magic"),
        (["--reasoner", "llm"], "LLM_BASE_URL"),
    ],
)
def test_what_cannot_be_opened_is_one_line(graph_dir, arguments, said, monkeypatch, capsys):
    monkeypatch.delenv("LLM_BASE_URL", raising=False)
    assert main(["ask", "--graph", str(graph_dir), "who?", *arguments]) == 2
    assert said in one_line_error(capsys)


def test_an_evaluation_writes_its_report(tmp_path, graph_dir, questions_file, capsys):
    out = tmp_path / "report.json"
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(out)]
    assert main(["evaluate", *arguments, "--split", "test", "--method", "rel-rag-path"]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert (report["method"], report["n"], report["metrics"]["exact_set"]) == ("rel-rag-path", 1, 1.0)
    assert set(report) >= {
        "method",
        "n",
        "metrics",
        "by_hops",
        "latency_ms",
        "usage",
        "manifest",
        "per_question",
    }
    assert report["manifest"]["config"]["split"] == "test"
    assert "exact_set\t1.0000" in capsys.readouterr().out


def test_a_split_that_is_not_there_is_refused(tmp_path, graph_dir, questions_file, capsys):
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(tmp_path / "r")]
    assert main(["evaluate", *arguments, "--split", "holdout"]) == 2
    assert "dev, test, train" in one_line_error(capsys)


def test_a_wrong_setting_stops_training_before_it_starts(tmp_path, graph_dir, questions_file, capsys):
    config = tmp_path / "config.json"
    config.write_text('{"hiden": 64}', encoding="utf-8")
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(tmp_path / "c")]
    assert main(["train", "rel-rag-path", *arguments, "--config", str(config)]) == 2
    assert "Did you mean 'hidden'" in one_line_error(capsys)


def test_stopping_is_clean(graph_dir, monkeypatch, capsys):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("retrieval.cli.asking.open_answerer", interrupted)
    assert main(["ask", "--graph", str(graph_dir), "who?"]) == 130
    assert capsys.readouterr().err.strip() == "Stopped."


def evaluated(tmp_path, graph_dir, questions_file, name, *options):
    out = tmp_path / name
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(out)]
    assert main(["evaluate", *arguments, *options]) == 0
    return out


def test_an_evaluation_can_be_read_and_compared(tmp_path, graph_dir, questions_file, capsys):
    pages = ("--markdown", str(tmp_path / "a.md"), "--html", str(tmp_path / "a.html"))
    given = evaluated(tmp_path, graph_dir, questions_file, "given.json", *pages)
    assert (tmp_path / "a.md").read_text(encoding="utf-8").startswith("# Evaluation of rel-rag-path")
    assert main(["report", str(given), "--out", str(tmp_path / "b.html")]) == 0
    assert (tmp_path / "b.html").read_text() == (tmp_path / "a.html").read_text()
    again = evaluated(tmp_path, graph_dir, questions_file, "again.json")
    capsys.readouterr()
    assert main(["compare", str(given), str(again)]) == 0
    assert "0 questions gained, 0 lost, 0 answered differently." in capsys.readouterr().out
    assert main(["compare", str(given), str(again), "--out", str(tmp_path / "c.json")]) == 0
    assert json.loads((tmp_path / "c.json").read_text())["n"] == 3
    linked = evaluated(tmp_path, graph_dir, questions_file, "linked.json", "--topics", "linked")
    capsys.readouterr()
    assert main(["compare", str(given), str(linked)]) == 2
    assert "given and linked cannot be compared: the topics differs" in one_line_error(capsys)
    assert not list(tmp_path.glob(".*asked"))


def test_a_wrong_inference_setting_is_refused(tmp_path, graph_dir, questions_file, capsys):
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(tmp_path / "r")]
    assert main(["evaluate", *arguments, "--set", "beems=3"]) == 2
    assert "no inference setting 'beems'" in one_line_error(capsys)
    assert main(["evaluate", *arguments, "--set", "beems"]) == 2
    assert "NAME=VALUE" in one_line_error(capsys)


def test_questions_of_another_graph_are_refused(tmp_path, graph_dir, capsys):
    path = tmp_path / "other.jsonl"
    row = {"id": "q", "question": "Who rules?", "topic_entities": ["Zamunda"], "answers": ["Akeem"]}
    path.write_text(json.dumps(row), encoding="utf-8")
    arguments = ["--graph", str(graph_dir), "--questions", str(path), "--out", str(tmp_path / "r")]
    assert main(["evaluate", *arguments]) == 2
    assert "no topic entity of any of the 1 questions" in one_line_error(capsys)


def test_what_was_seen_in_training_can_be_said(tmp_path, graph_dir, questions_file, capsys):
    train = tmp_path / "train.jsonl"
    row = {
        "id": "t",
        "question": "What does Italy border?",
        "topic_entities": ["Austria"],
        "answers": ["Italy"],
    }
    train.write_text(json.dumps(row) + "\n", encoding="utf-8")
    for name, found in (("train", "t"), ("test", "a")):
        path = tmp_path / f"{name}-labels.jsonl"
        label = {
            "question": found,
            "topic": "Austria",
            "path": [["borders", False]],
            "source": "given",
            "score": 1.0,
        }
        path.write_text(json.dumps(label) + "\n", encoding="utf-8")
    options = ["--labels", str(tmp_path / "test-labels.jsonl")]
    seen = ["--train-questions", str(train), "--train-labels", str(tmp_path / "train-labels.jsonl")]
    out = evaluated(tmp_path, graph_dir, questions_file, "seen.json", *options, *seen)
    report = json.loads(out.read_text(encoding="utf-8"))
    assert {row["id"]: row["shift"] for row in report["per_question"]} == {
        "a": "in-distribution", "b": None, "c": None,
    }  # fmt: skip
    counts = {group: row["n"] for group, row in report["breakdowns"]["shift"].items()}
    assert counts == {"in-distribution": 1, "unknown": 2}
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(out)]
    capsys.readouterr()
    assert main(["evaluate", *arguments, *seen[2:]]) == 2
    assert "--train-questions is missing" in one_line_error(capsys)


def test_a_study_writes_its_pages(tmp_path, graph_dir, questions_file, capsys):
    config = tmp_path / "study.json"
    body = {
        "data": {"world": {"graph": "graph", "questions": "questions.jsonl"}},
        "variants": {"none": {"method": "rel-rag-path", "trained": False}},
    }
    config.write_text(json.dumps(body), encoding="utf-8")
    assert main(["study", str(config), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "world 100% none -> world (n 1, seeds 0): hit_at_1 1.000, exact_set 1.000" in said.out
    assert "testing world--none--1--0 on world" in said.err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "cells",
        "study.json",
        "study.md",
        "study.html",
        "study.tex",
    }
    assert main(["study", str(config), "--out", str(tmp_path / "out")]) == 0
    assert "testing" not in capsys.readouterr().err


def test_a_share_of_the_training_questions_is_above_none(tmp_path, graph_dir, questions_file, capsys):
    arguments = ["--graph", str(graph_dir), "--questions", str(questions_file), "--out", str(tmp_path / "c")]
    assert main(["train", *arguments, "--fraction", "0"]) == 2
    assert "fraction is 0" in one_line_error(capsys)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/one.json", "a/two.json"], ["one", "two"]),
        (["x/raw/0/report.json", "x/line/0/report.json"], ["raw", "line"]),
        (["x/raw/0/report.json", "x/line/1/report.json"], ["raw/0", "line/1"]),
        (["a.json", "b/a.json"], ["a", "b/a"]),
        (["a.json", "a.json"], ["a", "a"]),
        (["a.json"], ["a"]),
    ],
)
def test_reports_are_called_by_what_tells_them_apart(paths, names):
    assert get_short_names([Path(path) for path in paths]) == names


def test_a_sparql_endpoint_is_asked_without_import(capsys):
    triples = "".join(
        f"<http://x/{h.replace(' ', '_')}> <http://x/{r}> <http://x/{t.replace(' ', '_')}> .\n"
        for h, r, t in FACTS
        if "," not in t
    )
    labels = "".join(
        f'<http://x/{name}> <http://www.w3.org/2000/01/rdf-schema#label> "{name}"@en .\n'
        for name in ("Jaws", "Spielberg", "Munich", "Lincoln", "Switzerland", "Austria")
    )
    with SparqlServer(triples + labels) as server:
        assert main(["ask", "who directed Jaws", "--sparql", server.url, "--pull", "hops=2"]) == 0
        said = capsys.readouterr()
        assert said.out.startswith("Spielberg\t")
        assert "read on a sample, computed by the endpoint, by 1" in said.err
        follow_up = ["--then", "how many films did he direct?"]
        assert main(["ask", "who directed Jaws", "--sparql", server.url, *follow_up]) == 0
        assert capsys.readouterr().out.splitlines()[1].startswith("3\t")
        question = "what is the official language there?"
        assert main(["ask", question, "--sparql", server.url, "--entity", "http://x/Austria"]) == 0
        assert capsys.readouterr().out.startswith("German\t")
        assert main(["ask", "how many films did Spielberg direct", "--sparql", server.url]) == 0
        assert capsys.readouterr().out.startswith("3\t")
        assert main(["ask", "what is this?", "--sparql", server.url]) == 0
        assert capsys.readouterr().out.startswith("no answer (entity_not_linked): ")
        assert main(["ask", "what is this?", "--sparql", server.url, "--entity", "Nobody"]) == 2
        assert "has no entity Nobody" in one_line_error(capsys)
    assert main(["ask", "who directed Jaws", "--sparql", server.url]) == 2
    assert "cannot be reached" in one_line_error(capsys)


def test_a_file_is_shown_before_it_is_imported(tmp_path, capsys):
    path = tmp_path / "x.tsv"
    path.write_text("1\tSpielberg\tJaws\tdirected_by\n")
    assert main(["preview", str(path), "--columns", "2,3,1"]) == 0
    said = capsys.readouterr()
    assert said.out == "head\trelation\ttail\nJaws\tdirected_by\tSpielberg\n"
    assert "columns: head 2, relation 3, tail 1" in said.err
    assert main(["build-graph", str(path), "--columns", "2,3,1", "--out", str(tmp_path / "g"), "--no-index"]) == 0
    assert "1 triples" in capsys.readouterr().out
    assert main(["preview", str(path), "--columns", "2,3"]) == 2
    assert "does not name three columns" in one_line_error(capsys)


def test_questions_are_made_of_a_graph_and_checked_against_it(tmp_path, graph_dir, capsys):
    out = tmp_path / "samples.jsonl"
    assert main(["sample-questions", str(graph_dir), "--count", "5", "--out", str(out)]) == 0
    assert "5 questions" in capsys.readouterr().out
    with out.open("a") as file:
        file.write(json.dumps({"question": "?", "topic_entities": ["Switzerlnd"], "answers": ["Nowhere"]}) + "\n")
    assert main(["check-questions", str(graph_dir), str(out)]) == 0
    said = capsys.readouterr().out
    assert "measurable\t5\t" in said
    assert "missing topic\tSwitzerlnd\t1 questions; near: Switzerland\n" in said
    assert main(["sample-questions", str(graph_dir), "--count", "2"]) == 0
    assert len([json.loads(line)["paths"] for line in capsys.readouterr().out.splitlines()]) == 2


def test_doctor_tells_what_is_damaged(graph_dir, tmp_path, capsys):
    assert main(["doctor", str(graph_dir)]) == 0
    assert "ok       graph" in capsys.readouterr().out
    (graph_dir / "tails.npy").write_bytes(b"x")
    assert main(["doctor", str(graph_dir), str(tmp_path / "none")]) == 1
    told = capsys.readouterr().out
    assert "not what was written: tails.npy" in told
    assert "its directory is missing" in told
    assert main(["ask", "--graph", str(graph_dir), "who?"]) == 2
    assert "damaged (tails.npy)" in one_line_error(capsys)


def test_a_data_model_is_printed_corrected_and_imported(tmp_path, capsys):
    table = tmp_path / "lakes.csv"
    table.write_text("code,name,area\nA1,Vo,4\nB2,Nu,7\n", encoding="utf-8")
    assert main(["infer-model", str(table)]) == 0
    printed = capsys.readouterr()
    model = json.loads(printed.out)
    assert "lakes.csv: 2 × lake, named by name. Vo is a lake: code A1, area 4." in printed.err
    model["kinds"][0]["name"] = ["code"]
    corrected = tmp_path / "model.json"
    corrected.write_text(json.dumps(model), encoding="utf-8")
    out = tmp_path / "graph"
    assert main(["build-graph", str(table), "--out", str(out), "--no-index", "--model", str(corrected)]) == 0
    assert {"A1", "B2"} <= set(snapshot.open(out).entity_labels)
    corrected.write_text("[]", encoding="utf-8")
    assert main(["build-graph", str(table), "--out", str(out), "--no-index", "--model", str(corrected)]) == 2
    assert "is no data model" in capsys.readouterr().err
