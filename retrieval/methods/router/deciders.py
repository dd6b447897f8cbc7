"""Whether a question needs many hops: what the router asks first (INSES, Algorithm 2, line 1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import torch

from retrieval.environment import LLMSettings
from retrieval.language.complexity import MULTI_HOP, compute_log_odds, measure_wording
from retrieval.language.question import Question
from retrieval.linking.text_features import TextEncoder
from retrieval.llm import prompts
from retrieval.llm.asking import ask_json
from retrieval.llm.prompts import wrap_fenced
from retrieval.methods.router.model import HopClassifier, make_classifier, read_questions
from retrieval.methods.router.spec import RouterConfig
from retrieval.training.checkpoint import OpenCheckpoint, load_weights
from retrieval.types import Usage

PROMPT = "router"
MOST_HOPS = 20
"""Hops beyond which a reply is nonsense."""


@dataclass(frozen=True, slots=True)
class Complexity:
    """What a decider makes of a question. ``why`` is a sentence, ``scores`` what it weighed, ``usage`` what it cost."""

    multi_hop: bool
    why: str
    scores: Mapping[str, float]
    usage: Usage = field(default_factory=Usage)


class Decider(Protocol):
    """Tells simple questions from those of ``MULTI_HOP`` hops and more. Threads may share it."""

    @property
    def prompts(self) -> dict[str, str]:
        """Version and hash of the prompts it uses, by name."""
        ...

    def decide(self, question: Question, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """Judge one question.

        Raises:
            LLMError: a language model decides, and fails.
        """
        ...


class WordingDecider:
    """Decides by the question's wording alone, without a language model."""

    @property
    def prompts(self) -> dict[str, str]:
        """None."""
        return {}

    def decide(self, question: Question, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """See :meth:`Decider.decide`; nothing is raised."""
        del cancelled
        features = measure_wording(question.text)
        share = round(1 / (1 + math.exp(-compute_log_odds(features))), 4)
        seen = f"{features.links} possessives or 'of', {features.clauses} clauses, {features.names} names"
        if share > 0.5:
            return Complexity(True, f"The wording looks like {MULTI_HOP} hops or more ({seen}).", {"multi_hop": share})
        return Complexity(False, f"The wording looks like less than {MULTI_HOP} hops ({seen}).", {"multi_hop": share})


class TrainedDecider:
    """Decides by the classifier of a checkpoint of ``router``.

    Args:
        encoder: the one it was trained with.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """

    def __init__(self, checkpoint: OpenCheckpoint, encoder: TextEncoder) -> None:
        assert isinstance(checkpoint.config, RouterConfig), "what its method has"
        self._encoder = encoder
        self._model = load_weights(build_model(checkpoint), checkpoint)

    @property
    def prompts(self) -> dict[str, str]:
        """None."""
        return {}

    @torch.inference_mode()
    def decide(self, question: Question, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """See :meth:`Decider.decide`; nothing is raised."""
        del cancelled
        read = read_questions([question.text], self._encoder.encode)
        share = round(float(self._model(*read.tensors).sigmoid()), 4)
        needed = round(float(self._model.threshold), 4)
        complex_ = share > needed
        hops = f"{MULTI_HOP} hops or more" if complex_ else f"less than {MULTI_HOP} hops"
        why = f"The trained classifier expects {hops} ({share:.2f}; more than {needed:.2f} is complex)."
        return Complexity(complex_, why, {"multi_hop": share, "needed": needed})


class LLMDecider:
    """Asks a language model how many hops the question takes; the paper does not give its prompt."""

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings

    @property
    def prompts(self) -> dict[str, str]:
        """``router``."""
        return prompts.describe_prompts(PROMPT)

    def decide(self, question: Question, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """See :meth:`Decider.decide`; a malformed reply is repaired once."""
        chat = prompts.load(PROMPT).render_messages(query=wrap_fenced(question.text))
        (hops, why), usage = ask_json(self._settings, chat, read_hops, cancelled=cancelled)
        reason = f"The language model counts {hops} {'hop' if hops == 1 else 'hops'}{f': {why}' if why else '.'}"
        return Complexity(hops >= MULTI_HOP, reason, {"hops": float(hops)}, usage)


def read_hops(value: object) -> tuple[int, str]:
    """Hops and reason of a reply.

    Raises:
        ValueError: there are none in the form asked for.
    """
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    hops = value.get("hops")
    if not isinstance(hops, int) or isinstance(hops, bool) or not 1 <= hops <= MOST_HOPS:
        raise ValueError(f'"hops" must be a whole number from 1 to {MOST_HOPS}')
    return hops, " ".join(str(value.get("reason") or "").split())[:300]


def build_model(checkpoint: OpenCheckpoint) -> HopClassifier:
    """The classifier of a checkpoint's settings, initialised."""
    assert isinstance(checkpoint.config, RouterConfig), "a checkpoint is read for its own method"
    return make_classifier(checkpoint.config, checkpoint.manifest.text_features)
