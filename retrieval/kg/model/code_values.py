"""Columns of international codes: countries, their regions, languages and currencies, with the names of each code.

| type | codes | evidence beside the values, of which 95 % must be such codes |
|---|---|---|
| region code | ISO 3166-2, ``US-CA`` | none: nothing else looks like it |
| region code | the part behind the country, ``CA`` | a heading for regions; three values of one country alone |
| country code | ISO 3166-1, two or three letters | a heading for countries |
| language code | ISO 639, two or three letters | a heading for languages |
| currency code | ISO 4217 | a heading for currencies |
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from retrieval.kg.model.data_model import CodeType
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.source_table import SourceTable
from retrieval.kg.snapshot.names import normalize_language
from retrieval.lexicon import get_words

#: The share of different values that must be codes, and the most of them that are looked at.
_CONFORMING, _MOST = 0.95, 6000
#: Different values that tell the country of regions.
_SEVERAL = 3
_ALPHA_2 = 2
_CODE = re.compile(r"[A-Z]{2}-[A-Z0-9]{1,3}|[A-Z]{2,3}|[a-z]{2,3}")
_HEADINGS: Mapping[CodeType, frozenset[str]] = {
    "country code": get_words("country_headings"),
    "language code": get_words("language_headings"),
    "currency code": get_words("currency_headings"),
}
_REGION: CodeType = "region code"
_REGIONS = get_words("region_headings")

#: Names by code.
CodeNames = Mapping[str, tuple[str, ...]]


def find_code_type(profile: ColumnProfile, table: SourceTable) -> CodeType | None:
    """The type of a column of codes; None where it is another."""
    if profile.type not in ("text", "list") or not any(map(_CODE.fullmatch, profile.first_rows)):
        return None
    values = {value for _, value in table.iterate_values(profile.position)}
    if len(values) > _MOST or sum(map(bool, map(_CODE.fullmatch, values))) < _CONFORMING * len(values):
        return None
    words = {*profile.heading_words}
    headed: list[CodeType] = [code_type for code_type, headings in _HEADINGS.items() if words & headings]
    for code_type in (*headed, _REGION):
        names = find_code_names(code_type, values, is_region=bool(words & _REGIONS))
        if len(names) >= _CONFORMING * len(values):
            return code_type
    return None


def find_code_names(code_type: CodeType, values: Collection[str], *, is_region: bool = True) -> CodeNames:
    """The names of those values that are codes of a type.

    Args:
        code_type: of the column.
        values: its different values.
        is_region: whether regions may be without their country, if the values tell it.
    """
    names = _load_names(code_type)
    names_by_value = {value: names[value] for value in values if value in names}
    if names_by_value or code_type != _REGION or not is_region or len(values) < _SEVERAL:
        return names_by_value
    by_country: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for code, region_names in names.items():
        country, _, region = code.partition("-")
        if region in values and region.isalpha():
            by_country[country][region] = region_names
    fitting = [regions for regions in by_country.values() if len(regions) >= _CONFORMING * len(values)]
    return fitting[0] if len(fitting) == 1 else {}


def parse_language(words: Sequence[str]) -> str | None:
    """The language tag that words in lower case spell: a code of two letters (ISO 639-1), maybe with a script or a
    country (``zh hant``, ``pt br``); None where they spell none.
    """
    code, *rest = words or ("",)
    if len(code) != _ALPHA_2 or code not in _load_names("language code"):
        return None
    if rest and (len(rest) > 1 or not (_is_script(rest[0]) or rest[0].upper() in _load_names("country code"))):
        return None
    return normalize_language("-".join(words))


def _is_script(text: str) -> bool:
    return text.title() in _load_names("script")


@cache
def _load_names(code_type: CodeType | Literal["script"]) -> CodeNames:
    """The names of all codes of a type."""
    import pycountry  # noqa: PLC0415 - a third of a second that only files with codes pay

    databases: Mapping[CodeType | Literal["script"], tuple[Iterable[Any], tuple[str, ...]]] = {
        "country code": (pycountry.countries, ("alpha_2", "alpha_3")),
        "region code": (pycountry.subdivisions, ("code",)),
        "language code": (pycountry.languages, ("alpha_2", "alpha_3")),
        "currency code": (pycountry.currencies, ("alpha_3",)),
        "script": (pycountry.scripts, ("alpha_4",)),
    }
    names_by_code: dict[str, tuple[str, ...]] = {}
    database, code_fields = databases[code_type]
    for record in database:
        names = [getattr(record, field, "") for field in ("name", "common_name", "official_name")]
        for code in filter(None, (getattr(record, field, "") for field in code_fields)):
            names_by_code[code] = tuple(dict.fromkeys(filter(None, names)))
    return names_by_code
