"""``extract`` and ``answers`` from the command line."""

import json

import pytest

from retrieval.__main__ import main
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from tests.retrieval.extraction.test_extraction import BERN, ULM, reply
from tests.support.llm_server import LLMServer


@pytest.fixture
def corpus(tmp_path):
    build_snapshot(TripleTable.from_facts([], passages=[BERN, ULM]), tmp_path / "corpus")
    return tmp_path / "corpus"


@pytest.fixture
def model(monkeypatch):
    with LLMServer(reply) as server:
        monkeypatch.setenv("LLM_BASE_URL", server.url)
        monkeypatch.setenv("LLM_MODEL", "tiny")
        monkeypatch.setenv("LLM_PROMPT_PRICE", "10")
        monkeypatch.setenv("LLM_COMPLETION_PRICE", "0")
        yield server


def extract(corpus, *more):
    out = corpus.with_name("graph")
    return main(["extract", "--corpus", str(corpus), "--out", str(out), "--merge", "1", *more])


def test_without_a_language_model_it_says_what_still_works(corpus, monkeypatch, capsys):
    monkeypatch.delenv("LLM_BASE_URL", raising=False)
    assert extract(corpus) == 2
    assert "Without one, the passages can be asked with --method text-rag." in capsys.readouterr().err


def test_a_corpus_becomes_a_graph_and_is_paid_for_once(corpus, model, capsys):
    assert extract(corpus) == 0
    said = capsys.readouterr().out
    assert "4 triples, 5 entities from 2 passages" in said
    assert "usage\t2 calls\t200 prompt and" in said
    assert "cost 0.0020; 0 replies were kept" in said
    assert "merged\t7 names to 5 entities\t2 by spelling, 0 by meaning" in said
    report = json.loads((corpus.parent / "graph.extraction.json").read_text())
    assert (report["model"], report["facts"], report["bad"]) == ("tiny", 4, 1)
    assert extract(corpus) == 0
    assert "usage\t0 calls\t0 prompt and 0 completion tokens; 2 replies were kept" in capsys.readouterr().out
    assert len(model.requests) == 2


def test_a_limit_is_named_and_more_goes_on(corpus, model, capsys):
    assert extract(corpus, "--max-tokens", "400", "--concurrency", "1") == 2
    assert "The language-model budget of this extraction is spent: 400 tokens" in capsys.readouterr().err
    assert extract(corpus) == 0
    assert len(model.requests) == 2


def test_a_graph_without_passages_is_refused(tmp_path, model, capsys):
    build_snapshot(TripleTable.from_facts([("a", "b", "c")]), tmp_path / "corpus")
    assert extract(tmp_path / "corpus") == 2
    assert "holds no passages" in capsys.readouterr().err


def test_answers_of_a_report_are_measured(tmp_path, monkeypatch, capsys):
    row = {"id": "1", "question": "capital?", "answers": ["Bern"], "predicted": ["the Bern"]}
    report = {"method": "rapl", "n": 1, "metrics": {}, "manifest": {}, "per_question": [row]}
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    arguments = ["answers", str(tmp_path / "report.json"), "--out", str(tmp_path / "answers.json")]
    monkeypatch.delenv("LLM_BASE_URL", raising=False)
    assert main(arguments) == 0
    assert capsys.readouterr().out == "exact_match\t1.0000\ntoken_f1\t1.0000\n"
    assert main([*arguments, "--judge"]) == 2
    assert "LLM_BASE_URL" in capsys.readouterr().err
    with LLMServer(lambda body: '{"is_equivalent": false}') as server:
        monkeypatch.setenv("LLM_BASE_URL", server.url)
        monkeypatch.setenv("LLM_MODEL", "judge")
        assert main([*arguments, "--judge"]) == 0
    assert "llm_judge\t0.0000" in capsys.readouterr().out
