"""Questions in words, from the names of relations alone.

A name is put into a sentence by its form: a verb with a preposition ("born in"), an act ("directed by"), a verb
("borders"), or a noun ("area"). One that has none of these forms, and a noun walked backward, is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from retrieval.lexicon import get_pairs, get_words
from retrieval.lexicon.nouns import is_plural, to_plural, to_singular

Kind = Literal["noun", "act", "state", "verb", "of", "shared", "within", "did"]

_PREPOSITIONS = get_words("relation_prepositions")
_PAST = get_pairs("past_by_participle")
"""Participles that do not end in -ed, with their past tense; none where nobody does it to anything."""
BARE = get_pairs("base_by_label_verb")
"""Verbs that are relations by themselves, with their bare form; as nouns they would be read otherwise."""
_PAST_VERBS = get_words("active_past_forms")
DID = get_pairs("base_by_past")
"""Past tenses of what one does oneself, with their bare form; they end as participles do."""
_THINGS_DO = frozenset({"premiered", "happened", "occurred"})
_WORKS = get_words("creation_participles")
_OF_PEOPLE = get_words("participles_of_people")
_PEOPLE = re.compile(
    r"(^|\b)(\w+(director|writer|author|actor|singer|player|ruler|leader|founder|owner|manager|producer|teacher|maker"
    r"|keeper|composer|designer|developer|creator|officer|member|speaker|painter|architect)"
    r"|director|writer|author|actor|actress|singer|player|ruler|leader|founder|owner|manager|producer|teacher|composer"
    r"|designer|developer|creator|officer|member|speaker|painter|architect|artist|president|mayor|governor|king|queen"
    r"|monarch|spouse|wife|husband|child|parent|father|mother|sibling|brother|sister|son|daughter|friend|student"
    r"|politician|person|people|coach|boss|chief|head of state|head of government|senator|minister|inventor"
    r"|discoverer|killer|screenwriter|advisor|nominee|winner|children|cinematographer|editor)s?$"
)
_UNSPEAKABLE = re.compile(
    r"(^|\b)(id|ids|code|codes|url|uri|website|webpage|homepage|image|topic|key|guid|mid|name|type|label|title"
    r"|comment|description|abstract|alias|see also|same as|here|this|these|that|notable for|of this|page|instance|note"
    r"|notes|tags|votes|value|values|number|sex|category|subject|subjects|object|entry|adjoins|appears|month"
    r"|unit|currency|to|types|scope|scopes|list|lists|taxonomy|citytown|citytowns|titles|influencees?|expected|contained|contains|accelerate|instances|relationship|s|uses|exceptions|valid|source|marriage)$"
)
_SHARED = get_pairs("preposition_by_participle")
_BE = re.compile(r"^(is|was|are|were|be|been)\s+")
_HAS = re.compile(r"^(has|have|had)\s+")
_WORDS = re.compile(r"[a-z][a-z' -]*", re.IGNORECASE)
_WORDS_MAX = 4
_WHERE = frozenset({"in", "at", "near"})


@dataclass(frozen=True, slots=True)
class WordedStep:
    """A step of a walk.

    Attributes:
        label: the relation's name for people.
        inverse: walked from tail to head.
        many: it reaches more than one.
    """

    label: str
    inverse: bool
    many: bool = False


@dataclass(frozen=True, slots=True)
class RelationForm:
    """How a relation is used in a sentence.

    Attributes:
        kind: ``noun``: the *area* of; ``did``: *studied* at; ``act``: *directed* by; ``state``: *born* in;
            ``verb``: *borders*; ``of``: *capital* of; ``shared``: *languages* spoken in; ``within``: *city* in state.
        word: the noun, the participle, or the verb as it is.
        link: the preposition; of a ``shared`` noun the participle with its preposition; of ``within``, what it is in.
    """

    kind: Kind
    word: str
    link: str = ""


def parse_form(label: str) -> RelationForm | None:
    """The form of a relation's name; None where its words make no sentence."""
    text = _HAS.sub("", _BE.sub("", label.strip()))
    words = text.split()
    if not words or len(words) > _WORDS_MAX or not _WORDS.fullmatch(text) or min(map(len, words)) < 2:
        return None
    low = text.lower()
    if low in BARE:
        return RelationForm("verb", low)
    first, last = words[0].lower(), words[-1].lower()
    if len(words) > 1 and last in _PREPOSITIONS:
        if len(words) == 2 and first in DID and last != "by":
            return RelationForm("did", first, last)
        if len(words) == 2 and (_is_participle(first) or first in DID):
            return RelationForm("act" if last == "by" else "state", first, last)
        return RelationForm("of", " ".join(words[:-1])) if last == "of" and not _is_participle(first) else None
    if _UNSPEAKABLE.search(low) or first in _PREPOSITIONS or _is_participle(first):
        return None
    if len(words) == 3 and words[1].lower() == "in":
        return RelationForm("within", words[0], words[2])
    if any(word.lower() in _PREPOSITIONS - {"of"} for word in words):
        return None
    if len(words) == 2 and last in _SHARED and is_plural(first):
        return RelationForm("shared", first, f"{last} {_SHARED[last]}")
    if len(words) > 1 and (_is_participle(last) or last.endswith("ing")):
        return None
    return RelationForm("noun", text)


def _is_participle(word: str) -> bool:
    return word in _PAST or (word.endswith("ed") and len(word) > 4 and not word.endswith("eed"))


