"""The reasoner that has a language model write the program of a question, and computes the rest by itself."""

from __future__ import annotations

from retrieval.environment import LLMSettings
from retrieval.llm.prompts import describe_prompts
from retrieval.programs.writing.writer import PROMPT
from retrieval.reasoning.extractive import ExtractiveReasoner, ExtractiveSettings

NAME = "llm-program"


class WritingReasoner(ExtractiveReasoner):
    """Extracts answers where no program was written; see :mod:`retrieval.programs.writing`."""

    name = NAME

    def __init__(self, llm: LLMSettings, settings: ExtractiveSettings | None = None) -> None:
        super().__init__(settings)
        self.model = llm
        self.llm = llm.title
        self.prompts = describe_prompts(PROMPT)
