"""What a question of several steps asks at its end."""

import pytest

from retrieval.reasoning.clauses import asking_clause


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        (
            "When did the Admiral Twin open in the city where the Philbrook Museum is located?",
            "When did the Admiral Twin open",
        ),
        ("Who is the spouse of the director of Jump for Glory?", "Who is the spouse"),
        ("Who scored first for Peter Bonetti's team?", "Who scored first for team"),
        ("Who is the wife of Kim Jong-chul?", "Who is the wife"),
    ],
)
def test_the_clause_that_asks(question, clause):
    assert asking_clause(question) == clause


@pytest.mark.parametrize("question", ["", "?", "Who directed Jaws?", "who", "the city where it is"])
def test_where_none_is_told_the_question_stands(question):
    assert asking_clause(question) == question.rstrip("?. ") or asking_clause(question) == question
