"""Reading what language models really write."""

from __future__ import annotations

import pytest

from retrieval.reasoning.prompting import NoAnswerLines, parse_answers


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("ans: German", ["German"]),
        ("Ans: German\nANS: French\n", ["German", "French"]),
        ("- ans: German\n* ans: French\n1. ans: Italian", ["German", "French", "Italian"]),
        ("**ans:** German\n**ans: French**", ["German", "French"]),
        (
            "Therefore: ans: 2010 World Series ans: 2012 World Series",
            ["2010 World Series", "2012 World Series"],
        ),
        ('ans: "German"\nans: `French`', ["German", "French"]),
        ("ans: German\nans: German", ["German"]),
        ("Answer: German", ["German"]),
        ("ans 1: German", ["German"]),
        ("<think>ans: French? no</think>ans: German", ["German"]),
        ("ans: not available", []),
        ("ans: None.", []),
        ("ans:", []),
        ("The evidence does not contain the answer.", []),
        ("ans: None of the Above (band)", ["None of the Above (band)"]),
        ("ans: U.S.", ["U.S."]),
        ("ans: Michael Jackson's Thriller: the making", ["Michael Jackson's Thriller: the making"]),
        ("ans: " + "x" * 300, []),
    ],
)
def test_answers_are_read(reply, names):
    assert parse_answers(reply) == names


@pytest.mark.parametrize("reply", ["", "It is German.", "<think>ans: German", "Titans: the dance: of glances: x"])
def test_no_form_and_no_refusal_is_told_apart(reply):
    with pytest.raises(NoAnswerLines):
        parse_answers(reply)
