"""``evaluate``, ``report``, ``compare`` and ``study``."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from retrieval import environment
from retrieval.cli.asking import open_answerer
from retrieval.cli.console import Bars, print_note, print_result, watch_interrupts
from retrieval.cli.limits import load_guarantee
from retrieval.cli.options import Answering, Encoding, QuestionOptions
from retrieval.cli.questions import filter_split, read
from retrieval.errors import ConfigError
from retrieval.kg import snapshot as snapshots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.answering.pipeline import Answerer
    from retrieval.supervision.distribution_shift import TrainingCoverage
    from retrieval.types import QuestionRecord


Pages = Annotated[tuple[Path, ...], Parameter(consume_multiple=True)]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Measuring:
    """What is measured, and against what.

    Attributes:
        limit: at most so many questions, drawn by --seed.
        topics: topic entities: the questions' own, or linked.
        subgraphs: questions that bring triples are asked on those alone (own), or on the whole graph.
        answers: ask all questions, or those of which some answer is in the graph, as sets ending in -sub do.
        at_once: questions that are read together, 1 to 64, which takes less time; each one's times hold its share.
        labels: relation paths of the questions, to tell how new they are.
        train_questions: what was seen in training, if not the checkpoint's.
        train_labels: relation paths of those.
    """

    limit: int | None = None
    topics: Literal["given", "linked"] = "given"
    subgraphs: Literal["own", "whole"] = "own"
    answers: Literal["all", "in-graph"] = "all"
    at_once: Annotated[int, Parameter(validator=Number(gte=1, lte=64))] = 1
    labels: Path | None = None
    train_questions: Path | None = None
    train_labels: Path | None = None


def evaluate(
    *,
    graph: Annotated[Path, Parameter(name=("--graph", "--corpus"))],
    question_options: QuestionOptions,
    out: Path,
    answering: Answering = Answering(),
    measuring: Measuring = Measuring(),
    markdown: Path | None = None,
    html: Path | None = None,
    encoding: Encoding = Encoding(),
) -> int:
    """Ask every question and write the report; run again with the same ``--out`` to go on after a stop.

    Args:
        graph: the graph's directory.
        out: report.json.
        markdown: write a readable page too.
        html: write a readable page too.
    """
    from retrieval.evaluation.coverage import filter_answerable  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.evaluator import evaluate_answerer, sample  # noqa: PLC0415
    from retrieval.evaluation.outcomes import Journal  # noqa: PLC0415
    from retrieval.evaluation.report import write_report  # noqa: PLC0415
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415

    snapshot = snapshots.open(graph)
    asked_for = filter_split(read(question_options.questions), question_options.split)
    if measuring.answers == "in-graph":
        asked_for = filter_answerable(snapshot, asked_for, subgraphs=measuring.subgraphs)
    chosen = sample(asked_for, measuring.limit, answering.seed)
    labels = read_labels(measuring.labels) if measuring.labels else []
    seen = _load_seen(measuring.train_questions, measuring.train_labels)
    answerer = open_answerer(answering, encoding, snapshot, graph)
    guarantee = load_guarantee(answering, answerer)
    key = _compute_key(answering, measuring, answerer, chosen)
    journal = Journal(out.with_name(f".{out.name}.asked"), key, chosen)
    if journal.done:
        print_note(f"going on: {len(journal.done):,} of {len(chosen):,} questions were asked before")
    with watch_interrupts() as stop, Bars() as bars:
        outcome = evaluate_answerer(
            answerer, chosen,
            budget=answering.budget, seed=answering.seed, topics=measuring.topics, subgraphs=measuring.subgraphs,
            at_once=measuring.at_once, done=journal.done, keep=journal.add, progress=bars, cancelled=stop.is_set,
        )  # fmt: skip
    report = write_report(
        out, outcome,
        checkpoint=answering.checkpoint, split=question_options.split, limit=measuring.limit, seen=seen, labels=labels,
        asks_foreign=answering.foreign == "ask", guarantee=guarantee,
    )  # fmt: skip
    journal.remove()
    _write_pages(report, [page for page in (markdown, html) if page])
    _print_report(report, out)
    return 0


def render(report: Path, /, *, out: Pages) -> int:
    """Write the readable page of a report, or its figures as CSV.

    Args:
        report: report.json.
        out: one or more files that end in .md, .html or .csv.
    """
    from retrieval.evaluation.report import read_report  # noqa: PLC0415 - imports torch

    _write_pages(read_report(report), out)
    return 0


def compare(reports: tuple[Path, ...], /, *, out: Path | None = None) -> int:
    """Compare reports of the same questions; print the page, or write it.

    Args:
        reports: report.json of each.
        out: ends in .md, .html or .json; printed when left out.
    """
    from retrieval.evaluation import compare as comparing  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.pages import render, render_markdown  # noqa: PLC0415
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415

    names = get_short_names(reports)
    if len(set(names)) < len(names):
        raise ConfigError("The same report is named twice.", hint="Give different reports.")
    comparison = comparing.compare({name: read_report(path) for name, path in zip(names, reports, strict=True)})
    title, blocks = f"Comparison of {', '.join(names)}", comparing.build_blocks(comparison)
    if out is None:
        print_result(render_markdown(title, blocks).rstrip())
    elif out.suffix == ".json":
        write_text(out, json.dumps(comparison, ensure_ascii=False, indent=1) + "\n")
    else:
        write_text(out, render(out, title, blocks))
    return 0


def faithfulness(report: Path, /, *, out: Path, replies: Path | None = None) -> int:
    """Ask the configured language model of a report's right answers; replies are kept and not paid for twice.

    Args:
        report: report.json.
        out: faithfulness.json.
        replies: where replies are kept (default: replies, beside --out).
    """
    from retrieval.evaluation.faithfulness import measure  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    settings = environment.read_llm_settings()
    if settings is None:
        raise ConfigError(
            "Faithfulness is asked of a language model, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL.",
        )
    asker = Asker(settings, ReplyStore(replies or out.with_name("replies")))
    with watch_interrupts() as stop:
        result = measure(read_report(report), asker, cancelled=stop.is_set)
    write_text(out, json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    score = result["hallucination_score"]
    print_result("hallucination_score\t" + ("-" if score is None else f"{score:.4f}"))
    print_note(f"{out}: {result['asked']:,} asked, {result['unsaid']:,} replies do not say")
    return 0


def answers(
    report: Path,
    /,
    *,
    out: Path,
    judge: bool = False,
    verify: bool = False,
    sufficiency: bool = False,
    replies: Path | None = None,
) -> int:
    """Exact match and token F1 of a report's answers, and what a language model says of them.

    Args:
        report: report.json.
        out: answers.json.
        judge: ask the configured language model whether what was answered is right.
        verify: have it say which given answers mean which right ones, for Hit and Macro-F1 (RAPL App. H).
        sufficiency: ask it whether what was read states the right answers, or, of questions without any, the question
            itself, as MINE's facts are (INSES, Table 14).
        replies: where replies are kept (default: replies, beside --out).
    """
    from retrieval.evaluation.answers import measure  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.answers import verify as verified  # noqa: PLC0415
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415
    from retrieval.evaluation.sufficiency import measure as enough  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    asker = None
    if judge or verify or sufficiency:
        settings = environment.read_llm_settings()
        if settings is None:
            raise ConfigError(
                "The judge is a language model, and none is configured.",
                hint="Set LLM_BASE_URL and LLM_MODEL, or leave --judge, --verify and --sufficiency out.",
            )
        asker = Asker(settings, ReplyStore(replies or out.with_name("replies")))
    report_data = read_report(report)
    with watch_interrupts() as stop:
        facts = sufficiency and not any(row["answers"] for row in report_data["per_question"])
        result = {} if facts else measure(report_data, asker if judge else None, cancelled=stop.is_set)
        if verify and asker is not None:
            result["verified"] = verified(report_data, asker, cancelled=stop.is_set)
        if sufficiency and asker is not None:
            result["sufficiency"] = enough(report_data, asker, cancelled=stop.is_set)
    write_text(out, json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    _print_answers(result, out)
    return 0


def _print_answers(result: dict[str, Any], out: Path) -> None:
    for name in ("exact_match", "token_f1", "llm_judge"):
        if result.get(name) is not None:
            print_result(f"{name}\t{result[name]:.4f}")
    if "n" in result:
        print_note(f"{out}: {result['n']:,} questions, {result['unsaid']:,} judgements do not say")
    if "sufficiency" in result:
        enough = result["sufficiency"]
        share = enough["sufficient"]
        print_result("sufficient\t" + ("-" if share is None else f"{share:.4f}"))
        print_note(f"{enough['asked']:,} of {enough['n']:,} asked, {enough['unsaid']:,} replies do not say")
    if "verified" in result:
        checked = result["verified"]
        for name in ("hit", "macro_f1"):
            print_result(f"verified_{name}\t{checked[name]:.4f}")
        print_note(
            f"{checked['asked']:,} questions were verified, {checked['unsaid']:,} replies do not say; by names alone "
            f"{checked['by_names']['hit']:.4f} and {checked['by_names']['macro_f1']:.4f}"
        )


def get_short_names(paths: Sequence[Path]) -> list[str]:
    """What tells files apart: their paths without the folders, and the name, that all of them share."""
    parts = [path.resolve().with_suffix("").parts for path in paths]
    least = min(len(segments) for segments in parts) - 1
    ahead = next((i for i in range(least) if len({segments[i] for segments in parts}) > 1), least)
    least -= ahead
    behind = next((i for i in range(least) if len({segments[-1 - i] for segments in parts}) > 1), least)
    return ["/".join(segments[ahead : len(segments) - behind]) for segments in parts]


def _load_seen(train_questions: Path | None, train_labels: Path | None) -> TrainingCoverage | None:
    """What was seen in training, where the caller says so; else the checkpoint knows.

    Raises:
        ConfigError: labels without the questions they belong to.
    """
    from retrieval.supervision.distribution_shift import TrainingCoverage  # noqa: PLC0415
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415

    if train_questions is None:
        if train_labels is not None:
            raise ConfigError(
                "--train-labels says which paths were seen, and --train-questions is missing.",
                hint="Give the training questions too.",
            )
        return None
    questions = read(train_questions)
    if any(question.split for question in questions):
        questions = filter_split(questions, "train")
    return TrainingCoverage.from_questions(questions, read_labels(train_labels) if train_labels else [])


def _compute_key(
    answering: Answering, measuring: Measuring, answerer: Answerer, questions: Sequence[QuestionRecord]
) -> str:
    """Names everything that the outcomes depend on, so that only the same evaluation is gone on with."""
    from retrieval.config import export_settings  # noqa: PLC0415
    from retrieval.evaluation.outcomes import compute_fingerprint  # noqa: PLC0415
    from retrieval.version import get_code_version  # noqa: PLC0415

    parts = [
        answerer.snapshot.hash, answerer.checkpoint, str(answerer.method), answerer.encoder,
        answerer.reasoner.name, answerer.reasoner.llm, answerer.prompts, export_settings(answerer.options),
        answering.budget, answering.seed, measuring.topics, measuring.subgraphs,
        compute_fingerprint(questions), get_code_version(), answering.foreign,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _write_pages(report: dict[str, Any], pages: Sequence[Path]) -> None:
    from retrieval.evaluation import report_page  # noqa: PLC0415
    from retrieval.evaluation.pages import render  # noqa: PLC0415
    from retrieval.evaluation.report import write_text  # noqa: PLC0415
    from retrieval.metrics.figures import render_csv  # noqa: PLC0415

    for page in pages:
        if page.suffix.lower() == ".csv":
            text = render_csv(report["n"], report["metrics"], report["breakdowns"])
        else:
            text = render(page, report_page.build_title(report), report_page.build_blocks(report))
        write_text(page, text)
        print_note(f"wrote {page}")


def _print_report(report: dict[str, Any], out: Path) -> None:
    if report["manifest"]["cross_dataset"]:
        print_note("The checkpoint was trained on another graph: this is a cross-dataset result.")
    for name, value in report["metrics"].items():
        if value is not None:
            bounds = report["intervals"].get(name)
            print_result(f"{name}\t{value:.4f}" + (f"\t{bounds[0]:.4f}\t{bounds[1]:.4f}" if bounds else ""))
    if report["guarantee"]:
        measured = report["guarantee"]["measured"]
        print_result(
            f"guarantee\t{measured['held']}\t{measured['wrong']} wrong of {measured['answered']}"
            f"\t{measured['low']:.4f}\t{measured['high']:.4f}"
        )
    latency, alone = report["latency_ms"], report["retrieval_ms"]
    print_note(
        f"{out}: {report['n']:,} questions, p50 {latency['p50']:.0f} ms, p95 {latency['p95']:.0f} ms; "
        f"retrieval alone {alone['p50']:.0f} and {alone['p95']:.0f} ms"
    )
    lacking, subgraphs = report["coverage"], report["own_subgraphs"]
    for count, of, what in (
        (lacking["topics_missing"], lacking["with_topics"], "name a topic entity that the graph lacks"),
        (lacking["answers_missing"], lacking["with_answers"], "have an answer that the graph lacks"),
    ):
        if count:
            print_note(f"{count:,} of {of:,} questions {what}")
    if subgraphs["questions"]:
        lost = sum(subgraphs["unknown_triples"].values())
        print_note(
            f"{subgraphs['questions']:,} questions were asked on their own subgraphs; the graph lacks {lost:,} triples"
        )
