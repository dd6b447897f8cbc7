"""Questions within questions: what describes a named thing, and what is asked of that."""

import pytest

from retrieval.language.nested_questions import Nested, find_nested

FOUND = {
    ("Where was the composer of Thought of You raised?", "Thought of You"): (
        "What is the composer of Thought of You?",
        "Where was Ada raised?",
    ),
    ('Where was the composer of "Thought of You" raised?', "Thought of You"): (
        'What is the composer of "Thought of You"?',
        "Where was Ada raised?",
    ),
    ("what does the director of heat do for a living", "heat"): (
        "What is the director of heat?",
        "what does Ada do for a living",
    ),
    ("What currency is used in the country where the Tsakhur language is spoken?", "Tsakhur language"): (
        "What is the country where the Tsakhur language is spoken?",
        "What currency is used in Ada?",
    ),
    ("At the place in which the character Tutankhamun lived, what is money called?", "Tutankhamun"): (
        "What is the place in which the character Tutankhamun lived?",
        "At Ada, what is money called?",
    ),
    ("What is the religion of the country with Hatikvah as its anthem?", "Hatikvah"): (
        "What is the country with Hatikvah as its anthem?",
        "What is the religion of Ada?",
    ),
    ("What team did Peyton Manning's father play for?", "Peyton Manning"): (
        "What is Peyton Manning's father?",
        "What team did Ada play for?",
    ),
    ("Where is the state that houses the Supreme Court located?", "Supreme Court"): (
        "What is the state that houses the Supreme Court?",
        "Where is Ada located?",
    ),
    ("Where was the Thought of You lyricist raised?", "Thought of You"): (
        "What is the Thought of You lyricist?",
        "Where was Ada raised?",
    ),
    ("Who is the mayor of [Riverton] married to?", "Riverton"): (
        "What is the mayor of Riverton?",
        "Who is Ada married to?",
    ),
    ("What is the name of the daughter of the composer of The Story?", "The Story"): (
        "What is the composer of The Story?",
        "What is the name of the daughter of Ada?",
    ),
}


@pytest.mark.parametrize(("asked", "parts"), FOUND.items(), ids=[question for question, _ in FOUND])
def test_a_description_is_asked_by_itself_and_the_rest_of_what_it_means(asked, parts):
    found = find_nested(*asked)
    assert found is not None
    assert (found.inner, found.build_question("Ada")) == parts


@pytest.mark.parametrize(
    ("question", "mention"),
    [
        ("Who is the director of Heat?", "Heat"),
        ("What is the name of the capital of France?", "France"),
        ("Who directed the film Heat?", "Heat"),
        ("Who directed the movie known as Heat?", "Heat"),
        ("Who is the governor of Arizona in 2009?", "Arizona"),
        ("Who is the actor who played Vito Corleone who was born in 1943?", "Vito Corleone"),
        ("Which films have the same director as Heat?", "Heat"),
        ("the writer of Heat also wrote movies", "Heat"),
        ("Who played in Big and is the voice of Woody?", "Woody"),
        ("Where are Ike and Tina Turner's children?", "Tina Turner"),
        ("Which state is Springfield in?", "Springfield"),
        ("Where was the composer of Thought of You raised?", "Heat"),
        ("Where was the composer of Thought of You raised?", ""),
    ],
)
def test_one_question_stays_one(question, mention):
    assert find_nested(question, mention) is None


def test_words_that_ask_something_are_told():
    assert find_nested("Where was the composer of Thought of You raised?", "Thought of You") == Nested(
        "What is the composer of Thought of You?", "Where was ", " raised?", ("raised",)
    )