def write_question(topic: str, steps: Sequence[WordedStep]) -> str | None:
    """A question in English for a walk from ``topic``; None where its relations cannot be put into words.

    ``directed by`` reads "Who directed Jaws?", backward "What was directed by Spielberg?", ``born in`` "Where was
    Spielberg born?", ``area`` "What is the area of Austria?". Steps on the way become "the one who directed Jaws".
    """
    if any(_is_repeated(first, second) for first, second in pairwise(steps)):
        return None
    about, many = topic, False
    for step in steps[:-1]:
        inner = _write_phrase(step, about, many)
        if inner is None:
            return None
        about, many = inner, step.many
    return _write_last_step(steps[-1], about, many)


def _is_repeated(first: WordedStep, second: WordedStep) -> bool:
    """Whether a thing is asked of the same thing: "the model of the model". Of people it makes sense."""
    return first.label == second.label and first.inverse == second.inverse and not _PEOPLE.search(first.label.lower())


def _find_form(step: WordedStep, about: str) -> RelationForm | None:
    """The form of a step that may be asked of ``about``: of "what Austria borders" only nouns can be."""
    step_form = parse_form(step.label)
    if step_form and about.startswith("what ") and not step.inverse and step_form.kind not in {"noun", "shared"}:
        return None
    return step_form


def _get_be_forms(many: bool) -> tuple[str, str]:
    return ("are", "were") if many else ("is", "was")


def _write_last_step(step: WordedStep, about: str, many: bool) -> str | None:
    step_form = _find_form(step, about)
    if step_form is None:
        return None
    (be, was), (are, _) = _get_be_forms(many), _get_be_forms(step.many)
    word, link = step_form.word, step_form.link
    match step_form.kind, step.inverse:
        case "did", False:
            if link in _WHERE:
                return f"Where did {about} {DID[word]}?"
            return f"What did {about} {DID[word]} {link}?"
        case "did", True:
            return f"{'What' if word in _THINGS_DO else 'Who'} {word} {link} {about}?"
        case ("noun", False) | ("of", True):
            what = "Who" if _PEOPLE.search(word.lower()) else "What"
            return f"{what} {are} the {_apply_number(word, step.many)} of {about}?"
        case "shared", False:
            nouns = word if step.many else to_singular(word)
            return f"Which {nouns} {are} {link} {about}?"
        case "within", False:
            return f"Which {_apply_number(link, step.many)} {be} {about} in?"
        case "within", True:
            return f"Which {_apply_number(word, step.many)} {are} in {about}?"
        case "of", False:
            return f"What {be} {about} the {_apply_number(word, many)} of?"
        case "act", False:
            past = _PAST.get(word, word)
            return f"Who {past} {about}?" if past else None
        case "act", True:
            return f"{'Who' if word in _OF_PEOPLE else 'What'} was {word} by {about}?"
        case "state", False:
            if link in _WHERE:
                return f"Where {_select_tense(word, be, was)} {about} {word}?"
            return f"{'Who' if word in {'married', 'related', 'engaged'} else 'What'} {be} {about} {word} {link}?"
        case "state", True:
            who = "Who" if word in _OF_PEOPLE else "What"
            return f"{who} {_select_tense(word, 'is', 'was')} {word} {link} {about}?"
        case "verb", False:
            do = "did" if word in _PAST_VERBS else "do" if many else "does"
            return f"What {do} {about} {BARE[word]}?"
        case "verb", True:
            return f"{'Who' if word in _PAST_VERBS else 'What'} {word} {about}?"
    return None


def _write_phrase(step: WordedStep, about: str, many: bool) -> str | None:
    """What a step reaches, as part of a question."""
    step_form = _find_form(step, about)
    if step_form is None:
        return None
    pronoun = "those" if step.many else "the one"
    be, was = _get_be_forms(many)
    word, link = step_form.word, step_form.link
    match step_form.kind, step.inverse:
        case ("noun", False) | ("of", True):
            return f"the {_apply_number(word, step.many)} of {about}"
        case "shared", False:
            return f"the {word if step.many else to_singular(word)} {link} {about}"
        case "did", False if link in _WHERE:
            return f"the place{'s' if step.many else ''} where {about} {word}"
        case "did", True:
            return f"{pronoun} {'that' if word in _THINGS_DO else 'who'} {word} {link} {about}"
        case "within", False:
            return f"the {_apply_number(link, step.many)} that {about} {be} in"
        case "within", True:
            return f"the {_apply_number(word, step.many)} in {about}"
        case "act", False:
            past = _PAST.get(word, word)
            return f"{pronoun} who {past} {about}" if past else None
        case "act", True:
            what = ("the works" if step.many else "the work") if word in _WORKS else pronoun
            return f"{what} {word} by {about}"
        case "state", False if link in _WHERE:
            return f"the place{'s' if step.many else ''} where {about} {_select_tense(word, be, was)} {word}"
        case "state", True:
            return f"{pronoun} {word} {link} {about}"
        case "verb", True:
            bare = BARE[word] if step.many and word not in _PAST_VERBS else word
            return f"{pronoun} that {bare} {about}"
        case "verb", False:
            verb = word if word in _PAST_VERBS or not many else BARE[word]
            return f"what {about} {verb}"
    return None


def _select_tense(word: str, now: str, then: str) -> str:
    return now if word in {"located", "situated", "based", "found", "spoken", "used", "contained"} else then


def _apply_number(noun: str, many: bool) -> str:
    """A noun in the number that is meant; of "place of birth" the part before "of" is counted."""
    head, of, rest = noun.partition(" of ")
    before, _, last = head.rpartition(" ")
    counted = (last if is_plural(last) else to_plural(last)) if many else to_singular(last)
    return " ".join(filter(None, [before, counted])) + of + rest
