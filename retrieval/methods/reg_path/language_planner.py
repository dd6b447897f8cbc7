"""A causal language model as the planner of ReG@Path: LoRA adapters (ReG App. E), decoding held to a trie.

It writes relation paths as RoG does: the names of the relations, one a line, and an empty line at the end. Names say
nothing of directions: where the graph allows both, each gets half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from retrieval.kg.snapshot import Snapshot
from retrieval.methods.reg_path.plans import PlanOptions
from retrieval.methods.reg_path.spec import RegPathConfig
from retrieval.nn.language_model import AdaptedModel

PROMPT = "Write a relation path that leads from X to the answer.\nQuestion: {question}\nPath:\n"
#: Sequences that go through the model together.
_BATCH = 32


@dataclass
class PlanNode:
    """A node of a trie of token sequences: what may come next, and the name that ends here."""

    children: dict[int, PlanNode] = field(default_factory=dict)
    name: int | None = None


def build_trie(names: Sequence[tuple[int, Sequence[int]]]) -> PlanNode:
    """The trie of (name, its tokens); no sequence may be the beginning of another."""
    root = PlanNode()
    for name, tokens in names:
        node = root
        for token in tokens:
            node = node.children.setdefault(token, PlanNode())
        node.name = name
    return root


class LanguagePlanner(AdaptedModel):
    """A language model that writes relation paths.

    Args:
        config: ``llm`` names a directory, or a model in the local cache; nothing is downloaded.

    Raises:
        ConfigError: no model is named, it cannot be opened, or ``requirements-llm.txt`` is not installed.
    """

    def __init__(self, config: RegPathConfig) -> None:
        super().__init__(config.llm, rank=config.lora_rank, dropout=config.dropout)
        self.line_end: list[int] = self._encode_text("\n")

    def encode_prompt(self, question: str) -> list[int]:
        """Tokens of the question, as seen from its topic."""
        ids: list[int] = self.tokenizer(PROMPT.format(question=question))["input_ids"]
        return ids

    def encode_line(self, name: str) -> list[int]:
        """Tokens of a relation's line."""
        return [*self._encode_text(name), *self.line_end]

    def compute_path_logs(self, prompts: Sequence[list[int]], paths: Sequence[list[int]]) -> Tensor:
        """Log-likelihood of paths, as tokens with the empty line, given their prompts, [n] (eq. 35)."""
        logits, tokens = self._compute_logits([p + path for p, path in zip(prompts, paths, strict=True)])
        logs = functional.log_softmax(logits[:, :-1].float(), dim=-1)
        picked = logs.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
        positions = torch.arange(picked.shape[1], device=picked.device) + 1
        starts = torch.tensor([len(p) for p in prompts], device=picked.device).unsqueeze(1)
        ends = starts + torch.tensor([len(path) for path in paths], device=picked.device).unsqueeze(1)
        total: Tensor = (picked * ((positions >= starts) & (positions < ends))).sum(1)
        return total

    @torch.inference_mode()
    def compute_next_logs(self, contexts: Sequence[list[int]]) -> np.ndarray:
        """Logits of the token after each context, float64 [n, vocabulary]."""
        parts = []
        for start in range(0, len(contexts), _BATCH):
            batch = contexts[start : start + _BATCH]
            logits, _ = self._compute_logits(batch)
            last = torch.tensor([len(c) - 1 for c in batch], device=logits.device)
            parts.append(logits[torch.arange(len(batch), device=logits.device), last].double().cpu())
        logs: np.ndarray = torch.cat(parts).numpy()
        return logs

    def _compute_logits(self, sequences: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        """Logits [n, L, V] and tokens [n, L], padded on the right."""
        longest = max(len(s) for s in sequences)
        tokens = torch.zeros(len(sequences), longest, dtype=torch.int64)
        mask = torch.zeros_like(tokens)
        for i, sequence in enumerate(sequences):
            tokens[i, : len(sequence)] = torch.tensor(sequence)
            mask[i, : len(sequence)] = 1
        device = next(self.lm.parameters()).device
        tokens = tokens.to(device)
        logits: Tensor = self.lm(input_ids=tokens, attention_mask=mask.to(device)).logits
        return logits, tokens

    def _encode_text(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


class LanguageBackend:
    """A language planner for the relations of one graph: a ``reg_path.Planner``.

    Args:
        model: in evaluation mode.
        width: beginnings of a line that are written on, the best ones.
    """

    def __init__(self, model: LanguagePlanner, snapshot: Snapshot, width: int = 20) -> None:
        self.model = model
        self.width = width
        self.lines = [model.encode_line(snapshot.get_relation_name(r)) for r in range(snapshot.num_relations)]

    def make_writer(self, questions: Sequence[str]) -> _LanguageWriter:
        """See ``reg_path.Planner``."""
        return _LanguageWriter(self, [self.model.encode_prompt(question) for question in questions])


@dataclass(frozen=True, slots=True)
class _Line:
    """A line under way: whose it is, its tokens, where they lead, and their log-probability."""

    owner: int
    tokens: tuple[int, ...]
    node: PlanNode
    log: float


class _LanguageWriter:
    """Writes a line for each plan, token by token, along the tries of what is allowed."""

    def __init__(self, backend: LanguageBackend, prompts: list[list[int]]) -> None:
        self.backend, self.prompts = backend, prompts

    def score_options(self, options: Sequence[PlanOptions]) -> list[np.ndarray]:
        """See ``plans.PlanWriter``."""
        lines, total = self.backend.lines, len(self.backend.lines)
        stop = total
        begun = []
        for i, each in enumerate(options):
            names = np.unique(each.relations % total).tolist()
            allowed = [(name, lines[name]) for name in names]
            if each.may_stop:
                allowed.append((stop, self.backend.model.line_end))
            if allowed:
                begun.append(_Line(i, (), build_trie(allowed), 0.0))
        contexts = [[*self.prompts[each.row], *(t for r in each.prefix for t in lines[r % total])] for each in options]
        name_logs = self._write(contexts, begun)
        return [_compute_option_logs(each, name_logs[i], total) for i, each in enumerate(options)]

    def _write(self, contexts: list[list[int]], lines: list[_Line]) -> list[dict[int, float]]:
        """Log-probability of each name of each owner that the beam came to."""
        done: list[dict[int, float]] = [{} for _ in contexts]
        while lines:
            forced = [len(line.node.children) == 1 for line in lines]
            open_lines = [line for line, only in zip(lines, forced, strict=True) if not only]
            rows = iter(
                self.backend.model.compute_next_logs([contexts[a.owner] + list(a.tokens) for a in open_lines])
                if open_lines
                else ()
            )
            grown: list[_Line] = []
            for line, only in zip(lines, forced, strict=True):
                tokens = sorted(line.node.children)
                gains = np.zeros(1)
                if not only:
                    chosen = next(rows)[tokens]
                    gains = chosen - chosen.max() - np.log(np.exp(chosen - chosen.max()).sum())
                for token, gain in zip(tokens, gains.tolist(), strict=True):
                    node, log = line.node.children[token], line.log + gain
                    if node.name is not None:
                        done[line.owner][node.name] = log
                    else:
                        grown.append(_Line(line.owner, (*line.tokens, token), node, log))
            lines = self._select_best(grown)
        return done

    def _select_best(self, lines: list[_Line]) -> list[_Line]:
        kept: list[_Line] = []
        taken: dict[int, int] = {}
        for line in sorted(lines, key=lambda candidate: (candidate.owner, -candidate.log, candidate.tokens)):
            if taken.get(line.owner, 0) < self.backend.width:
                taken[line.owner] = taken.get(line.owner, 0) + 1
                kept.append(line)
        return kept


def _compute_option_logs(options: PlanOptions, names: dict[int, float], total: int) -> np.ndarray:
    plain = options.relations % total
    distinct, counts = np.unique(plain, return_counts=True)
    ways = dict(zip(distinct.tolist(), counts.tolist(), strict=True))
    logs = [names.get(name, -np.inf) - np.log(ways[name]) for name in plain.tolist()]
    return np.array([*logs, names.get(total, -np.inf)])
