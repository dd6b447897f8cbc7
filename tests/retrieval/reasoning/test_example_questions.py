"""Questions made from sentences: what they ask, and the span that answers them."""

import pytest

from retrieval.reasoning.example_questions import ExampleQuestion, generate_example_questions
from retrieval.types import Passage


def list_examples(text):
    return [(each.text, each.answer) for each in generate_example_questions([Passage(0, "p", "Rail", text)])]


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("The Alder Line was opened on 3 May 1871.", "When was the Alder Line opened?", "3 May 1871"),
        ("The Station Hotel was built in Marston.", "Where was the Station Hotel built?", "Marston"),
        ("Alder Tunnel was designed by Edith Marlow.", "Who was Alder Tunnel designed by?", "Edith Marlow"),
        ("Ruth Okafor proposed a second track in 1902.", "Who proposed a second track?", "Ruth Okafor"),
        ("Tobias Lund is the chairman of the society.", "Who is the chairman of the society?", "Tobias Lund"),
        ("Marston is the terminus of the line, by road.", "What is the terminus of the line?", "Marston"),
    ],
)
def test_a_sentence_is_asked_for_its_span(sentence, question, answer):
    assert list_examples(sentence) == [(question, answer)]


@pytest.mark.parametrize(
    "sentence",
    [
        "It was opened on 3 May 1871.",
        "The line was opened on 3 May 1871.",
        "In Marston they met.",
        "Marston is a town.",
        "Ann Lee opened it.",
        "Opened on 3 May 1871",
    ],
)
def test_a_sentence_that_needs_its_context_is_asked_nothing(sentence):
    assert list_examples(sentence) == []


def test_passages_take_turns_and_no_question_comes_twice():
    texts = ["Ann Lee opened Marston. Bob Ray closed Alder.", "Cy Orr painted Stoke.", "Ann Lee opened Marston."]
    passages = [Passage(i, str(i), "Rail", text) for i, text in enumerate(texts)]
    assert list(generate_example_questions(passages)) == [
        ExampleQuestion("Who opened Marston?", "Ann Lee"),
        ExampleQuestion("Who painted Stoke?", "Cy Orr"),
        ExampleQuestion("Who closed Alder?", "Bob Ray"),
    ]
