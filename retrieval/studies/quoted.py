"""Figures that the papers print, quoted beside Clew's own: never measured here, and on the papers' own test sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quoted:
    """A row of a paper's table.

    Attributes:
        data: the benchmark, as the papers call it.
        system: what was measured.
        reader: the language model that answered.
        paper: where it is printed.
        table: in which table.
        metrics: by Clew's names, as shares; the papers print most in percent.
    """

    data: str
    system: str
    reader: str
    paper: str
    table: str
    metrics: Mapping[str, float]


def _parse_rows(paper: str, table: str, rows: str) -> list[Quoted]:
    """Rows of a table on WebQSP and CWQ, a line each: system; reader; Macro-F1 and Hit of each, in percent."""
    quoted = []
    for line in rows.strip().splitlines():
        system, reader, *figures = (part.strip() for part in line.split(";"))
        for data, offset in (("WebQSP", 0), ("CWQ", 2)):
            f1, hit = (round(float(figure) / 100, 4) for figure in figures[offset : offset + 2])
            quoted.append(Quoted(data, system, reader, paper, table, {"macro_f1": f1, "hit": hit}))
    return quoted


#: Of each system that Clew has, and of SubgraphRAG, which all three papers compare with.
QUOTED: tuple[Quoted, ...] = (
    *_parse_rows(
        "RAPL",
        "Table 1",
        """
        RAPL; GPT-4o-mini; 80.4; 92.5; 58.1; 69.3
        RAPL; GPT-4o; 80.7; 93.3; 58.8; 69.0
        RAPL; Llama3.1-8B; 77.3; 88.8; 56.8; 67.2
        SubgraphRAG; GPT-4o-mini; 77.4; 90.1; 54.1; 62.0
        """,
    ),
    *_parse_rows(
        "REL-RAG",
        "Table 1",
        """
        REL-RAG, paths, 50 triples; GPT-4o-mini; 80.4; 92.5; 58.1; 69.3
        REL-RAG, triples, 500 triples; GPT-4o-mini; 79.9; 94.0; 61.3; 71.6
        """,
    ),
    *_parse_rows(
        "ReG",
        "Table 3",
        """
        ReG@Triple; GPT-4o-mini; 77.98; 92.87; 60.55; 67.66
        ReG@Entity; GPT-4o-mini; 76.78; 92.26; 58.13; 66.24
        ReG@Path; GPT-4o-mini; 77.18; 89.8; 56.58; 64.84
        """,
    ),
    *(
        Quoted(f"MetaQA, {hops}", "Graph-S3", "its own 8B model", "Graph-S3", "Table 1", {"macro_f1": f1})
        for hops, f1 in (("1 hop", 0.9204), ("2 hops", 0.7618), ("3 hops", 0.3629))
    ),
    Quoted("WebQSP", "Graph-S3", "its own 8B model", "Graph-S3", "Table 1", {"macro_f1": 0.5845}),
    Quoted("CWQ", "Graph-S3", "its own 8B model", "Graph-S3", "Table 1", {"macro_f1": 0.3073}),
    *(
        Quoted(data, system, "GLM-4", "INSES", "Table 2", {"exact_match": exact})
        for data, system, exact in (
            ("MuSiQue", "INSES + Router", 0.46),
            ("MuSiQue", "Naive RAG, 5 passages", 0.31),
            ("2Wiki", "INSES + Router", 0.67),
            ("HotpotQA", "INSES + Router", 0.68),
        )
    ),
)


def list_benchmarks() -> list[str]:
    """The benchmarks that figures are quoted of."""
    return list(dict.fromkeys(row.data for row in QUOTED))


def infer_benchmark(name: str) -> str | None:
    """The benchmark that a question set's name points to; None where it names none."""
    plain = "".join(name.lower().split("-")).replace("_", " ")
    for data in list_benchmarks():
        words = data.lower().replace(",", "").split()
        if words[0] in plain and all(word in plain.replace("hop ", "hops ") for word in words[1:2]):
            return data
    return None
