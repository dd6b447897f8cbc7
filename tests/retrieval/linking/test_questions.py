"""How questions are seen from a topic."""

from retrieval.linking.questions import compute_shape, replace_topic_names


def test_names_are_masked_longest_first_and_whatever_their_case():
    names = ["New York", "New York City"]
    assert replace_topic_names("Is new york city in New York?", 0, names) == "Is Y in X?"
    assert replace_topic_names("Is new york city in New York?", 1, names) == "Is X in Y?"


def test_brackets_and_underscores_of_the_data_sets():
    assert replace_topic_names("who directed [Jaws]", 0, ["Jaws"]) == "who directed X"
    assert replace_topic_names("the parents of anna maria ?", 0, ["anna_maria"]) == "the parents of X ?"


def test_only_whole_words_are_masked():
    assert replace_topic_names("who wrote Its Own Story", 0, ["It"]) == "who wrote Its Own Story"


def test_shapes_ignore_case_and_punctuation():
    assert (
        compute_shape("Who directed Jaws?", 0, ["Jaws"])
        == compute_shape("who directed  [Hook]", 0, ["Hook"])
        == "who directed x"
    )
