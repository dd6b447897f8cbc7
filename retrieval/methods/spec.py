"""What is known of a method without loading it. Plain Python: the web process and the command line read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from retrieval.config import InferenceOptions, TrainingConfig, UntrainedOptions
from retrieval.plugins import import_part


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSpec:
    """A method: what people read about it, what it needs, its settings, and where its parts are.

    Parts are named ``"module:function"`` and imported by :meth:`load_part` when they are needed.

    Attributes:
        name: what it is called, the same everywhere.
        label: a short name for people who are not researchers.
        description: one line for the same people.
        answerer: opens what answers (``Opening`` -> ``Answerer``).
        config: its training's settings; None when it is not trained.
        presets: named settings that others are given on top of: ``{"preset": "paper", "hidden": 256}``. ``paper`` is
            the form that the method's paper describes, where it differs from the defaults (docs/adr/0002).
        asking: likewise of its settings for asking: ``--set preset=paper``.
        retriever: opens a checkpoint (``Opened`` -> ``Retriever``); None when it retrieves nothing itself.
        task: what a training optimises (see ``training.recipe.Recipe``).
        train: trains it whole by itself, in place of ``task``.
        model: the network that a checkpoint's weights are of, initialised (``OpenCheckpoint`` -> ``nn.Module``).
        needs: what a graph must hold, or the installation have: ``facts``, ``passages``, ``llm``.
        standalone: it stands for itself without any training; others are asked zero-shot until they are trained.
        model_alone: it asks a language model and looks at nothing.
        steerable: a person may pause it and choose its steps.
        routes: it asks the graph by another method, with the same reasoner.
        on_endpoints: it can be asked of a graph in an endpoint, zero-shot: it needs no index of names and texts.
        learns_plans: questions that have relation paths and no topic may be learned from too.
    """

    name: str
    label: str
    description: str
    answerer: str
    config: type[TrainingConfig] | None = None
    options: type[InferenceOptions] = InferenceOptions
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    asking: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    retriever: str | None = None
    task: str | None = None
    train: str | None = None
    model: str | None = None
    needs: tuple[str, ...] = ("facts",)
    standalone: bool = False
    model_alone: bool = False
    steerable: bool = False
    routes: bool = False
    on_endpoints: bool = False
    learns_plans: bool = False

    @property
    def trained(self) -> bool:
        """It learns from questions."""
        return self.config is not None

    @property
    def runs_programs(self) -> bool:
        """It runs a program that a person wrote or edited; others take no notice of it."""
        return self.retriever is not None

    @property
    def untrained_options(self) -> type[InferenceOptions]:
        """Its settings for asking without a checkpoint: those of the zero-shot retriever."""
        return UntrainedOptions if self.retriever is not None and not self.steerable else self.options

    @property
    def takes_written_programs(self) -> bool:
        """A language model may write its programs: the reasoner ``llm-program``."""
        return self.routes or (self.runs_programs and not self.steerable)

    @property
    def worded(self) -> bool:
        """Its answers are words, not only entities."""
        return self.standalone or self.model_alone

    def load_part(self, name: str) -> Any:
        """The function that ``answerer``, ``retriever``, ``task``, ``train`` or ``model`` names.

        Raises:
            ConfigError: it cannot be imported.
        """
        return import_part(getattr(self, name), f"The part `{name}` of the method {self.name}")
