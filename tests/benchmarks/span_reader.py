"""The reader of answers in passages: trained beside the frozen encoder, measured on passages it did not learn from.

``python -m tests.benchmarks span_reader --data FOLDER --out FILE`` trains; what FOLDER holds ``reader_data.py`` says.
Without ``--out`` the reader that comes with Clew is measured. A question's span is to be likelier than all others of
its own text and of one that is near in meaning and lacks the answer, so that scores of several passages are alike.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from retrieval.answering.loading import load_encoder
from retrieval.evaluation.answers import compute_exact_match, compute_token_f1
from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.language.question import Question
from retrieval.linking.encoder import Encoder
from retrieval.linking.stems import extract_stems
from retrieval.pretrained import READER
from retrieval.reasoning.likeliest import ReadPassage
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.reading import find_answer_spans
from retrieval.reasoning.span_reader import SpanReader
from retrieval.types import Citation, Passage, RetrievedPassage
from tests.benchmarks.data import musique_texts
from tests.benchmarks.reader_data import Example, read
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks span_reader"
#: Rank of what stands beside each layer, and what its product is multiplied by.
RANK, SCALE = 32, 2.0
#: Questions of QAMR in the one visit, and how often those of whole paragraphs are visited.
_QAMR, _VISITS = 9000, 2
_BATCH, _RATE, _WARM, _DECAY, _SEED = 24, 1e-3, 60, 0.01, 0
#: Share of QAMR's sentences that stand among others, as in a passage; characters of those and of what lacks the answer.
_AMONG, _SHORT, _LACKING_SENTENCE, _LACKING_PARAGRAPH = 0.4, 250, 260, 500
#: Texts near a question of which one that lacks the answer is drawn; tokens of a text.
_NEAR, _DRAWN, _TOKENS = 30, 5, 256
_NEVER = -1e4
#: Questions that are measured, and passages that are read for each.
_MEASURED, _READ = 160, 5


class Beside(nn.Module):
    """A frozen linear layer with a trained product beside it."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.a = nn.Linear(base.in_features, RANK, bias=False)
        self.b = nn.Linear(RANK, base.out_features, bias=False)
        nn.init.normal_(self.a.weight, std=1 / math.sqrt(base.in_features))
        nn.init.zeros_(self.b.weight)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        out: Tensor = self.base(x) + SCALE * self.b(self.a(x))
        return out


class Trained(nn.Module):
    """The encoder with what is trained: how likely each token begins and ends the answer."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.model, self.tokenizer = encoder.copy_transformer()
        self.model.requires_grad_(False)
        for layer in self.model.encoder.layer:
            for owner in (layer.attention.self, layer.attention.output, layer.intermediate, layer.output):
                for name, part in list(owner.named_children()):
                    if isinstance(part, nn.Linear):
                        setattr(owner, name, Beside(part))
        self.head = nn.Linear(encoder.dim, 2)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """Scores [n, t, 2]."""
        states = self.model(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        scores: Tensor = self.head(states.float())
        return scores

    def save(self, path: Path) -> None:
        """What was trained, in half precision."""
        kept = {"head.weight": self.head.weight, "head.bias": self.head.bias}
        for name, part in self.model.named_modules():
            if isinstance(part, Beside):
                kept |= {f"{name}.a": part.a.weight, f"{name}.b": SCALE * part.b.weight}
        save_file({name: value.detach().half().contiguous() for name, value in kept.items()}, path)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with what is near it and lacks its answer."""

    of: Example
    lacking: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Row:
    """Tokens of a question and a text, which of them are the text's, and the answer's first and last."""

    ids: list[int]
    kinds: list[int]
    text: list[bool]
    span: tuple[int, int] | None


def measure(data: Sequence[str], out: Path | None) -> list[Section]:
    """Train where ``out`` is given, then ask held-out questions of XQuAD and QED over all their passages."""
    if not data:
        return []
    torch.set_num_threads(1)
    encoder, weights = load_encoder(), out or READER
    assert isinstance(encoder, Encoder), "the one that comes with Clew"
    examples = read(Path(data[0]), musique_texts())
    if out is not None:
        train(encoder, [one for one in examples if not one.set_aside], out)
    return [_measured(encoder, SpanReader(encoder, weights), examples)]


