"""Packed linear layers compute what the layers do."""

import pytest
import torch
from torch import nn

from retrieval.linking import packed_model as packing
from retrieval.linking.packed_model import PackedLinear, pack_layers


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Sequential(nn.GELU(), nn.Linear(8, 5, bias=False))).eval()


@pytest.mark.parametrize("shape", [(6,), (1, 6), (3, 6), (2, 17, 6), (40, 6)])
def test_they_give_what_the_layers_give_for_any_number_of_rows(shape):
    plain = model()
    fast, x = pack_layers(plain), torch.randn(shape)
    with torch.inference_mode():
        assert torch.allclose(fast(x), plain(x), atol=1e-6)


def test_layers_within_layers_are_packed_and_the_model_stays_as_it_is():
    plain = model()
    fast = pack_layers(plain)
    assert [type(part) for part in fast.modules() if type(part) in (nn.Linear, PackedLinear)] == [PackedLinear] * 2
    assert sum(type(part) is nn.Linear for part in plain.modules()) == 2


def test_a_machine_that_cannot_asks_the_model_itself(monkeypatch):
    def cannot(*_):
        raise RuntimeError("no such kernel")

    plain = model()
    monkeypatch.setattr(packing, "PackedLinear", cannot)
    assert pack_layers(plain) is plain


def test_what_gives_something_else_is_not_used(monkeypatch):
    class Wrong(PackedLinear):
        def forward(self, x):
            return super().forward(x) + 1

    plain = model()
    monkeypatch.setattr(packing, "PackedLinear", Wrong)
    assert pack_layers(plain) is plain


def test_layers_of_another_kind_are_left():
    plain = nn.Sequential(nn.Embedding(3, 4), nn.LayerNorm(4)).eval()
    assert torch.equal(pack_layers(plain)(torch.tensor([1])), plain(torch.tensor([1])))


def test_half_precision_is_packed_too_where_the_processor_multiplies_it():
    plain = model().bfloat16()
    fast, x = pack_layers(plain), torch.randn(7, 6, dtype=torch.bfloat16)
    supported = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    assert any(type(part) is PackedLinear for part in fast.modules()) == supported
    with torch.inference_mode():
        assert torch.allclose(fast(x), plain(x), rtol=2e-2, atol=2e-2)
