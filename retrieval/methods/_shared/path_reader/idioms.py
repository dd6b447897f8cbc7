"""Turns of phrase that mean what none of their words says, put plainly before words are compared with relations."""

from __future__ import annotations

import re

_SPOUSE = r"\b(?:(?:other|better)[ -]half|significant other)\b"
#: What somebody does, asked with a verb that says nothing; and the plain question.
_DOES = re.compile(
    r"^(?P<ask>\W*what) (?P<be>do|does|did) (?P<who>.+?) do(?: for (?:a|his|her|their) living| for work)?"
    r"(?P<end>[\s?.!]*)$",
    re.IGNORECASE,
)
#: What somebody or something is, and no more.
_IS = re.compile(
    r"^\W*(?P<ask>who|what)(?: (?:is|are|was|were)|['’]s) (?:an? |the )?X(?P<end>[\s?.!]*)$", re.IGNORECASE
)
_PLAIN = tuple(
    (re.compile(pattern, re.IGNORECASE), by)
    for pattern, by in (
        (_SPOUSE, "spouse"),
        (r"\bfor a living\b", "as profession"),
        (r"\bpassed away\b", "died"),
        (r"\bpass away\b", "die"),
        (r"\btied the knot(?: with)?\b", "married"),
        (r"\b(?:mother|native) tongue\b", "language"),
        (r"\bin charge of\b", "leader of"),
    )
)


def plain(text: str) -> str:
    """A question without idioms, as seen from its topic or not.

    "Other half" has the marks of a question about others; "what does X do" and "who is X" have no word that says
    something.
    """
    found = _DOES.match(text)
    if found is not None:
        be = "was" if found["be"].lower() == "did" else "is"
        text = f"{found['ask']} {be} the profession of {found['who']}{found['end']}"
    found = _IS.match(text)
    if found is not None:
        asked_for = "profession" if found["ask"].lower() == "who" else "type"
        text = f"what is the {asked_for} of X{found['end']}"
    for pattern, by in _PLAIN:
        text = pattern.sub(by, text)
    return text