def train(encoder: Encoder, examples: Sequence[Example], out: Path) -> None:
    """One visit of the examples; the weights are written to ``out``."""
    torch.manual_seed(_SEED)
    draw = random.Random(_SEED)
    model = Trained(encoder)
    asked = _with_lacking(encoder, examples)
    batches = list(_batches(asked, draw))
    own = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(own, lr=_RATE, weight_decay=_DECAY)
    short = [one.text for one in examples if len(one.text) < _SHORT]
    half = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM) * max(0.02, 1 - step / len(batches))
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = _loss(model, [row for one in batch for row in _rows(model, one, short, draw)])
        loss.backward()
        nn.utils.clip_grad_norm_(own, 1.0)
        optimizer.step()
        optimizer.zero_grad()
    model.save(out)


def _with_lacking(encoder: Encoder, examples: Sequence[Example]) -> list[_Asked]:
    texts = list(dict.fromkeys(one.text for one in examples))
    near = encoder.encode([one.question for one in examples]) @ encoder.encode(texts, rough=True).T
    order = np.argsort(-near, axis=1)[:, :_NEAR]
    found = []
    for one, row in zip(examples, order.tolist(), strict=True):
        answer = one.answer.lower()
        lacking = [texts[i] for i in row if texts[i] != one.text and answer not in texts[i].lower()]
        found.append(_Asked(one, lacking[:_DRAWN]))
    return found


def _batches(asked: Sequence[_Asked], draw: random.Random) -> Iterator[list[_Asked]]:
    """One visit in batches of texts of like length."""
    sentence = [one for one in asked if one.of.source == "qamr"]
    paragraph = [one for one in asked if one.of.source != "qamr"]
    visited = draw.sample(sentence, min(len(sentence), _QAMR)) + paragraph * _VISITS
    draw.shuffle(visited)
    batches = []
    for start in range(0, len(visited), 20 * _BATCH):
        part = sorted(visited[start : start + 20 * _BATCH], key=lambda one: len(one.of.text))
        batches += [part[i : i + _BATCH] for i in range(0, len(part) - _BATCH + 1, _BATCH)]
    draw.shuffle(batches)
    yield from batches


def _rows(model: Trained, one: _Asked, short: Sequence[str], draw: random.Random) -> list[_Row]:
    """The question with its text, and with one that lacks the answer."""
    of = one.of
    text, start, end, sentence = of.text, of.start, of.end, of.source == "qamr"
    if sentence and draw.random() < _AMONG:
        others = [draw.choice(short) for _ in range(draw.choice((1, 1, 2)))]
        place = draw.randrange(len(others) + 1)
        before = " ".join([*others[:place], ""])
        text = " ".join([before + text, *others[place:]]) if before.strip() else " ".join([text, *others])
        shift = len(before) if before.strip() else 0
        start, end = start + shift, end + shift
    title = f"{of.title}. " if of.title and draw.random() < 0.7 else ""
    lacking = draw.choice(one.lacking) if one.lacking else draw.choice(short)
    right = _row(model, of.question, title + text, (start + len(title), end + len(title)))
    if right.span is None:
        return []
    limit = _LACKING_SENTENCE if sentence else _LACKING_PARAGRAPH
    return [right, _row(model, of.question, lacking[:limit], None)]


def _row(model: Trained, question: str, text: str, span: tuple[int, int] | None) -> _Row:
    encoded = model.tokenizer.encode(question, text)
    ids, kinds, places = encoded.ids[:_TOKENS], encoded.type_ids[:_TOKENS], encoded.offsets[:_TOKENS]
    inside = [kind == 1 and end > begin for kind, (begin, end) in zip(kinds, places, strict=True)]
    found = None
    if span is not None:
        first = [i for i, (b, e) in enumerate(places) if inside[i] and b <= span[0] < e]
        last = [i for i, (b, e) in enumerate(places) if inside[i] and b < span[1] <= e]
        found = (first[0], last[0]) if first and last else None
    return _Row(ids, kinds, inside, found)


