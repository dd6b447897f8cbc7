"""The next token of a small local language model: what its network makes likely, and which of that is taken."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from retrieval.errors import ConfigError, LLMReplyError
from retrieval.llm.decoding import Fed

LIKELIEST, NUCLEUS, LEAST = 40, 0.95, 0.05
"""Of which tokens one is drawn at a temperature: so many, which together have so much, each so much of the first's."""


PIECE = 256
"""Bytes of a token, at most."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What a request asks for; ``schema`` or ``grammar`` constrain the reply."""

    messages: Sequence[Mapping[str, str]]
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    schema: Mapping[str, Any] | None = None
    grammar: str = ""


class Network:
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


class Choice:
    """Chooses the tokens of one reply: the likeliest that its grammar allows, or at a temperature one of the likeliest.

    The grammar is asked about the likeliest tokens first: to ask about all 49,000 takes longer than to compute one.
    """

    def __init__(self, network: Network, ask: GenerationRequest, grammar: str) -> None:
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
        """The next token by the scores of all; None at the end."""
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
