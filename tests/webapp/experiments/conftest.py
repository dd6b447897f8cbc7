"""Reports that are started, and finished ones."""

import json

import pytest

from tests.webapp.experiments.report_calls import ROWS, made, start
from webapp.experiments import reports
from webapp.graphs import files


@pytest.fixture
def started(api, tiny_graph, question_set):
    """``started(**fields)`` is the answer to an analyst who starts an evaluation with these fields."""
    return lambda **fields: start(api("analyst"), tiny_graph, question_set, **fields)


@pytest.fixture
def finished(tiny_graph, question_set, users):
    """``finished(rows)`` is a report whose job is done, with its files."""

    def make(rows=ROWS, questions="same", **fields):
        evaluation = reports.EvaluationRequest(split="dev", **fields)
        report = reports.start_report(
            graph=tiny_graph, question_set=question_set, evaluation=evaluation, user=users["analyst"]
        )
        whole = made(rows, questions=questions)
        reports.save_report(report=report, made=whole)
        path = files.ensure_local_path(files.build_report_name(tiny_graph.pk, report.pk))
        path.mkdir(parents=True)
        (path / "report.json").write_text(json.dumps(whole))
        (path / "report.md").write_text("# Report\n")
        (path / "report.html").write_text("<h1>Report</h1>\n")
        report.refresh_from_db()
        return report

    return make
