"""Questions that the graph cannot answer, each kind for a reason of its own."""

from __future__ import annotations

# Entities that the graph does not hold, with questions that would be answerable for one that it does.
UNKNOWN = (
    ("What is the capital of {}?", ("Atlantis", "Wakanda", "Ruritania", "Genovia", "Freedonia"), 1),
    ("Which countries border {}?", ("Narnia", "Zubrowka", "Sokovia", "Latveria"), 1),
    (
        "Which languages are spoken in the countries that border {}?",
        ("Syldavia", "Borduria", "Grand Fenwick"),
        2,
    ),
    ("Who directed {}?", ("The Velvet Lighthouse", "Nine Moons over Trondmark", "Paper Tigers of Ombra"), 1),
    ("Who wrote {}?", ("The Salt Clock", "Letters to a Drowned City", "The Unwritten Almanac"), 1),
    ("Where was {} born?", ("Elmo Quarrington", "Tavi Brandolescu", "Ottoline Fairweather-Voss"), 1),
    ("Who painted {}?", ("The Green Accordion", "Still Life with Comet"), 1),
    ("Which river flows through the city of {}?", ("Gondolin", "Ankh-Morpork", "Minas Tirith"), 1),
)

# Relations that the graph does not have at all.
ABSENT = (
    ("What is the national anthem of {}?", "capital", 5),
    ("What is the gross domestic product of {}?", "capital", 5),
    ("Which national dish is {} known for?", "capital", 4),
    ("How tall was {}?", "occupation", 4),
    ("What was the favourite food of {}?", "occupation", 4),
    ("What was the religion of {}?", "occupation", 4),
    ("How much did it cost to make {}?", "directed_by", 4),
    ("How many pages does {} have?", "written_by", 4),
    ("How much is {} insured for?", "painted_by", 4),
)

# Relation paths that the graph knows, asked of entities (having the second relation) that lack them.
MISSING = (
    ("Which countries border {}?", "borders", "continent", 10),
    ("Who was {} married to?", "spouse", "occupation", 8),
    ("What did {} invent?", "invented", "art_movement", 5),
    ("What is {} based on?", "based_on", "directed_by", 5),
    ("Who wrote the libretto of {}?", "libretto_by", "composed_by", 5),
    ("Which lakes are in {}?", "^lake_in_country", "capital", 6),
    ("Which awards did {} win?", "award_received", "art_movement", 5),
    ("What is the sequel to {}?", "followed_by", "directed_by", 5),
    ("Which films did {} direct?", "^directed_by", "art_movement", 5),
    ("Who wrote the book that {} is based on?", "based_on written_by", "directed_by", 6),
    (
        "Which languages are spoken in the countries that border {}?",
        "borders official_language",
        "continent",
        6,
    ),
    ("Where was the spouse of {} born?", "spouse born_in", "occupation", 5),
    (
        "Which films are based on the books of {} and who directed them?",
        "^written_by ^based_on directed_by",
        "field_of_work",
        5,
    ),
    (
        "On which rivers do the capitals of the neighbours of {} lie?",
        "borders capital lies_on_river",
        "continent",
        6,
    ),
)

# Two topics whose answer sets do not meet.
DISJOINT = (
    ("Which countries border both {a} and {b}?", "borders", "borders", 10),
    ("Which films directed by {a} star {b}?", "^directed_by", "^starring", 8),
    ("Which rivers flow through both {a} and {b}?", "^flows_through", "^flows_through", 6),
    ("Which books by {a} are set in {b}?", "^written_by", "^set_in", 5),
)
