"""The query encoder: the papers' static form, and each switch that goes beyond it."""

import torch

from retrieval.nn.query import QueryEncoder, Texts

ONE = torch.zeros(1, dtype=torch.long)


def encoder(**switches):
    torch.manual_seed(0)
    return QueryEncoder(6, 4, **switches).eval()


def texts(*lengths, seed=1):
    torch.manual_seed(seed)
    words = torch.randn(len(lengths), max(lengths), 6)
    return Texts(torch.randn(len(lengths), 6), words, torch.tensor(lengths))


def test_without_its_switches_it_is_rel_rags_static_form():
    query = encoder(history=False, words=False, texts=False, stop="sum", scaled=False)
    asked = query.read(Texts(torch.randn(2, 6)))
    rows, taken = torch.arange(2), torch.randn(2, 4)
    focus = query.compute_focus(asked, rows, asked.z_q)
    assert query.update_memory(focus, taken) is asked.z_q
    assert query.compute_text_scores(asked, rows, focus, torch.randn(3, 6)) is None
    torch.testing.assert_close(query.compute_queries(focus), asked.z_q)
    torch.testing.assert_close(query.stop_states(asked.z_q, taken), taken + asked.z_q)
    assert {name.partition(".")[0] for name, _ in query.named_parameters()} == {"question"}


def test_rapls_stop_reads_the_sum_and_the_question_through_an_mlp():
    query = encoder(history=False, words=False, texts=False)
    taken, z_q = torch.randn(2, 4), torch.randn(2, 4)
    first, _, last = query.stop
    by_hand = torch.relu(torch.cat([taken, z_q], 1) @ first.weight.T + first.bias) @ last.weight.T + last.bias
    torch.testing.assert_close(query.stop_states(z_q, taken), by_hand)


def test_with_history_the_same_triple_scores_differently_at_another_step():
    query = encoder(words=False)
    z_q = query.read(Texts(torch.randn(1, 6))).z_q
    later = query.update_memory(z_q, torch.randn(1, 4))
    assert not torch.allclose(query.compute_queries(z_q), query.compute_queries(later))


def test_the_order_of_the_words_matters():
    query, given = encoder(), texts(5)
    turned = Texts(given.vectors, given.words.flip(1), given.lengths)
    focused = [query.compute_focus(a, ONE, a.z_q) for a in (query.read(given), query.read(turned))]
    assert not torch.allclose(*focused)


def test_a_question_is_read_the_same_beside_a_longer_one():
    query, given = encoder(), texts(3, 7)
    alone = query.read(Texts(given.vectors[:1], given.words[:1, :3], given.lengths[:1]))
    beside = query.read(given)
    torch.testing.assert_close(
        query.compute_focus(beside, ONE, beside.z_q[:1]),
        query.compute_focus(alone, ONE, alone.z_q),
        atol=1e-6,
        rtol=1e-5,
    )


def test_text_scores_start_as_scaled_cosines():
    query = QueryEncoder(3, 4, words=False).eval()
    question, relations = torch.tensor([[1.0, 0, 0]]), torch.tensor([[1.0, 0, 0], [0.6, 0.8, 0]])
    scores = query.compute_text_scores(query.read(Texts(question)), ONE, torch.randn(1, 4), relations)
    torch.testing.assert_close(scores, torch.tensor([[8.0, 4.8]]))
