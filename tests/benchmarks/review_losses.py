"""An analyst judges by script for as long as is asked, under reloads, lost network, two tabs and deleted graphs.

``python -m tests.benchmarks.review_losses --minutes 60 --seed 1`` prints how many judgements were made and lost.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.e2e.review_walk import DISTURBANCES, PATIENCE_S, Material, ReviewWalk, make_analyst
from tests.support.clew import Clew
from tests.support.tcp_proxy import TcpProxy

ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def judge(minutes: float, seed: int, only: str = "") -> int:
    """Judge for so long, with one kind of disturbance or all; how many judgements were lost."""
    chromium = os.environ.get("CHROMIUM")
    if not chromium:
        raise SystemExit("Set CHROMIUM to the path of a Chromium.")
    expect.set_options(timeout=PATIENCE_S * 1000)
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as folder,
        Clew(Path(home), options=("--no-demo",), start_timeout=600) as clew,
        TcpProxy(clew.port) as network,
        sync_playwright() as playwright,
    ):
        clew.wait_for_workers(600)
        make_analyst(clew)
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        walk = ReviewWalk.begin(Material.make(clew, Path(folder)), network, browser, seed)
        order, drawn = random.Random(seed), Counter[str]()
        ends = time.monotonic() + minutes * 60
        while time.monotonic() < ends:
            name = only or order.choice(sorted(DISTURBANCES))
            drawn[name] += 1
            known = len(walk.lost)
            walk.step(name)
            print(f"{len(walk.made)} made, {len(walk.lost)} lost; {name}", flush=True)
            for _, entry, why in walk.lost[known:]:
                print(f"LOST by {name}: {entry}, {why}", flush=True)
        browser.close()
    print(f"seed {seed}, {minutes:g} minutes: {len(walk.made)} judgements made, {len(walk.lost)} lost; {dict(drawn)}")
    return len(walk.lost)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.review_losses", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(DISTURBANCES), default="", help="one kind of disturbance [all]")
    args = parser.parse_args()
    raise SystemExit(1 if judge(args.minutes, args.seed, args.only) else 0)


if __name__ == "__main__":
    main()
