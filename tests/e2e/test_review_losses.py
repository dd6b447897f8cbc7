"""No judgement is lost by reloads, a lost network, two tabs or a graph that is deleted and restored."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.e2e.review_walk import DISTURBANCES, Material, ReviewWalk, make_analyst
from tests.support.clew import Clew
from tests.support.tcp_proxy import TcpProxy

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def judging(clew: Clew, network: TcpProxy, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Any:
    make_analyst(clew)
    walk = ReviewWalk.begin(Material.make(clew, tmp_path_factory.mktemp("losses")), network, browser, seed=7)
    yield walk
    walk.close()


@pytest.mark.parametrize("disturbance", sorted(DISTURBANCES))
def test_a_judgement_survives(judging: ReviewWalk, disturbance: str) -> None:
    made = len(judging.made)
    judging.step(disturbance)
    assert (judging.lost, len(judging.made)) == ([], made + 1)
