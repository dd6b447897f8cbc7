"""Training: what it learns, resumes, refuses and records."""

import json
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from retrieval.errors import Cancelled, CheckpointError, StorageFullError, TrainingDataError
from retrieval.language.operators import find_cues
from retrieval.language.question import Question
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.retriever_loading import open_retriever
from retrieval.supervision import program_learning as learning
from retrieval.supervision.answer_set import AnswerSetRationalizer
from retrieval.train import OPERATORS, _train_programs, get_resume_path, train
from retrieval.training import checkpoint as checkpoints
from retrieval.training.manifest import read_manifest
from retrieval.training.splitting import split
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder, build, questions
from tests.support.full_disk import disk_to_fill

SETTINGS = {"hidden": 16, "batch_size": 64, "epochs": 2, "dropout": 0.1}


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "graph")


def run(graph, out, **settings):
    return train("rel-rag-path", graph, questions(), config=SETTINGS | settings, out=out, encoder=WordEncoder())


@pytest.mark.slow
def test_the_same_seed_gives_the_same_checkpoint_and_another_does_not(graph, tmp_path):
    prints = [
        read_manifest(run(graph, tmp_path / name, seed=seed, epochs=1).checkpoint).fingerprint
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize("method", ["rapl", "rel-rag-path"])
@pytest.mark.parametrize("form", [{"preset": "paper"}, {"conv": "entity-gcn"}], ids=["paper", "raw"])
def test_the_papers_own_form_and_the_raw_graph_are_trained_and_asked(method, form, graph, tmp_path):
    settings = {"hidden": 16, "batch_size": 64, "epochs": 1} | form
    result = train(method, graph, questions(), config=settings, out=tmp_path / "out", encoder=WordEncoder())
    opened = open_retriever(method, result.checkpoint, graph, WordEncoder(), cache=tmp_path / "cache")
    film = graph.find_entity("Film 01")
    assert sum(path.score for path in opened.rank_relation_paths(Question("who directed Film 01"), [film])) <= 1 + 1e-6
    assert all(path.topic == film for path in opened.retrieve(Question("who directed Film 01"), [film], budget=5))
    weights = open_checkpoint(result.checkpoint, method=method, encoder="words").weights
    parts = {name.rsplit(".", 1)[0] for name in weights}
    static = {name for name in parts if name.split(".")[1] in ("gru", "query", "attention", "text", "norm", "skip")}
    assert (static == set()) == ("preset" in form)
    assert ("triples.of_head" in parts) == ("conv" in form)
    # The paper selects by the dev loss, and encodes questions as they are.
    score = result.metrics["dev_likelihood" if "preset" in form else "dev_path_accuracy"]
    assert 0 < score < 1 or "conv" in form
    assert opened.mask_names == ("conv" in form)
    # RAPL's STOP is an MLP in the paper; REL-RAG's is a sum and has no weights.
    assert any(name.startswith("query.stop") for name in parts) == (method == "rapl" or "conv" in form)


def test_the_manifest_says_where_everything_came_from(graph, tmp_path):
    result = run(graph, tmp_path / "out")
    manifest = json.loads((result.checkpoint / "manifest.json").read_text())
    assert manifest["method"] == "rel-rag-path"
    assert manifest["snapshot"] == graph.hash
    assert manifest["encoder"] == "words"
    assert manifest["simple"] is True
    # 24 + 24 + 16 + 24 + 24 questions; indices 5 mod 6 are for testing.
    assert manifest["labels"] == {"answer-set": 4 * 20 + 14}
    assert manifest["metrics"] == result.metrics
    assert json.loads((result.checkpoint / "config.json").read_text())["hidden"] == 16
    opened = open_checkpoint(result.checkpoint, method="rel-rag-path", encoder="words")
    assert checkpoints.compute_fingerprint(opened.weights, opened.config) == manifest["fingerprint"]


@pytest.mark.slow
@pytest.mark.parametrize("averaging", [0.0, 0.5])
def test_a_stopped_training_goes_on_where_it_was(graph, tmp_path, averaging):
    out, told, settings = tmp_path / "out", [], SETTINGS | {"averaging": averaging}

    def go(cancelled):
        return train(
            "rel-rag-path", graph, questions(), config=settings, out=out, encoder=WordEncoder(),
            progress=told.append, cancelled=cancelled,
        )  # fmt: skip

    with pytest.raises(Cancelled):
        go(lambda: any(p.message.startswith("epoch 2") for p in told))
    assert not out.exists()
    told.clear()
    resumed = go(lambda: False)
    assert {p.message for p in told if p.stage == "training"} == {"epoch 2 of at most 2"}
    whole = run(graph, tmp_path / "whole", averaging=averaging)
    assert read_manifest(resumed.checkpoint).fingerprint == read_manifest(whole.checkpoint).fingerprint
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph", "out", "whole"]


@pytest.mark.slow
def test_a_disk_that_becomes_full_in_mid_training_is_told_and_gone_on_from(graph, tmp_path):
    out = tmp_path / "out"
    learn = partial(train, "rel-rag-path", graph, questions(), config=SETTINGS, encoder=WordEncoder())
    with disk_to_fill() as leave:

        def told(progress):
            state = get_resume_path(out) / "last.pt"
            if progress.stage == "training" and state.is_file():  # the second epoch goes on
                leave(state.stat().st_size // 2)

        with pytest.raises(StorageFullError, match=r"epoch 2 .* epoch 1 is kept") as said:
            learn(out=out, progress=told)
    assert "goes on from what is kept" in said.value.hint
    assert not out.exists()
    assert [file.name for file in get_resume_path(out).iterdir()] == ["last.pt"]
    stages = []
    result = learn(out=out, progress=lambda p: stages.append(p) if p.stage == "training" else None)
    assert stages[0].message.startswith("epoch 2")
    whole = learn(out=tmp_path / "whole")
    assert read_manifest(result.checkpoint).fingerprint == read_manifest(whole.checkpoint).fingerprint


def test_a_damaged_state_of_a_stopped_training_is_told_and_set_aside(graph, tmp_path):
    kept = tmp_path / ".out.resume"
    kept.mkdir()
    (kept / "last.pt").write_bytes(b"PK\3\4 half a file")
    with pytest.raises(CheckpointError, match=r"is damaged; it was set aside as last\.pt\.damaged"):
        run(graph, tmp_path / "out")
    assert [path.name for path in kept.iterdir()] == ["last.pt.damaged"]
    assert run(graph, tmp_path / "out").checkpoint.is_dir()


def test_what_was_noted_when_labels_were_found_is_said(graph, tmp_path, monkeypatch):
    label = AnswerSetRationalizer.label

    def noting(self, *args, **more):
        return replace(label(self, *args, **more), notes=("Something to know.",))

    monkeypatch.setattr(AnswerSetRationalizer, "label", noting)
    assert run(graph, tmp_path / "out", epochs=1).notes == ("Something to know.",)


def test_progress_has_loss_and_rate(graph, tmp_path):
    told = []
    train(
        "rel-rag-path", graph, questions(), config=SETTINGS | {"epochs": 1}, out=tmp_path / "out",
        encoder=WordEncoder(), progress=told.append,
    )  # fmt: skip
    last = [p for p in told if p.stage == "training"][-1]
    assert last.done == last.total == 1536
    assert last.metrics["loss"] > 0
    assert last.metrics["rate"] > 0


def test_nothing_to_learn_from_is_said_with_counts(graph, tmp_path):
    strangers = [
        QuestionRecord(str(i), "who directed Stalker", ("Stalker",), ("Tarkovsky",), split="train") for i in range(3)
    ]
    with pytest.raises(TrainingDataError, match=r"3 with a topic that is not in the graph.*'Stalker'"):
        train("rel-rag-path", graph, strangers, out=tmp_path / "out", encoder=WordEncoder())


def test_a_set_without_splits_is_divided_and_a_missing_dev_split_carved_out(graph):
    whole = [QuestionRecord(q.id, q.question, q.topic_entities, q.answers) for q in questions()]
    divided = split(graph, whole, seed=0)
    assert divided.train
    assert divided.dev
    assert len(divided.train) + len(divided.dev) < len(whole)
    assert "no splits" in divided.notes[0]
    only_train = [QuestionRecord(q.id, q.question, q.topic_entities, q.answers, split="train") for q in whole]
    carved = split(graph, only_train, seed=0)
    assert len(carved.train) + len(carved.dev) == len(whole)
    assert carved.dev
    assert f"{len(carved.dev)} training questions were set aside" in carved.notes[0]


@pytest.mark.parametrize(
    ("asked", "learns"),
    [("who directed {}", False), ("how many people directed {}", True)],
    ids=["a path", "an operator"],
)
def test_an_operator_in_the_name_of_a_topic_has_no_programs_learned(asked, learns, monkeypatch):
    work = SimpleNamespace(snapshot=None, encoder=WordEncoder(), progress=None, cancelled=None)
    monkeypatch.setattr(learning, "fit_weights", lambda *_, **__: "learned")
    named = [f"The First of {number} Films" for number in range(OPERATORS)]
    of_names = [QuestionRecord(name, asked.format(name), (name,), ("Ada",)) for name in named]
    assert sum(bool(find_cues(question.question)) for question in of_names) == OPERATORS
    assert _train_programs(work, of_names, {}) == ("learned" if learns else None)
