"""How many examples an epoch draws, and which."""

import numpy as np
import pytest
import torch
from torch import nn

from retrieval.config import ALL_DRAWN, TrainingConfig
from retrieval.training.loop import count_draws, fit


@pytest.mark.parametrize(
    ("examples", "settings", "draws"),
    [
        (60, {}, 1536),  # a small set is visited 25 times
        (8000, {}, 6000),
        (2000, {}, 2000),
        (60, {"draws_per_epoch": 0}, 60),
        (8000, {"questions_per_epoch": 0}, 8000),
        (60, {"questions_per_epoch": 0}, 1536),
        (60, ALL_DRAWN, 60),
        (8000, ALL_DRAWN, 8000),
    ],
)
def test_an_epoch_has_as_many_draws_as_the_settings_say(examples, settings, draws):
    assert count_draws(examples, TrainingConfig(**settings)) == draws


class Counting:
    """Learns nothing; notes what it is given."""

    score_name = "score"

    def __init__(self, size):
        self.model, self.size, self.seen, self.epochs = nn.Linear(1, 1), size, [], 0

    def compute_loss(self, chosen, rng):
        self.seen += chosen.tolist()
        return self.model.weight.sum() * 0

    def score(self, cancelled):
        self.epochs += 1
        return 1.0 / self.epochs  # never better than the first


def run(task, config, tmp_path):
    torch.manual_seed(0)
    return fit(task, config, resume=tmp_path / "last.pt", key="k", progress=lambda _: None, cancelled=lambda: False)


def test_as_papers_count_an_epoch_draws_every_example_once(tmp_path):
    task = Counting(7)
    state = run(task, TrainingConfig(**ALL_DRAWN, epochs=4, patience=4, batch_size=3), tmp_path)
    assert state.epoch == 4
    drawn = np.array(task.seen).reshape(4, 7)
    assert [sorted(epoch) for epoch in drawn.tolist()] == [list(range(7))] * 4


def test_patience_of_all_epochs_never_stops_early(tmp_path):
    task = Counting(5)
    early = run(task, TrainingConfig(**ALL_DRAWN, epochs=9, patience=2), tmp_path / "a")
    whole = run(Counting(5), TrainingConfig(**ALL_DRAWN, epochs=9, patience=9), tmp_path / "b")
    assert (early.epoch, whole.epoch) == (3, 9)
