"""Rows of tables are compared cell by cell."""

import pytest

from retrieval.metrics.table_rows import score_rows
from retrieval.questions.rows import BadRow, from_json

GOLD = [("Ann", "31"), ("Bob", "1,250 m"), ("Cid", "")]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([[("Bob", None), ("1,250", 1250.0)], [("cid", None), ("", None)], [("Ann", None), ("31", 31.0)]], (1.0, 1.0)),
        ([[("31", 31.0), ("Ann", None)]], (0.5, 0.0)),
        ([[("Ann", None), ("32", 32.0)]], (0.0, 0.0)),
        ([[("Ann", None), ("Oslo", None), ("31.01", 31.01)]], (0.5, 0.0)),
        ([[("Ann", None), ("31", 31.0)], [("Ann", None), ("31", 31.0)]], (0.4, 0.0)),
        ([[("Ann", None)]], (0.0, 0.0)),
        ([], (0.0, 0.0)),
    ],
)
def test_rows_are_right_whatever_their_order(predicted, expected):
    assert score_rows(predicted, GOLD) == pytest.approx(expected)


def test_no_rows_for_none_are_right():
    assert score_rows([], []) == (1.0, 1.0)
    assert score_rows([[("Ann", None)]], []) == (0.0, 0.0)


def test_rows_of_a_question_set():
    question = from_json({"question": "Ages?", "rows": [["Ann", 31], ["Bob", ""], ["Ann", 32]]}, "1", None)
    assert question.rows == (("Ann", "31"), ("Bob", ""), ("Ann", "32"))
    assert question.answers == ("Ann", "Bob")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("Ann", "rows must be a list of lists of texts or numbers"),
        ([["Ann"], []], "rows must be a list of lists of texts or numbers"),
        ([["Ann", None]], "rows must be a list of lists of texts or numbers"),
        ([["Ann"], ["Bob", "1"]], "rows must all have the same number of cells"),
    ],
)
def test_rows_that_are_no_table(rows, message):
    with pytest.raises(BadRow, match=message):
        from_json({"question": "Ages?", "rows": rows}, "1", None)
