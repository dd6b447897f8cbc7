"""The language-model reasoner: ReG's evidence-chain prompt at an OpenAI-compatible endpoint (ReG, App. F)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace

from retrieval.environment import LLMSettings
from retrieval.errors import LLMReplyError
from retrieval.events import AnswerDelta
from retrieval.kg.snapshot.arrays import find_common
from retrieval.kg.values import parse
from retrieval.language.operators import Operator
from retrieval.llm.chat import ChatUsage, stream_chat
from retrieval.llm.constraints import UNCONSTRAINED, make_answer_lines
from retrieval.llm.prompts import describe_prompts
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.prompting import PROMPT, NoAnswerLines, build_messages, parse_answers
from retrieval.results import Answer, NoAnswer, NoAnswerReason
from retrieval.types import Usage

NAME = "llm"
REPLY_LIMIT = 20_000
"""Characters of a reply beyond which it is called nonsense and no longer read."""


class LLMReasoner:
    """Lets a language model read the evidence chains; every name it answers is looked up in them."""

    name = NAME

    def __init__(self, settings: LLMSettings, *, prompt: str = PROMPT) -> None:
        self.settings = settings
        self.llm: str | None = settings.title
        self.prompts = describe_prompts(prompt)

    def answer(self, evidence: Evidence, *, cancelled: Callable[[], bool]) -> Iterator[AnswerDelta | Conclusion]:
        """Stream the reply, then the verdict.

        Raises:
            Cancelled: stopped; the connection is closed.
            LLMError: the endpoint is down, slow or answers nonsense.
        """
        prompt, left_out = build_messages(
            evidence.question, evidence.chains, self.settings,
            read=evidence.read, characters=evidence.characters,
        )  # fmt: skip
        pieces: list[str] = []
        size = 0
        usage = ChatUsage()
        constraint = (
            make_answer_lines(_list_candidates(evidence)) if self.settings.constraints == "grammar" else UNCONSTRAINED
        )
        for item in stream_chat(self.settings, prompt, cancelled=cancelled, constraint=constraint):
            if isinstance(item, ChatUsage):
                usage = item
                continue
            pieces.append(item)
            size += len(item)
            if size > REPLY_LIMIT:
                raise LLMReplyError(
                    f"The language model wrote more than {REPLY_LIMIT:,} characters.",
                    hint="Use a model that follows instructions.",
                )
            yield AnswerDelta(item)
        spent = usage.compute_usage(self.settings)
        verdict = read_reply(evidence, "".join(pieces), spent)
        unread = (*evidence.warnings, *([left_out] if left_out else []))
        yield replace(verdict, warnings=(*verdict.warnings, *unread)) if unread else verdict


def _list_candidates(evidence: Evidence) -> Iterator[str]:
    """Names that may be answered: those that the chains list, ends before what lies on the way, best chains first."""
    for back in range(1, max((len(chain.levels) for chain in evidence.chains), default=0) + 1):
        for chain in evidence.chains:
            if len(chain.levels) >= back:
                yield from (node.label for node in chain.levels[-back])


def read_reply(evidence: Evidence, reply: str, usage: Usage) -> Conclusion:
    """The verdict that a reply means.

    Raises:
        LLMReplyError: it has no ``ans:`` line and declines nothing.
    """
    try:
        names = parse_answers(reply)
    except NoAnswerLines:
        raise LLMReplyError(
            "The language model gave no answer in the form it was asked for.",
            hint="Use a model that follows instructions, or the extractive reasoner.",
        ) from None
    if not names:
        return Conclusion(
            no_answer=NoAnswer(
                NoAnswerReason.REASONER_DECLINED,
                "The language model found no answer in the evidence.",
                "Look at the evidence chains, or ask with another method or a larger budget.",
            ),
            text=reply,
            usage=usage,
        )
    answers = match_names(evidence, names)
    unknown = [answer.label for answer in answers if not answer.verified]
    warnings = (f"Not found in the evidence: {'; '.join(unknown)}.",) if unknown else ()
    return Conclusion(answers=tuple(answers), text=reply, warnings=warnings, usage=usage)


def match_names(evidence: Evidence, names: list[str]) -> list[Answer]:
    """Each name with the entity it means and the chains that hold it.

    A name in a chain is verified when that chain's hops are; a name of the graph that no chain reached
    keeps its entity, unverified; any other name has no entity.
    """
    index = _build_index(evidence)
    answers: dict[str, Answer] = {}
    for name in names:
        for part in _split_name(name, index):
            answer = _answer(evidence, index, part)
            answers.setdefault(answer.label, answer)
    return list(answers.values())


def _split_name(name: str, index: dict[str, int]) -> list[str]:
    """``A; B; C`` on one line, when every part is an entity of the chains and the whole is none."""
    pieces = [piece.strip() for piece in name.split(";") if piece.strip()]
    if len(pieces) > 1 and normalize_name(name) not in index and all(normalize_name(p) in index for p in pieces):
        return pieces
    return [name]


def _build_index(evidence: Evidence) -> dict[str, int]:
    """Entities that the chains reach, by normalised label; those of better chains first."""
    index: dict[str, int] = {}
    for reach in evidence.reaches[: len(evidence.chains)]:
        for level in reversed(reach.levels):
            for entity in level:
                index.setdefault(normalize_name(evidence.snapshot.get_entity_label(int(entity))), int(entity))
    for linked in evidence.entities:
        index.setdefault(normalize_name(linked.entity.label), linked.entity.id)
    return index


def _answer(evidence: Evidence, index: dict[str, int], name: str) -> Answer:
    entity = index.get(normalize_name(name))
    if entity is None:
        number = parse(name)
        if number is not None and (supported := _find_number_answer(evidence, name, number.value)) is not None:
            return supported
        held = evidence.snapshot.find_entity(name)
        return Answer(name, 0.0, evidence.snapshot.get_node(held) if held is not None else None)
    chains = find_chains(evidence, entity)
    score = max((evidence.chains[i].score for i in chains), default=0.0)
    verified = any(all(hop.verified for hop in evidence.chains[i].hops) for i in chains)
    node = evidence.snapshot.get_node(entity)
    return Answer(node.label, score, node, chains, verified)


def _find_number_answer(evidence: Evidence, name: str, number: float) -> Answer | None:
    """The answer of a number that the evidence gives: a value of a chain, a count of what one leads to, or a program's.

    A count supports an answer of a question that asks for one alone.
    """
    counts = any(cue.operator is Operator.COUNT for cue in evidence.question.cues)
    values = evidence.snapshot.typed_values
    equal = values.nodes[values.values == number]
    for position, chain in enumerate(evidence.chains):
        held = find_common(evidence.reaches[position].targets, equal)
        if len(held) or (counts and len(evidence.reaches[position].targets) == number):
            verified = all(hop.verified for hop in chain.hops)
            node = evidence.snapshot.get_node(int(held[0])) if len(held) else None
            return Answer(node.label if node else name, chain.score, node, (position,), verified)
    score = next((value_score for value, value_score in evidence.computed.items() if value == number), None)
    return None if score is None else Answer(name, score, verified=True)


def find_chains(evidence: Evidence, entity: int) -> tuple[int, ...]:
    """The chains that end in the entity; failing those, the chains that pass or start there."""
    shown = range(len(evidence.chains))
    ends = tuple(i for i in shown if entity in evidence.reaches[i].targets)
    if ends:
        return ends
    return tuple(
        i
        for i in shown
        if evidence.reaches[i].topic == entity or any(entity in level for level in evidence.reaches[i].levels)
    )


def normalize_name(name: str) -> str:
    """A name as compared: case, accents' form, runs of spaces and outer punctuation do not count."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"\s+", " ", text).strip(" .,;:!?\"'‹›")
