"""The tables of a study, letter by letter, and the figures that papers print."""

import pytest

from retrieval.studies.curves import Curve
from retrieval.studies.quoted import QUOTED, infer_benchmark
from retrieval.studies.tables import format_csv, format_latex, format_markdown
from retrieval.types import Progress


def row(variant, mean, sd=None, test="a"):
    found = {"mean": mean, "sd": sd, "values": [mean]}
    return {
        **{"train": "a", "variant": variant, "fraction": 1.0, "test": test, "n": 10, "seeds": [0, 1]},
        "metrics": {"hit": found, "avg_triples": {"mean": 7.25, "sd": None, "values": [7.25]}},
        "intervals": {"hit": [0.25, 0.75]},
        "training_s": {"mean": 3.5, "sd": None},
        "latency_ms": {"mean": 2.0, "sd": None},
    }


ROWS = [row("line_graph", 0.5, 0.125), row("raw & 50%", 0.25, 0.0)]


def winner(variant, *, significant):
    place = {"train": "a", "variant": variant, "fraction": 1.0}
    return {**place, "test": "a", "metric": "hit", "runner_up": place, "significant": significant}


def test_latex_says_what_figures_are_of_and_is_bold_only_where_a_test_says_so():
    lines = format_latex(ROWS, "PQ_2H", winners=[winner("line_graph", significant=True)]).splitlines()
    caption = (
        r"\caption{PQ\_2H. All rows: tested on a; n = 10 test questions; 100\% of the training questions; seeds 0, 1. "
        r"Mean $\pm$ deviation over the seeds. Intervals: 95\% by bootstrap over the questions, of the first seed. "
        r"Bold: the best mean, where it differs from the runner-up (paired randomisation test over the questions, "
        r"two-sided p \textless{} 0.05).}"
    )
    assert lines == [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        caption,
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"variant & Hit & triples \\",
        r"\midrule",
        r"line\_graph & $\mathbf{0.500} \pm 0.125$ {\scriptsize [0.250, 0.750]} & $7.2$ \\",
        r"raw \& 50\% & $0.250 \pm 0.000$ {\scriptsize [0.250, 0.750]} & $7.2$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


@pytest.mark.parametrize(
    ("winners", "said"),
    [
        ([winner("line_graph", significant=False)], "No best mean differs significantly from the runner-up"),
        ([], "No differences are tested."),
    ],
)
def test_the_best_is_not_bold_without_a_test_that_says_so(winners, said):
    text = format_latex(ROWS, "S", winners=winners)
    assert said in text
    assert "mathbf" not in text
    assert "**" not in format_markdown(ROWS, "S", winners=winners)


def test_markdown_has_a_column_for_what_differs():
    rows = [*ROWS, {**row("c", 1.0, test="b"), "n": 2000, "seeds": [0]}]
    found = format_markdown(rows, "S", split="dev", winners=[winner("line_graph", significant=True)]).splitlines()
    assert found[2].startswith("All rows: trained on a; 100% of the training questions. Mean ± deviation")
    assert found[4:] == [
        "| variant | tested on | n | seeds | Hit | triples |",
        "| --- | --- | --- | --- | --- | --- |",
        r"| line\_graph | a | 10 | 0, 1 | **0.500** ± 0.125 (0.250–0.750) | 7.2 |",
        "| raw & 50% | a | 10 | 0, 1 | 0.250 ± 0.000 (0.250–0.750) | 7.2 |",
        "| c | b | 2,000 | 0 | 1.000 (0.250–0.750) | 7.2 |",
    ]


def test_csv_has_every_figure_unrounded_and_no_formulas():
    lines = format_csv([row("=1+1", 0.5, 0.125)]).splitlines()
    assert lines[0] == (
        "trained_on,share,variant,tested_on,questions,seeds,hit_mean,hit_sd,hit_low,hit_high,"
        "avg_triples_mean,avg_triples_sd,avg_triples_low,avg_triples_high,training_s,latency_ms"
    )
    assert lines[1] == "a,1,'=1+1,a,10,2,0.5,0.125,0.25,0.75,7.25,,,,3.5,2"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("WebQSP half", "WebQSP"), ("web-qsp_test", "WebQSP"), ("CWQ dev", "CWQ"), ("MetaQA 2-hop", "MetaQA, 2 hops"),
        ("musique", "MuSiQue"), ("PQ-2H", None), ("Films", None),
    ],
)  # fmt: skip
def test_the_benchmark_is_guessed_from_the_name(name, data):
    assert infer_benchmark(name) == data


def test_quoted_figures_are_shares():
    assert all(0 < value < 1 for one in QUOTED for value in one.metrics.values())
    found = next(one for one in QUOTED if (one.data, one.system, one.reader) == ("CWQ", "ReG@Triple", "GPT-4o-mini"))
    assert (found.metrics, found.table) == ({"macro_f1": 0.6055, "hit": 0.6766}, "Table 3")


def test_a_curve_has_a_row_for_each_epoch():
    curve, seen = Curve(), []
    tell = curve.wrap_progress(seen.append)
    said = (
        ("encoding", "epoch 9", {"loss": 9.0}),
        ("training", "epoch 1 of at most 3", {"loss": 2.0, "rate": 5.0}),
        ("training", "epoch 1 of at most 3", {"loss": 1.0, "rate": 5.0}),
        ("training", "epoch 2 of at most 3", {"loss": 0.5, "rate": 5.0, "dev_exact": 0.75}),
    )
    for stage, message, metrics in said:
        tell(Progress(stage, 1, 2, "questions", message, metrics))
    assert curve.rows == [{"epoch": 1.0, "loss": 1.0, "dev_exact": 0.75}, {"epoch": 2.0, "loss": 0.5}]
    assert len(seen) == 4
