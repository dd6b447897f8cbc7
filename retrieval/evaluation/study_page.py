"""The page of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.evaluation.pages import Block, Heading, PageTable, Text
from retrieval.evaluation.report_page import GROUPS
from retrieval.metrics.names import METRICS, NAMES, format_number
from retrieval.metrics.significance import TEST
from retrieval.studies.summary import GAINS
from retrieval.studies.tables import describe


def build_blocks(summary: Mapping[str, Any], about: str, *, split: str = "test") -> list[Block]:
    """The page of a study; ``split`` is of the questions that were asked."""
    rows = summary["rows"]
    names = [name for name in METRICS if any(name in row["metrics"] for row in rows)]
    page: list[Block] = [
        Text(about),
        Text(describe(rows, split=split)),
        Text(
            "A cross-dataset row was trained on one graph and tested on another; rows of different test sets are not "
            "to be compared."
        ),
        Heading("Results"),
        PageTable(
            ("trained on", "share", "variant", "tested on", "questions", "seeds", *(NAMES[n] for n in names)),
            [(*_format_row(row), *(_format_spread(row["metrics"].get(n), n) for n in names)) for row in rows],
        ),
        *_build_winner_blocks(summary.get("winners", ())),
        Heading("Intervals over the questions"),
        Text("95%, by bootstrap, of the first seed."),
        PageTable(
            ("trained on", "share", "variant", "tested on", *(NAMES[n] for n in GAINS)),
            [(*_format_row(row)[:4], *(_format_interval(row["intervals"].get(n)) for n in GAINS)) for row in rows],
        ),
        Heading("Cost"),
        PageTable(
            (
                "trained on",
                "share",
                "variant",
                "tested on",
                "training",
                "a question p50",
                "retrieval alone p50",
            ),
            [
                (
                    *_format_row(row)[:4],
                    f"{row['training_s']['mean']:.0f} s{' (in parts)' if row['resumed'] else ''}",
                    f"{row['latency_ms']['mean']:.1f} ms",
                    f"{row['retrieval_ms']['mean']:.1f} ms",
                )
                for row in rows
            ],
        ),
    ]
    if summary["gains"]:
        page += [
            Heading(f"Relative gain over {summary['gains'][0]['baseline']}"),
            PageTable(
                ("trained on", "share", "variant", "tested on", *(NAMES[n] for n in GAINS)),
                [
                    (
                        gain["train"], f"{gain['fraction']:.0%}", gain["variant"], gain["test"],
                        *(_format_percent(gain["metrics"].get(n)) for n in GAINS),
                    )
                    for gain in summary["gains"]
                ],
            ),
        ]  # fmt: skip
    for by, title in GROUPS.items():
        lines = [
            (
                *_format_row(row)[:4],
                group,
                f"{figures['n']:,}",
                *(format_number(figures.get(n), n) for n in GAINS),
            )
            for row in rows
            for group, figures in row["groups"].get(by, {}).items()
        ]
        if lines:
            head = ("trained on", "share", "variant", "tested on", "group", "questions")
            page += [Heading(title), PageTable((*head, *(NAMES[n] for n in GAINS)), lines)]
    versions = sorted({version for row in rows for version in row["code_versions"]})
    if len(versions) > 1:
        page.append(Text(f"Cells were made by {len(versions)} versions of the code: {', '.join(versions)}."))
    return page


def _build_winner_blocks(winners: Sequence[Mapping[str, Any]]) -> list[Block]:
    """The best mean of each test set and metric against the runner-up."""
    if not winners:
        return []
    return [
        Heading("Best and runner-up"),
        Text(f"Question by question; significant: {TEST}."),
        PageTable(
            ("tested on", "metric", "best", "runner-up", "questions", "difference", "p", "significant"),
            [
                (
                    winner["test"], NAMES[winner["metric"]], _format_variant(winner),
                    _format_variant(winner["runner_up"]),
                    f"{winner['questions']:,}",
                    f"{winner['difference']:+.3f}", f"{winner['p']:.4f}", "yes" if winner["significant"] else "no",
                )
                for winner in winners
            ],
        ),
    ]  # fmt: skip


def _format_variant(place: Mapping[str, Any]) -> str:
    return f"{place['variant']} ({place['train']}, {place['fraction']:.0%})"


def _format_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    test = f"{row['test']} (another graph)" if row["cross_dataset"] else row["test"]
    return (
        row["train"],
        f"{row['fraction']:.0%}",
        row["variant"],
        test,
        f"{row['n']:,}",
        str(len(row["seeds"])),
    )


def _format_spread(spread: Mapping[str, Any] | None, name: str) -> str:
    if spread is None:
        return "–"
    deviation = "" if spread["sd"] is None else f" ± {format_number(spread['sd'], name)}"
    return format_number(spread["mean"], name) + deviation


def _format_percent(spread: Mapping[str, Any] | None) -> str:
    if spread is None:
        return "–"
    deviation = "" if spread["sd"] is None else f" ± {spread['sd']:.1%}"
    return f"{spread['mean']:+.1%}{deviation}"


def _format_interval(bounds: Sequence[float] | None) -> str:
    return "–" if bounds is None else f"{format_number(bounds[0])} to {format_number(bounds[1])}"
