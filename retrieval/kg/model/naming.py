"""Which columns name the things of a table, and what the things are called.

Each column gets a score, the sum of the evidence below; the best is the name if it reaches ``ACCEPTED``. Weights were
chosen on the part ``tune`` of the data-model suite and on the tables of ``tests/newcomers``.

| evidence | score |
|---|---|
| the heading is a word for names, or such a word behind the kind: ``name``, ``title``, ``company name`` | 4 |
| it is such a word behind a word that is no kind of this upload, or a word for descriptions behind the kind | 3 |
| it is the kind: ``lake`` in ``lakes.csv`` | 3.5 |
| it is a word for what describes a thing: ``description``, ``item`` | 1.5 |
| the share of cells that could be names | up to 2 |
| the share of cells that are codes | up to 1 |
| values differ: 1 from 98 % on, 0 up to 90 % | up to 1 |
| the first column, or the first of words | 0.5 |
| its values are names or keys of another table | -3 |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from retrieval.kg.model.code_values import parse_language
from retrieval.kg.model.kind_nouns import make_singular
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.source_table import SourceTable
from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_plural

#: Words for what a name is, and headings of the two parts of a person's name.
NAME_WORDS = get_words("name_headings")
_GIVEN, _FAMILY = get_words("given_name_headings"), get_words("family_name_headings")
_DESCRIBING = get_words("describing_headings")
_PARTIES = get_words("trading_party_headings")
_SIDES = get_words("transaction_side_headings")
#: Last words of headings that number things, or say which one is meant.
ID_WORDS = get_words("id_headings")
_NO_KINDS, _COUNTERS = get_words("headings_that_name_no_kind"), get_words("row_counter_headings")
_KIND_WORDS = 2

ACCEPTED = 2.5
#: Scores of headings: a word for names, the kind, and a word for names of something else; and of a person's two names.
_IS_NAME, _IS_KIND, _IS_OTHER_NAME, _PERSON = 4.0, 3.5, 3.0, 6.0
#: Shares of different values that a name must have: without a word for it, with one or in the first column of words,
#: where the heading is such a word, and where rows have a key beside it.
_DISTINCT, _NEARLY, _SHARED, _REPEATED = 0.98, 0.9, 0.75, 0.3
#: Shares of rows that must have a name, and of cells that must be words, where the heading says that it is one; else.
_COVERED, _WORDED, _WORDS = 0.5, 0.5, 0.8
#: The share of rows that must have a name where no heading says that it is one: a bad row breaks nothing.
_FILLED = 0.95
#: Rows below which anything differs, and those from which a column does not differ by chance.
_FEW, _MANY = 5, 50
#: The share of rows with another whole number each, where the heading says that they are numbered; a few are broken.
_NUMBERED = 0.9
#: A day without signs: 20150209.
_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])")
_WORD = re.compile(r"[^\W\d_]+")
#: Letters of the tag of a language in a heading of names.
_TAG = (2, 3)


def rank_names(
    table: SourceTable, nouns: Collection[str] = (), referring: Collection[int] = ()
) -> list[tuple[float, tuple[int, ...]]]:
    """Score and columns of what could name the rows, best first; those that reach ``ACCEPTED`` do.

    Args:
        table: all its rows.
        nouns: what rows of the other tables are called.
        referring: positions of columns whose values are names or keys of other tables.
    """
    profiles = table.profiles
    pair = _find_person_name(table)
    ranked: list[tuple[float, tuple[int, ...]]] = []
    for profile in profiles:
        score = _score_name(table, profile, nouns, profile.position in referring)
        if score > 0 and profile.position not in (pair or ()):
            ranked.append((score, (profile.position,)))
    if pair:
        ranked.append((_PERSON, pair))
    return sorted(ranked, key=lambda item: (-item[0], item[1]))


def _score_name(table: SourceTable, profile: ColumnProfile, nouns: Collection[str], refers: bool) -> float:
    heading = score_heading(profile, table.noun, nouns)
    is_kind, is_named = heading == _IS_KIND, heading >= _IS_OTHER_NAME
    if is_kind and profile.codes > 0.5:
        heading = 1.0  # people say what a part is, not its code
    elif is_named and profile.codes > 0.5:
        heading -= 1.0
    is_first = profile.position == _get_first(table)
    is_repeated = heading == _IS_NAME and _has_key(table)
    least = (
        _REPEATED if is_repeated else _SHARED if heading == _IS_NAME else _NEARLY if is_named or is_first else _DISTINCT
    )
    is_headed = heading >= 1 or {*profile.heading_words} <= ID_WORDS  # an identifier in words is no number
    behind = profile.position - _get_leading(table)
    few_rows = len(table.rows) < _FEW and behind != 0 and not is_headed
    if (
        profile.coverage < (_COVERED if is_named else _FILLED)
        or profile.uniqueness < least
        or (profile.uniqueness < _DISTINCT and profile.distinct < _FEW and not is_repeated)
        or profile.words + profile.codes + (profile.hashes if heading == _IS_NAME else 0.0)
        < (0.0 if is_kind else _WORDED if is_named else _WORDS)
        or (is_kind and profile.numbers == 1)
        or few_rows
        or (not is_headed and _stands_behind_number(table, profile))
    ):
        return 0.0
    score = heading + 2 * profile.words + profile.codes
    score += min(1.0, max(0.0, (profile.uniqueness - _NEARLY) / (_DISTINCT - _NEARLY)))
    score += 0.5 if behind == 0 or is_first else 0.0
    return score - (3.0 if refers else 0.0) - 0.01 * behind


def _has_key(table: SourceTable) -> bool:
    """Whether a heading says that its column tells all rows apart."""
    return any({*p.heading_words[-1:]} & ID_WORDS and p.uniqueness * p.coverage >= _DISTINCT for p in table.profiles)


def score_heading(profile: ColumnProfile, noun: str, nouns: Collection[str] = ()) -> float:
    """How much a heading says that its column names things that are called by a noun; of "name/alias" either half."""
    if "/" not in profile.label:
        return _score_heading_words(profile.heading_words, noun, nouns)
    halves = [tuple(_WORD.findall(half.casefold())) for half in profile.label.split("/")]
    return max(_score_heading_words(half, noun, nouns) for half in halves)


def _score_heading_words(words: tuple[str, ...], noun: str, nouns: Collection[str]) -> float:
    text = " ".join(words)
    if not words:
        return 0.0
    kinds = {noun, noun.rsplit(" ", 1)[-1]} - {""}
    if text in kinds:
        return _IS_KIND
    if text in NAME_WORDS or (len(words) > 1 and words[0] in NAME_WORDS and words[1] == "of"):
        return _IS_NAME
    if find_name_language(words) or (words[0] in NAME_WORDS and len(words) > 1 and len("".join(words[1:])) in _TAG):
        return _IS_NAME  # a name for each language: name nl, name fr
    if words[-1] in NAME_WORDS:
        qualifier = " ".join(words[:-1])
        if qualifier in kinds or any(kind.startswith(qualifier) for kind in kinds):
            return _IS_NAME
        return 0.0 if qualifier in nouns or any(qualifier.endswith(f" {other}") for other in nouns) else _IS_OTHER_NAME
    if words[-1] in _DESCRIBING and " ".join(words[:-1]) in kinds:
        return _IS_OTHER_NAME
    if words[-1] in ID_WORDS:
        return 0.0
    party = text in _PARTIES and noun.rsplit(" ", 1)[-1] in _PARTIES
    return 1.5 if text in _DESCRIBING or party else 0.0


def find_name_language(words: Sequence[str]) -> str | None:
    """The language of names under a heading, given by its words in lower case: ``de`` of ``name de``; None where the
    heading is no word for names with the tag of a language.
    """
    is_tagged = len(words) > 1 and words[0] in NAME_WORDS and words[-1] not in ID_WORDS
    return parse_language(words[1:]) if is_tagged else None


def find_name_languages(table: SourceTable, names: Sequence[int]) -> dict[int, str]:
    """The languages of columns that name the rows in one each: ``name``, ``name_de`` and ``name fr`` name alike.

    Args:
        table: all its rows.
        names: positions of the columns that name the rows.
    """
    if len(names) != 1 or not (naming := table.profiles[names[0]].heading_words):
        return {}
    languages = {
        profile.position: language
        for profile in table.profiles
        if profile.heading_words[:1] == naming[:1] and (language := find_name_language(profile.heading_words))
    }
    return languages if len(naming) == 1 or names[0] in languages else {}


def _get_leading(table: SourceTable) -> int:
    """The first column, or the second where the first only numbers the rows, as R and pandas write it."""
    first = table.profiles[0]
    return int(" ".join(first.heading_words) in {"", *_COUNTERS} and _is_numbering(table, first))


def _get_first(table: SourceTable) -> int:
    """The first column of words, -1 where there is none."""
    return next((p.position for p in table.profiles if p.words + p.codes >= _WORDS), -1)


def _stands_behind_number(table: SourceTable, profile: ColumnProfile) -> bool:
    """Whether rows are told by a number or a code before it, so that a column without any word for names only says
    something of them.
    """
    first = table.profiles[0]
    if table.is_headerless:
        return False
    if profile.position > 0 and first.uniqueness == first.coverage == 1 and first.codes >= _WORDS:
        return True
    number = find_number(table)
    is_side = " ".join(profile.heading_words) in _SIDES | _PARTIES
    is_behind = number is not None and (profile.position > number + 1 or is_side)
    return is_behind and len(table.rows) < _MANY


def find_person_columns(table: SourceTable) -> tuple[int, int] | None:
    """The columns of given and family names, if there are both."""
    spelt = ["".join(profile.heading_words) for profile in table.profiles]
    given_at, family = (
        next((position for position, text in enumerate(spelt) if text in words), -1) for words in (_GIVEN, _FAMILY)
    )
    return (given_at, family) if min(given_at, family) >= 0 else _find_name_parts(table)


def _find_name_parts(table: SourceTable) -> tuple[int, int] | None:
    """Columns of a name in two parts, ``name1`` and ``name2``."""
    for first, second in pairwise(table.profiles):
        headings = [profile.heading.strip().casefold() for profile in (first, second)]
        stems = {heading.rstrip("12 _") for heading in headings}
        is_pair = len(stems) == 1 and stems <= NAME_WORDS
        if is_pair and [heading[-1] for heading in headings] == ["1", "2"]:
            return first.position, second.position
    return None


def _find_person_name(table: SourceTable) -> tuple[int, int] | None:
    """Columns of given and family names that together tell rows apart."""
    pair = find_person_columns(table)
    both = {(str(row[pair[0]]), str(row[pair[1]])) for row in table.rows} if pair else set()
    return pair if len(both) >= _NEARLY * len(table.rows) else None


def find_number(table: SourceTable, nouns: Collection[str] = ()) -> int | None:
    """The column that numbers the rows: each has another whole number, and a heading or their order says so.

    Args:
        table: all its rows.
        nouns: what rows of the other tables are called.
    """
    foreign = {noun for noun in nouns if noun != table.noun}
    profiles = [p for p in table.profiles if not any(" ".join(p.heading_words[:-1]).endswith(noun) for noun in foreign)]
    if profiles and profiles[0].position == 0 and _is_numbering(table, profiles[0]):
        return 0
    kinds = {table.noun, table.noun.rsplit(" ", 1)[-1]} - {""}
    headed = [p for p in profiles if {*p.heading_words[-1:]} & ID_WORDS or " ".join(p.heading_words) in kinds]
    return next((p.position for p in headed if _is_numbering(table, p)), None)


def _is_numbering(table: SourceTable, profile: ColumnProfile) -> bool:
    cells = [row[profile.position] for row in table.rows]
    decimals = sum(isinstance(cell, str) and cell.isdecimal() for cell in cells)
    if min(decimals, profile.uniqueness * len(cells)) < _NUMBERED * len(cells):
        return False
    heading, words = profile.heading.strip(), profile.heading_words
    if all(_DAY.fullmatch(str(cell)) for cell in cells):
        return False
    is_kind = table.noun and " ".join(words) in (table.noun, table.noun.rsplit(" ", 1)[-1])
    if is_kind or heading.startswith("#") or heading.endswith("#") or (words and words[-1] in ID_WORDS):
        return True
    if decimals < len(cells) or profile.uniqueness < 1:
        return False
    numbers = [int(str(cell)) for cell in cells]
    close = numbers[-1] - numbers[0] < 3 * len(numbers)
    are_years = words[-1:] == ("year",) or numbers[0] in range(1500, 2100)
    return len(words) < 2 and len(numbers) >= _FEW and numbers == sorted(numbers) and close and not are_years


def infer_labels(table: SourceTable, names: Sequence[int], number: int | None) -> list[str]:
    """What the things are called, best first: by the table's name, and by the heading of what names or numbers them."""
    headed = _infer_noun(table.profiles[names[0]]) if len(names) == 1 else ""
    first = table.profiles[0]
    is_key = first.uniqueness == first.coverage == 1 and bool({*first.heading_words[-1:]} & ID_WORDS)
    position = 0 if number is None and is_key else number
    numbered = _infer_numbered_noun(table.profiles[position]) if position is not None else ""
    is_list = to_plural(table.noun) in " ".join(re.split(r"[\W_]+", table.name.casefold()))
    by_file = (table.noun, headed, numbered) if is_list or not headed else (headed, table.noun, numbered)
    nouns = by_file if names else (numbered, table.noun, headed)
    nouns_found = list(dict.fromkeys(filter(None, nouns)))
    return [noun for noun in nouns_found if not any(_is_short(noun, other) for other in nouns_found)]


def _infer_noun(profile: ColumnProfile) -> str:
    """What things are called whose names have this heading: ``listing``; empty where it says what a name is."""
    words = profile.heading_words
    is_plain = 0 < len(words) <= _KIND_WORDS and not set(words) & (_NO_KINDS | NAME_WORDS)
    return make_singular(words) if is_plain else ""


def _infer_numbered_noun(profile: ColumnProfile) -> str:
    """What rows are called that a column numbers: ``member`` of ``member_id``."""
    words = [*profile.heading_words]
    if len(words) > 1 and words[-1] in ID_WORDS:
        words = words[:-1]
    is_plain = 0 < len(words) <= _KIND_WORDS and not set(words) & (_NO_KINDS | ID_WORDS)
    return make_singular(words) if is_plain else ""


def _is_short(noun: str, other: str) -> bool:
    """Whether a noun is short for another: ``inv`` of ``invoice``."""
    return noun != other and len(noun) <= 4 and other.startswith(noun)
