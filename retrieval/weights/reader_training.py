"""Trains the reader of answers in passages: thin matrices beside the layers of the frozen text encoder.

A question's span is to be likelier than all others of its own text and of one that is near in meaning and lacks the
answer, so that the scores of several passages can be compared.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.linking.encoder import Encoder
    from retrieval.weights.reading_examples import ReadingExample

#: Rank of the product beside each layer, and its scale.
_RANK, _SCALE = 32, 2.0
#: Questions of QAMR in the one visit, and how often those over paragraphs are visited.
_QAMR, _VISITS = 9000, 2
_BATCH, _RATE, _WARM_UP, _DECAY = 24, 1e-3, 60, 0.01
#: Share of QAMR's sentences that stand among others, as in a passage; characters of those, and of texts without the
#: answer.
_AMONG, _SHORT, _LACKING_SENTENCE, _LACKING_PARAGRAPH = 0.4, 250, 260, 500
#: Texts near a question of which one that lacks the answer is drawn; tokens of a text.
_NEAR, _DRAWN, _TOKENS = 30, 5, 256
_NEVER = -1e4


class LowRankLinear(nn.Module):
    """A frozen linear layer plus a trained product of two thin matrices."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.a = nn.Linear(base.in_features, _RANK, bias=False)
        self.b = nn.Linear(_RANK, base.out_features, bias=False)
        nn.init.normal_(self.a.weight, std=1 / math.sqrt(base.in_features))
        nn.init.zeros_(self.b.weight)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        out: Tensor = self.base(x) + _SCALE * self.b(self.a(x))
        return out


class TrainableReader(nn.Module):
    """The encoder with what is trained: how likely each token begins and ends the answer."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.model, self.tokenizer = encoder.copy_transformer()
        self.model.requires_grad_(False)
        for layer in self.model.encoder.layer:
            for owner in (layer.attention.self, layer.attention.output, layer.intermediate, layer.output):
                for name, part in list(owner.named_children()):
                    if isinstance(part, nn.Linear):
                        setattr(owner, name, LowRankLinear(part))
        self.head = nn.Linear(encoder.dim, 2)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """Scores of the first and the last token, [n, t] -> [n, t, 2]."""
        states = self.model(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        scores: Tensor = self.head(states.float())
        return scores

    def save(self, path: Path) -> None:
        """Write what was trained, in half precision."""
        weights = {"head.weight": self.head.weight, "head.bias": self.head.bias}
        for name, part in self.model.named_modules():
            if isinstance(part, LowRankLinear):
                weights |= {f"{name}.a": part.a.weight, f"{name}.b": _SCALE * part.b.weight}
        save_file({name: value.detach().half().contiguous() for name, value in weights.items()}, path)


@dataclass(frozen=True, slots=True)
class _Contrast:
    """A question with texts that are near it and lack its answer."""

    example: ReadingExample
    lacking: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Row:
    """Tokens of a question and a text, which of them are the text's, and the answer's first and last."""

    ids: list[int]
    kinds: list[int]
    text: list[bool]
    span: tuple[int, int] | None


def train_reader(encoder: Encoder, examples: Sequence[ReadingExample], seed: int) -> TrainableReader:
    """Visit the examples once; those over paragraphs twice."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = TrainableReader(encoder)
    batches = list(_make_batches(_find_contrasts(encoder, examples), rng))
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=_RATE, weight_decay=_DECAY)
    short = [example.text for example in examples if len(example.text) < _SHORT]
    half = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM_UP) * max(0.02, 1 - step / len(batches))
        rows = [row for contrast in batch for row in _build_rows(model, contrast, short, rng)]
        if not rows:
            continue
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = _compute_loss(model, rows)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return model


def _find_contrasts(encoder: Encoder, examples: Sequence[ReadingExample]) -> list[_Contrast]:
    texts = list(dict.fromkeys(example.text for example in examples))
    near = encoder.encode([example.wording for example in examples]) @ encoder.encode(texts, rough=True).T
    order = np.argsort(-near, axis=1)[:, :_NEAR]
    contrasts = []
    for example, row in zip(examples, order.tolist(), strict=True):
        answer = example.answer.lower()
        lacking = [texts[i] for i in row if texts[i] != example.text and answer not in texts[i].lower()]
        contrasts.append(_Contrast(example, lacking[:_DRAWN]))
    return contrasts


