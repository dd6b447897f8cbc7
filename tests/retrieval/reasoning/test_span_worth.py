"""What speaks for a span, on two passages that are joined by a name."""

from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.span_worth import ReadPassage, Worth, read_spans
from retrieval.types import Citation, Passage, RetrievedPassage

QUESTION = "When did the Rialto open in the city where the Seaman Museum stands?"


def passage(place, title, text, *entities):
    found = RetrievedPassage(Passage(place, str(place), title, text), 0.5)
    return ReadPassage(found, [Sentence(Citation(place, 0, len(text)), text, 0.5)], frozenset(entities))


def spans_of(read, worth):
    return {span.label: span for span in read_spans(QUESTION, read, even, frozenset(), worth)}


def even(words):
    return {word: 1 / len(words) for word in words}


READ = [
    passage(0, "Seaman Museum", "The Seaman Museum stands in Rivertown since 1950.", "rivertown"),
    passage(1, "Rialto", "The Rialto opened in Rivertown in 1998.", "rivertown"),
    passage(2, "Rialto Bridge", "A bridge of 1591."),
]


def test_a_joined_passage_holds_what_the_sentence_left_open():
    found = spans_of(READ, Worth())
    assert found["1998"].features.joined == found["1950"].features.joined == 1
    assert found["1998"].features.other == 3 / 6  # seaman, museum, stand
    assert found["1591"].features.joined == 0


def test_the_clause_tells_which_of_the_joined_passages_is_asked():
    found = spans_of(READ, Worth(*[0.0] * 11, clause_words=1.0, clause_near=0.0))
    assert found["1998"].worth > found["1950"].worth


def test_what_the_question_names_and_unclear_questions_have_no_spans():
    assert not list(read_spans("Why did the Rialto open?", READ, even, frozenset()))
    assert not list(read_spans(QUESTION, [], even, frozenset()))
