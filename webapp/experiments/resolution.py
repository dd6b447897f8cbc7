"""What a run and a report have in common: which method, checkpoint, reasoner and budget are meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from retrieval.config import export_settings
from retrieval.errors import CheckpointError, ConfigError
from retrieval.limits import DEFAULT_BUDGET, MAX_BUDGET
from retrieval.methods import registry
from webapp.api.errors import InvalidError
from webapp.experiments import methods
from webapp.experiments.models import Checkpoint, Promotion
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint
from webapp.language_models import selectors as language_models
from webapp.language_models.selectors import LanguageModel


def get_encoder_name() -> str:
    """The text encoder of this installation, as checkpoints name it."""
    name: str = settings.CLEW.encoder
    return Path(name).resolve().name if Path(name).is_dir() else name


@dataclass(frozen=True, slots=True)
class InUse:
    """What a method uses where no checkpoint is named.

    Attributes:
        promoted_at: since when; None when it was not promoted (``find_unpromoted``).
    """

    checkpoint: int
    promoted_at: datetime | None = None


def find_fitting_checkpoints(graph: Graph) -> QuerySet[Checkpoint]:
    """The checkpoints for a graph's current snapshot, this encoder and the methods that are installed, newest first."""
    rows = Checkpoint.objects.select_related("graph", "snapshot")
    if graph.snapshot_id is None:
        return rows.none()
    fitting = {"snapshot": graph.snapshot_id, "encoder": get_encoder_name(), "method__in": registry.TRAINED}
    return rows.filter(graph=graph, **fitting)


def find_unpromoted(graph: Graph) -> QuerySet[Checkpoint]:
    """Those of them that answer without a promotion: adopted and self-trained ones."""
    return find_fitting_checkpoints(graph).filter(Q(adopted=True) | Q(self_trained=True))


def list_standing_promotions(graph: Graph) -> QuerySet[Promotion]:
    """What was promoted and not taken back, of the checkpoints that can be used now; the latest first."""
    return Promotion.objects.filter(
        graph=graph, undone_by=None, checkpoint__in=find_fitting_checkpoints(graph).order_by()
    )


def find_in_use(graph: Graph) -> dict[str, InUse]:
    """By method, the checkpoint that is used unless told otherwise: promoted, else adopted, else self-trained.

    Any other is a candidate until it is promoted.
    """
    first = find_unpromoted(graph).order_by("method", "self_trained", "created_at", "id").distinct("method")
    used = {method: InUse(pk) for method, pk in first.values_list("method", "pk")}
    promoted = list_standing_promotions(graph).order_by("method", "-id").distinct("method")
    for method, pk, promoted_at in promoted.values_list("method", "checkpoint", "at"):
        used[method] = InUse(pk, promoted_at)
    return used


def find_checkpoint_in_use(graph: Graph, *, method: str | None = None) -> Checkpoint | None:
    """The checkpoint that is used unless told otherwise: the one promoted last, else an adopted or self-trained one.

    Args:
        graph: on whose current snapshot.
        method: of which method; None looks at those of all methods.
    """
    of_method = {"method": method} if method else {}
    promoted = list_standing_promotions(graph).filter(**of_method)
    last = promoted.select_related("checkpoint__graph", "checkpoint__snapshot").first()
    if last is not None:
        return last.checkpoint
    return find_unpromoted(graph).filter(**of_method).order_by("self_trained", "created_at", "id").first()


def find_checkpoints_in_use(graph: Graph) -> dict[str, Checkpoint]:
    """By method, what :func:`find_checkpoint_in_use` gives for each, in one go."""
    used = {entry.checkpoint: method for method, entry in find_in_use(graph).items()}
    rows = Checkpoint.objects.select_related("graph", "snapshot").filter(pk__in=used)
    return {used[checkpoint.pk]: checkpoint for checkpoint in rows}


def find_router_checkpoint(graph: Graph, used: Mapping[str, Checkpoint] | None = None) -> Checkpoint | None:
    """What the router is opened with unless told otherwise.

    Its own decides between passages and facts; where there are facts alone there is nothing to decide, and the
    checkpoint of the relation paths that it asks takes the place.
    """
    facts_alone = graph.snapshot is not None and not graph.snapshot.passages
    return _find_used(graph, registry.DEFAULT if facts_alone else "router", used)


def _find_used(graph: Graph, method: str, used: Mapping[str, Checkpoint] | None) -> Checkpoint | None:
    return find_checkpoint_in_use(graph, method=method) if used is None else used.get(method)


