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
