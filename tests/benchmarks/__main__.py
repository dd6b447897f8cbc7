"""``make bench``: run the benchmarks, keep their results in docs/benchmarks/ and generate docs/benchmarks.md.

``python -m tests.benchmarks NAME...`` runs some of them and replaces their results only. Those that train for hours
(``LONG``) run only when they are named, a part at a time with ``--method`` and ``--data``; what is finished is kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import (
    abuse,
    agent,
    big_text,
    build,
    canvas,
    chains,
    cwq,
    data_models,
    data_models_sets,
    edits,
    endpoint,
    endpoint_programs,
    first_answer,
    fuzz,
    inses,
    inses_facts,
    kills,
    larger_graph,
    latency,
    line_graph,
    line_vs_raw,
    linking,
    many_kinds,
    meanwhile,
    methods,
    million,
    newcomers,
    paraphrases,
    paths,
    programs,
    public,
    review_curves,
    review_load,
    router,
    scale,
    self_taught,
    serving,
    short_jobs,
    snapshots,
    span_reader,
    studies,
    tables,
    text,
    text_answers,
    unknown,
    unseen,
    waiting,
    webqsp,
    webqsp_thirds,
    why_not,
    written_names,
    zero_shot,
)
from tests.benchmarks.report import Section, write

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"
BENCHMARKS = {
    "snapshots": snapshots.measure,
    "line_graph": line_graph.measure,
    "latency": latency.measure,
    "chains": chains.measure,
    "build": build.measure,
    "paths": paths.measure,
    "endpoint": endpoint.measure,
}


LONG = (
    "methods", "efficiency", "supervision", "line_vs_raw", "webqsp", "webqsp_thirds", "cwq",
    "text", "text_answers", "big_text", "inses", "inses_facts", "agent", "router", "scale", "review_load",
    "review_curves", "kills", "fuzz", "meanwhile", "programs", "zero_shot", "unknown",
    "linking", "why_not", "endpoint_programs", "canvas", "larger_graph", "waiting", "tables", "written_names",
    "unseen", "newcomers", "public", "span_reader", "million",
    "self_taught", "paraphrases", "abuse", "short_jobs", "data_models", "edits", "first_answer",
    "many_kinds", "serving",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"of {', '.join([*BENCHMARKS, *LONG])}")
    parser.add_argument(
        "--method", action="append", default=[], help="of methods, webqsp_thirds: only this one; repeatable"
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        help="of the long ones: only this set; repeatable; of tables: a checkout; "
        "of newcomers, span_reader, data_models, first_answer: a folder",
    )
    parser.add_argument(
        "--finished",
        action="store_true",
        help="of methods, webqsp_thirds, line_vs_raw, review_curves and agent: run nothing, show what is done",
    )
    parser.add_argument(
        "--part",
        action="append",
        choices=[*agent.PARTS, *data_models_sets.PARTS],
        default=[],
        help=f"only this one; repeatable; of agent: {', '.join(agent.PARTS)}; of data_models: tune, held",
    )
    parser.add_argument("--seeds", type=int, default=len(agent.SEEDS), help="of agent: so many")
    parser.add_argument(
        "--leave-out", action="store_true", help="of zero_shot: weights that saw nothing of the set's family"
    )
    parser.add_argument(
        "--untrained", action="store_true", help="of zero_shot: no self-training, all sets in one table"
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="of newcomers, data_models, text_answers, first_answer: print what goes wrong, and write no page",
    )
    parser.add_argument(
        "--break",
        dest="broken",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="of data_models: break such a share of the rows",
    )
    parser.add_argument("--inputs", type=int, default=fuzz.INPUTS, help="of fuzz: so many of each reader")
    args = parser.parse_args()
    known: dict[str, Callable[[], list[Section]]] = BENCHMARKS | {
        "methods": lambda: methods.measure(args.method, args.data, run=not args.finished),
        "efficiency": lambda: studies.efficiency(args.data),
        "supervision": lambda: studies.supervision(args.data),
        "line_vs_raw": lambda: line_vs_raw.measure(args.data, run=not args.finished),
        "webqsp": webqsp.measure,
        "cwq": cwq.measure,
        "webqsp_thirds": lambda: webqsp_thirds.measure(args.method, run=not args.finished),
        "larger_graph": lambda: larger_graph.measure(args.method),
        "endpoint_programs": lambda: endpoint_programs.measure(args.data),
        "zero_shot": lambda: zero_shot.measure(args.data, leave_out=args.leave_out, untrained=args.untrained),
        "linking": lambda: linking.measure(args.data),
        "written_names": lambda: written_names.measure(args.data),
        "unknown": lambda: unknown.measure(args.data),
        "data_models": lambda: data_models.measure(
            args.data, args.part or data_models_sets.PARTS, broken=args.broken, show=args.show
        ),
        "unseen": lambda: unseen.measure(args.data),
        "public": lambda: public.measure(args.data),
        "newcomers": lambda: newcomers.measure(args.data, show=args.show),
        "self_taught": lambda: self_taught.measure(args.data),
        "canvas": canvas.measure,
        "many_kinds": many_kinds.measure,
        "first_answer": lambda: first_answer.measure(args.data),
        "waiting": waiting.measure,
        "serving": serving.measure,
        "text": text.measure,
        "text_answers": lambda: text_answers.measure(show=args.show),
        "span_reader": lambda: span_reader.measure(args.data),
        "inses_facts": lambda: inses_facts.measure(args.data),
        "inses": lambda: inses.measure(args.data),
        "big_text": big_text.measure,
        "router": router.measure,
        "scale": scale.measure,
        "million": million.measure,
        "edits": edits.measure,
        "review_load": review_load.measure,
        "kills": kills.measure,
        "abuse": abuse.measure,
        "short_jobs": short_jobs.measure,
        "review_curves": lambda: review_curves.measure(args.data, run=not args.finished),
        "fuzz": lambda: fuzz.measure(args.inputs, args.data),
        "meanwhile": meanwhile.measure,
        "why_not": lambda: why_not.measure(args.data),
        "tables": lambda: tables.measure(args.data),
        "programs": lambda: programs.measure(args.data),
        "paraphrases": paraphrases.measure,
        "agent": lambda: agent.measure(
            args.data, parts=args.part or agent.PARTS, seeds=args.seeds, run=not args.finished
        ),
    }
    names = args.name or list(BENCHMARKS)
    missing = [name for name in names if name not in known]
    if missing:
        raise SystemExit(f"no benchmark {', '.join(missing)}; there are {', '.join(known)}")
    sections: list[Section] = []
    for name in names:
        print(f"== {name}", flush=True)
        for section in known[name]():
            print(section.markdown(), flush=True)
            sections.append(section)
    if sections and not args.show:
        write(sections, PAGE)
        print(f"wrote {len(sections)} results to {PAGE.with_suffix('')} and generated {PAGE}")


if __name__ == "__main__":
    main()
