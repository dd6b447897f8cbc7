"""How relations and entities are named for people and for the text encoder."""

from __future__ import annotations

import re

#: Where words of ``birthPlace`` and ``type1`` part; not behind a single letter, as in ``pH``, or two, as in ``mp3``.
_CAMEL = re.compile(
    r"(?<!^[a-z])(?<![^A-Za-z0-9][a-z])(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z]{3})(?=\d)"
)
_SPACES = re.compile(r"[\s_\-]+")
#: Wikidata's property paths (``P31``) say nothing when split; they are left as they are.
_OPAQUE = re.compile(r"^[PQ]\d+$")
#: What headings are short for.
IN_FULL = {
    "acct": "account", "addr": "address", "amt": "amount", "avg": "average", "bal": "balance", "cat": "category",
    "cond": "condition", "curr": "current", "cust": "customer", "dept": "department", "desc": "description",
    "descr": "description", "diff": "difference", "dob": "date of birth", "dod": "date of death", "dt": "date",
    "emp": "employee", "excl": "excluding", "freq": "frequency", "govt": "government", "hr": "hour", "hrs": "hours",
    "ht": "height", "incl": "including", "lang": "language", "lat": "latitude", "lng": "longitude",
    "loa": "length overall", "loc": "location", "lon": "longitude", "mech": "mechanic", "mfr": "manufacturer",
    "mgr": "manager", "mins": "minutes", "mob": "mobile", "mths": "months", "nr": "number", "num": "number",
    "obs": "observations", "org": "organisation", "orig": "original", "pct": "percent", "pd": "paid",
    "pop": "population", "pos": "position", "prev": "previous", "pri": "priority", "prod": "product",
    "qty": "quantity", "rec'd": "received", "recd": "received", "ref": "reference", "reg": "registration",
    "rep'd": "reported", "rmk": "remark", "rmks": "remarks", "secs": "seconds", "tel": "telephone",
    "temp": "temperature", "tot": "total", "univ": "university", "veh": "vehicle", "vol": "volume", "wks": "weeks",
    "wt": "weight", "yr": "year", "yrs": "years",
}  # fmt: skip


TYPE = "type"
"""What readers call the relation, and the attribute, that says what kind of thing a node is."""
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
KIND_LABEL = "is a"
"""What these relations are called where a property is called ``type``."""


def get_local_name(iri: str) -> str:
    """The last part of an IRI: after ``#``, else after the last ``/`` or ``:`` (never empty)."""
    trimmed = iri.rstrip("/#")
    for separator in ("#", "/", ":"):
        _, mark, tail = trimmed.rpartition(separator)
        if mark and tail:
            return tail
    return trimmed or iri


def format_relation_name(name: str) -> str:
    """A relation's name as a person would write it.

    ``directed_by`` -> ``directed by``; ``location.country.languages_spoken`` -> ``languages spoken``;
    ``/film/film/genre`` and ``__film__film__genre`` -> ``genre``; Freebase's compound
    ``/a/b./c/d/role`` -> ``role``; ``birthPlace`` -> ``birth place``; ``type1`` -> ``type 1``; ``Dept`` ->
    ``department``; an IRI -> its local name.

    Args:
        name: the relation as the KG spells it.

    Returns:
        A non-empty phrase; ``name`` itself where nothing readable is left.
    """
    text = name.strip()
    if "://" in text:
        text = get_local_name(text)
    elif text.startswith("/"):
        text = text.rstrip("/").rpartition("/")[2]
    elif text.startswith("__"):
        text = text.strip("_").rpartition("__")[2]
    elif " " not in text:
        # Freebase's dotted names; "a..b" of its compounds ends in the same last part.
        text = text.rstrip(".").rpartition(".")[2]
    if not _OPAQUE.match(text):
        text = _CAMEL.sub(" ", text)
        words = [word for word in _SPACES.split(text) if word]
        text = " ".join(_expand_word(word) or (word if _is_acronym(word) else word.lower()) for word in words)
    return text or name.strip() or name


def format_qualified_name(name: str) -> str:
    """A relation's name with the type that it belongs to, where the name has one: for telling alike ones apart.

    ``film.actor.film`` -> ``film actor film``; ``/people/person/parents`` -> ``people person parents``; other names
    as :func:`format_relation_name` writes them.
    """
    parts = [part for part in re.split(r"[./]", name.strip().replace("__", "/")) if part]
    if "://" in name or " " in name or len(parts) < 2:
        return format_relation_name(name)
    return " ".join(format_relation_name(part) for part in parts)


def _expand_word(word: str) -> str:
    """What a word of a name is short for: ``department`` of ``Dept.``; empty of other words."""
    return IN_FULL.get(word.lower().rstrip("."), "")


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word.isalpha()


def format_directed_relation(label: str, inverse: bool) -> str:
    """The text of a directed relation for the encoder: ``inverse of directed by`` when walked backward."""
    return f"inverse of {label}" if inverse else label
