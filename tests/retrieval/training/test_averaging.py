"""The running average of the weights."""

import torch
from torch import nn

from retrieval.training.averaging import WeightAverage


def steps(average, model, *values):
    for value in values:
        with torch.no_grad():
            model.weight.fill_(value)
        average.update()


def test_early_steps_leave_less_of_the_average():
    model = nn.Linear(1, 1, bias=False)
    average = WeightAverage(model, 0.9)
    steps(average, model, 11.0, 0.0)  # the second step keeps (1 + 1) / (10 + 1) of the first
    torch.testing.assert_close(average.values["weight"], torch.tensor([[2.0]]))


def test_a_step_leaves_as_much_as_it_is_told():
    model = nn.Linear(1, 1, bias=False)
    average = WeightAverage(model, 0.25)
    average.restore(100, {"weight": torch.tensor([[8.0]])})
    steps(average, model, 4.0)
    torch.testing.assert_close(average.values["weight"], torch.tensor([[5.0]]))


def test_the_model_wears_the_average_for_a_while():
    model = nn.Linear(1, 1, bias=False)
    average = WeightAverage(model, 0.9)
    steps(average, model, 11.0, 0.0)
    with average.use_average():
        assert round(model.weight.item(), 6) == 2.0
    assert model.weight.item() == 0.0
