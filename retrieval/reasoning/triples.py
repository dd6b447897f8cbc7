"""A language model answers from selected triples and the text that they were read from (INSES, Table 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from retrieval.environment import LLMSettings
from retrieval.events import AnswerDelta
from retrieval.llm import asking, prompts
from retrieval.llm.constraints import make_json_object
from retrieval.llm.metering import estimate
from retrieval.llm.prompts import describe_prompts, wrap_fenced, wrap_fenced_lines
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.llm import NAME, match_names
from retrieval.results import NoAnswer, NoAnswerReason
from retrieval.types import Node

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

PROMPT = "inses-answer"
_ANSWER = make_json_object(reasoning={"type": "string", "maxLength": 400}, answer={"type": "string", "maxLength": 80})
SOURCE_LIMIT = 1_000
"""Characters of a source text that are shown, once for each text."""


ATTRIBUTES_LIMIT = 300
"""Characters of a node's attributes."""


def format_triples(snapshot: Snapshot, facts: Iterable[int], source_limit: int) -> list[str]:
    """``1. head [key: value] → relation → tail (source text)``, attributes and source texts once and shortened.

    Args:
        facts: in the order in which they are numbered.
        source_limit: characters of a source text.
    """
    shown_sources: set[int] = set()
    described: set[int] = set()
    lines = []
    table = snapshot.passages
    for number, fact in enumerate(facts, start=1):
        hop = snapshot.get_hop(int(fact))
        ends = [_describe_node(snapshot, node, described) for node in (hop.source, hop.target)]
        line = f"{number}. {ends[0]} → {hop.step.label} → {ends[1]}"
        for source in [] if table is None else table.get_fact_passages(int(fact)).tolist():
            if source not in shown_sources and table is not None:
                shown_sources.add(source)
                line += f" ({table.get_text(source)[:source_limit]})"
        lines.append(line)
    return lines


def _describe_node(snapshot: Snapshot, node: Node, described: set[int]) -> str:
    """A node with its attributes (INSES, lambda_V), the first time that it is named."""
    attributes = {} if node.id in described else snapshot.get_entity_attributes(node.id)
    described.add(node.id)
    if not attributes:
        return node.label
    text = "; ".join(f"{key}: {value}" for key, value in attributes.items())
    return f"{node.label} [{text if len(text) <= ATTRIBUTES_LIMIT else text[:ATTRIBUTES_LIMIT] + '…'}]"


class TriplesReasoner:
    """Reads the facts of the evidence, the best first; a name it answers is looked up in the chains."""

    name = NAME

    def __init__(self, settings: LLMSettings) -> None:
        self.settings = settings
        self.llm: str | None = settings.title
        self.prompts = describe_prompts(PROMPT)

    def answer(self, evidence: Evidence, *, cancelled: Callable[[], bool]) -> Iterator[AnswerDelta | Conclusion]:
        """Stream the model's reasoning, then the verdict.

        Raises:
            Cancelled: stopped; the connection is closed.
            LLMError: the endpoint is down, slow or answers nonsense.
        """
        prompt = prompts.load(PROMPT)
        bare = prompt.render_messages(query=wrap_fenced(evidence.question.text), context=wrap_fenced(""))
        room = self.settings.compute_room(estimate(*(message["content"] for message in bare)))
        lines = format_triples(evidence.snapshot, evidence.facts, SOURCE_LIMIT)
        kept = _keep_fitting(lines, room, evidence.characters)
        chat = prompt.render_messages(query=wrap_fenced(evidence.question.text), context=wrap_fenced_lines(kept))
        reply = asking.stream_json(
            self.settings,
            chat,
            read_answer,
            shown="reasoning",
            cancelled=cancelled,
            repairs=0,
            constraint=_ANSWER,
        )
        while True:
            try:
                yield AnswerDelta(next(reply))
            except StopIteration as end:
                (name, reasoning), usage = end.value
                break
        left_out = f"{len(kept)} of {len(lines)} triples fit into the prompt; the language model saw no others."
        warnings = (left_out,) if len(kept) < len(lines) else ()
        if name:
            answers = tuple(match_names(evidence, [name]))
            yield Conclusion(answers=answers, text=reasoning or name, warnings=warnings, usage=usage)
            return
        declined = NoAnswer(
            NoAnswerReason.REASONER_DECLINED,
            "The language model found no answer in the triples.",
            "Look at what was selected, or ask with another method or a larger budget.",
        )
        yield Conclusion(no_answer=declined, text=reasoning, warnings=warnings, usage=usage)


def read_answer(value: object) -> tuple[str, str]:
    """The answer, empty where the model has none, and the reasoning.

    Raises:
        ValueError: a field is missing or of the wrong kind.
    """
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    answer = value.get("answer")
    if not isinstance(answer, (str, int, float)) or isinstance(answer, bool):
        raise ValueError('"answer" must be a string')
    return " ".join(str(answer).split()), str(value.get("reasoning") or "").strip()


def _keep_fitting(lines: list[str], room: int | None, characters: int | None) -> list[str]:
    """The first lines that fit into so many tokens and characters; at least one."""
    used = size = 0
    for count, line in enumerate(lines):
        used += estimate(line) + 1
        size += len(line)
        full = (room is not None and used > room) or (characters is not None and size > characters)
        if count and full:
            return lines[:count]
    return lines
