"""Putting the phrases of several steps together into one question."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.lexicon import get_words
from retrieval.supervision.path_questions.kinds import EndKind, apply_number
from retrieval.supervision.path_questions.lexicon import NOUNS, OPENINGS
from retrieval.supervision.path_questions.phrases import Phrases

#: Stand for the topics' names, so that these stay as they are.
_TOPICS = ("\ue000", "\ue001")
_SPACES = re.compile(r"\s+")
_ASKING = tuple(get_words("question_words"))


@dataclass(frozen=True, slots=True)
class Spoken:
    """A directed relation as it can be said.

    Attributes:
        source, target: what its ends are called.
    """

    phrases: Phrases
    source: EndKind
    target: EndKind


@dataclass(frozen=True, slots=True)
class _About:
    """What a question has come to: its words, and whether they mean several things."""

    text: str
    many: bool


class QuestionComposer:
    """Draws wordings."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def write_question(self, topic: str, steps: Sequence[Spoken], returns: Sequence[bool]) -> str:
        """A question for a walk.

        Args:
            steps: at least one.
            returns: of each step, whether it walks the relation before it back, to others that share it.
        """
        about = _About(self._write_topic(_TOPICS[0], steps[0].source), False)
        position = 0
        while position < len(steps) - 1:
            shared = returns[position + 1] and bool(steps[position].phrases.nouns)
            if shared and self.rng.random() < 0.7:
                about = self._write_shared(steps[position], steps[position + 1], about)
                position += 2
                continue
            about = self._write_phrase(steps[position], about)
            position += 1
        if position == len(steps):
            return self._apply_finish(self._write_phrase_question(about, steps[-1].target), [topic])
        return self._apply_finish(self._write_last_step(steps[-1], about), [topic])

    def write_joint_question(self, topics: Sequence[str], steps: Sequence[Spoken]) -> str | None:
        """A question for what two single steps have in common; None where either can only be a noun of its topic."""
        mods = []
        many = self.rng.random() < 0.6
        for topic, step in zip(_TOPICS, steps, strict=True):
            if not step.phrases.mods:
                return None
            mods.append(self._draw_modifier(step, _About(topic, False), many))
        link = self.rng.choice((" and ", " and also ", " and ", ", "))
        noun = self._draw_noun(steps[0].target, many=many) or ("those" if many else "the one")
        about = _About(f"{self._draw_article(noun)}{noun} {mods[0]}{link}{mods[1]}", many)
        return self._apply_finish(self._write_phrase_question(about, steps[0].target), topics)

    def _write_topic(self, topic: str, kind: EndKind) -> str:
        if kind.nouns and self.rng.random() < 0.15:
            return f"the {self._draw_word(kind, many=False)} {topic}"
        return topic

    def _draw_noun(self, kind: EndKind, *, many: bool) -> str:
        """A noun for things of a kind, or what stands for one; empty where nobody knows."""
        if kind.people and self.rng.random() < 0.25:
            return "people" if many else "person"
        return self._draw_word(kind, many=many)

    def _draw_word(self, kind: EndKind, *, many: bool) -> str:
        if not kind.nouns:
            return ""
        noun = self.rng.choice(kind.nouns)
        if self.rng.random() < 0.2:
            noun = self.rng.choice(NOUNS.get(noun, (noun,)))
        return apply_number(noun, many=many)

    def _draw_article(self, noun: str) -> str:
        if noun.startswith(("those", "the ")):
            return ""
        return "the " if self.rng.random() < 0.8 else ""

    def _draw_modifier(self, step: Spoken, about: _About, many: bool) -> str:
        return self._render_template(self.rng.choice(step.phrases.mods), step, about, many)

    def _write_phrase(self, step: Spoken, about: _About) -> _About:
        """What a step reaches, as part of a question."""
        many = self.rng.random() < 0.7
        phrases, draw = step.phrases, self.rng.random()
        if phrases.adjective and draw < 0.15 and " " not in about.text and step.target.nouns:
            return _About(f"{about.text} {self._draw_word(step.target, many=many)}", many)
        if phrases.nouns and (draw < 0.55 or not phrases.mods):
            noun = apply_number(self.rng.choice(phrases.nouns), many=many)
            short = " " not in about.text or self.rng.random() < 0.2
            if short and self.rng.random() < 0.35:
                return _About(f"{about.text}'s {noun}", many)
            return _About(f"{self._draw_article(noun)}{noun} of {about.text}", many)
        if not phrases.mods:
            return _About(f"what {about.text} is connected to", False)
        # Possessives of things: his films, her books.
        if phrases.mods and step.target.nouns and draw > 0.93:
            return _About(f"{about.text}'s {self._draw_word(step.target, many=many)}", many)
        noun = self._draw_noun(step.target, many=many) or ("those" if many else "the one")
        if self.rng.random() < 0.07:
            noun = "those" if many else "the one"
        return _About(f"{self._draw_article(noun)}{noun} {self._draw_modifier(step, about, many)}", many)

    def _write_shared(self, there: Spoken, back: Spoken, about: _About) -> _About:
        """Others that lead to the same: "films with the same director as X"."""
        many = self.rng.random() < 0.8
        noun = apply_number(self.rng.choice(there.phrases.nouns), many=False)
        things = self._draw_noun(back.target, many=many) or "those"
        others = f"other {things}" if self.rng.random() < 0.3 else f"{self._draw_article(things)}{things}"
        article = "an" if noun[0] in "aeiou" else "a"
        form = self.rng.choice(
            (
                f"{others} with the same {noun} as {about.text}",
                f"{others} that share {article} {noun} with {about.text}",
                f"{others} that share {apply_number(noun, many=True)} with {about.text}",
                f"{others} sharing the {noun} of {about.text}",
                f"{others} that have the same {noun} as {about.text}",
                f"{others} whose {noun} is also {article} {noun} of {about.text}",
            )
        )
        return _About(form, many)

    def _write_last_step(self, step: Spoken, about: _About) -> str:
        if step.phrases.asks and self.rng.random() < 0.6:
            many = self.rng.random() < 0.5
            ask = self.rng.choice(step.phrases.asks)
            if "{k}" in ask and not step.target.nouns:
                ask = ask.replace("which {k}", "what").replace("what {k}", "what")
                ask = ask.replace("{k}", "things")
            return self._render_template(ask, step, about, many)
        return self._write_phrase_question(self._write_phrase(step, about), step.target)

    def _write_phrase_question(self, about: _About, kind: EndKind) -> str:
        """A question for a noun phrase."""
        be = "are" if about.many else "is"
        if self.rng.random() < 0.1:
            be = "were" if about.many else "was"
        word = "who" if kind.people and self.rng.random() < 0.8 else "what"
        if kind.places and self.rng.random() < 0.2:
            word = "where"
        if kind.times and self.rng.random() < 0.5:
            word = "when"
        form = self.rng.choice(
            (
                f"{word} {be} {{}}",
                f"{word} {be} {{}}",
                f"{word} {be} {{}}",
                f"{word} {be} {{}}",
                "name {}",
                "list {}",
                "{}",
            )
        )
        return form.format(about.text)

    def _render_template(self, template: str, step: Spoken, about: _About, many: bool) -> str:
        was, is_, do, have = ("were", "are", "do", "have") if about.many else ("was", "is", "does", "has")
        text = template
        for name, word in (
            ("{was}", was), ("{is}", is_), ("{do}", do), ("{have}", have),
            ("{was_k}", "were" if many else "was"), ("{is_k}", "are" if many else "is"),
            ("{have_k}", "have" if many else "has"),
            ("{k}", self._draw_noun(step.target, many=many) or "things"),
            ("{s}", self._draw_word(step.source, many=False) or "thing"), ("{a}", about.text),
        ):  # fmt: skip
            text = text.replace(name, word)
        return text

    def _apply_finish(self, text: str, topics: Sequence[str]) -> str:
        """Openings, marks and slips of the pen."""
        draw = self.rng.random()
        if draw < 0.08:
            text = self.rng.choice(OPENINGS).format(text)
        if self.rng.random() < 0.1:
            text = re.sub(r"\bthe ", "", text)
        if self.rng.random() < 0.06:
            text = self._add_typo(text)
        if self.rng.random() < 0.4:
            text = text[:1].upper() + text[1:]
        asking = text.lower().startswith(_ASKING)
        text += self.rng.choice(("?", "?", "") if asking else ("", "", "?", "."))
        text = _SPACES.sub(" ", text).strip()
        for mark, topic in zip(_TOPICS, topics, strict=False):
            text = text.replace(mark, topic)
        return text

    def _add_typo(self, text: str) -> str:
        """Two letters of one word in the wrong order, or one missing."""
        words = text.split(" ")
        long = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha()]
        if not long:
            return text
        position = self.rng.choice(long)
        word, cut = words[position], self.rng.randrange(1, len(words[position]) - 2)
        swapped = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
        words[position] = swapped if self.rng.random() < 0.5 else word[:cut] + word[cut + 1 :]
        return " ".join(words)
