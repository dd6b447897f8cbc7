"""What tells programs apart as wholes, and the network that ranks them by it; no text encoder."""

import numpy as np
import pytest

from retrieval.language.question import Question
from retrieval.language.words import read
from retrieval.pretrained import JUDGE, PROGRAMS
from retrieval.programs.algebra.operations import Count
from retrieval.programs.calibration import compute_ranking_evidence
from retrieval.programs.parser import Parser
from retrieval.programs.scoring.features import compute_agreement, compute_signs
from retrieval.programs.scoring.judge import Judge
from retrieval.programs.scoring.question_traits import build_question_traits
from retrieval.programs.weights import Weights
from tests.retrieval.programs import land


@pytest.fixture(scope="module")
def atlas(tmp_path_factory):
    return land.build(tmp_path_factory.mktemp("judged") / "graph")


def judge(names, linear):
    size = len(names)
    return Judge(
        tuple(names), np.zeros(size), np.ones(size), np.array(linear, float), np.ones((size, 1)), np.zeros(1),
        np.zeros(1),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "head", "cues"),
    [
        ("How many countries are in Africa?", ["countries"], {"count"}),
        ("What are the names of the largest cities?", ["largest", "cities"], {"sup"}),
        ("Find the average population of countries without a capital", ["population"], {"avg", "neg"}),
        ("Which countries have more than 60 million population?", ["countries"], {"cmp"}),
        ("Who is it?", [], set()),
    ],
)
def test_the_words_that_say_what_is_asked_for(question, head, cues):
    asked = build_question_traits(read(question))
    assert [asked.question.words[n].text for n in asked.head] == head
    assert asked.cues == cues


def test_signs_of_a_count_that_was_asked_for(atlas):
    parser = Parser(atlas, None, Weights.load(PROGRAMS))
    reading = parser.read(Question("How many countries are in Africa?"))
    found = reading.signs[reading.candidates[0].program]
    assert isinstance(reading.candidates[0].program, Count)
    names = ("hd.out", "op.both.count", "op.miss.count", "cov.n", "res.num")
    assert {name: found.get(name, 0.0) for name in names} == {
        "hd.out": 1.0, "op.both.count": 1.0, "op.miss.count": 0.0, "cov.n": 0.0, "res.num": 1.0,
    }  # fmt: skip
    of_kind = next(own for own in reading.candidates if not isinstance(own.program, Count))
    assert (
        compute_signs(build_question_traits(reading.question), of_kind, parser._executor, parser.schema)[
            "op.miss.count"
        ]
        == 1.0
    )


def test_a_judge_ranks_the_best_programs_anew_and_leaves_the_ranking_to_the_ranker_where_it_says_nothing(
    atlas,
):
    weights = Weights.load(PROGRAMS)
    before = Parser(atlas, None, weights).read(Question("How many countries are in Africa?")).candidates
    same = Parser(atlas, None, weights, judge(["n.size"], [0.0])).read(Question("How many countries are in Africa?"))
    assert [own.program for own in same.candidates] == [own.program for own in before]
    against = Parser(atlas, None, weights, judge(["op.both.count"], [-50.0]))
    first = against.read(Question("How many countries are in Africa?")).candidates[0]
    assert not isinstance(first.program, Count)
    assert sum(own.probability for own in same.candidates) == pytest.approx(1.0)


def test_programs_of_one_result_agree(atlas):
    candidates = Parser(atlas, None, Weights.load(PROGRAMS)).read(Question("countries in Africa")).candidates
    told = compute_agreement(candidates)
    alike = [
        n for n, own in enumerate(candidates)
        if isinstance(own.result, np.ndarray) and np.array_equal(own.result, candidates[0].result)
    ]  # fmt: skip
    assert told[0]["ag.mass"] == pytest.approx(sum(candidates[n].probability for n in alike))
    assert told[0]["ag.more"] == pytest.approx(told[0]["ag.mass"] - candidates[0].probability)


def test_what_a_ranking_says_of_its_best():
    found = compute_ranking_evidence([0.5, 0.3, 0.2], [True, False, True], 0.25)
    assert (found["same result"], found["other result"], found["score"]) == (pytest.approx(0.7), 0.3, 0.25)
    assert found["probability"] == 0.0
    assert found["margin"] == pytest.approx(np.log(0.5 / 0.3))


def test_a_judge_is_read_as_it_was_written(tmp_path):
    written = judge(["a", "b"], [1.5, -2.0])
    written.save(tmp_path / "judge.safetensors")
    found = Judge.load(tmp_path / "judge.safetensors")
    assert found.names == ("a", "b")
    assert found.compute_adjustments([{"a": 2.0}, {"b": 1.0, "c": 9.0}]).tolist() == [3.0, -2.0]


def test_the_judge_that_comes_with_clew_names_no_word_of_any_graph():
    names = Judge.load(JUDGE).names
    assert names
    assert {name.partition(".")[0] for name in names} <= {
        "ag", "b", "cov", "ec", "g", "hd", "kc", "n", "op", "out", "rec", "res", "st",
    }  # fmt: skip