def _loss(model: Trained, rows: Sequence[_Row]) -> Tensor:
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
        own = model(ids[part, :most], kinds[part, :most], mask[part, :most])
        scores = scores.index_put((part.unsqueeze(1), torch.arange(most).unsqueeze(0)), own.float())
    both = scores.masked_fill(~text.unsqueeze(-1), _NEVER).view(len(rows) // 2, 2 * longest, 2)
    spans = torch.tensor([row.span for row in rows if row.span is not None])
    loss = nn.functional.cross_entropy
    return (loss(both[:, :, 0], spans[:, 0]) + loss(both[:, :, 1], spans[:, 1])) / 2


def _measured(encoder: Encoder, reader: SpanReader, examples: Sequence[Example]) -> Section:
    section = Section(
        "Answers read in passages",
        f"{COMMAND} --data FOLDER",
        "Questions of XQuAD and QED whose passages the reader did not learn from, asked over all passages of both: the "
        f"{_READ} nearest are read. By rules: as before there was a reader. Right among three: of the best three. "
        "Two numbers were chosen on some of these questions; docs/text.md has figures without them.",
        head=("set", "questions", "answer there", "read by", "exact match", "F1", "right among three"),
    )
    paragraphs = [one for one in examples if one.source != "qamr"]
    texts = list(dict.fromkeys((one.title, one.text) for one in paragraphs))
    vectors = encoder.encode([f"{title}. {text}" if title else text for title, text in texts], rough=True)
    held: dict[str, int] = {}
    for _, text in texts:
        for word in set(extract_stems(text)):
            held[word] = held.get(word, 0) + 1

    def weigh(words: Sequence[str]) -> dict[str, float]:
        rare = {word: math.log((len(texts) + 1) / (held.get(word, 0) + 1)) for word in words}
        whole = sum(rare.values()) or 1.0
        return {word: value / whole for word, value in rare.items()}

    asked = [one for one in paragraphs if one.set_aside]
    random.Random(1).shuffle(asked)
    kept: dict[tuple[str, str], list[tuple[bool, float, float, float]]] = {}
    for one in asked[:_MEASURED]:
        vector = encoder.encode([one.question])[0]
        near = np.argsort(-(vectors @ vector))[:_READ].tolist()
        passages = [_passage(encoder, i, texts[i], vector, float(vectors[i] @ vector)) for i in near]
        there = any(texts[i][1] == one.text for i in near)
        for how, used in (("rules", None), ("reader", reader)):
            labels = [found.label for found in find_answer_spans(Question(one.question), passages, weigh, reader=used)]
            first = labels[0] if labels else ""
            among = max((compute_exact_match(label, [one.answer]) for label in labels[:3]), default=0.0)
            figures = (
                there,
                compute_exact_match(first, [one.answer]),
                compute_token_f1(first, [one.answer]),
                among,
            )
            kept.setdefault((one.source, how), []).append(figures)
    for (source, how), rows in sorted(kept.items()):
        shown = [f"{fmean(row[i] for row in rows):.3f}" for i in range(4)]
        section.add(source, str(len(rows)), shown[0], how, *shown[1:])
    return section


def _passage(encoder: Encoder, at: int, shown: tuple[str, str], vector: np.ndarray, score: float) -> ReadPassage:
    title, text = shown
    places = split_sentences(text)
    scores = encoder.encode([text[start:end] for start, end in places]) @ vector if places else np.zeros(0)
    own = [
        Sentence(Citation(at, start, end), text[start:end], float(cosine))
        for (start, end), cosine in zip(places, scores.tolist(), strict=True)
    ]
    return ReadPassage(RetrievedPassage(Passage(at, str(at), title, text), score), own)
