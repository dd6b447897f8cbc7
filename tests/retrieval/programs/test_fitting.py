"""The ranker's weights: fitted, kept and read."""

from retrieval.pretrained import PROGRAMS
from retrieval.programs.scoring.fitting import FittingExample, fit
from retrieval.programs.weights import Weights


def test_weights_move_to_what_is_right_and_stay_where_nothing_says_more():
    examples = [FittingExample(({"good": 1.0}, {"bad": 1.0}), (True, False)) for _ in range(3)]
    found = fit(examples, Weights({"good": 0.0, "bad": 0.0, "other": 0.5}), pull=0.1)
    assert found.values["good"] > 0 > found.values["bad"]
    assert found.values["other"] == 0.5
    assert found.score({"good": 1.0}) > found.score({"bad": 1.0})


def test_examples_that_tell_nothing_change_nothing():
    prior = Weights({"a": 1.0})
    assert (
        fit([FittingExample(({"a": 1.0},), (True,)), FittingExample(({"a": 1.0}, {}), (False, False))], prior) is prior
    )


def test_weights_are_read_as_they_were_written(tmp_path):
    written = Weights({"a": 1.25, "b": 0.0}, 1.5, {"one": -0.5})
    written.save(tmp_path / "weights.json")
    assert Weights.load(tmp_path / "weights.json") == Weights({"a": 1.25}, 1.5, {"one": -0.5})


def test_the_weights_that_come_with_clew_name_no_relation_of_any_graph():
    assert not [name for name in Weights.load(PROGRAMS).values if name.startswith("lex:")]
