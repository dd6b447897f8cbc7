"""Events over a sample of an endpoint's graph, told with the numbers of its entities and the times of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from retrieval.events import AnswerFinal, Event, PathRetrieved
from retrieval.types import Node


def collect_node_ids(value: Any, nodes: set[int]) -> None:
    """Add the ids of all nodes in an event, or part of one."""
    if isinstance(value, Node):
        nodes.add(value.id)
    elif isinstance(value, tuple):
        for item in value:
            collect_node_ids(item, nodes)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            collect_node_ids(getattr(value, each.name), nodes)


def replace_node_ids(value: Any, numbers: Mapping[int, int]) -> Any:
    """An event, or part of one, with other ids of its nodes."""
    if isinstance(value, Node):
        return replace(value, id=numbers[value.id])
    if isinstance(value, tuple):
        return tuple(replace_node_ids(item, numbers) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{each.name: replace_node_ids(getattr(value, each.name), numbers) for each in fields(value)}
        )
    return value


def apply_time_shift(event: Event, shift: float, warnings: tuple[str, ...]) -> Event:
    """The event with its times counted from the run's beginning, and the end with what there is to know of it."""
    if isinstance(event, PathRetrieved):
        return replace(event, at_ms=round(event.at_ms + shift, 2))
    if isinstance(event, AnswerFinal):
        all_warnings = (*warnings, *event.warnings)
        return replace(event, took_ms=round(event.took_ms + shift, 2), warnings=all_warnings)
    return event
