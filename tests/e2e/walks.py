"""A walk: one browser test of several steps, each of which goes on where the one before stopped."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest


def walk(*steps: Callable[..., None]) -> Callable[[pytest.FixtureRequest], None]:
    """A test that takes the steps in order; each gets the fixtures that its parameters name."""

    def test(request: pytest.FixtureRequest) -> None:
        for step in steps:
            given: dict[str, Any] = {name: request.getfixturevalue(name) for name in inspect.signature(step).parameters}
            step(**given)

    return test
