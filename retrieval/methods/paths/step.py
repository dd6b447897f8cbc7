"""One forward pass over a batch: contexts scored, losses made, or accuracies counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from retrieval.linking.features import GraphFeatures
from retrieval.methods.common.arc_groups import UNLIMITED
from retrieval.methods.paths.batches import Candidates, Walks, sample_contexts
from retrieval.methods.paths.blocks import compute_arc_states
from retrieval.methods.paths.examples import Examples
from retrieval.methods.paths.model import PathModel
from retrieval.methods.paths.settings import PathConfig
from retrieval.nn.query import EncodedQuestions
from retrieval.training.losses import compute_first_triple_loss, compute_path_loss, compute_segment_logsumexp


@dataclass(frozen=True, slots=True)
class ScoredContexts:
    """Logits of a batch: of the n sampled arcs, and of STOP in each of the C contexts."""

    candidates: Candidates
    logits: Tensor
    stop_logits: Tensor


@dataclass(frozen=True, slots=True)
class Sampler:
    """Everything a batch is cut from. ``simple``: walks never come back to their topic."""

    features: GraphFeatures
    examples: Examples
    config: PathConfig
    simple: bool


def score_batch(model: PathModel, sampler: Sampler, chosen: np.ndarray, rng: np.random.Generator) -> ScoredContexts:
    """Sample walks and candidates of the chosen examples and score them."""
    snapshot, examples, config = sampler.features.snapshot, sampler.examples, sampler.config
    walks, candidates = sample_contexts(
        snapshot, examples, chosen,
        simple=sampler.simple, per_relation=config.arcs_per_relation or UNLIMITED, rng=rng,
    )  # fmt: skip
    walked = walks.arcs[walks.arcs >= 0]
    arcs, where = np.unique(np.concatenate([candidates.arc, walked]), return_inverse=True)
    states = compute_arc_states(model.triples, sampler.features, arcs, config.neighbours or UNLIMITED, rng)
    of_candidates = states[torch.from_numpy(where[: len(candidates.arc)])]
    taken = torch.zeros(*walks.arcs.shape, config.hidden)
    taken[torch.from_numpy(walks.arcs >= 0)] = states[torch.from_numpy(where[len(candidates.arc) :])]
    # Now and then the question as written, for mentions that are not found when asking.
    plain = rng.random(len(chosen)) < 0.1 if model.training else np.zeros(len(chosen), bool)
    rows = np.where(plain, examples.as_written[chosen], examples.rows[chosen])
    return _score(
        model,
        candidates,
        walks,
        relations=sampler.features.relations,
        questions=model.query.read(examples.texts.select_rows(rows)),
        taken=taken,
        states=of_candidates,
    )


def _score(
    model: PathModel,
    candidates: Candidates,
    walks: Walks,
    *,
    relations: Tensor,
    questions: EncodedQuestions,
    taken: Tensor,
    states: Tensor,
) -> ScoredContexts:
    query, everyone = model.query, torch.arange(len(questions.z_q))
    focuses, sums = (
        [query.compute_focus(questions, everyone, questions.z_q)],
        [torch.zeros_like(questions.z_q)],
    )
    for i in range(walks.arcs.shape[1]):
        focuses.append(query.compute_focus(questions, everyone, query.update_memory(focuses[-1], taken[:, i])))
        sums.append(sums[-1] + taken[:, i])
    step, example = torch.from_numpy(candidates.step), torch.from_numpy(candidates.example)
    focus = torch.stack(focuses)[step, example]  # [C, H]
    queries = query.compute_queries(focus)  # [C, H]
    stops = query.stop_states(questions.z_q[example], torch.stack(sums)[step, example])
    context = torch.from_numpy(candidates.context)
    logits = (queries[context] * states).sum(1)
    texts = query.compute_text_scores(questions, example, focus, relations)  # [C, 2R]
    if texts is not None:
        logits = logits + texts[context, torch.from_numpy(candidates.relation)]
    return ScoredContexts(candidates, logits, (queries * stops).sum(1))


def compute_total_loss(scored: ScoredContexts, config: PathConfig) -> Tensor:
    """lambda_1 path loss + lambda_2 first-triple loss."""
    candidates = scored.candidates
    context = torch.from_numpy(candidates.context)
    later = candidates.step > 0
    renumbered = torch.from_numpy(np.cumsum(later) - 1)
    on_path = torch.from_numpy(later[candidates.context])
    path = compute_path_loss(
        scored.logits[on_path],
        scored.stop_logits[torch.from_numpy(later)],
        weight=torch.from_numpy(candidates.weight)[on_path],
        context=renumbered[context[on_path]],
        positive=torch.from_numpy(candidates.positive)[on_path],
        stop=torch.from_numpy(candidates.stop[later]),
    )
    renumbered = torch.from_numpy(np.cumsum(~later) - 1)
    first = compute_first_triple_loss(
        scored.logits[~on_path],
        torch.from_numpy(candidates.positive | candidates.augmented)[~on_path],
        renumbered[context[~on_path]],
        int((~later).sum()),
    )
    return config.path_weight * path + config.first_weight * first


def find_correct_contexts(scored: ScoredContexts) -> tuple[np.ndarray, np.ndarray]:
    """Whether the most probable relation of each context is the label's.

    Returns:
        ``(correct, example)``, [C]: STOP counts as a relation; at step 0, where there is no softmax, a
        relation's score is its arcs' mean.
    """
    candidates = scored.candidates
    count = len(candidates.group_context)
    group = torch.from_numpy(candidates.group)
    weight = torch.from_numpy(candidates.weight)
    mass = compute_segment_logsumexp(scored.logits + weight.log(), group, count)
    size = torch.log(torch.zeros(count).index_add(0, group, weight)).clamp(min=0)
    group_context = torch.from_numpy(candidates.group_context)
    first = torch.from_numpy(candidates.step == 0)[group_context]
    mass = torch.where(first, mass - size, mass)
    contexts = len(candidates.step)
    wanted = torch.from_numpy(candidates.group_positive)
    none = torch.full((contexts,), -torch.inf)
    right = none.scatter_reduce(0, group_context[wanted], mass[wanted], "amax")
    wrong = none.scatter_reduce(0, group_context[~wanted], mass[~wanted], "amax")
    stop = torch.where(torch.from_numpy(candidates.step > 0), scored.stop_logits, none)
    at_end = torch.from_numpy(candidates.stop)
    right, wrong = torch.where(at_end, stop, right), torch.where(at_end, wrong, torch.maximum(wrong, stop))
    return (right > wrong).numpy(), candidates.example
