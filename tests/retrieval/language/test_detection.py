"""What is taken for English."""

import pytest

from retrieval.language.detection import has_english_names, is_english


@pytest.mark.parametrize(
    "question",
    [
        "Which countries border Germany?",
        "capital France",
        "Who wrote Der Prozess?",
        "Where is Los Angeles?",
        "the population of España",
        "Mountains higher than 8500 m",
        "Where does محمد بن سلمان الطويل live?",
        "What is the capital of 日本国?",
        "?",
    ],
)
def test_english(question):
    assert is_english(question)


@pytest.mark.parametrize(
    "question",
    [
        "Welche Länder grenzen an Deutschland?",
        "Quelle est la capitale de la France ?",
        "¿Cuál es la capital de España?",
        "Qual è la capitale della Francia?",
        "Какая столица Франции?",
        "法国的首都是什么?",
        "ما هي عاصمة فرنسا؟",
    ],
)
def test_other_languages(question):
    assert not is_english(question)


def test_what_relations_are_named_in():
    assert has_english_names(["directed by", "located in", "capital"])
    assert has_english_names(["P31", "P19"])
    assert has_english_names(["part of", "member of", "von"])
    assert not has_english_names(["Hauptstadt von", "liegt in", "Teil von", "geboren in"])
    assert not has_english_names(["首都", "出生地"])
