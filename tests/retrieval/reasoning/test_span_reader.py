"""Short answers in passages by what was trained beside the encoder, with the weights that come with Clew."""

import itertools

import pytest

from retrieval.answering.loading import load_encoder
from retrieval.language.question import Question
from retrieval.reasoning import span_reader
from retrieval.reasoning.likeliest import ReadPassage
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.reading import find_answer_spans
from retrieval.results import Citation
from retrieval.types import Passage, RetrievedPassage
from tests.retrieval.films import WordEncoder

BERN = "Bern is the capital of Switzerland. It was founded in 1191 by Berthold V, Duke of Zähringen."
ULM = "Albert Einstein was born in Ulm. He lived in Bern for two years."


@pytest.fixture(scope="module")
def reader():
    found = span_reader.get_reader(load_encoder())
    assert found is not None
    return found


def passage(at, title, text, score):
    cut = text.index(". ") + 1
    places = [(0, cut), (cut + 1, len(text))]
    own = [Sentence(Citation(at, start, end), text[start:end], score) for start, end in places]
    return ReadPassage(RetrievedPassage(Passage(at, f"p{at}", title, text), score), own)


@pytest.mark.parametrize(
    ("question", "answer", "sentence"),
    [
        ("What is the capital of Switzerland?", "Bern", (0, 0, 35)),
        ("When was Bern founded?", "1191", (0, 36, len(BERN))),
        ("Where was Albert Einstein born?", "Ulm", (1, 0, 32)),
    ],
)
def test_what_is_asked_for_is_read_with_the_sentence_it_stands_in(reader, question, answer, sentence):
    read = [passage(0, "Bern", BERN, 0.6), passage(1, "Ulm", ULM, 0.6)]
    found = find_answer_spans(
        Question(question), read, lambda words: dict.fromkeys(words, 1 / len(words)), reader=reader
    )
    assert (found[0].label, found[0].worth) == (answer, 1.0)
    at = found[0].sentence.at
    assert (at.passage, at.start, at.end) == sentence
    assert [each.worth for each in found] == sorted((each.worth for each in found), reverse=True)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Which rocket carried the crew?", "The crew was carried by a Saturn V from Florida.", "Saturn V"),
        ("How large is the desert?", "The desert is large. It covers 3.2 million km² of sand.", "3.2 million km²"),
        ("When did the war end?", "The war began late. It ended on 27 July 1953 in winter.", "27 July 1953"),
        ("Which treaty gave them the island?", "They were given the island by the Treaty of Nanking.",
         "Treaty of Nanking"),
        ("How many windows does the house have?", "The house has 30 windows and 7 doors.", "30"),
    ],
)  # fmt: skip
def test_an_answer_is_the_whole_phrase(reader, question, text, answer):
    read = [passage(0, "It", f"{text} It is known.", 0.6)]
    found = find_answer_spans(
        Question(question), read, lambda words: dict.fromkeys(words, 1 / len(words)), reader=reader
    )
    assert found[0].label == answer


def test_spans_of_one_passage_share_no_words_and_none_is_what_the_question_names(reader):
    read = [passage(0, "Bern", BERN, 0.6)]
    found = find_answer_spans(
        Question("What is Bern the capital of?"), read, lambda words: dict.fromkeys(words, 1.0), reader=reader
    )
    assert found[0].label == "Switzerland"
    assert "Bern" not in [each.label for each in found]
    places = sorted((BERN.index(each.label), BERN.index(each.label) + len(each.label)) for each in found)
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(places))


def test_a_long_passage_is_read_in_windows_and_the_title_is_no_answer(reader):
    filler = "Nothing else is said of it there. " * 60
    (best, *_) = sorted(
        reader.read(
            Question("When was the old mill built?"), [("The old mill", f"{filler}The old mill was built in 1734.")]
        ),
        key=lambda span: -span.score,
    )
    text = f"{filler}The old mill was built in 1734."
    assert text[best.start : best.end].strip(".") == "1734"
    assert all(span.start >= 0 for span in reader.read(Question("What is it?"), [("The old mill", "It is a mill.")]))


def test_nothing_is_read_in_an_empty_passage(reader):
    assert reader.read(Question("Who?"), [("Title", ""), ("", "")]) == []


def test_only_the_encoder_that_it_was_trained_beside_has_a_reader():
    assert span_reader.get_reader(WordEncoder()) is None
