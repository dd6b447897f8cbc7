from __future__ import annotations

import pytest

from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.kg.readers.documents.splitting import Piece, TextBlock, split_blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. Who met J. R. Smith in the U.S. Army. He left.",
            ["Dr. Who met J. R. Smith in the U.S. Army.", "He left."],
        ),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("It cost 3.50 euros. Cheap", ["It cost 3.50 euros.", "Cheap"]),
        ("A heading\n\nA sentence without end", ["A heading", "A sentence without end"]),
        ("one line\nof a sentence. next", ["one line\nof a sentence. next"]),
        ("これは文です。次の文です！", ["これは文です。", "次の文です！"]),
        ("Москва стоит. Река течёт.", ["Москва стоит.", "Река течёт."]),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in split_sentences(text)] == expected


def test_short_paragraphs_of_a_section_share_a_passage() -> None:
    blocks = [
        TextBlock("a" * 30, ("S",)),
        TextBlock("b" * 30, ("S",)),
        TextBlock("c" * 60, ("S",)),
        TextBlock("d", ("T",)),
    ]
    found = list(split_blocks(blocks, limit=100))
    assert found == [
        Piece("a" * 30 + "\n\n" + "b" * 30, ("S",)),
        Piece("c" * 60, ("S",)),
        Piece("d", ("T",)),
    ]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = " ".join(f"Sentence number {i} is here." for i in range(10))
    found = [piece.text for piece in split_blocks([TextBlock(text)], limit=100)]
    assert " ".join(found) == text
    assert max(map(len, found)) <= 100
    assert all(part.startswith("Sentence") and part.endswith("here.") for part in found)


def test_a_sentence_without_end_is_cut_between_words_and_a_word_between_letters() -> None:
    words = " ".join(["word"] * 100)
    found = [piece.text for piece in split_blocks([TextBlock(words)], limit=50)]
    assert " ".join(found) == words
    assert max(map(len, found)) <= 50
    assert [piece.text for piece in split_blocks([TextBlock("x" * 120)], limit=50)] == [
        "x" * 50,
        "x" * 50,
        "x" * 20,
    ]


def test_white_space_inside_lines_does_not_count() -> None:
    assert [piece.text for piece in split_blocks([TextBlock("a \t b  \n\n c")])] == ["a b\nc"]
