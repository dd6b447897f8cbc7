"""What a benchmark returns: one section of docs/benchmarks.md."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Section:
    """A table under a title, with the command that made it; its columns are figure, measured, goal or ``head``."""

    title: str
    command: str
    about: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    head: tuple[str, ...] = ("figure", "measured", "goal")

    def add(self, *cells: str) -> None:
        """One row; cells that are left out are empty."""
        self.rows.append((*cells, *[""] * (len(self.head) - len(cells))))

    def markdown(self) -> str:
        lines = [f"## {self.title}", ""]
        if self.about:
            lines += [self.about, ""]
        lines += [f"`{self.command}`", "", f"| {' | '.join(self.head)} |", "|---" * len(self.head) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join(lines) + "\n"
