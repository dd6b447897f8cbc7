"""The metrics of a report: their order, their names for people, and how a figure is written. Plain Python."""

from __future__ import annotations

NAMES = {
    "hit": "Hit",
    "hit_at_1": "Hit@1",
    "macro_f1": "Macro-F1",
    "micro_f1": "Micro-F1",
    "exact_set": "exact set",
    "answer_recall": "answer recall",
    "path_recall": "path recall",
    "passage_recall_at_2": "passage recall@2",
    "passage_recall_at_5": "passage recall@5",
    "exact_match": "exact match",
    "token_f1": "token F1",
    "row_f1": "row F1",
    "exact_table": "exact table",
    "program_exact": "right program",
    "program_answers": "answers of the gold program",
    "avg_triples": "triples",
    "coverage_at_5": "coverage at 5% error",
    "ece": "ECE",
}
#: Every metric a report has, in its order; one that does not apply is null.
METRICS = tuple(NAMES)
#: Those of which less is better.
LESS_IS_BETTER = ("ece",)


def format_number(value: float | None, name: str = "") -> str:
    """A figure with three digits; triples with one; a dash where it does not apply."""
    if value is None:
        return "–"
    return f"{value:.1f}" if name == "avg_triples" else f"{value:.3f}"
