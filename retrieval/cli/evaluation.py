"""``evaluate``, ``report``, ``compare`` and ``study``."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.cli.asking import engine_for
from retrieval.cli.console import Bars, note, say, stoppable
from retrieval.cli.questions import of_split, read
from retrieval.errors import ConfigError
from retrieval.kg import snapshot as snapshots
from retrieval.llm.settings import LLMSettings
from retrieval.loading import load_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.pipeline import Engine
    from retrieval.supervision.shift import Seen
    from retrieval.types import Question


def evaluate(args: argparse.Namespace) -> int:
    """Ask every question and write the report; run again with the same ``--out`` to go on after a stop."""
    from retrieval.evaluation.evaluator import evaluate_engine, sample  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.outcomes import Journal  # noqa: PLC0415
    from retrieval.evaluation.report import write_report  # noqa: PLC0415
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415

    graph = snapshots.open(args.graph)
    chosen = sample(of_split(read(args.questions), args.split), args.limit, args.seed)
    labels = read_labels(args.labels) if args.labels else []
    seen = _seen(args)
    engine = engine_for(args, graph)
    journal = Journal(args.out.with_name(f".{args.out.name}.asked"), _key(args, engine, chosen), chosen)
    if journal.done:
        note(f"going on: {len(journal.done):,} of {len(chosen):,} questions were asked before")
    with stoppable() as stop, Bars() as bars:
        outcome = evaluate_engine(
            engine, chosen,
            budget=args.budget, seed=args.seed, topics=args.topics, subgraphs=args.subgraphs,
            done=journal.done, keep=journal.add, progress=bars, cancelled=stop.is_set,
        )  # fmt: skip
    report = write_report(
        args.out, outcome,
        checkpoint=args.checkpoint, split=args.split, limit=args.limit, seen=seen, labels=labels,
    )  # fmt: skip
    journal.remove()
    _write_pages(report, [page for page in (args.markdown, args.html) if page])
    _say(report, args.out)
    return 0


def render(args: argparse.Namespace) -> int:
    """Write the readable page of a report."""
    from retrieval.evaluation.report import read_report  # noqa: PLC0415 - imports torch

    _write_pages(read_report(args.report), args.out)
    return 0


def compare(args: argparse.Namespace) -> int:
    """Compare reports of the same questions; print the page, or write it."""
    from retrieval.evaluation import compare as comparing  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.pages import markdown, render  # noqa: PLC0415
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415

    names = short_names(args.reports)
    if len(set(names)) < len(names):
        raise ConfigError("The same report is named twice.", hint="Give different reports.")
    reports = {name: read_report(path) for name, path in zip(names, args.reports, strict=True)}
    comparison = comparing.compare(reports)
    title, blocks = f"Comparison of {', '.join(names)}", comparing.blocks(comparison)
    if args.out is None:
        say(markdown(title, blocks).rstrip())
    elif args.out.suffix == ".json":
        write_text(args.out, json.dumps(comparison, ensure_ascii=False, indent=1) + "\n")
    else:
        write_text(args.out, render(args.out, title, blocks))
    return 0


def faithfulness(args: argparse.Namespace) -> int:
    """Ask the configured language model of a report's right answers; replies are kept and not paid for twice."""
    from retrieval.evaluation.faithfulness import measure  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    settings = LLMSettings.from_mapping(os.environ)
    if settings is None:
        raise ConfigError(
            "Faithfulness is asked of a language model, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL.",
        )
    asker = Asker(settings, ReplyStore(args.replies or args.out.with_name("replies")))
    with stoppable() as stop:
        found = measure(read_report(args.report), asker, cancelled=stop.is_set)
    write_text(args.out, json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    score = found["hallucination_score"]
    say("hallucination_score\t" + ("-" if score is None else f"{score:.4f}"))
    note(f"{args.out}: {found['asked']:,} asked, {found['unsaid']:,} replies do not say")
    return 0


def answers(args: argparse.Namespace) -> int:
    """Exact match and token F1 of a report's answers, and with --judge what the language model says of them."""
    from retrieval.evaluation.answers import measure  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    asker = None
    if args.judge:
        settings = LLMSettings.from_mapping(os.environ)
        if settings is None:
            raise ConfigError(
                "The judge is a language model, and none is configured.",
                hint="Set LLM_BASE_URL and LLM_MODEL, or leave --judge out.",
            )
        asker = Asker(settings, ReplyStore(args.replies or args.out.with_name("replies")))
    with stoppable() as stop:
        found = measure(read_report(args.report), asker, cancelled=stop.is_set)
    write_text(args.out, json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    for name in ("exact_match", "token_f1", "llm_judge"):
        if found[name] is not None:
            say(f"{name}\t{found[name]:.4f}")
    note(f"{args.out}: {found['n']:,} questions, {found['unsaid']:,} judgements do not say")
    return 0


def short_names(paths: Sequence[Path]) -> list[str]:
    """What tells files apart: their paths without the folders, and the name, that all of them share."""
    parts = [path.resolve().with_suffix("").parts for path in paths]
    least = min(len(own) for own in parts) - 1
    ahead = next((i for i in range(least) if len({own[i] for own in parts}) > 1), least)
    least -= ahead
    behind = next((i for i in range(least) if len({own[-1 - i] for own in parts}) > 1), least)
    return ["/".join(own[ahead : len(own) - behind]) for own in parts]


def _seen(args: argparse.Namespace) -> Seen | None:
    """What was seen in training, where the caller says so; else the checkpoint knows.

    Raises:
        ConfigError: labels without the questions they belong to.
    """
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415
    from retrieval.supervision.shift import Seen  # noqa: PLC0415

    if args.train_questions is None:
        if args.train_labels is not None:
            raise ConfigError(
                "--train-labels says which paths were seen, and --train-questions is missing.",
                hint="Give the training questions too.",
            )
        return None
    questions = read(args.train_questions)
    if any(question.split for question in questions):
        questions = of_split(questions, "train")
    return Seen.of(questions, read_labels(args.train_labels) if args.train_labels else [])


def _key(args: argparse.Namespace, engine: Engine, questions: Sequence[Question]) -> str:
    """Names everything that the outcomes depend on, so that only the same evaluation is gone on with."""
    from retrieval.config import as_json  # noqa: PLC0415
    from retrieval.evaluation.outcomes import fingerprint  # noqa: PLC0415
    from retrieval.version import code_version  # noqa: PLC0415

    parts = [
        engine.snapshot.hash, engine.checkpoint, str(engine.method), engine.encoder,
        engine.reasoner.name, engine.reasoner.llm, engine.prompts, as_json(engine.options),
        args.budget, args.seed, args.topics, args.subgraphs, fingerprint(questions), code_version(),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _write_pages(report: dict[str, Any], pages: Sequence[Path]) -> None:
    from retrieval.evaluation import report_page  # noqa: PLC0415
    from retrieval.evaluation.pages import render  # noqa: PLC0415
    from retrieval.evaluation.report import write_text  # noqa: PLC0415

    for page in pages:
        write_text(page, render(page, report_page.title(report), report_page.blocks(report)))
        note(f"wrote {page}")


def _say(report: dict[str, Any], out: Path) -> None:
    if report["manifest"]["cross_dataset"]:
        note("The checkpoint was trained on another graph: this is a cross-dataset result.")
    for name, value in report["metrics"].items():
        if value is not None:
            bounds = report["intervals"].get(name)
            say(f"{name}\t{value:.4f}" + (f"\t{bounds[0]:.4f}\t{bounds[1]:.4f}" if bounds else ""))
    latency, alone = report["latency_ms"], report["retrieval_ms"]
    note(
        f"{out}: {report['n']:,} questions, p50 {latency['p50']:.0f} ms, p95 {latency['p95']:.0f} ms; "
        f"retrieval alone {alone['p50']:.0f} and {alone['p95']:.0f} ms"
    )
    lacking, own = report["coverage"], report["own_subgraphs"]
    for count, of, what in (
        (lacking["topics_missing"], lacking["with_topics"], "name a topic entity that the graph lacks"),
        (lacking["answers_missing"], lacking["with_answers"], "have an answer that the graph lacks"),
    ):
        if count:
            note(f"{count:,} of {of:,} questions {what}")
    if own["questions"]:
        lost = sum(own["unknown_triples"].values())
        note(
            f"{own['questions']:,} questions were asked on their own subgraphs; the graph lacks {lost:,} triples"
        )


def study(args: argparse.Namespace) -> int:
    """Train and test what a study says; cells that are finished are not done again."""
    from retrieval.evaluation import study_config, study_page  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.pages import html, markdown  # noqa: PLC0415
    from retrieval.evaluation.report import write_text  # noqa: PLC0415
    from retrieval.evaluation.study import Study, cells  # noqa: PLC0415

    config = study_config.read(args.config)
    note(f"{len(cells(config)):,} cells")
    with stoppable() as stop, Bars() as bars:
        running = Study(
            config, args.out,
            encoder=load_encoder(args.encoder, args.device), llm=LLMSettings.from_mapping(os.environ),
            say=note, progress=bars, cancelled=stop.is_set,
        )  # fmt: skip
        results = list(running.run())
    summary = study_page.summarise(results, baseline=config.baseline)
    write_text(args.out / "study.json", json.dumps(summary, ensure_ascii=False, indent=1) + "\n")
    how = f"{config.reasoner} reasoner, {config.budget} triples a question, {config.split} split."
    title, blocks = f"Study {args.config.stem}", study_page.blocks(summary, how)
    for name, form in (("study.md", markdown), ("study.html", html)):
        write_text(args.out / name, form(title, blocks))
    for row in summary["rows"]:
        figures = ", ".join(
            f"{name} {row['metrics'][name]['mean']:.3f}" for name in ("hit_at_1", "exact_set")
        )
        say(f"{row['train']} {row['fraction']:.0%} {row['variant']} -> {row['test']}: {figures}")
    note(f"wrote study.json, study.md and study.html in {args.out}")
    return 0
