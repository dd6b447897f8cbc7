"""Questions about two topics: what both reach, what they share, and which has the larger number."""

from __future__ import annotations

from retrieval.demo.wordings.forms import Compare, Pair

PAIRS = (
    Pair(
        "borders",
        "borders",
        (
            "Which countries border both {a} and {b}?",
            "Which countries share a border with {a} and {b}?",
            "Which countries are neighbours of both {a} and {b}?",
        ),
        ("Which nations touch {a} as well as {b}?",),
        count=24,
    ),
    Pair("^coast_on", "^coast_on", ("Which countries have a coast on both {a} and {b}?",), count=8),
    Pair(
        "^flows_through",
        "^flows_through",
        ("Which rivers flow through both {a} and {b}?", "What rivers do {a} and {b} have in common?"),
        count=14,
    ),
    Pair(
        "^lake_in_country",
        "^lake_in_country",
        ("Which lakes are shared by {a} and {b}?", "Which lakes lie in both {a} and {b}?"),
        count=10,
    ),
    Pair(
        "^mountain_in_country",
        "^mountain_in_country",
        ("Which mountains stand on the border of {a} and {b}?",),
        count=6,
    ),
    Pair(
        "^member_of",
        "^member_of",
        ("Which countries are members of both {a} and {b}?",),
        ("Who belongs to {a} and also to {b}?",),
        count=10,
    ),
    Pair(
        "^member_of",
        "borders",
        ("Which members of {a} border {b}?", "Which neighbours of {b} are members of {a}?"),
        count=14,
    ),
    Pair(
        "^official_language",
        "borders",
        (
            "Which countries where {a} is spoken border {b}?",
            "In which neighbours of {b} is {a} an official language?",
        ),
        count=12,
    ),
    Pair(
        "^official_language",
        "^official_language",
        ("In which countries are {a} and {b} both official languages?",),
        count=8,
    ),
    Pair(
        "^official_language",
        "^currency",
        ("Which countries speak {a} and use the {b}?",),
        count=6,
        test_only=True,
    ),
    Pair(
        "^continent",
        "^official_language",
        ("Which countries in {a} have {b} as an official language?",),
        count=10,
    ),
    Pair(
        "^directed_by",
        "^starring",
        (
            "Which films directed by {a} star {b}?",
            "Which films did {a} make with {b}?",
            "In which films by {a} does {b} appear?",
        ),
        ("What did {a} shoot with {b} in front of the camera?",),
        count=24,
    ),
    Pair(
        "^starring",
        "^starring",
        ("Which films star both {a} and {b}?", "In which films do {a} and {b} appear together?"),
        ("Where can you see {a} and {b} side by side?",),
        count=16,
    ),
    Pair("^directed_by", "^genre", ("Which films by {a} have the genre {b}?",), count=8),
    Pair("^directed_by", "^set_in", ("Which films by {a} are set in {b}?",), count=10),
    Pair(
        "^directed_by",
        "^music_by",
        ("Which films by {a} have music by {b}?", "For which films of {a} did {b} write the music?"),
        count=10,
    ),
    Pair("^directed_by", "^won_award", ("Which films by {a} won the {b}?",), count=8),
    Pair(
        "^written_by",
        "^set_in",
        ("Which books by {a} are set in {b}?", "What did {a} write that is set in {b}?"),
        count=12,
    ),
    Pair("^written_by", "^genre", ("Which works by {a} have the genre {b}?",), count=6, test_only=True),
    Pair("^composed_by", "^premiered_in", ("Which works by {a} were first performed in {b}?",), count=12),
    Pair("^composed_by", "^based_on", ("Which work by {a} is based on {b}?",), count=8),
    Pair("^composed_by", "^libretto_by", ("Which operas by {a} have a libretto by {b}?",), count=5),
    Pair(
        "^painted_by",
        "^displayed_in",
        ("Which paintings by {a} are in {b}?", "What can you see by {a} in {b}?"),
        count=14,
    ),
    Pair("^born_in", "^studied_at", ("Who was born in {a} and studied at {b}?",), count=8),
    Pair(
        "^born_in",
        "^died_in",
        ("Who was born in {a} and died in {b}?",),
        ("Whose life began in {a} and ended in {b}?",),
        count=12,
    ),
    Pair("^award_received", "^studied_at", ("Who received the {a} and studied at {b}?",), count=8),
    Pair("^award_received", "^born_in", ("Who received the {a} and was born in {b}?",), count=10),
    Pair("^award_received", "^nationality", ("Which citizens of {b} received the {a}?",), count=10),
    Pair(
        "^starring directed_by",
        "^starring directed_by",
        ("Which directors worked with both {a} and {b}?",),
        count=8,
    ),
    Pair("^located_in_city", "^landmark_type", ("Which landmarks in {a} are of the kind {b}?",), count=8),
    Pair(
        "official_language",
        "official_language",
        ("Which languages do {a} and {b} share?", "What official languages do {a} and {b} have in common?"),
        ("Which tongues unite {a} and {b}?",),
        kind="comparison",
        count=16,
    ),
    Pair(
        "member_of",
        "member_of",
        ("Which organisations are {a} and {b} both members of?",),
        kind="comparison",
        count=8,
    ),
    Pair(
        "coast_on",
        "coast_on",
        ("Which seas do {a} and {b} share?", "Which sea do both {a} and {b} have a coast on?"),
        kind="comparison",
        count=10,
    ),
    Pair("studied_at", "studied_at", ("Where did both {a} and {b} study?",), kind="comparison", count=8),
    Pair("discovered", "discovered", ("What did {a} and {b} both discover?",), kind="comparison", count=4),
    Pair(
        "directed_by",
        "directed_by",
        ("Who directed both {a} and {b}?", "Which director made {a} as well as {b}?"),
        kind="comparison",
        count=12,
    ),
    Pair("starring", "starring", ("Which actors are in both {a} and {b}?",), kind="comparison", count=10),
    Pair("written_by", "written_by", ("Who wrote both {a} and {b}?",), kind="comparison", count=8),
    Pair("painted_by", "painted_by", ("Who painted both {a} and {b}?",), kind="comparison", count=6),
)

COMPARES = (
    Compare(
        "population",
        "capital",
        ("Which has the larger population, {a} or {b}?", "Which has more people, {a} or {b}?"),
        ("Do more people live in {a} or in {b}?",),
        count=24,
    ),
    Compare(
        "population", "capital", ("Which has the smaller population, {a} or {b}?",), smaller=True, count=10
    ),
    Compare(
        "area",
        "capital",
        ("Which is larger by area, {a} or {b}?", "Which country covers more land, {a} or {b}?"),
        count=16,
    ),
    Compare(
        "elevation",
        "elevation",
        ("Which is higher, {a} or {b}?", "Which mountain is taller, {a} or {b}?"),
        count=16,
    ),
    Compare(
        "length", "length", ("Which river is longer, {a} or {b}?", "Which is longer, {a} or {b}?"), count=14
    ),
    Compare(
        "birth_year",
        "birth_year",
        ("Who was born first, {a} or {b}?", "Who is older, {a} or {b}?"),
        smaller=True,
        count=16,
    ),
    Compare(
        "release_year",
        "directed_by",
        ("Which film came out first, {a} or {b}?", "Which was released earlier, {a} or {b}?"),
        smaller=True,
        count=12,
    ),
    Compare("publication_year", "written_by", ("Which was published later, {a} or {b}?",), count=8),
)
