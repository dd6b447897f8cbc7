"""The router's classifier: what it reads, what it learns from, its threshold, and how it is asked afterwards."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from retrieval.errors import Cancelled, TrainingDataError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.complexity import compute_log_odds, measure_wording, replace_names
from retrieval.language.question import Question
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.router.deciders import TrainedDecider, WordingDecider
from retrieval.methods.router.model import make_classifier, read_questions
from retrieval.methods.router.spec import RouterConfig
from retrieval.methods.router.training import find_best_threshold
from retrieval.supervision.labels import Label
from retrieval.train import train
from retrieval.training.manifest import read_manifest
from retrieval.types import QuestionRecord
from tests.retrieval.answering.test_inses import BagOfWords

NAMES = ("Bern", "Ada Lee", "New York", "Oslo")
LONG, SHORT = "who revolves around {}", "who was the mother of the father of {} born to"
"""The rule calls the first simple and the second complex; here it is the other way round."""


def questions(**changes):
    """Eight for training and eight for dev; half of each are of three hops."""
    rows = [
        QuestionRecord(f"{split}-{name}-{hops}", words.format(name), hops=hops, split=split)
        for split in ("train", "dev")
        for name in NAMES
        for words, hops in ((LONG, 3), (SHORT, 2))
    ]
    return [replace(row, **changes) for row in rows]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build_snapshot(TripleTable.from_facts([("Ann", "knows", "Bob")]), tmp_path_factory.mktemp("g") / "tiny")


def trained(graph, tmp_path, asked, **given):
    config = {"epochs": 4, "learning_rate": 0.01, **given.pop("config", {})}
    return train("router", graph, asked, config=config, out=tmp_path / "ckpt", encoder=BagOfWords(), **given)


def opened(result):
    encoder = BagOfWords()
    found = open_checkpoint(result.checkpoint, method="router", encoder=encoder.name)
    return TrainedDecider(found, encoder)


def test_questions_are_read_without_their_names():
    assert replace_names("Where was the mother of Ada Lee born?") == ("where was the mother of X born?", 1)
    assert replace_names("who is ada_lee 's son ?") == ("who is X 's son ?", 1)
    read = read_questions(["Where was Ada Lee born?", "Where was Bern born?"], BagOfWords().encode)
    assert np.array_equal(read.vectors[0], read.vectors[1])
    assert np.allclose(read.counts[0], np.log1p([0, 0, 0, 1, 3]))


def test_what_was_not_trained_is_the_rule():
    model = make_classifier(RouterConfig(), BagOfWords().dim).eval()
    texts = [LONG.format("Bern"), SHORT.format("Bern")]
    with torch.inference_mode():
        found = model(*read_questions(texts, BagOfWords().encode).tensors)
    assert found.tolist() == pytest.approx([compute_log_odds(measure_wording(text)) for text in texts], abs=1e-5)
    assert float(model.threshold) == 0.5


def test_it_learns_what_the_rule_gets_wrong(graph, tmp_path):
    result = trained(graph, tmp_path, questions())
    assert result.metrics["dev_balanced_accuracy"] == 1.0
    rule_, learned = WordingDecider(), opened(result)
    for words, complex_ in ((LONG, True), (SHORT, False)):
        found = learned.decide(Question(words.format("Paris")))
        assert found.multi_hop is complex_
        assert rule_.decide(Question(words.format("Paris"))).multi_hop is not complex_
        assert (found.scores["multi_hop"] > found.scores["needed"]) is complex_
        assert found.why.startswith(f"The trained classifier expects {'3 hops' if complex_ else 'less than 3'}")
    manifest = read_manifest(result.checkpoint)
    assert (manifest.method, manifest.snapshot, manifest.labels) == ("router", graph.hash, {"hops": 16})
    assert result.metrics["threshold"] == found.scores["needed"]


def test_the_same_questions_give_the_same_classifier(graph, tmp_path):
    made = [trained(graph, tmp_path / name, questions()).checkpoint for name in "ab"]
    assert len({read_manifest(path).fingerprint for path in made}) == 1


def test_a_stopped_training_goes_on_to_the_same_end(graph, tmp_path):
    stopped = []

    def progress(told):
        if told.stage == "training" and "epoch 3" in told.message:
            stopped.append(told)

    with pytest.raises(Cancelled):
        trained(graph, tmp_path / "a", questions(), progress=progress, cancelled=lambda: bool(stopped))
    again = trained(graph, tmp_path / "a", questions())
    whole = trained(graph, tmp_path / "b", questions())
    prints = {read_manifest(each.checkpoint).fingerprint for each in (again, whole)}
    assert len(prints) == 1


def test_paths_and_labels_tell_the_hops_that_a_question_does_not(graph, tmp_path):
    step = ("a", "r", "b")
    by_paths = [replace(q, hops=None, paths=((step,) * q.hops, (step,) * 4)) for q in questions()]
    assert trained(graph, tmp_path / "p", by_paths).metrics["dev_balanced_accuracy"] == 1.0
    labels = [Label(q.id, "a", (("r", False),) * q.hops, "shortest-path") for q in questions()]
    refused = [replace(label, path=label.path[:1], verdict="rejected") for label in labels]
    result = trained(graph, tmp_path / "l", questions(hops=None), labels=[*labels, *refused])
    assert result.metrics["dev_balanced_accuracy"] == 1.0
    assert result.notes == ()


def test_questions_without_hops_are_left_out_and_counted(graph, tmp_path):
    extra = [QuestionRecord("x", "who knows Ann", split="train"), QuestionRecord("y", "who knows Bob", split="test")]
    result = trained(graph, tmp_path, [*questions(), *extra])
    assert result.notes == ("Questions left out because nothing says their hops: 2.",)


@pytest.mark.parametrize(("hops", "long"), [(2, 0), (3, 8)])
def test_questions_of_one_kind_are_refused(graph, tmp_path, hops, long):
    with pytest.raises(TrainingDataError, match=rf"Of 8 training questions .* {long} have 3 or more"):
        trained(graph, tmp_path, questions(hops=hops))
    with pytest.raises(TrainingDataError, match="Of 0 training questions"):
        trained(graph, tmp_path, questions(hops=None))
    assert not (tmp_path / "ckpt").exists()


def test_a_set_without_dev_questions_sets_some_aside(graph, tmp_path):
    only = [replace(q, split="train", id=str(i)) for i, q in enumerate(questions() * 4)]
    (note,) = trained(graph, tmp_path, only).notes
    assert note.startswith("The set has no dev split; ")
    (note,) = trained(graph, tmp_path / "few", [q for q in questions() if q.split == "train"][:2]).notes
    assert note.endswith("scores are on training questions.")


def test_the_threshold_is_where_both_kinds_are_told_best():
    right = np.array([True, True, False, False])
    assert find_best_threshold(np.array([0.9, 0.6, 0.4, 0.1], np.float32), right) == (0.5, 1.0)
    threshold, best = find_best_threshold(np.array([0.9, 0.8, 0.7, 0.1], np.float32), right)
    assert (threshold, best) == (pytest.approx(0.75), 1.0)
    threshold, best = find_best_threshold(np.array([0.9, 0.3, 0.4, 0.1], np.float32), right)
    assert (threshold, best) == (0.5, 0.75)
    assert find_best_threshold(np.array([0.2, 0.2], np.float32), np.array([False, False])) == (0.5, 1.0)


def test_the_settings_are_kept(graph, tmp_path):
    result = trained(graph, tmp_path, questions(), config={"hidden": 8, "seed": 3})
    kept = json.loads((result.checkpoint / "config.json").read_text())
    assert (kept["hidden"], kept["seed"]) == (8, 3)
    assert "max_hops" not in kept
