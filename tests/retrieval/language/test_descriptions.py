"""What a question describes without naming it, and what is asked for it."""

import pytest

from retrieval.language.descriptions import find_descriptions, find_innermost


@pytest.mark.parametrize(
    ("question", "found"),
    [
        # relative clauses, to the question's end, to a comma and to the question's own verb
        ("What is the waterfall in the country where the Umzi rises?", ["the country where the Umzi rises"]),
        (
            "When did the town where Ida Vey is buried, join the league?",
            ["the town where Ida Vey is buried"],
        ),
        ("When did the state in which Ord lies become a republic?", ["the state in which Ord lies"]),
        ("What time does the county where Ord Hall is stop selling beer?", ["the county where Ord Hall is"]),
        ("When was the country that made Red Fist taken by Rome?", ["the country that made Red Fist"]),
        ("The state where Ida Vey died has how many lakes?", ["The state where Ida Vey died"]),
        ("Who ruled when the land where Ord lies became free?", ["the land where Ord lies"]),
        # without a relative word
        ("What river flows through the city Ida Vey sang for?", ["the city Ida Vey sang for"]),
        ("What year did the firm Ord Air is part of dissolve?", ["the firm Ord Air is part of"]),
        # participles, "of", possessives, and a noun after a name
        ("Who owns the firm founded by Ida Vey?", ["the firm founded by Ida Vey"]),
        ("Who is the spouse of the director of Jump for Joy?", ["the director of Jump for Joy"]),
        ("When did Red Fist's singer leave Rome?", ["Red Fist's singer"]),
        ("What plane flew over Ida Vey's city of birth?", ["Ida Vey's city of birth"]),
        ("Who played the Call Me Back singer in Night Train?", ["the Call Me Back singer"]),
        # what holds another one is asked for later
        (
            "What bay lies by the birthplace of the author of Dead Earnest?",
            ["the author of Dead Earnest"],
        ),
        (
            "Who shot the mayor of the town that Red Fist's singer left?",
            ["Red Fist's singer"],
        ),
    ],
)
def test_the_innermost_descriptions_of_a_question(question, found):
    assert [each.text for each in find_descriptions(question)] == found
    assert [question[each.start : each.end] for each in find_descriptions(question)] == found


@pytest.mark.parametrize(
    "question",
    [
        "Who is the director of Jump for Joy?",  # all that is asked
        "What is the name of the southern tip of Africa?",
        "What is the capital of the city of Rome?",  # "the city of Rome" is a name
        "What is the population of Rome?",
        "When was the film Red Fist released?",
        "What reformer was a student of Ida Vey?",  # says what somebody is
        "How old are the rocks in which they are found?",  # leans on what was said before
        "When did Rome fall?",
        "",
    ],
)
def test_what_is_asked_itself_and_what_has_a_name_are_no_descriptions(question):
    assert find_innermost(question) is None


@pytest.mark.parametrize(
    ("question", "asked", "noun", "person"),
    [
        (
            "Which lake is in the country where Ord lies?",
            "What is the country where Ord lies?",
            "country",
            False,
        ),
        ("Who married the singers of Red Fist?", "Who is the singers of Red Fist?", "singers", True),
        ("Which bay is by the birthplace of Ida Vey?", "Where was Ida Vey born?", "birthplace", False),
        ("What flew over Ida Vey's city of birth?", "Where was Ida Vey born?", "city", False),
    ],
)
def test_a_description_is_asked_for_as_people_ask(question, asked, noun, person):
    found = find_innermost(question)
    assert found is not None
    assert (found.question, found.noun, found.person) == (asked, noun, person)
