"""The evidence-chain prompt (ReG, Appendix F) and the reading of replies to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from retrieval.environment import LLMSettings
from retrieval.evidence.verbalise import format_merged_chains
from retrieval.language.question import Question
from retrieval.llm import prompts
from retrieval.llm.metering import estimate
from retrieval.llm.prompts import Fenced, Message, wrap_fenced, wrap_fenced_lines
from retrieval.reasoning.base import EVIDENCE_LIMIT
from retrieval.types import EvidenceChain

PROMPT = "answer"
CHAIN_LIMIT = 2_000
"""Characters of one chain in the prompt."""

LINE_TOKENS = 5
"""Tokens of ``Chain 12. `` and a line's end, for estimates."""

ANSWER_LIMIT = 200
"""Characters beyond which an ``ans:`` line is prose and no name."""

_ANS = re.compile(r"(?:^|(?<=[\s*_`>.;,(-]))(?:ans|answer)s?(?:\s*\d+)?\s*[*_`]*\s*:\s*[*_`]*", re.IGNORECASE)
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_DECLINED_ANSWER = re.compile(
    r"(?:not (?:available|known|given|found|in the (?:evidence|graph))|none|unknown|n/?a|no answers?"
    r"|i (?:do not|don't) know|cannot be (?:determined|answered))",
    re.IGNORECASE,
)
_DECLINED_PROSE = re.compile(
    r"(?:not enough (?:information|evidence)|insufficient (?:information|evidence)"
    r"|(?:cannot|can't|can not|unable to) (?:be )?(?:answer|determine|find)"
    r"|(?:do(?:es)?|did) not (?:contain|hold|provide|mention|include)|i (?:do not|don't) know)",
    re.IGNORECASE,
)


_READ: ContextVar[list[str] | None] = ContextVar("read", default=None)


@contextmanager
def collect_prompt_lines() -> Iterator[list[str]]:
    """The evidence that a language model is shown within this block, line by line; of several prompts the last's."""
    lines: list[str] = []
    token = _READ.set(lines)
    try:
        yield lines
    finally:
        _READ.reset(token)


class NoAnswerLines(Exception):
    """The reply has no ``ans:`` line and does not decline either."""


def build_messages(
    question: Question,
    chains: Sequence[EvidenceChain],
    settings: LLMSettings | None = None,
    *,
    read: Sequence[str] | None = None,
    characters: int | None = EVIDENCE_LIMIT,
) -> tuple[list[Message], str]:
    """The chat messages for one question, with the paper's worked example before it.

    Chains are numbered, one a line, best first, parallel ones merged; the weakest are left out when they do not fit.
    With the messages comes a warning that says so, empty when all fit.

    Args:
        chains: best first.
        settings: the model that will read them; its context is a limit.
        read: lines that are read in place of the chains: single paths or triples, in the order given.
        characters: of all lines together, at most; None for no limit.
    """
    prompt = prompts.load(PROMPT)
    texts = format_merged_chains(chains) if read is None else list(read)
    bare = prompt.render_messages(chains=wrap_fenced(""), question=wrap_fenced(question.text))
    room = settings.compute_room(estimate(*(m["content"] for m in bare))) if settings else None
    block = format_chains(texts, room, characters)
    shown = block.count("\n") + 1 if block else 0
    left_out = f"{shown} of {len(texts)} evidence chains fit into the prompt; the language model saw no others."
    record = _READ.get()
    if record is not None:
        record[:] = texts[:shown]
    filled = prompt.render_messages(chains=block, question=wrap_fenced(question.text))
    return filled, left_out if shown < len(texts) else ""


def format_chains(chains: Iterable[str], tokens: int | None = None, characters: int | None = EVIDENCE_LIMIT) -> Fenced:
    """Numbered chains, one a line, within so many characters and about so many tokens; None for no limit."""
    lines: list[str] = []
    used = size = 0
    for number, written in enumerate(chains, start=1):
        text: str = wrap_fenced(written)
        if len(text) > CHAIN_LIMIT:
            text = text[:CHAIN_LIMIT].rstrip() + " …"
        used += len(text)
        size += estimate(text) + LINE_TOKENS
        full = (characters is not None and used > characters) or (tokens is not None and size > tokens)
        if lines and full:
            break
        lines.append(f"Chain {number}. {text}")
    return wrap_fenced_lines(lines)


def parse_answers(reply: str) -> list[str]:
    """The names after ``ans:``, in order, each once; empty when the reply declines.

    Reads what models really write: bullets, bold, numbering, several on a line, a reasoning block before.

    Raises:
        NoAnswerLines: there is no ``ans:`` and no refusal.
    """
    visible = _THINKING.sub("", reply)
    pieces = [piece for line in visible.splitlines() for piece in _ANS.split(line)[1:]]
    if not pieces:
        if _DECLINED_PROSE.search(visible):
            return []
        raise NoAnswerLines
    names = dict.fromkeys(_clean(piece) for piece in pieces)
    return [
        name
        for name in names
        if name and len(name) <= ANSWER_LIMIT and not _DECLINED_ANSWER.fullmatch(name.rstrip(".!"))
    ]


def _clean(piece: str) -> str:
    text = piece.strip().strip("*_`").strip()
    for left, right in (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("[", "]")):
        if len(text) > 2 and text.startswith(left) and text.rstrip(".,;").endswith(right):
            text = text.rstrip(".,;")[1:-1]
    return text.strip().rstrip(",;").strip()
