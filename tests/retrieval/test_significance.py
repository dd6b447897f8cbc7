"""Whether a best figure is more than chance: the test by hand, and which rows it compares."""

from itertools import product
from math import comb, erfc, sqrt

import pytest

from retrieval.metrics.significance import EXACT, compute_p_value
from retrieval.studies.winners import compare, compute_means, find_winners


def test_few_questions_are_counted_exactly():
    assert compute_p_value([0, 0, 0], [1, 1, 1]) == 2 / 8
    assert compute_p_value([1, 0, 1, 0.5], [0, 1, 1, 0.5]) == 1.0
    assert compute_p_value([], []) == 1.0
    differences = [1, 1, 1, 1, 1, -1]
    swaps = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in product((1, -1), repeat=6)]
    extreme = sum(abs(swap) >= 4 for swap in swaps)
    assert compute_p_value([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0]) == extreme / 64


def test_many_questions_have_the_normal_approximation_of_the_same_distribution():
    gained, lost = 30, 10
    first, second = [0] * gained + [1] * lost, [1] * gained + [0] * lost
    assert compute_p_value(first, second) == pytest.approx(erfc(20 / sqrt(2 * 40)))
    exact = 2 * sum(comb(40, k) for k in range(gained, 41)) / 2**40
    assert compute_p_value(first, second) == pytest.approx(exact, abs=0.002)
    assert compute_p_value(second, first) == compute_p_value(first, second)


def test_both_ways_agree_where_they_meet():
    first, second = [0.0] * 13 + [1.0] * 3, [1.0] * 13 + [0.0] * 3
    exact = compute_p_value(first, second)
    assert len(first) == EXACT
    assert exact == pytest.approx(erfc(10 / sqrt(2 * 16)), abs=0.01)


def test_scores_of_other_questions_are_refused():
    with pytest.raises(ValueError, match="3 and 2 scores"):
        compute_p_value([1, 0, 1], [1, 0])
    assert compare({"a": 1.0}, {"b": 1.0}) is None
    assert compare({}, {}) is None


def row(variant, hit, test="T"):
    return {
        **{"train": "T", "variant": variant, "fraction": 1.0, "test": test, "seeds": [0, 1]},
        "metrics": {"hit": {"mean": hit}, "micro_f1": {"mean": hit}, "avg_triples": {"mean": hit}},
    }


def questions(*values):
    return {f"q{i}": {"hit": value} for i, value in enumerate(values)}


def test_the_best_is_compared_with_the_next_one_over_the_means_of_the_seeds():
    kept = {
        "best": [questions(*[1.0] * 8), questions(*[1.0] * 7, 0.0)],
        "next": [questions(*[0.0] * 7, 1.0), questions(*[0.0] * 7, 1.0)],
        "last": [questions(*[0.0] * 8)] * 2,
    }
    rows = [row("last", 0.0), row("best", 15 / 16), row("next", 1 / 8)]
    (found,) = find_winners(rows, lambda one: kept[one["variant"]])
    assert (found["test"], found["metric"], found["variant"]) == ("T", "hit", "best")
    assert found["runner_up"] == {"train": "T", "variant": "next", "fraction": 1.0}
    assert (found["questions"], found["difference"]) == (8, pytest.approx(13 / 16))
    # The differences are seven times 1 and once -1/2: 2 of 256 swaps are at least as far from none.
    assert (found["p"], found["significant"]) == (4 / 256, True)


def test_what_did_not_ask_the_same_questions_or_is_not_kept_is_not_compared():
    rows = [row("a", 0.9), row("b", 0.1), row("c", 0.5, test="U")]
    assert find_winners(rows, lambda one: [questions(1.0) if one["variant"] == "a" else questions(0.0, 0.0)]) == []
    assert find_winners(rows, lambda one: []) == []


def test_a_question_without_the_metric_with_some_seed_is_left_out():
    seeds = [{"a": {"hit": 1.0}, "b": {"hit": None}}, {"a": {"hit": 0.0}, "b": {"hit": 1.0}}]
    assert compute_means(seeds, "hit") == {"a": 0.5}
    assert compute_means([], "hit") == {}
