"""Turns of phrase that mean what none of their words says, put plainly before words are compared with relations."""

from __future__ import annotations

import re

from retrieval.language.question import Question
from retrieval.lexicon import get_words
from retrieval.linking.unspaced_scripts import FUNCTION as UNSPACED

FUNCTION = get_words("wording_stop_words") | UNSPACED
"""Words that grammar needs: alone they name no relation."""

_SPOUSE = r"\b(?:(?:other|better)[ -]half|significant other)\b"
#: What somebody does, asked with a verb that says nothing; and the plain question.
_DOES = re.compile(
    r"^(?P<ask>\W*what) (?P<be>do|does|did) (?P<who>.+?) do"
    r"(?: for (?:(?:an?|his|her|their) )?(?:living|work)| in (?:his|her|their) life)?"
    r"(?P<end>[\s?.!]*)$",
    re.IGNORECASE,
)
#: What somebody or something is, and no more.
_IS = re.compile(
    r"^\W*(?P<ask>who|what)(?: (?:is|are|was|were)|['’]s) (?:an? |the )?X(?P<end>[\s?.!]*)$", re.IGNORECASE
)
_MAN, _WOMAN = r"(?:an? )?(?:man|male|boy|guy)", r"(?:an? )?(?:woman|female|girl|lady)"
#: Whether somebody is a man or a woman: one of the two is the answer.
_GENDER = re.compile(
    rf"^\W*(?:is|are|was|were) (?P<who>.+?),? (?:{_MAN} or {_WOMAN}|{_WOMAN} or {_MAN})(?P<end>[\s?.!]*)$",
    re.IGNORECASE,
)
#: With whom somebody has a child.
_PARENTS = re.compile(
    r"^\W*who (?:(?:do|does|did|has|have|had) )?(?P<who>.+?) (?:has?|had|have) (?:an? |the |his |her |their |\w+ )?"
    r"(?:child|children|kids?|bab(?:y|ies)|sons?|daughters?) with(?P<end>[\s?.!]*)$",
    re.IGNORECASE,
)
#: What kind of music somebody makes.
_MUSIC = re.compile(
    r"^\W*(?:what|which) (?:(?:kind|type|sort|style|genre)s? of )?music (?:is|do|does|did) (?P<who>.+?) "
    r"(?:plays?|makes?|sings?|performs?)(?P<end>[\s?.!]*)$",
    re.IGNORECASE,
)
_DIED = re.compile(r"^\W*what (?:made|caused) (?P<who>.+?) (?:to )?(?:die|dead|death)(?P<end>[\s?.!]*)$", re.IGNORECASE)
_WHOLE = (
    (_GENDER, "what is the gender of {who}{end}"),
    (_PARENTS, "who is the parent of the child of {who}{end}"),
    (_MUSIC, "what is the music genre of {who}{end}"),
    (_DIED, "what was the cause of death of {who}{end}"),
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
        (r"\b(?:line of (?:business|work)|walk of life)\b", "profession"),
        (r"\b(?:sweetheart|darling|beloved)\b", "spouse"),
        (r"\bheir(?:ess)?\b", "child"),
    )
)


def replace_idioms(text: str) -> str:
    """A question without idioms, as seen from its topic or not.

    "Other half" has the marks of a question about others; "what does X do" and "who is X" have no word that says
    something.
    """
    match = _DOES.match(text)
    if match is not None:
        be = "was" if match["be"].lower() == "did" else "is"
        text = f"{match['ask']} {be} the profession of {match['who']}{match['end']}"
    match = _IS.match(text)
    if match is not None:
        asked_for = "profession" if match["ask"].lower() == "who" else "type"
        text = f"what is the {asked_for} of X{match['end']}"
    for full_pattern, template in _WHOLE:
        match = full_pattern.match(text)
        if match is not None:
            text = template.format(**match.groupdict())
    for pattern, by in _PLAIN:
        text = pattern.sub(by, text)
    return text


def is_gender_question(question: Question) -> bool:
    """Whether a question asks if somebody is a man or a woman."""
    return _GENDER.match(question.text) is not None
