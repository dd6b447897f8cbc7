"""What a benchmark returns: one section of docs/benchmarks.md."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Section:
    """A table of rows (figure, measured, goal) under a title, with the command that made it."""

    title: str
    command: str
    about: str = ""
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, figure: str, measured: str, goal: str = "") -> None:
        self.rows.append((figure, measured, goal))

    def markdown(self) -> str:
        lines = [f"## {self.title}", ""]
        if self.about:
            lines += [self.about, ""]
        lines += [f"`{self.command}`", "", "| figure | measured | goal |", "|---|---|---|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join(lines) + "\n"


def quantile(values: list[float], share: float) -> float:
    """Nearest-rank quantile, ``share`` in (0, 1]."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, round(share * len(ordered) + 0.5) - 1))]
