"""Three-hop questions."""

from __future__ import annotations

from retrieval.demo.wordings.forms import Simple

THREE_HOP = (
    Simple(
        "borders borders official_language",
        ("Which languages are spoken in the countries bordering the neighbours of {}?",),
        count=8,
    ),
    Simple(
        "borders capital lies_on_river",
        ("On which rivers do the capitals of the neighbours of {} lie?",),
        count=10,
    ),
    Simple(
        "^capital borders official_language",
        ("Which languages are spoken in the countries bordering the country whose capital is {}?",),
        count=8,
        test_only=True,
    ),
    Simple(
        "^capital borders capital",
        ("What are the capitals of the countries bordering the one whose capital is {}?",),
        count=8,
    ),
    Simple(
        "city_in_country borders capital",
        ("What are the capitals of the countries that border the country of the city {}?",),
        count=8,
    ),
    Simple(
        "flows_through borders official_language",
        ("Which languages are spoken in the countries bordering those that {} flows through?",),
        count=6,
    ),
    Simple(
        "host_city city_in_country capital",
        ("What is the capital of the country that hosted the {}?",),
        count=8,
    ),
    Simple(
        "headquarters city_in_country official_language",
        ("What language is spoken in the country where {} is based?",),
        count=6,
    ),
    Simple(
        "born_in city_in_country official_language",
        (
            "Which languages are spoken in the country where {} was born?",
            "What is the official language of the country in which {} was born?",
        ),
        count=12,
    ),
    Simple(
        "born_in city_in_country capital",
        ("What is the capital of the country in which {} was born?",),
        count=10,
    ),
    Simple(
        "born_in city_in_country borders",
        ("Which countries border the country where {} was born?",),
        count=8,
        test_only=True,
    ),
    Simple(
        "studied_at university_in_city city_in_country",
        ("In which country did {} go to university?",),
        count=10,
    ),
    Simple(
        "directed_by ^directed_by starring",
        (
            "Who starred in the other films by the director of {}?",
            "Which actors appear in films that share a director with {}?",
        ),
        count=10,
    ),
    Simple(
        "directed_by ^directed_by original_language",
        (
            "The films that share directors with the film {} were in which languages?",
            "In which languages are the other films by the director of {}?",
        ),
        count=10,
    ),
    Simple(
        "directed_by ^directed_by genre",
        ("What genres are the films that share a director with {}?",),
        count=8,
    ),
    Simple("directed_by born_in city_in_country", ("In which country was the director of {} born?",), count=10),
    Simple("^starring directed_by born_in", ("Where were the directors of the films starring {} born?",), count=8),
    Simple(
        "^starring directed_by nationality",
        ("What nationalities are the directors that {} has worked with?",),
        count=8,
    ),
    Simple(
        "based_on written_by born_in",
        (
            "Where was the author of the book behind {} born?",
            "Where was the writer of the work that {} is based on born?",
        ),
        count=10,
    ),
    Simple(
        "based_on written_by nationality",
        ("What nationality was the author of the work {} is based on?",),
        count=8,
    ),
    Simple("written_by born_in city_in_country", ("In which country was the author of {} born?",), count=12),
    Simple("^character written_by born_in", ("Where was the creator of the character {} born?",), count=8),
    Simple(
        "^character written_by ^written_by",
        ("What other books did the creator of {} write?",),
        count=8,
        test_only=True,
    ),
    Simple(
        "^written_by ^based_on directed_by",
        ("Who directed films based on the books of {}?", "Which directors filmed the books of {}?"),
        count=10,
    ),
    Simple(
        "^written_by ^based_on composed_by",
        ("Who set the works of {} to music?", "Which composers based their works on the writings of {}?"),
        count=8,
    ),
    Simple("composed_by born_in city_in_country", ("In which country was the composer of {} born?",), count=10),
    Simple("painted_by born_in city_in_country", ("In which country was the painter of {} born?",), count=10),
    Simple(
        "displayed_in located_in_city city_in_country",
        ("In which country can you see {}?",),
        where="painted_by",
        count=10,
    ),
    Simple(
        "^painted_by displayed_in located_in_city",
        ("In which cities can you see paintings by {}?",),
        count=12,
    ),
    Simple(
        "painted_by ^painted_by displayed_in",
        ("Which museums show other pictures by the painter of {}?",),
        count=8,
    ),
    Simple(
        "capital ^located_in_city ^displayed_in",
        ("Which works of art can you see in the capital of {}?",),
        count=6,
        test_only=True,
    ),
    Simple("^child spouse born_in", ("Where was the husband or wife of a parent of {} born?",), count=4),
)
