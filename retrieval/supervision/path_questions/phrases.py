"""What can be said of a relation walked in one direction: nouns of what it reaches, modifiers and whole questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular
from retrieval.questions.wording import BARE, DID
from retrieval.supervision.path_questions.kinds import EndKind, apply_number, parse_verb_first
from retrieval.supervision.path_questions.lexicon import EVENTS, NOUNS, PAST, PREPOSITIONS, VERBS, Verb
from retrieval.supervision.path_questions.templates import ASKS, MODS

_LEADING = re.compile(r"^(has|have|had|is|was|are|were|be|been)\s+")
_ABOUT = get_words("topic_kinds")
_PARTED = " / "


@dataclass
class Phrases:
    """Ways to say one directed relation.

    Attributes:
        nouns: "the {noun} of {a}", "{a}'s {noun}"; singular.
        mods: what stands behind a noun of its target: "directed by {a}", "that {a} directed".
        asks: whole questions, without the mark at the end.
        adjective: "{a} {k}" may be said: comedy films.
    """

    nouns: list[str] = field(default_factory=list)
    mods: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    adjective: bool = False

    @property
    def known(self) -> bool:
        """Whether it can be said at all."""
        return bool(self.nouns or self.mods)

    def add_templates(self, form: str, words: Mapping[str, str]) -> None:
        """Add the templates of a form, with these words in their slots."""
        for templates, collected in ((MODS, self.mods), (ASKS, self.asks)):
            for template in filter(None, templates.get(form, "").split(_PARTED)):
                collected.append(re.sub(r"<(\w+)>", lambda slot: words[slot[1]], template))


def build_phrases(label: str, inverse: bool, source: EndKind, target: EndKind) -> Phrases:
    """Ways to say a relation of this name for people.

    Args:
        label: the relation's name for people.
        inverse: walked from tail to head.
        source, target: what its ends are called, as it is walked.
    """
    result = Phrases()
    back = "-" if inverse else ""
    tails = source if inverse else target
    text = _LEADING.sub("", label.strip().lower()) or label
    words = text.split() or [text]
    before, within, after = text.partition(" in ")
    verb = VERBS.get(words[0]) or _make_regular_verb(words[0])
    led = parse_verb_first(text)
    if len(words) > 1 and words[-1] == "by" and verb is not None:
        _add_act(result, back, verb)
    elif led is not None:
        _add_state(result, back, led[0], led[1], tails.places)
        if tails.times and not inverse:
            result.add_templates("state time", {"verb": led[0]})
    elif len(words) > 1 and words[-1] in PREPOSITIONS:
        _add_state(result, back, " ".join(words[:-1]), words[-1], tails.places)
    elif within:
        result.nouns.append(before if inverse else after)
        result.add_templates(f"{back}within", {})
    elif text in BARE:
        past = text.endswith("ed") or BARE[text] in ("write", "win")
        slots = {"verb": text, "base": BARE[text], "several": text if past else BARE[text]}
        result.add_templates(f"{back}verb", {**slots, "ing": _to_gerund(BARE[text]), "do": "did" if past else "{do}"})
    else:
        _add_noun(result, back, words, target)
        result.adjective = inverse and (not target.people or source.places)
    return result


def _make_regular_verb(word: str) -> Verb | None:
    """A participle in -ed as a verb, with who does it by morphology."""
    if not word.endswith("ed") or len(word) < 5:
        return None
    base = word[:-1] if word[-3] in "csvzgutr" and word[-4] not in "sn" else word[:-2]
    return Verb(base, word, word, (base + ("r" if base.endswith("e") else "er"),))


def _add_act(result: Phrases, back: str, verb: Verb) -> None:
    """Directed by."""
    result.add_templates(f"{back}act", {"base": verb.base, "past": verb.past, "participle": verb.participle})
    for participle in verb.also:
        result.add_templates(f"{back}act also", {"participle": participle})
    for noun in verb.agents:
        result.add_templates(f"{back}act agent", {"noun": noun})
    if not back:
        result.nouns += verb.agents


def _add_state(result: Phrases, back: str, verb: str, link: str, place: bool) -> None:
    """Born in, based on, member of, flows through, died in."""
    if link == "of" and not verb.endswith("ed"):
        result.add_templates(f"{back}of", {"noun": verb})
        result.nouns += [verb] if back else []
    elif verb in DID:
        result.add_templates(
            f"{back}did", {"past": verb, "base": DID[verb], "link": link, "ing": _to_gerund(DID[verb])}
        )
        result.nouns += ["place of death"] if verb == "died" and not back else []
    elif verb.endswith("s") and not verb.endswith("ss") and " " not in verb:
        result.add_templates(
            f"{back}finite", {"verb": verb, "base": verb[:-1], "link": link, "ing": _to_gerund(verb[:-1])}
        )
    else:
        result.add_templates(f"{back}state", {"verb": verb, "link": link})
        if not back and (place or link in ("in", "at")):
            result.add_templates("state place", {"verb": verb})
        result.nouns += ["birthplace", "place of birth"] if verb == "born" and not back else []


def _add_noun(result: Phrases, back: str, words: list[str], target: EndKind) -> None:
    """Genre, release year, place of birth, starred actors, in language."""
    lead = words[0] in PREPOSITIONS and len(words) > 1
    words = words[1:] if lead else words
    doing = words[0] if len(words) > 1 and words[0].endswith("ed") else ""
    noun = apply_number(" ".join(words[1:] if doing else words), many=False)
    last = to_singular(words[-1])
    known = NOUNS.get(noun) or (() if " of " in noun else NOUNS.get(last, ()))
    names = [noun, noun, *known]
    if not back:
        result.nouns += names
    result.add_templates(f"{back}noun", {"noun": noun})
    for name in names:
        result.add_templates(f"{back}noun name", {"noun": name})
    if lead:
        result.add_templates(f"{back}lead", {"noun": noun})
    elif not back:
        _add_attribute(result, names)
    if back and set(names) & _ABOUT:
        result.add_templates("-about", {})
    event = next((word for word in words if word in EVENTS), "")
    if event:
        _add_event(result, back, event, words, target)
    if last == "actor" or words[0] in ("starring", "cast"):
        result.add_templates(f"{back}playing", {})
        result.nouns += [] if back else ["actor", "star"]
    elif doing:
        result.add_templates(f"{back}doing", {"verb": doing})


def _add_attribute(result: Phrases, names: list[str]) -> None:
    kind = EndKind((names[0],))
    result.add_templates("noun plain", {"noun": names[0]})
    if kind.people:
        for name in names:
            result.add_templates("noun who", {"noun": name})
    if kind.places:
        result.add_templates("noun where", {})
    for name in names:
        if name in ("kind", "type", "sort"):
            result.add_templates("noun kind", {"noun": name})


def _add_event(result: Phrases, back: str, event: str, words: list[str], target: EndKind) -> None:
    """Release year, place of birth, cause of death."""
    auxiliary, done = EVENTS[event]
    what = "year" if "year" in words else "date"
    slots = {"done": done, "past": PAST.get(done, done), "noun": what}
    if back:
        result.add_templates("-was" if auxiliary == "was" else "-did event", slots)
    elif target.times:
        result.add_templates(f"{auxiliary} when", slots)
        result.nouns += [f"{event} {what}", f"{event} date", f"{what} of {event}"]
    elif "cause" in words:
        result.add_templates(f"{auxiliary} why", slots)
    else:
        result.add_templates(f"{auxiliary} where", slots)
        result.nouns += ["birthplace", "birth place"] if event == "birth" else []
    if event in ("release", "publication") and (back or target.times):
        result.add_templates(f"{back}out", slots)


def _to_gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return (base[:-1] if base.endswith("e") else base) + "ing"
