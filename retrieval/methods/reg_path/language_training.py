"""The task of ReG@Path's language-model planner: eq. 35 over tokens, adapters alone are trained."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.errors import check
from retrieval.methods.reg_path.language_planner import LanguageBackend, LanguagePlanner
from retrieval.methods.reg_path.plan_batches import Planned, compute_plan_loss, draw
from retrieval.methods.reg_path.retriever import RegPathRetriever
from retrieval.methods.reg_path.spec import RegPathConfig
from retrieval.retriever import Retriever
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.recipe import Work

#: Dev questions looked at after each epoch, and how many at once.
_DEV_EXAMPLES, _DEV_BATCH = 256, 16


class LanguageTask:
    """See ``recipe.Task``.

    Args:
        config: with the backend ``llm``.
        train: at least one example.
        dev: for the score; the training examples again when empty.

    Raises:
        ConfigError: the language model cannot be used.
    """

    score_name = "dev_path_probability"
    entity_texts = False

    def __init__(self, work: Work, config: RegPathConfig, train: Sequence[Planned], dev: Sequence[Planned]) -> None:
        self.work = work
        self.config = config
        self.train = train
        self.dev = dev or train
        self.size = len(train)
        self.model = LanguagePlanner(config)
        graph = work.snapshot
        self.lines = [self.model.encode_line(graph.get_relation_name(r)) for r in range(graph.num_relations)]

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Mean negative log-likelihood of the questions' relation paths."""
        examples = [self.train[int(i)] for i in chosen]
        logs, owner = self._compute_logs(examples, [draw(example.paths, rng) for example in examples])
        judged = torch.tensor([example.marked for example in examples]) | (self.config.pooling == "all")
        return compute_plan_loss(logs, owner, judged.to(logs.device))

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Mean probability, over dev questions, that what is written is one of their paths."""
        self.model.eval()
        total = 0.0
        examples = self.dev[:: -(-len(self.dev) // _DEV_EXAMPLES)]
        for start in range(0, len(examples), _DEV_BATCH):
            check(cancelled)
            batch = examples[start : start + _DEV_BATCH]
            total += float(self._compute_logs(batch, [list(example.paths) for example in batch])[0].exp().sum())
        return total / len(examples)

    def compute_fingerprint(self) -> bytes:
        """Digest of the examples."""
        return hashlib.sha256(repr(list(self.train)).encode()).digest()

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """The trained retriever, on the model as it stands; nothing is kept in ``cache``."""
        del cache
        self.model.eval()
        backend = LanguageBackend(self.model, self.work.snapshot)
        return RegPathRetriever(checkpoint, self.work.snapshot, self.work.encoder, backend)

    def _compute_logs(
        self, examples: Sequence[Planned], paths: Sequence[Sequence[tuple[int, ...]]]
    ) -> tuple[Tensor, Tensor]:
        """Log-likelihood of each path and its question; names say no direction, so equal ones count once."""
        total = len(self.lines)
        plain_paths = [sorted({tuple(r % total for r in path) for path in question_paths}) for question_paths in paths]
        owner = [i for i, question_paths in enumerate(plain_paths) for _ in question_paths]
        prompts = [self.model.encode_prompt(example.masked) for example in examples]
        texts = [
            [*(t for name in path for t in self.lines[name]), *self.model.line_end]
            for question_paths in plain_paths
            for path in question_paths
        ]
        logs = self.model.compute_path_logs([prompts[i] for i in owner], texts)
        return logs, torch.tensor(owner, device=logs.device)
