"""What every reader of English knows about names: peoples, faiths and where they belong, short given names."""

from __future__ import annotations

from collections import defaultdict

from retrieval.lexicon import get_table, get_words


def _invert(table: str) -> dict[str, tuple[str, ...]]:
    """What each form of a table of names and their forms stands for."""
    names_by_form: defaultdict[str, list[str]] = defaultdict(list)
    for name, forms in get_table(table).items():
        for form in forms:
            names_by_form[form].append(name)
    return {form: tuple(names) for form, names in names_by_form.items()}


_COUNTRIES = _invert("demonyms")
_GIVEN_NAMES = _invert("short_given_names")
CLASSES = {
    "country": get_words("countries"),
    "language": get_words("languages"),
    "continent": get_words("continents"),
    "month": get_words("months"),
    "weekday": get_words("weekdays"),
    "day": get_words("weekdays"),
    "season": get_words("seasons"),
    "colour": get_words("colours"),
    "color": get_words("colours"),
}
"""By a noun, the names of what it stands for, in lower case."""


def find_countries(people: str) -> tuple[str, ...]:
    """Normalised names of the country, region or faith of a people or language, most usual last; none for other words.

    Args:
        people: normalised, singular or plural, one word or several: "british", "danes", "puerto rican".
    """
    word = people.replace(" ", "")
    return _COUNTRIES.get(word) or _COUNTRIES.get(word.removesuffix("s"), ())


def expand_given_name(name: str) -> list[str]:
    """A person's normalised name with the given name in full: "jackie kennedy" as "jacqueline kennedy"."""
    first, _, rest = name.partition(" ")
    return [f"{full} {rest}" for full in _GIVEN_NAMES.get(first, ()) if rest]
