"""The navigator of the paper: a language model selects triples and says when they are enough (INSES, Tables 4 and 5).

A hub has more triples than a prompt can hold, so the model reads those that the encoder navigator finds best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from retrieval.environment import LLMSettings
from retrieval.language.question import Question
from retrieval.llm import prompts
from retrieval.llm.asking import ask_json
from retrieval.llm.constraints import Constraint, make_json_object, make_number_schema
from retrieval.llm.prompts import Fenced, wrap_fenced, wrap_fenced_lines
from retrieval.methods.inses.base import NavigatorDecision, Pick, View
from retrieval.methods.inses.encoder_navigator import DROPPED, EncoderNavigator
from retrieval.reasoning.triples import format_triples
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

NAME = "llm"
ENTITIES, NAVIGATE = "inses-entities", "inses-navigate"
SOURCE_LIMIT = 300
"""Characters of a triple's source text that are shown, once for each text."""

SELECTED = 10
"""Triples that a constrained model selects at one step at most."""

MENTIONS = 8
"""Entities read out of a question at most."""

_MENTIONED = make_json_object(
    entities={"type": "array", "items": {"type": "string", "maxLength": 80}, "maxItems": MENTIONS}
)
_NUMBER = re.compile(r"\d+")


class LLMNavigator:
    """Lets a language model select. Threads may share it.

    Args:
        reader: orders the triples that the model is shown.
        prefilter: so many of them; 0 for all.
    """

    name = NAME
    prompts: tuple[str, ...] = (ENTITIES, NAVIGATE)

    def __init__(
        self, snapshot: Snapshot, settings: LLMSettings, reader: EncoderNavigator, prefilter: int = 60
    ) -> None:
        self._prefilter = prefilter
        self._snapshot = snapshot
        self._settings = settings
        self._reader = reader

    def apply_restriction(self, snapshot: Snapshot) -> LLMNavigator:
        """The same navigator on some facts of the graph."""
        return LLMNavigator(snapshot, self._settings, self._reader.apply_restriction(snapshot), self._prefilter)

    def extract_mentions(
        self, question: Question, *, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[tuple[str, ...], Usage]:
        """See ``base.Navigator``; one request."""
        chat = prompts.load(ENTITIES).render_messages(query=wrap_fenced(question.text))
        return ask_json(self._settings, chat, read_mentions, cancelled=cancelled, repairs=0, constraint=_MENTIONED)

    def select_arcs(self, view: View, *, cancelled: Callable[[], bool] = lambda: False) -> NavigatorDecision:
        """See ``base.Navigator``; a malformed reply is repaired once where ``view.calls`` allows it."""
        shown = self._reader.rank_arcs(view)[: self._prefilter or None]
        if not len(shown):
            return NavigatorDecision((), (), False, "Nothing that was not seen before leads on from here.")
        chat = prompts.load(NAVIGATE).render_messages(
            query=wrap_fenced(view.question.text),
            visited=self._write_names(view.visited - {stand.entity for stand in view.stands}),
            selected=self._write_triples(view.selected),
            current=self._write_names(stand.entity for stand in view.stands),
            adjacent=self._write_triples((view.arcs[shown] % self._snapshot.num_triples).tolist()),
        )
        (sufficient, numbers), usage = ask_json(
            self._settings,
            chat,
            lambda value: read_selection(value, len(shown)),
            cancelled=cancelled,
            repairs=1 if view.calls > 1 else 0,
            constraint=_make_selection_constraint(len(shown)),
        )
        chosen = [int(shown[number - 1]) for number in numbers[: view.left]]
        left = [i for i in shown.tolist() if i not in set(chosen)]
        # What the model names first is best; scores only order the chains.
        picks = tuple(Pick(i, 1.0 / (1 + 0.05 * place)) for place, i in enumerate(chosen))
        verdict = "enough to answer" if sufficient else "not enough yet"
        thought = f"The language model took {len(chosen)} of {len(shown)} triples and finds this {verdict}."
        return NavigatorDecision(picks, tuple(left[:DROPPED]), sufficient, thought, usage)

    def _write_names(self, entities: Iterable[int]) -> Fenced:
        labels = [self._snapshot.get_entity_label(entity) for entity in sorted(entities)]
        return wrap_fenced_lines(labels) if labels else wrap_fenced("none")

    def _write_triples(self, facts: Iterable[int]) -> Fenced:
        """``1. head → relation → tail (source text)``, each source text once."""
        lines = format_triples(self._snapshot, facts, SOURCE_LIMIT)
        return wrap_fenced_lines(lines) if lines else wrap_fenced("none")


def _make_selection_constraint(count: int) -> Constraint:
    return make_json_object(
        determination={"type": "string", "enum": ["sufficient", "insufficient"]},
        selection={
            "type": "array",
            "items": make_number_schema(count),
            "maxItems": min(count, SELECTED),
        },
    )


def read_mentions(value: object) -> tuple[str, ...]:
    """The entities of a reply.

    Raises:
        ValueError: it has none in the form asked for.
    """
    names = value.get("entities") if isinstance(value, dict) else value
    if isinstance(names, str):
        names = names.split(",")
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise ValueError('"entities" must be a list of strings')
    return tuple(dict.fromkeys(each.strip() for each in names if each.strip()))[:MENTIONS]


def read_selection(value: object, count: int) -> tuple[bool, list[int]]:
    """Whether what is selected suffices, and the numbers selected, each once, from 1 to ``count``.

    Raises:
        ValueError: a field is missing or says something else.
    """
    if not isinstance(value, dict):
        raise ValueError('an object with "determination" and "selection" is needed')
    determination = str(value.get("determination", "")).strip().casefold()
    if determination not in {"sufficient", "insufficient"}:
        raise ValueError('"determination" must be "sufficient" or "insufficient"')
    selection = value.get("selection", "")
    if isinstance(selection, list):
        selection = ", ".join(map(str, selection))
    if not isinstance(selection, (str, int)):
        raise ValueError('"selection" must be triplet numbers')
    numbers = list(dict.fromkeys(int(number) for number in _NUMBER.findall(str(selection))))
    wrong = [number for number in numbers if not 1 <= number <= count]
    if wrong:
        raise ValueError(f"there is no triplet {wrong[0]}; the numbers go from 1 to {count}")
    return determination == "sufficient", numbers
