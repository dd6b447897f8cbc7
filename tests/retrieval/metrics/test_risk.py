"""Risk, coverage and calibration of a few questions, counted by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from retrieval.metrics.bootstrap import compute_differences, compute_intervals
from retrieval.metrics.risk import RiskTable
from retrieval.metrics.scores import Scored, compute_metrics, score_question

ONE = np.ones((1, 4))


def answer(confidence, *, right):
    return score_question([Scored("a", confidence)], {"a" if right else "b"})


SILENT = score_question([], {"a"})


def test_the_curve_falls_with_confidence_and_takes_equal_ones_together():
    table = RiskTable([0.5, 0.9, 0.5, None], [True, True, False, False])
    assert table.describe() == {
        "n": 4,
        "answered": 3,
        "wrong": 1,
        "curve": [
            {"confidence": 0.9, "coverage": 0.25, "error": 0.0},
            {"confidence": 0.5, "coverage": 0.75, "error": 0.3333},
        ],
        "bins": [
            {"low": 0.5, "high": 0.6, "n": 2, "confidence": 0.5, "right": 0.5},
            {"low": 0.9, "high": 1.0, "n": 1, "confidence": 0.9, "right": 1.0},
        ],
    }
    assert table.compute_coverage(ONE).tolist() == [0.25]
    assert table.compute_coverage(ONE, 1 / 3).tolist() == [0.75]
    # In bin 0.5 confidence and right agree; in bin 0.9 they are 0.1 apart, of three answers.
    assert table.compute_calibration_error(ONE).tolist() == pytest.approx([0.1 / 3])


def test_coverage_is_the_largest_share_though_a_surer_answer_is_wrong():
    table = RiskTable([0.99, *(0.9 - i / 100 for i in range(39))], [False, *[True] * 39])
    assert table.compute_coverage(np.ones((1, 40))).tolist() == [1.0]


@pytest.mark.parametrize(("right", "coverage", "error"), [(True, 1.0, 0.25), (False, 0.0, 0.75)])
def test_all_right_and_all_wrong(right, coverage, error):
    found = compute_metrics([answer(0.75, right=right)] * 3)
    assert (found["coverage_at_5"], found["ece"]) == (coverage, pytest.approx(error))
    assert compute_intervals([answer(0.75, right=right)] * 3)["coverage_at_5"] == (coverage, coverage)


def test_without_an_answer_nothing_is_covered_and_no_confidence_is_off():
    found = compute_metrics([SILENT, SILENT])
    assert found["coverage_at_5"] == 0.0
    assert "ece" not in found
    assert "ece" not in compute_intervals([SILENT, SILENT])
    assert RiskTable([None, None], [False, False]).describe() == {
        "n": 2, "answered": 0, "wrong": 0, "curve": [], "bins": [],
    }  # fmt: skip


def test_intervals_are_those_of_all_drawings():
    scores = [answer(0.9, right=True), answer(0.6, right=False), SILENT]
    every = [compute_metrics([scores[i] for i in drawn]) for drawn in itertools.product(range(3), repeat=3)]
    found = compute_intervals(scores, seed=3, resamples=20_000)
    for name in ("coverage_at_5", "ece"):
        values = sorted(metrics[name] for metrics in every if name in metrics)
        low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
        assert found[name] == pytest.approx((low, high)), name


def test_a_difference_of_coverage_is_paired():
    doubted = [answer(0.9, right=False), answer(0.8, right=True)] * 4
    sorted_out = [answer(0.1, right=False), answer(0.8, right=True)] * 4
    assert compute_differences(doubted, sorted_out)["coverage_at_5"].value == 0.5


def test_many_points_of_a_curve_are_thinned_to_its_ends():
    curve = RiskTable([i / 1000 for i in range(1000)], [True] * 1000).describe()["curve"]
    assert (len(curve), curve[0]["coverage"], curve[-1]["coverage"]) == (100, 0.001, 1.0)
