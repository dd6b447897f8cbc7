"""Intervals hold what they must, agree with counting by hand, and are the same for the same seed."""

import itertools

import numpy as np
import pytest

from retrieval.metrics.bootstrap import compute_differences, compute_intervals
from retrieval.metrics.scores import Scored, compute_metrics, score_question

RIGHT = score_question([Scored("a", 1.0)], {"a"}, retrieved=[("a", "r", "b")])
WRONG = score_question([Scored("x", 1.0)], {"a"}, retrieved=[("c", "r", "d"), ("e", "r", "f")])
HALF = score_question([Scored("a", 1.0), Scored("x", 0.5)], {"a", "b"}, retrieved=[("a", "r", "c")])


def test_equal_scores_leave_no_doubt():
    assert compute_intervals([RIGHT] * 5)["hit"] == (1.0, 1.0)
    assert compute_intervals([WRONG] * 5)["macro_f1"] == (0.0, 0.0)
    assert "path_recall" not in compute_intervals([RIGHT])
    assert compute_intervals([]) == {}


def test_the_interval_of_three_questions_is_that_of_all_27_drawings():
    scores = [RIGHT, HALF, WRONG]
    every = [compute_metrics([scores[i] for i in drawn]) for drawn in itertools.product(range(3), repeat=3)]
    found = compute_intervals(scores, seed=3, resamples=20_000)
    for name in ("hit", "macro_f1", "micro_f1", "exact_set", "avg_triples", "answer_recall"):
        values = sorted(metrics[name] for metrics in every)
        low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
        assert found[name] == pytest.approx((low, high)), name


def test_the_same_seed_gives_the_same_interval_and_another_does_not():
    scores = [RIGHT, WRONG, HALF] * 7
    assert compute_intervals(scores, seed=1) == compute_intervals(scores, seed=1)
    assert compute_intervals(scores, seed=1, resamples=50) != compute_intervals(scores, seed=2, resamples=50)


def test_a_difference_is_taken_question_by_question():
    first, second = [WRONG, RIGHT, WRONG, RIGHT], [RIGHT, RIGHT, RIGHT, RIGHT]
    found = compute_differences(first, second, seed=0)["exact_set"]
    assert found.value == 0.5
    assert (found.low, found.high) == (0.0, 1.0)
    # All four questions right or wrong alike when drawn: 2 of 16 drawings lie as far from the middle.
    assert found.p == pytest.approx(2 / 16, abs=0.03)


def test_what_is_always_better_by_as_much_has_a_narrow_interval():
    """Unpaired, the spread between questions would drown the gain; paired, it cancels out."""
    first = [WRONG, HALF] * 20
    second = [HALF, RIGHT] * 20
    found = compute_differences(first, second, seed=0)["macro_f1"]
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == pytest.approx((0.5, 0.5))
    assert found.p == pytest.approx(1 / 2000)
    single = compute_intervals(first)["macro_f1"]
    assert single[1] - single[0] > 0.1


def test_no_difference_is_certain_to_be_chance():
    found = compute_differences([RIGHT, WRONG], [RIGHT, WRONG])["hit"]
    assert (found.value, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)


def test_scores_of_different_questions_are_refused():
    with pytest.raises(ValueError, match="1 and 2"):
        compute_differences([RIGHT], [RIGHT, WRONG])
