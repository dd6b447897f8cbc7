"""Which words of a question ask for more than a walk, and what explains them."""

from __future__ import annotations

import pytest

from retrieval.language.operators import HINTS, Operator, find_cues, find_unexplained, is_count

C, S, R, X, N, Y, A = (
    Operator.COUNT,
    Operator.SUPERLATIVE,
    Operator.ORDINAL,
    Operator.COMPARISON,
    Operator.NEGATION,
    Operator.YES_NO,
    Operator.AGGREGATE,
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many countries border Germany?", [(C, "How many")]),
        ("howmany films did Kubrick direct", [(C, "howmany")]),
        ("what is the number of rivers in ohio", [(C, "number of")]),
        ("count the films of Kubrick", [(C, "count")]),
        ("Which is the largest country in Africa?", [(S, "largest")]),
        ("what was the first book Dickens wrote", [(S, "first")]),
        ("best rated film of Kubrick", [(S, "best")]),
        ("What is the second longest river of France?", [(R, "second"), (S, "longest")]),
        ("Which films of Kubrick were released after 1970?", [(X, "after 1970")]),
        ("films from before 1960", [(X, "before 1960")]),
        ("films of Kubrick between 1960 and 1970", [(X, "between 1960 and 1970")]),
        ("Which countries have more people than Spain?", [(X, "more people than")]),
        ("Spielberg movies from the 80s", [(X, "from the 80s")]),
        ("countries with over 50 million people", [(X, "over 50")]),
        ("Which countries do not border Germany?", [(N, "not")]),
        ("Which neighbours of Germany don't speak German?", [(N, "n't")]),
        ("all neighbours of Germany except Poland", [(N, "except")]),
        ("countries without a coast", [(N, "without")]),
        ("Is Berlin the capital of Germany?", [(Y, "Is")]),
        ("is berlin the capital of germany", [(Y, "is")]),
        ("so did Kubrick direct Alien?", [(Y, "did")]),
        ("Isn't Berlin in Germany?", [(Y, "Is"), (N, "n't")]),
        ("What is the average population of its neighbours?", [(A, "average")]),
        ("Which is bigger, Lake Victoria or Lake Superior?", [(X, "bigger")]),
        ("Who directed Alien?", []),
        ("Can you tell me who directed Alien?", []),
        ("could you describe Alien in a few words", []),
        ("Is the child of Ann a man or a woman?", []),
        ("films released in 1970", []),
        ("Who is Bolivia named after?", []),
        ("What is the last name of Ann?", []),
        ("what are some of Ann's most famous inventions", []),
        ("what is the best currency to take to Turkey", []),
        ("which century did the 20th century end in", []),
        ("", []),
    ],
)
def test_the_cues_of_a_question(question, expected):
    assert [(cue.operator, cue.text) for cue in find_cues(question)] == expected
    assert all(question[cue.start : cue.end].split() == cue.text.split() for cue in find_cues(question))


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("Who starred in The Last Samurai?", {"names": ["The Last Samurai"]}),
        ("who starred in the last samurai", {"names": ["The Last Samurai (film)", "The Last Samurai"]}),
        ("who wrote not another teen movie", {"spans": [(10, 32)]}),
        ("will smith movies", {"names": ["Will Smith"]}),
        ("What is the biggest city of Latvia?", {"relations": ["largest_city"]}),
        ("How high is the highest point?", {"relations": ["highest point"]}),
        ("What was its first appearance?", {"relations": ["first appearance"]}),
        ("What is the number of children of Ann?", {"relations": ["number_of_children"]}),
        ("How many people live in Togo?", {"answers": ["8,608,444"]}),
        ("How many floors does it have?", {"answers": ["102 floors"]}),
        ("Who ruled Laos before it became independent?", {"relations": ["independent_from"]}),
        ("Who was chancellor after Kohl?", {"relations": ["successor"]}),
    ],
)
def test_what_answers_the_question_explains_a_cue(question, known):
    assert find_unexplained(question, find_cues(question))
    assert find_unexplained(question, find_cues(question), **known) == ()


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("How many children has Ann?", {"answers": ["Bob", "Cid"]}),
        ("How many films did Kubrick direct?", {"answers": ["1971"]}),
        ("How many children has Ann?", {"answers": ["1971-02-03"]}),
        ("What is the largest city of Latvia?", {"relations": ["capital"]}),
        ("Is Berlin the capital of Germany?", {"relations": ["capital"], "names": ["Berlin", "Germany"]}),
        ("Which films came out after 1970?", {"relations": ["release_year"]}),
        ("Who was born in the 1980s?", {"relations": ["born_in"]}),
        ("Painters who died before 1520", {"names": ["1520"]}),
        ("Which actor of The Last Samurai is not in Alien?", {"names": ["The Last Samurai"]}),
    ],
)
def test_what_does_not_explain_it(question, known):
    assert find_unexplained(question, find_cues(question), **known)


def test_numbers_of_things_are_told_from_dates():
    assert [is_count(label) for label in ("12", "1,234.5 km²", "-3 °C", "102 floors")] == [True] * 4
    assert [is_count(label) for label in ("1971", "1971-02-03", "Bern", "")] == [False] * 4


def test_every_operator_has_a_hint():
    assert set(HINTS) == set(Operator)
