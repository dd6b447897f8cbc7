"""What a language model says of a report is kept in it, with each question, against a real endpoint."""

import pytest

from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from retrieval.evaluation import report_page
from retrieval.evaluation.judgements import FAITHFULNESS, JUDGE, NAMES, SUFFICIENCY, VERIFY, add_judgements
from retrieval.evaluation.pages import render_markdown
from retrieval.llm.replies import Asker, ReplyStore
from tests.support.llm_server import LLMServer


def row(key, predicted, f1, answers=("Germany",), **more):
    paths = [{"path": f"Switzerland - borders - {name}", "score": 1.0} for name in predicted]
    asked = {"id": key, "question": f"{key}?", "answers": list(answers), "predicted": predicted}
    return {**asked, "f1": f1, "hit": float(f1 > 0), "paths": paths, **more}


REPORT = {
    "method": "rel-rag-path",
    "manifest": {"x": 1},
    "per_question": [row("q1", ["Germany"], 1.0), row("q2", ["BRD"], 0.0), row("q3", [], 0.0)],
}


def reply(body):
    said = body["messages"][-1]["content"]
    if "is_equivalent" in said:
        return '{"is_equivalent": true}'
    if '"pairs"' in said:
        return 'BRD is Germany. {"pairs": [[1, 1]]}'
    if "Correct Answer" in said:
        return "1" if "BRD" in said else "0"
    return "Germany\nUsed the provided knowledge: No"


def asker(server, store):
    return Asker(LLMSettings(server.url, "tiny", name="Tiny", retries=0), ReplyStore(store), concurrency=1)


def test_all_that_was_asked_for_is_in_the_report_and_with_each_question(tmp_path):
    told = []
    with LLMServer(reply) as server:
        found = add_judgements(REPORT, NAMES, asker(server, tmp_path), progress=told.append)
        first = len(server.requests)
        again = add_judgements(REPORT, NAMES, asker(server, tmp_path))
        assert len(server.requests) == first, "replies are kept"
    assert again["judged"]["usage"] == {"llm_calls": 0, "tokens": 0, "cost": None, "kept": first}
    assert first == 6
    said = found["judged"]
    assert (said[JUDGE]["llm_judge"], said[JUDGE]["exact_match"], said[JUDGE]["n"]) == (
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
        3,
    )
    assert (said[VERIFY]["hit"], said[VERIFY]["by_names"]["hit"], said[VERIFY]["asked"]) == (
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
        1,
    )
    assert (said[FAITHFULNESS]["hallucination_score"], said[FAITHFULNESS]["n"]) == (0.0, 1)
    assert said[SUFFICIENCY] == {"n": 3, "asked": 2, "unsaid": 0, "sufficient": pytest.approx(1 / 3)}
    assert (said["model"], said["usage"]["llm_calls"]) == ("Tiny", 6)
    assert [one["judged"] for one in found["per_question"]] == [
        {"right": True, "verified_f1": 1.0, "faithful": False, "sufficient": False},
        {"right": True, "verified_f1": 1.0, "sufficient": True},
        {"right": False, "verified_f1": 0.0, "sufficient": False},
    ]
    assert [(each.done, each.total) for each in told] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert "judged" not in REPORT
    page = render_markdown("t", report_page._build_judgement_blocks(said))
    assert "rests on what was read, of right answers" in page
    assert "Asked Tiny: 6 calls" in page


def test_only_what_was_asked_for_is_asked(tmp_path):
    with LLMServer(reply) as server:
        found = add_judgements(REPORT, [FAITHFULNESS], asker(server, tmp_path))
        assert len(server.requests) == 1
    assert set(found["judged"]) == {FAITHFULNESS, "model", "usage"}
    assert [one["judged"] for one in found["per_question"]] == [{"faithful": False}, {}, {}]


def test_where_there_is_nothing_to_judge_the_report_says_so_and_stands(tmp_path):
    wrong = {**REPORT, "per_question": [row("q2", ["BRD"], 0.0)]}
    with LLMServer(reply) as server:
        found = add_judgements(wrong, (JUDGE, VERIFY, FAITHFULNESS), asker(server, tmp_path))
    assert found["judged"][FAITHFULNESS] == {
        "n": 0,
        "why": "No question of the report was answered rightly with paths.",
    }
    assert found["judged"][JUDGE]["llm_judge"] == 1.0
    assert "No question of the report was answered rightly" in render_markdown(
        "t", report_page._build_judgement_blocks(found["judged"])
    )


def test_of_a_fact_to_be_found_its_own_words_are_what_the_context_has_to_state(tmp_path):
    facts = [
        {**row("f1", ["BRD"], 0.0, answers=()), "question": "BRD borders Switzerland."},
        row("f2", [], 0.0, answers=()),
    ]
    with LLMServer(reply) as server:
        found = add_judgements({**REPORT, "per_question": facts}, [SUFFICIENCY], asker(server, tmp_path))
        (asked,) = [request["messages"][-1]["content"] for request in server.requests]
    assert "<answer>BRD borders Switzerland.</answer>" in asked
    assert "Switzerland - borders - BRD" in asked
    assert found["judged"][SUFFICIENCY]["sufficient"] == 0.5
    with LLMServer(reply) as server:
        found = add_judgements({**REPORT, "per_question": []}, [SUFFICIENCY], asker(server, tmp_path))
    assert found["judged"][SUFFICIENCY] == {"n": 0, "why": "The report has no questions."}


def test_a_judgement_that_there_is_not_is_refused(tmp_path):
    with LLMServer(reply) as server, pytest.raises(ConfigError, match="no judgement 'guess'") as caught:
        add_judgements(REPORT, ["guess"], asker(server, tmp_path))
    assert "judge, verify, faithfulness, sufficiency" in caught.value.hint
