"""A language model writes the program of a question; what it writes is checked against the algebra and the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.language.quantities import parse_amount
from retrieval.language.question import Question
from retrieval.llm.asking import ask_json
from retrieval.llm.constraints import Constraint
from retrieval.llm.prompts import load, wrap_fenced, wrap_fenced_lines
from retrieval.programs.algebra.operations import Constant, Filter, Key, Program
from retrieval.programs.algebra.program_json import from_json
from retrieval.programs.algebra.units import convert_constant
from retrieval.programs.rendering.names import map_names
from retrieval.programs.writing.grammar import build_grammar

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.writing.words import Words
    from retrieval.types import Usage

PROMPT = "program"
_NONE = ("(none)",)


@dataclass(frozen=True, slots=True)
class WrittenProgram:
    """A program that a language model wrote, and what that cost."""

    program: Program
    usage: Usage


class ProgramWriter:
    """Has the programs of questions over one graph written.

    Args:
        gives: runs a program and says whether it gives anything; raises ProgramError where it cannot be run.
    """

    def __init__(self, words: Words, columns: Columns, settings: LLMSettings, gives: Callable[[Program], bool]) -> None:
        self._words, self._columns, self._settings, self._gives = words, columns, settings, gives
        self._doubted = False

    def write(
        self, question: Question, entities: Sequence[int], cancelled: Callable[[], bool] = lambda: False
    ) -> WrittenProgram:
        """The program of a question.

        What cannot be read or run, or gives nothing, is told to the model once; a second one that gives nothing stands.

        Args:
            entities: that it names.

        Raises:
            LLMReplyError: the second reply is no program of the graph either.
            LLMError: the endpoint is down, slow, over its limits or breaks off.
        """
        shown = self._words.build_vocabulary(question, entities)
        messages = load(PROMPT).render_messages(
            relations=wrap_fenced_lines(shown.relations),
            kinds=wrap_fenced_lines(shown.kinds or _NONE),
            names=wrap_fenced_lines(shown.names or _NONE),
            question=wrap_fenced(question.text),
        )
        self._doubted = False
        program, usage = ask_json(
            self._settings,
            messages,
            self._read,
            cancelled=cancelled,
            constraint=Constraint(build_grammar(shown.words)),
        )
        return WrittenProgram(program, usage)

    def _read(self, value: object) -> Program:
        """The program of a reply.

        Raises:
            ValueError: it is none of this graph, in words that the model can act on.
        """
        if isinstance(value, dict) and isinstance(value.get("program"), dict):
            value = value["program"]
        try:
            program = self._convert_units(
                from_json(map_names(_parse_constants(value), self._words.find_entity, self._find_relation))
            )
            gives = self._gives(program)
        except ProgramError as error:
            raise ValueError(f"it cannot be run: {error.message} {error.hint}".strip()) from None
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if not gives and not self._doubted:
            self._doubted = True
            raise ValueError(
                "it gives nothing when it is run; look again at the relations, their directions (“^”) and the names, "
                "or send it again if it is what was asked"
            )
        return program

    def _find_relation(self, item: Any) -> int:
        if not isinstance(item, str):
            raise ValueError(f"a relation must be given by its name, not as {item!r}")
        return self._words.find_relation(item)

    def _convert_units(self, program: Program) -> Program:
        """The program with what it compares values with in the unit of these values."""
        if isinstance(program, Filter) and isinstance(program.value, Constant) and not program.key.counted:
            relation = program.key.path[-1]
            known = convert_constant(self._columns, program.value, relation)
            if known is None:
                snapshot = self._columns.snapshot
                name = snapshot.get_relation_label(relation % snapshot.num_relations)
                raise ValueError(f"the values of “{name}” cannot be compared with “{program.value.text}”")
            program = replace(program, value=known)
        changed: dict[str, Any] = {}
        for each in fields(program):  # type: ignore[arg-type]
            inner = getattr(program, each.name)
            if isinstance(inner, Program):
                changed[each.name] = self._convert_units(inner)
            elif isinstance(inner, Key) and inner.among is not None:
                changed[each.name] = replace(inner, among=self._convert_units(inner.among))
        made: Program = replace(program, **changed)  # type: ignore[type-var]
        return made


def _parse_constants(data: Any) -> Any:
    """The same JSON with each constant read.

    Raises:
        ValueError: one is no number, date or time.
    """
    if not isinstance(data, dict):
        return data
    if data.get("op") == "Constant" and "value" not in data:
        known = parse_amount(str(data.get("text", "")))
        if known is None or math.isnan(known.value):
            raise ValueError(f"“{data.get('text', '')}” is no number, date or time")
        return {"op": "Constant", **{each.name: getattr(known, each.name) for each in fields(known)}}
    return {name: _parse_constants(value) for name, value in data.items()}
