"""The faithfulness check: does a language model answer from the retrieved paths, or from memory? (RAPL 5.5, Fig. 28).

The model is given question and paths, answers, and says whether it used them. RAPL asks this of every question that was
answered rightly, and calls the share of Yes the hallucination score: 1 means that all of them rest on the paths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from retrieval.llm.chat import ChatUsage, stream_chat
from retrieval.llm.settings import LLMSettings
from retrieval.reasoning.prompting import NoAnswerLines, evidence_block, fenced, parse_answers
from retrieval.types import EvidenceChain

PROMPT_VERSION = "faithfulness_v1"

_VERDICT = re.compile(
    r"used\s+the\s+provided\s+knowledge[\s:*_`\"'<\[(]*(yes|no)\b(?!\s*[|/])", re.IGNORECASE
)
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model said of one question.

    Attributes:
        grounded: it used the paths; None when the reply does not say.
        answers: what it answered.
        reply: as it came.
        usage: what it cost.
    """

    grounded: bool | None
    answers: tuple[str, ...]
    reply: str
    usage: ChatUsage


def judge(
    settings: LLMSettings,
    question: str,
    chains: Sequence[EvidenceChain],
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Judgement:
    """Ask whether the model answers from the chains.

    Args:
        settings: which model, where.
        question: as asked.
        chains: the retrieved evidence, best first.
        cancelled: asked while waiting.

    Raises:
        Cancelled: ``cancelled()`` said so.
        LLMError: the endpoint cannot be used.
    """
    pieces: list[str] = []
    usage = ChatUsage()
    for piece in stream_chat(settings, messages(question, chains), cancelled=cancelled):
        if isinstance(piece, ChatUsage):
            usage = piece
        else:
            pieces.append(piece)
    reply = "".join(pieces)
    try:
        answers = tuple(parse_answers(reply))
    except NoAnswerLines:
        answers = ()
    return Judgement(parse_verdict(reply), answers, reply, usage)


def messages(question: str, chains: Sequence[EvidenceChain]) -> list[dict[str, str]]:
    """The chat message for one question."""
    parts = {"{chains}": evidence_block(chains), "{question}": fenced(question)}
    return [
        {"role": "user", "content": re.sub(r"\{chains\}|\{question\}", lambda m: parts[m.group()], _prompt())}
    ]


def parse_verdict(reply: str) -> bool | None:
    """The last Yes or No after "used the provided knowledge", whatever the decoration; None without one."""
    found = _VERDICT.findall(_THINKING.sub("", reply))
    return found[-1].lower() == "yes" if found else None


def hallucination_score(judgements: Sequence[Judgement]) -> float | None:
    """The share of judgements that rest on the retrieved paths (RAPL 5.5); those that do not say are left out.

    None where none says.
    """
    said = [judgement.grounded for judgement in judgements if judgement.grounded is not None]
    return sum(said) / len(said) if said else None


@cache
def _prompt() -> str:
    file = resources.files("retrieval.reasoning") / "prompts" / f"{PROMPT_VERSION}.user.txt"
    return file.read_text(encoding="utf-8").strip()
