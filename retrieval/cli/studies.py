"""``study`` and ``reproduce``."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import Bars, print_note, print_result, watch_interrupts
from retrieval.cli.options import Encoding
from retrieval.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def study(config: Path, /, *, out: Path, capsule: Path | None = None, encoding: Encoding = Encoding()) -> int:
    """Train and test what a study says; cells that are finished are not done again.

    Args:
        config: JSON: data, variants, train, test, fractions, seeds, ...
        out: a directory for cells, study.json, .md, .html and .tex.
        capsule: write the study as one file too, for `reproduce`.
    """
    from retrieval.evaluation import study_page  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.pages import render_html, render_markdown  # noqa: PLC0415
    from retrieval.evaluation.report import write_text  # noqa: PLC0415
    from retrieval.evaluation.study import StudyRunner  # noqa: PLC0415
    from retrieval.studies.plan import list_cells  # noqa: PLC0415
    from retrieval.studies.plan import read as read_plan  # noqa: PLC0415
    from retrieval.studies.summary import build_summary  # noqa: PLC0415
    from retrieval.studies.tables import format_latex  # noqa: PLC0415
    from retrieval.studies.winners import find_winners  # noqa: PLC0415

    planned = read_plan(config)
    print_note(f"{len(list_cells(planned)):,} cells")
    with watch_interrupts() as stop, Bars() as bars:
        running = StudyRunner(
            planned, out,
            encoder=encoding.load(), llm=environment.read_llm_settings(),
            say=print_note, progress=bars, cancelled=stop.is_set,
        )  # fmt: skip
        results = list(running.run())
    summary = build_summary(results, baseline=planned.baseline)
    summary["winners"] = find_winners(summary["rows"], running.load_values)
    write_text(out / "study.json", json.dumps(summary, ensure_ascii=False, indent=1) + "\n")
    how = f"{planned.reasoner} reasoner, {planned.budget} triples a question."
    title, blocks = f"Study {config.stem}", study_page.build_blocks(summary, how, split=planned.split)
    table = format_latex(summary["rows"], config.stem, split=planned.split, winners=summary["winners"])
    write_text(out / "study.tex", table)
    for name, form in (("study.md", render_markdown), ("study.html", render_html)):
        write_text(out / name, form(title, blocks))
    for row in summary["rows"]:
        figures = ", ".join(f"{name} {row['metrics'][name]['mean']:.3f}" for name in ("hit_at_1", "exact_set"))
        scope = f"n {row['n']:,}, seeds {', '.join(map(str, row['seeds']))}"
        print_result(f"{row['train']} {row['fraction']:.0%} {row['variant']} -> {row['test']} ({scope}): {figures}")
    print_note(f"wrote study.json, study.md, study.html and study.tex in {out}")
    if capsule is not None:
        from retrieval.evaluation.capsule import write  # noqa: PLC0415

        write(capsule, running, config.stem)
        print_note(f"wrote {capsule}")
    return 0


def reproduce(
    capsule: Path,
    /,
    *,
    graph: Annotated[tuple[str, ...], Parameter(consume_multiple=True)],
    out: Path | None = None,
    checkpoints: bool = False,
    encoding: Encoding = Encoding(),
) -> int:
    """Run a study's capsule again, on the same graphs, and print what came out otherwise.

    Args:
        capsule: the zip.
        graph: NAME=DIRECTORY for each data set; the directory alone where there is one.
        out: where cells are kept, to go on after a stop; nowhere when left out.
        checkpoints: ask the capsule's checkpoints in place of training again.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = out or Path(folder) / "again"
        rows = _run_again(capsule, Path(folder) / "capsule", home, graph, encoding, checkpoints=checkpoints)
    for row in rows:
        cell = row["cell"]
        what = f"{cell['train']} {cell['fraction']:.0%} {cell['variant']} seed {cell['seed']} -> {cell['test']}"
        if row["same"] and not row["changed"]:
            print_result(f"{what}: the same, {row['questions']:,} questions")
            continue
        print_result(f"{what}: {row['changed']:,} of {row['questions']:,} questions have other answers")
        for name, (then, now) in row["metrics"].items():
            if then != now:
                by = "" if now is None else f"\t{now - then:+.4f}"
                print_result(f"  {name}\t{then:.4f}\t{'-' if now is None else f'{now:.4f}'}{by}")
    same = sum(row["same"] for row in rows)
    print_note(f"{same:,} of {len(rows):,} cells have the same figures")
    return 0


def _run_again(
    path: Path,
    folder: Path,
    out: Path,
    graph_options: Sequence[str],
    encoding: Encoding,
    *,
    checkpoints: bool,
) -> list[dict[str, Any]]:
    """Run it, and compare."""
    from retrieval.evaluation import capsule as capsules  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.study import StudyRunner  # noqa: PLC0415
    from retrieval.version import get_code_version  # noqa: PLC0415

    capsule = capsules.unpack(path, folder)
    planned = capsule.build_plan(_parse_graphs(graph_options, capsule.data))
    if capsule.index["code_version"] != get_code_version():
        print_note(f"The capsule was made by Clew {capsule.index['code_version']}; this is {get_code_version()}.")
    capsule.take_labels(out)
    if checkpoints:
        capsule.take_checkpoints(out)
    with watch_interrupts() as stop, Bars() as bars:
        encoder = encoding.load()
        if encoder.name != capsule.index["encoder"]:
            raise ConfigError(
                f"The capsule was made with the encoder {capsule.index['encoder']}, and this one is {encoder.name}.",
                hint=f"Give --encoder {capsule.index['encoder']}.",
            )
        study = StudyRunner(
            planned, out,
            encoder=encoder, llm=environment.read_llm_settings(), say=print_note, progress=bars, cancelled=stop.is_set,
        )  # fmt: skip
        for _ in study.run():
            pass
    return capsules.compare_cells(capsule, study)


def _parse_graphs(graph_options: Sequence[str], data: Mapping[str, Any]) -> dict[str, Path]:
    """NAME=DIRECTORY as directories by name.

    Raises:
        ConfigError: one names no data set of the capsule.
    """
    if len(data) == 1 and len(graph_options) == 1 and graph_options[0].partition("=")[0] not in data:
        return {next(iter(data)): Path(graph_options[0])}
    directories = {}
    for text in graph_options:
        name, equals, place = text.rpartition("=")
        if not equals or name not in data:
            raise ConfigError(
                f"--graph {text!r} names no data set of the capsule.",
                hint=f'It has: {", ".join(data)}. Write --graph "NAME=DIRECTORY".',
            )
        directories[name] = Path(place)
    return directories
