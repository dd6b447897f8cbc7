"""How likely each relation path is what was asked: a small transformer over the words of the question.

Each word comes with how well each step of the path, and the best of all other candidates, explains it, so that the
model reads structure (which words belong to which step, in which order, and what stays unexplained) and never the
words or relations themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch_geometric.utils import scatter, softmax

from retrieval.methods.zero_shot.features import OF_PATH, PER_WORD

if TYPE_CHECKING:
    import numpy as np

_WIDTH, _HEADS, _LAYERS = 64, 4, 2


class PathScorer(nn.Module):
    """Scores candidates of one question, and that none of them is right.

    Args:
        per_word, of_path: features that it reads, the first so many of a word and of a path.
    """

    def __init__(self, per_word: int = PER_WORD, of_path: int = OF_PATH) -> None:
        super().__init__()
        width, layers = _WIDTH, _LAYERS
        self.word = nn.Linear(per_word, width)
        self.path = nn.Sequential(nn.Linear(of_path, width), nn.GELU(), nn.Linear(width, width))
        layer = nn.TransformerEncoderLayer(
            width, _HEADS, 2 * width, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.joined = nn.Sequential(nn.LayerNorm(3 * width), nn.Linear(3 * width, width), nn.GELU())
        self.score = nn.Linear(width, 1)
        self.none = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(
        self, words: Tensor, lengths: Tensor, paths: Tensor, question: Tensor, count: int
    ) -> tuple[Tensor, Tensor]:
        """Scores of candidates, and of none.

        Args:
            words: [C, n, PER_WORD] of all questions' candidates.
            lengths: words of each, [C].
            paths: [C, OF_PATH].
            question: of each candidate, ascending, [C].
            count: q questions.

        Returns:
            Of the candidates [C], and of none [q].
        """
        outside = torch.arange(words.shape[1])[None] >= lengths[:, None]
        path = self.path(paths[:, : self.path[0].in_features])
        words = words[:, :, : self.word.in_features]
        here = self.layers(self.word(words) + path[:, None], src_key_padding_mask=outside)
        inside = (~outside).unsqueeze(-1).float()
        mean = (here * inside).sum(1) / inside.sum(1)
        most = here.masked_fill(outside.unsqueeze(-1), -1e4).amax(1)
        joined = self.joined(torch.cat([mean, most, path], 1))
        scores = self.score(joined).squeeze(-1)
        # How good the best ones look, and all of them together.
        least = torch.full((count,), -1e9)
        highest = least.scatter_reduce(0, question, scores.detach(), "amax")
        share = softmax(scores.detach(), question, num_nodes=count)
        best = scatter(joined * share[:, None], question, dim_size=count)
        place = question[:, None].expand_as(joined)
        every = torch.full((count, joined.shape[1]), -1e9).scatter_reduce(0, place, joined, "amax")
        return scores, self.none(torch.cat([best, every], 1)).squeeze(-1) + highest.clamp(min=-50)

    @torch.inference_mode()
    def compute_probabilities(self, words: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, float]:
        """Of the candidates of one question, [c], and that none of them is what was asked."""
        count = len(words)
        scores, none = self(
            torch.from_numpy(words), torch.full((count,), words.shape[1]), torch.from_numpy(paths),
            torch.zeros(count, dtype=torch.long), 1,
        )  # fmt: skip
        probabilities = torch.softmax(torch.cat([scores, none]), 0).numpy()
        return probabilities[:-1], float(probabilities[-1])

    def save(self, path: Path) -> None:
        """As safetensors, half precision."""
        save_file({name: value.half().contiguous() for name, value in self.state_dict().items()}, path)

    @classmethod
    def load(cls, path: Path) -> PathScorer:
        """Of a file that :meth:`save` wrote."""
        weights = {name: value.float() for name, value in load_file(path).items()}
        made = cls(weights["word.weight"].shape[1], weights["path.0.weight"].shape[1])
        made.load_state_dict(weights)
        return made.eval()