def _make_batches(contrasts: Sequence[_Contrast], rng: random.Random) -> Iterator[list[_Contrast]]:
    """One visit in batches of texts of like length."""
    sentences = [contrast for contrast in contrasts if contrast.example.source == "qamr"]
    paragraphs = [contrast for contrast in contrasts if contrast.example.source != "qamr"]
    visited = rng.sample(sentences, min(len(sentences), _QAMR)) + paragraphs * _VISITS
    rng.shuffle(visited)
    batches = []
    for start in range(0, len(visited), 20 * _BATCH):
        part = sorted(visited[start : start + 20 * _BATCH], key=lambda contrast: len(contrast.example.text))
        batches += [part[i : i + _BATCH] for i in range(0, len(part), _BATCH)]
    rng.shuffle(batches)
    yield from batches


def _build_rows(model: TrainableReader, contrast: _Contrast, short: Sequence[str], rng: random.Random) -> list[_Row]:
    """The question with its text, and with one that lacks the answer; none where the answer is cut off."""
    example = contrast.example
    text, start, end, is_sentence = example.text, example.start, example.end, example.source == "qamr"
    if is_sentence and rng.random() < _AMONG:
        others = [rng.choice(short) for _ in range(rng.choice((1, 1, 2)))]
        place = rng.randrange(len(others) + 1)
        shift = sum(len(other) + 1 for other in others[:place])
        text = " ".join([*others[:place], text, *others[place:]])
        start, end = start + shift, end + shift
    title = f"{example.title}. " if example.title and rng.random() < 0.7 else ""
    lacking = rng.choice(contrast.lacking) if contrast.lacking else rng.choice(short)
    right = _build_row(model, example.wording, title + text, (start + len(title), end + len(title)))
    if right.span is None:
        return []
    limit = _LACKING_SENTENCE if is_sentence else _LACKING_PARAGRAPH
    return [right, _build_row(model, example.wording, lacking[:limit], None)]


def _build_row(model: TrainableReader, wording: str, text: str, span: tuple[int, int] | None) -> _Row:
    encoded = model.tokenizer.encode(wording, text)
    ids, kinds, places = encoded.ids[:_TOKENS], encoded.type_ids[:_TOKENS], encoded.offsets[:_TOKENS]
    inside = [kind == 1 and end > begin for kind, (begin, end) in zip(kinds, places, strict=True)]
    tokens = None
    if span is not None:
        first = [i for i, (b, e) in enumerate(places) if inside[i] and b <= span[0] < e]
        last = [i for i, (b, e) in enumerate(places) if inside[i] and b < span[1] <= e]
        tokens = (first[0], last[0]) if first and last else None
    return _Row(ids, kinds, inside, tokens)


def _compute_loss(model: TrainableReader, rows: Sequence[_Row]) -> Tensor:
    """How unlikely the spans are among all tokens of both texts of their question."""
    longest = max(len(row.ids) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    kinds, mask, text = ids.clone(), ids.clone(), torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, row in enumerate(rows):
        length = len(row.ids)
        ids[i, :length], kinds[i, :length] = torch.tensor(row.ids), torch.tensor(row.kinds)
        mask[i, :length], text[i, :length] = 1, torch.tensor(row.text)
    scores = torch.full((len(rows), longest, 2), _NEVER)
    for part in mask.sum(1).argsort(descending=True).chunk(3):  # those of like length, with little padding
        most = int(mask[part].sum(1).max())
        part_scores = model(ids[part, :most], kinds[part, :most], mask[part, :most])
        scores = scores.index_put((part.unsqueeze(1), torch.arange(most).unsqueeze(0)), part_scores.float())
    both = scores.masked_fill(~text.unsqueeze(-1), _NEVER).view(len(rows) // 2, 2 * longest, 2)
    spans = torch.tensor([row.span for row in rows if row.span is not None])
    loss = nn.functional.cross_entropy
    return (loss(both[:, :, 0], spans[:, 0]) + loss(both[:, :, 1], spans[:, 1])) / 2
