"""The evidence-chain prompt (ReG, Appendix F) and the reading of replies to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from retrieval.evidence.verbalise import merged_texts
from retrieval.llm import prompts
from retrieval.llm.prompts import Fenced, Message, fenced, fenced_lines
from retrieval.types import EvidenceChain

PROMPT = "answer"
CHAIN_LIMIT = 2_000
"""Characters of one chain in the prompt."""

EVIDENCE_LIMIT = 24_000
"""Characters of all chains in the prompt; the weakest are left out first."""

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


class NoAnswerLines(Exception):
    """The reply has no ``ans:`` line and does not decline either."""


def messages(question: str, chains: Sequence[EvidenceChain]) -> list[Message]:
    """The chat messages for one question, with the paper's worked example before it."""
    return prompts.load(PROMPT).fill(chains=evidence_block(chains), question=fenced(question))


def evidence_block(chains: Sequence[EvidenceChain]) -> Fenced:
    """Numbered chains, one a line, best first, parallel ones merged, within ``EVIDENCE_LIMIT`` characters."""
    return numbered(merged_texts(chains))


def numbered(chains: Iterable[str]) -> Fenced:
    """See :func:`evidence_block`; for chains that are text already."""
    lines: list[str] = []
    used = 0
    for number, written in enumerate(chains, start=1):
        text: str = fenced(written)
        if len(text) > CHAIN_LIMIT:
            text = text[:CHAIN_LIMIT].rstrip() + " …"
        used += len(text)
        if lines and used > EVIDENCE_LIMIT:
            break
        lines.append(f"Chain {number}. {text}")
    return fenced_lines(lines)


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
