"""The commands and their options. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from retrieval.methods.registry import DEFAULT

QUESTION_FORMATS = (
    *("auto", "jsonl", "metaqa", "pathquestion", "relation-paths", "rog"),
    *("grailqa", "graftnet", "hotpotqa", "2wiki", "musique"),
)
STRATEGIES = ("answer-set", "shortest-path", "llm")
PROMPTS = ("reg", "rapl", "rel-rag")
CANDIDATES = ("reg", "rapl", "shortest")
REASONERS = ("extractive", "llm")
TOPICS = ("given", "linked")
SUBGRAPHS = ("own", "whole")

Command = Callable[[argparse.Namespace], int]


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The arguments; ``args.run`` is the command's function, found when it is called."""
    return build_parser().parse_args(argv)


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="python -m retrieval", description="Question answering over knowledge graphs, without a server."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _build_graph(commands)
    _build_corpus(commands)
    _index(commands)
    _preview(commands)
    _import_questions(commands)
    _check_questions(commands)
    _sample_questions(commands)
    _label(commands)
    _synthesise(commands)
    _train(commands)
    _evaluate(commands)
    _report(commands)
    _compare(commands)
    _faithfulness(commands)
    _answers(commands)
    _extract(commands)
    _study(commands)
    _ask(commands)
    _doctor(commands)
    return parser


def _lazy(module: str, name: str) -> Command:
    """The command's function, imported when it runs."""

    def run(args: argparse.Namespace) -> int:
        command: Command = getattr(import_module(f"retrieval.cli.{module}"), name)
        return command(args)

    return run


Commands = argparse._SubParsersAction