def resolve_method_and_checkpoint(
    graph: Graph,
    method: str | None,
    checkpoint: Checkpoint | None,
    used: Mapping[str, Checkpoint] | None = None,
) -> tuple[str, Checkpoint | None]:
    """What is meant when a method, a checkpoint, both or neither are named; no checkpoint means zero-shot.

    Where neither is named, both are those of the checkpoint in use.

    Args:
        checkpoint: what was named.
        used: :func:`find_checkpoints_in_use`, where several methods are looked up.

    Raises:
        MethodError: there is no such method here, or the graph does not hold what it needs.
        CheckpointError: the checkpoint is of another graph, snapshot, method or encoder.
    """
    held = graph.snapshot
    facts, passages = (held.triples, held.passages) if held is not None else (1, 1)
    is_default = method is None and checkpoint is None
    preferred = find_checkpoint_in_use(graph) if is_default else checkpoint
    if method is None:
        method = preferred.method if preferred else methods.get_default_method(facts=facts, passages=passages)
    chosen = methods.require_available(method)
    if get_endpoint(graph) is not None:
        methods.require_on_endpoint(chosen, graph.name)
    methods.require_served(chosen, graph.name, facts=facts, passages=passages)
    if checkpoint is None and chosen == "router":
        return chosen, find_router_checkpoint(graph, used)
    if is_default:  # of its method the same checkpoint is in use
        return chosen, preferred
    if checkpoint is None:
        return chosen, _find_used(graph, chosen, used)
    require_fitting(checkpoint, graph, chosen)
    return chosen, checkpoint


def require_fitting(checkpoint: Checkpoint, graph: Graph, method: str) -> None:
    """Refuse a checkpoint that cannot be used for a method on a graph's current snapshot.

    Raises:
        CheckpointError: it is of another graph, snapshot, method or encoder; says which.
    """
    of_graph = f"Choose a checkpoint of {graph.name}, or train one."
    if checkpoint.graph_id != graph.pk:
        raise CheckpointError(
            f"Checkpoint {checkpoint.pk} was trained on the graph {checkpoint.graph.name}.", hint=of_graph
        )
    if checkpoint.snapshot_id != graph.snapshot_id:
        raise CheckpointError(
            f"Checkpoint {checkpoint.pk} was trained on version {checkpoint.snapshot.version} of {graph.name}, "
            "which is not its current one.",
            hint="Train again on the current version.",
        )
    if checkpoint.method != method and not (method == "router" and checkpoint.method in methods.ROUTED):
        raise CheckpointError(
            f"Checkpoint {checkpoint.pk} is of the method {checkpoint.method}, not {method}.",
            hint=f"Choose the method {checkpoint.method}, or a checkpoint of {method}.",
        )
    if checkpoint.encoder != get_encoder_name():
        raise CheckpointError(
            f"Checkpoint {checkpoint.pk} was trained with the encoder {checkpoint.encoder}; "
            f"this installation runs {get_encoder_name()}.",
            hint=f"Set CLEW_ENCODER={checkpoint.encoder}, or train again.",
        )


def resolve_reasoner(name: str | None, method: str) -> str:
    """The reasoner of that name; the extractive one when none is named. A language model alone is its own reasoner.

    Raises:
        InvalidError: there is none of that name.
    """
    chosen = "llm" if registry.get_method(method).model_alone else name or methods.REASONERS[0]
    if chosen not in methods.REASONERS:
        raise InvalidError(f"There is no reasoner {chosen}.", hint=f"Choose one of: {', '.join(methods.REASONERS)}.")
    if chosen == "llm-program" and not registry.get_method(method).takes_written_programs:
        raise InvalidError(
            f"{method} takes no program that a language model writes.",
            hint="Choose a method of relation paths, or another reasoner.",
        )
    return chosen


def resolve_language_model(reasoner: str, key: int | None) -> LanguageModel | None:
    """The language model that is meant, by its id or the default; None when the reasoner asks none.

    Raises:
        NotConfiguredError: none is set up.
        InvalidError: there is none of this id, or it is switched off.
    """
    return (
        language_models.resolve_model(key, "use the extractive reasoner and another method")
        if reasoner in {"llm", "llm-program"}
        else None
    )


def resolve_budget(value: int | None) -> int:
    """How many triples a run may retrieve; the default when nothing is said.

    Raises:
        InvalidError: it is out of range.
    """
    chosen: int = DEFAULT_BUDGET if value is None else value
    if not 1 <= chosen <= MAX_BUDGET:
        raise InvalidError(f"A budget of {chosen} triples cannot be used.", hint=f"Choose 1 to {MAX_BUDGET}.")
    return chosen


def resolve_options(method: str, values: Mapping[str, Any], checkpoint: Checkpoint | None) -> dict[str, Any]:
    """Those settings of asking a method that differ from its defaults, in the order in which the method declares them.

    Raises:
        ConfigError: the method has no such setting, or not of this value, or not without a checkpoint.
    """
    usual = export_settings(registry.parse_options(method))
    chosen = export_settings(registry.parse_options(method, values))
    differ = {name: value for name, value in chosen.items() if value != usual[name]}
    untrained = registry.list_untrained_options(method)
    for name in differ:
        if checkpoint is None and name not in untrained:
            raise ConfigError(
                f"{method} is not trained on this graph, and has no setting {name!r} without a checkpoint.",
                hint=f"Train it, or leave {name} out.",
            )
    return differ
