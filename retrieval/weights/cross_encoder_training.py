"""Trains the cross-encoder: a question's right outcomes are to score above its wrong ones and above "none of them"."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from retrieval.answering.fusion.cross_encoder import TOKENS, build_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.linking.encoder import Encoder

#: Lower layers that are not trained.
_FROZEN = 2
#: Pairs of a question and an outcome in a batch, at most; questions that are sorted by length at a time.
_PAIRS, _SORTED = 128, 480
_VISITS, _RATE, _WARM_UP, _DECAY = 2, 1e-4, 60, 0.01
#: The largest 8-bit integer, and the smallest scale that half precision can hold.
_LARGEST, _SMALLEST = 127, 6e-8
#: Steps between two lines of progress.
_REPORTED = 20


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question with the outcomes that are scored.

    Attributes:
        wording: of the question.
        texts: the outcomes in words.
        right: which of them are right; possibly none.
        weight: of its loss.
    """

    wording: str
    texts: tuple[str, ...]
    right: tuple[bool, ...]
    weight: float = 1.0


class TrainableCrossEncoder(nn.Module):
    """The text encoder with trainable upper layers and a linear head on the first token's state."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self._base, self.tokenizer = encoder.copy_transformer()
        self._base.requires_grad_(False)
        self.tokenizer.enable_truncation(TOKENS)
        self.tokenizer.enable_padding()
        self.model, _ = encoder.copy_transformer()
        self.model.requires_grad_(False)
        self.model.encoder.layer[_FROZEN:].requires_grad_(True)
        self.head = nn.Linear(encoder.dim, 1)

    def forward(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        """Log odds of each pair of a question and an outcome, against none of the outcomes, [n]."""
        ids, kinds, mask = build_inputs(self.tokenizer.encode_batch(list(pairs)))
        states = self.model(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        logits: Tensor = self.head(states[:, 0].float()).squeeze(-1)
        return logits

    def save(self, path: Path) -> None:
        """Write the difference from the text encoder: matrices in 8 bits with a scale per row, vectors in half
        precision.
        """
        weights = {"head.weight": self.head.weight.half(), "head.bias": self.head.bias.half()}
        for (name, part), before in zip(self.model.named_parameters(), self._base.parameters(), strict=True):
            if part.requires_grad:
                change = (part - before).detach()
                if change.dim() == 1:
                    weights[name] = change.half()
                    continue
                scale = (change.abs().amax(1, keepdim=True) / _LARGEST).clamp_min(_SMALLEST).half()
                weights[name] = (change / scale.float()).round().clamp(-_LARGEST, _LARGEST).to(torch.int8)
                weights[f"{name}.scale"] = scale
        save_file({name: value.detach().contiguous() for name, value in weights.items()}, path)


def train_cross_encoder(encoder: Encoder, questions: Sequence[ScoredQuestion], seed: int) -> TrainableCrossEncoder:
    """Train for two epochs; questions without outcomes are skipped."""
    torch.manual_seed(seed)
    rng, model = random.Random(seed), TrainableCrossEncoder(encoder)
    batches = [batch for _ in range(_VISITS) for batch in _make_batches(questions, rng)]
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=_RATE, weight_decay=_DECAY)
    half = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    running = 0.0
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM_UP) * max(0.02, 1 - step / len(batches))
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = _compute_loss(model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        running += loss.item()
        if (step + 1) % _REPORTED == 0:
            sys.stderr.write(f"step {step + 1} of {len(batches)}, loss {running / _REPORTED:.3f}\n")
            running = 0.0
    return model


def _make_batches(questions: Sequence[ScoredQuestion], rng: random.Random) -> Iterator[list[ScoredQuestion]]:
    """One visit in batches of like length."""
    visited = [question for question in questions if question.texts]
    rng.shuffle(visited)
    batches: list[list[ScoredQuestion]] = []
    for start in range(0, len(visited), _SORTED):
        batch: list[ScoredQuestion] = []
        for question in sorted(visited[start : start + _SORTED], key=_get_length):
            if batch and sum(len(other.texts) for other in batch) + len(question.texts) > _PAIRS:
                batches.append(batch)
                batch = []
            batch.append(question)
        batches += [batch] if batch else []
    rng.shuffle(batches)
    yield from batches


def _get_length(question: ScoredQuestion) -> int:
    return max(map(len, question.texts)) + len(question.wording)


def _compute_loss(model: TrainableCrossEncoder, batch: Sequence[ScoredQuestion]) -> Tensor:
    """Weighted mean of the negative log probability of the right outcomes, or of "none" where no outcome is right."""
    pairs = [(question.wording, text) for question in batch for text in question.texts]
    logits = model(pairs).float()
    losses, start = [], 0
    for question in batch:
        end = start + len(question.texts)
        scores = torch.cat([logits.new_zeros(1), logits[start:end]])  # the first is "none of them"
        right = torch.tensor([not any(question.right), *question.right])
        losses.append(question.weight * (scores.logsumexp(0) - scores[right].logsumexp(0)))
        start = end
    return torch.stack(losses).sum() / sum(question.weight for question in batch)