def _add(
    commands: Commands[argparse.ArgumentParser], name: str, about: str, run: Command
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    parser.set_defaults(run=run)
    return parser


def _build_graph(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = _add(
        commands, "build-graph", "build a graph from files of facts", _lazy("graphs", "build_graph")
    )
    parser.add_argument(
        "source", nargs="+", type=Path, help="triples, nodes and edges, passages, RDF (docs/formats.md)"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the graph's directory")
    _table_options(parser)
    parser.add_argument("--no-index", action="store_true", help="skip the vectors of entity labels")
    _encoder(parser)


def _build_corpus(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "build a graph of passages from documents, with the facts that come with them"
    parser = _add(commands, "build-corpus", about, _lazy("graphs", "build_corpus"))
    parser.add_argument(
        "source", nargs="+", type=Path, help="text, Markdown, HTML, PDF, passages as JSONL, HotpotQA, MuSiQue"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the graph's directory")
    parser.add_argument("--format", metavar="NAME", help="guessed when left out")
    parser.add_argument("--no-index", action="store_true", help="skip the vectors and the index of words")
    _encoder(parser)


def _index(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "index a graph that was built without, or what an earlier version of Clew did not index"
    parser = _add(commands, "index", about, _lazy("graphs", "index"))
    parser.add_argument("graph", type=Path, metavar="DIR", help="the graph's directory")
    _encoder(parser)


def _preview(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = _add(
        commands, "preview", "show what a file is taken for, and its first rows", _lazy("graphs", "preview")
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--questions", action="store_true", help="it is meant as a question set")
    _table_options(parser)


def _check_questions(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "count the names of a question set that a graph has, and list those that it lacks"
    parser = _add(commands, "check-questions", about, _lazy("questions", "check"))
    parser.add_argument("graph", type=Path, metavar="GRAPH", help="the graph's directory")
    parser.add_argument("questions", type=Path, metavar="QUESTIONS", help="of any known format")


def _sample_questions(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "write questions made from walks of a graph, with their answers and paths"
    parser = _add(commands, "sample-questions", about, _lazy("questions", "sample"))
    parser.add_argument("graph", type=Path, metavar="GRAPH", help="the graph's directory")
    parser.add_argument("--count", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSONL; printed when left out")


def _table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", metavar="NAME", help="guessed when left out")
    parser.add_argument("--delimiter", metavar="CHAR", help="one character, or tab, comma, pipe; guessed")
    parser.add_argument(
        "--header", action=argparse.BooleanOptionalAction, help="whether the first row names columns; guessed"
    )
    parser.add_argument("--encoding", metavar="NAME", help="of text that is not UTF-8, such as cp1252")
    parser.add_argument(
        "--columns",
        metavar="H,R,T",
        help="columns of head, relation and tail: numbers from 0, or header names",
    )


def _import_questions(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "bring a question file into Clew's JSONL form"
    parser = _add(commands, "import-questions", about, _lazy("questions", "import_questions"))
    parser.add_argument("file", nargs="+", type=Path, help="gzipped or not; several become one set")
    parser.add_argument("--format", choices=QUESTION_FORMATS, default="auto")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="JSONL; gzipped when it ends in .gz"
    )


def _label(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "find the rational paths of each question"
    parser = _add(commands, "label", about, _lazy("questions", "label"))
    _graph_and_questions(parser)
    parser.add_argument(
        "--strategy",
        default="answer-set",
        metavar="NAME",
        help=f"{', '.join(STRATEGIES)} (default answer-set)",
    )
    parser.add_argument("--prompt", choices=PROMPTS, help="llm: the paper whose prompt is used (default reg)")
    parser.add_argument(
        "--candidates",
        choices=CANDIDATES,
        help="llm: paths to choose from (default: those of the prompt's paper)",
    )
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="analysts' verdicts, which win")
    parser.add_argument(
        "--replies",
        type=Path,
        metavar="DIR",
        help="llm: where replies are kept (default: in the graph's cache)",
    )
    parser.add_argument(
        "--concurrency", type=int, default=4, metavar="N", help="llm: requests at a time (default 4)"
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="JSONL; gzipped when it ends in .gz"
    )
    _encoder(parser)


def _synthesise(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "make trajectories that an agent learns from"
    parser = _add(commands, "synthesise", about, _lazy("synthesis", "synthesise"))
    _graph_and_questions(parser)
    parser.add_argument(
        "--policy",
        choices=("offline", "llm"),
        default="offline",
        help="who explores: a guide that knows rational paths (default), or the configured language model",
    )
    parser.add_argument(
        "--replies",
        type=Path,
        metavar="DIR",
        help="llm: where replies are kept (default: in the graph's cache)",
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="llm: stop when so many tokens are used")
    parser.add_argument("--max-cost", type=float, metavar="X", help="llm: stop when it has cost so much")
    parser.add_argument(
        "--concurrency", type=int, default=4, metavar="N", help="llm: questions at a time (default 4)"
    )
    parser.add_argument(
        "--labels", type=Path, metavar="FILE", help="rational paths; found on the way when left out"
    )
    parser.add_argument("--samples", type=int, default=2, metavar="N", help="tries a question (default 2)")
    parser.add_argument(
        "--astray",
        type=float,
        default=0.15,
        metavar="P",
        help="probability of a step at random, but in the first try (default 0.15)",
    )
    parser.add_argument(
        "--match",
        type=float,
        default=1.0,
        metavar="F1",
        help="least F1 of a kept trajectory's answers (default 1, the very set)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--refined", type=Path, metavar="FILE", help="write the shortest form of each too")
    parser.add_argument(
        "--keep",
        choices=("paths", "answers"),
        default="paths",
        help="what a shortest form keeps: the relation paths to the answers too (default), or the answers alone",
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="JSONL; gzipped when it ends in .gz"
    )
    _encoder(parser)


def _train(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = _add(commands, "train", "train a retriever", _lazy("training", "train"))
    parser.add_argument("method", nargs="?", default=DEFAULT, help=f"a method's name (default {DEFAULT})")
    _graph_and_questions(parser)
    parser.add_argument("--labels", type=Path, metavar="FILE", help="made on the way when left out")
    parser.add_argument(
        "--trajectories",
        type=Path,
        metavar="FILE",
        help="of graph-s3: learned from beside those that are made of the labels",
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help='JSON with settings that differ from the defaults, or from a preset: {"preset": "paper"}',
    )
    parser.add_argument(
        "--fraction",
        type=float,
        default=1.0,
        metavar="F",
        help="share of the training questions used (default 1)",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="CKPT")
    _encoder(parser)


def _evaluate(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "measure a retriever and a reasoner"
    parser = _add(commands, "evaluate", about, _lazy("evaluation", "evaluate"))
    _graph_and_questions(parser, "--corpus")
    _answering(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="at most N questions, drawn by --seed")
    parser.add_argument(
        "--topics",
        choices=TOPICS,
        default="given",
        help="topic entities: the questions' own (default), or linked",
    )
    parser.add_argument(
        "--subgraphs",
        choices=SUBGRAPHS,
        default="own",
        help="questions that bring triples are asked on those alone (own, default), or on the whole graph",
    )
    parser.add_argument(
        "--labels",
        type=Path,
        metavar="FILE",
        help="relation paths of the questions, to tell how new they are",
    )
    parser.add_argument(
        "--train-questions",
        type=Path,
        metavar="FILE",
        help="what was seen in training, if not the checkpoint's",
    )
    parser.add_argument("--train-labels", type=Path, metavar="FILE", help="relation paths of those")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="report.json")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a readable page too")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a readable page too")
    _encoder(parser)


def _report(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = _add(commands, "report", "write the readable page of a report", _lazy("evaluation", "render"))
    parser.add_argument("report", type=Path, help="report.json")
    parser.add_argument(
        "--out", required=True, nargs="+", type=Path, metavar="FILE", help="ends in .md or .html"
    )


def _compare(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "compare reports of the same questions, question by question"
    parser = _add(commands, "compare", about, _lazy("evaluation", "compare"))
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT", help="report.json of each")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="ends in .md, .html or .json; printed when left out"
    )


def _faithfulness(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "ask a language model whether right answers rest on the retrieved paths"
    parser = _add(commands, "faithfulness", about, _lazy("evaluation", "faithfulness"))
    parser.add_argument("report", type=Path, help="report.json")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="faithfulness.json")
    parser.add_argument(
        "--replies", type=Path, metavar="DIR", help="where replies are kept (default: replies, beside --out)"
    )


def _answers(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "exact match and token F1 of a report's answers, and a language model's judgement of them"
    parser = _add(commands, "answers", about, _lazy("evaluation", "answers"))
    parser.add_argument("report", type=Path, help="report.json")
    parser.add_argument("--judge", action="store_true", help="ask the configured language model")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="answers.json")
    parser.add_argument(
        "--replies", type=Path, metavar="DIR", help="where replies are kept (default: replies, beside --out)"
    )


def _extract(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "read a graph in the passages of a corpus with a language model; goes on where it was stopped"
    parser = _add(commands, "extract", about, _lazy("extraction", "extract"))
    parser.add_argument("--corpus", required=True, type=Path, metavar="DIR", help="made by build-corpus")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the graph")
    parser.add_argument(
        "--replies", type=Path, metavar="DIR", help="where replies are kept (default: in the corpus's cache)"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="stop when so many tokens are used")
    parser.add_argument("--max-cost", type=float, metavar="X", help="stop when it has cost so much")
    parser.add_argument(
        "--merge",
        type=float,
        default=0.93,
        metavar="COSINE",
        help="names as near as this are one entity (default 0.93); 1 merges equal names only",
    )
    parser.add_argument(
        "--concurrency", type=int, default=4, metavar="N", help="requests at a time (default 4)"
    )
    _encoder(parser)


def _study(commands: Commands[argparse.ArgumentParser]) -> None:
    about = "train and test many variants, sets, shares and seeds; goes on where it was stopped"
    parser = _add(commands, "study", about, _lazy("evaluation", "study"))
    parser.add_argument("config", type=Path, help="JSON: data, variants, train, test, fractions, seeds, ...")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="cells, study.json, .md and .html"
    )
    _encoder(parser)


def _ask(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = _add(commands, "ask", "ask one question", _lazy("asking", "ask"))
    parser.add_argument("question")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--graph", "--corpus", type=Path, metavar="DIR")
    where.add_argument(
        "--sparql",
        metavar="URL",
        help="an endpoint, of which only what is near the topics is read (docs/formats.md)",
    )
    parser.add_argument(
        "--pull",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of --sparql: timeout, hops, max_triples, per_entity, graph; repeatable",
    )
    parser.add_argument(
        "--entity",
        action="append",
        default=[],
        metavar="LABEL",
        help="topic entity, instead of linking; repeatable",
    )
    parser.add_argument("--events", action="store_true", help="print every event as one line of JSON")
    _answering(parser)
    _encoder(parser)


def _doctor(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = _add(
        commands,
        "doctor",
        "read all of a graph or checkpoint and say what is damaged",
        _lazy("doctor", "doctor"),
    )
    parser.add_argument("directory", type=Path, nargs="+", metavar="DIR")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="write checksums that are missing, and remove what is damaged and can be computed again",
    )


def _graph_and_questions(parser: argparse.ArgumentParser, *names: str) -> None:
    parser.add_argument("--graph", *names, required=True, type=Path, metavar="DIR")
    parser.add_argument("--questions", required=True, type=Path, metavar="FILE", help="JSONL, gzipped or not")
    parser.add_argument("--split", metavar="NAME", help="only the questions of this split")


def _answering(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint",
        type=Path,
        metavar="CKPT",
        help="a trained retriever; without it, relations are compared by text",
    )
    parser.add_argument("--method", help=f"the retriever when there is no checkpoint (default {DEFAULT})")
    parser.add_argument("--reasoner", choices=REASONERS, default="extractive")
    parser.add_argument(
        "--budget", type=int, default=50, metavar="N", help="distinct facts retrieved (default 50)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the retriever for asking; repeatable",
    )


def _encoder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--encoder", metavar="NAME", help="text encoder (default: CLEW_ENCODER, or the built-in one)"
    )
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), help="default: CLEW_DEVICE, or auto")
