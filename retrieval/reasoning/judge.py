"""The faithfulness check: does a language model answer from the retrieved paths, or from memory? (RAPL 5.5, Fig. 28).

The model is given question and paths, answers, and says whether it used them. RAPL asks this of every question that was
answered rightly, and calls the share of Yes the hallucination score: 1 means that all of them rest on the paths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.llm import prompts
from retrieval.llm.constraints import make_answers_and_verdict
from retrieval.llm.prompts import wrap_fenced
from retrieval.llm.replies import Asker, Request
from retrieval.reasoning.prompting import NoAnswerLines, format_chains, parse_answers

PROMPT = "faithfulness"

_VERDICT = re.compile(r"used\s+the\s+provided\s+knowledge[\s:*_`\"'<\[(]*(yes|no)\b(?!\s*[|/])", re.IGNORECASE)
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FaithfulnessJudgement:
    """What a model said of one question.

    Attributes:
        grounded: it used the paths; None when the reply does not say, or none came.
        answers: what it answered.
        reply: as it came; None when the request failed.
    """

    grounded: bool | None
    answers: tuple[str, ...]
    reply: str | None


def ask_judgements(
    asker: Asker,
    questions: Sequence[tuple[str, Sequence[str]]],
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[FaithfulnessJudgement]:
    """Ask of each question whether the model answers it from its paths. Replies are kept and not paid for twice.

    Args:
        questions: questions, each with its retrieved paths as text, best first.

    Raises:
        LLMError: the endpoint cannot be used.
    """
    judgements = [FaithfulnessJudgement(None, (), None)] * len(questions)
    requests = [build_request(question, paths) for question, paths in questions]
    for index, reply in asker.ask(requests, cancelled=cancelled):
        if reply is not None:
            judgements[index] = read(reply.text)
    return judgements


def build_request(question: str, paths: Sequence[str]) -> Request:
    """What is asked for one question."""
    prompt_request = Request.from_prompt(
        prompts.load(PROMPT), paths=format_chains(paths), question=wrap_fenced(question)
    )
    return prompt_request.apply_constraint(make_answers_and_verdict("I have used the provided knowledge: "))


def read(reply: str) -> FaithfulnessJudgement:
    """A reply, understood."""
    try:
        answers = tuple(parse_answers(reply))
    except NoAnswerLines:
        answers = ()
    return FaithfulnessJudgement(parse_verdict(reply), answers, reply)


def parse_verdict(reply: str) -> bool | None:
    """The last Yes or No after "used the provided knowledge", whatever the decoration; None without one."""
    verdicts = _VERDICT.findall(_THINKING.sub("", reply))
    return verdicts[-1].lower() == "yes" if verdicts else None


def compute_hallucination_score(judgements: Sequence[FaithfulnessJudgement]) -> float | None:
    """The share of judgements that rest on the retrieved paths (RAPL 5.5); those that do not say are left out.

    None where none says.
    """
    grounded = [judgement.grounded for judgement in judgements if judgement.grounded is not None]
    return sum(grounded) / len(grounded) if grounded else None
