"""What is read must not depend on how busy the machine is."""

import pytest

from retrieval.programs.grammar import chart


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(chart, "_PATIENCE", 60.0)
