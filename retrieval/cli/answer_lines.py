"""Answers as lines: one for each answer, or the rows of a table."""

from __future__ import annotations

from retrieval.answering.error_limit import NOT_SURE_ENOUGH
from retrieval.cli.console import print_note, print_result
from retrieval.events import AnswerFinal
from retrieval.results import AnswerTable

#: Answers and rows that are printed.
ANSWERS_SHOWN = 50


def show_final(final: AnswerFinal, text: str) -> None:
    """The end of a run: answers or why there are none, and what is to be known of them."""
    for warning in final.warnings:
        print_note(f"warning: {warning}")
    if final.no_answer is not None:
        print_result(f"no answer ({final.no_answer.reason}): {final.no_answer.message} {final.no_answer.hint}".rstrip())
        if final.no_answer.near:
            print_note(f"Did you mean {', '.join(final.no_answer.near)}?")
    for span in final.unused:
        print_note(f"not used: {text[span.start : span.end]}")
    if final.limit is not None and final.limit.withheld:
        print_note(NOT_SURE_ENOUGH.format(n=final.limit.at_most_wrong))
    if final.text or final.sentence:
        print_note(final.text or final.sentence or "")
    _show_answers(final)


def _show_answers(final: AnswerFinal) -> None:
    if final.table is not None:
        _show_table(final.table, final.took_ms)
        return
    for answer in final.answers[:ANSWERS_SHOWN]:
        badge = "a guess" if answer.guess else "facts in graph" if answer.verified else "not in graph"
        extra = "".join(f"\t{value.name}: {value.value}" for value in answer.beside)
        print_result(f"{answer.label}\t{answer.score:.3f}\t{badge}{extra}")
    if len(final.answers) > ANSWERS_SHOWN:
        print_note(f"... and {len(final.answers) - ANSWERS_SHOWN:,} more answers; --events lists all")
    print_note(f"{len(final.answers):,} answers in {final.took_ms:.0f} ms")


def _show_table(table: AnswerTable, took_ms: float) -> None:
    """The first rows, with tabs between their cells; the heads of the columns have their units."""
    print_result("\t".join(f"{head.label} ({head.unit})" if head.unit else head.label for head in table.columns))
    for row in table.rows[:ANSWERS_SHOWN]:
        print_result("\t".join(cell.text for cell in row))
    if table.total > ANSWERS_SHOWN:
        print_note(f"... and {table.total - ANSWERS_SHOWN:,} more rows; --events lists the first {len(table.rows):,}")
    print_note(f"{table.total:,} rows in {took_ms:.0f} ms")
