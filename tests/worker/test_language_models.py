"""Workers ask the language model that was chosen, within its pace and everybody's budget."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, OverBudgetError
from retrieval.events import AnswerFinal, RunStarted
from retrieval.llm import failures
from retrieval.llm.asking import ask
from retrieval.llm.metering import Limit, use_meter
from retrieval.results import Answer
from retrieval.types import Usage
from tests.retrieval.reasoning.endpoint import Endpoint, fails, says
from webapp.answers import services as answers
from webapp.answers.models import Run
from webapp.experiments import reports
from webapp.language_models import selectors, services
from worker import answering, evaluation, language_models

STARTED = RunStarted("q?", "rel-rag-path", "llm", "hash", None, "enc", 50, 0, "Local", {"answer": "v1 abc"})
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(triples=6), 1.0)
CHAT = [{"role": "user", "content": "x" * 30}]


def provider(user, **values):
    made = {"name": "Local", "base_url": "http://localhost:1/v1", "model": "small", "api_key": "sk-1"}
    return services.create_provider(values={**made, **values}, user=user)


def test_a_provider_becomes_settings_with_its_key(users):
    row = provider(users["admin"], context_length=8192, prompt_price=1.0, requests_per_minute=7)
    found = language_models.get_settings(row.pk)
    assert (found.base_url, found.model, found.api_key) == ("http://localhost:1/v1", "small", "sk-1")
    assert (found.title, found.context_length, found.prompt_price) == ("Local", 8192, 1.0)
    assert (found.completion_price, found.requests_per_minute) == (None, 7)
    assert language_models.get_default_settings() == found
    services.delete_provider(key=row.pk, user=users["admin"])
    with pytest.raises(ConfigError, match="was deleted"):
        language_models.get_settings(row.pk)


def test_a_test_shows_the_real_reply_or_the_real_error(users):
    with Endpoint(says("Bern", " it is."), fails(401)) as endpoint:
        row = provider(users["admin"], base_url=endpoint.url)
        good, bad = (services.start_test(key=row.pk, user=users["admin"]) for _ in range(2))
        assert services.read_test(good)["state"] == "waiting"
        language_models.test_model(good)
        language_models.test_model(bad)
    found = services.read_test(good)
    assert (found["state"], found["reply"]) == ("done", "Bern it is.")
    assert found["latency_ms"] > 0
    assert (found["usage"]["llm_calls"], found["usage"]["prompt_tokens"]) == (1, 11)
    failed = services.read_test(bad)
    assert (failed["state"], failed["error"]["code"]) == ("failed", "llm_bad_key")


def test_limits_of_a_provider_become_settings(users):
    chosen = {
        "constraints": "schema", "silence_timeout": 60.0, "total_timeout": 300.0, "loading_timeout": 10.0,
        "max_tokens": 4096, "temperature": 0.5,
    }  # fmt: skip
    found = language_models.get_settings(provider(users["admin"], **chosen).pk)
    assert {name: getattr(found, name) for name in chosen} == chosen


def test_administrators_read_the_endpoints_own_words_until_it_works_again(users, api):
    failures.use(language_models.save_failure)
    with Endpoint(fails(400, "sk-1 may not ask for 'top_k'."), says("Bern.")) as endpoint:
        row = provider(users["admin"], base_url=endpoint.url)
        bad, good = (services.start_test(key=row.pk, user=users["admin"]) for _ in range(2))
        language_models.test_model(bad)
        shown = {role: api(role).get("/api/v1/language-models").json()["results"][0]["failure"] for role in users}
        language_models.test_model(good)
    failures.use(failures._log)
    assert services.read_test(bad)["endpoint_words"] == "(key) may not ask for 'top_k'."
    assert "top_k" not in services.read_test(bad)["error"]["message"]
    assert shown.pop("admin")["words"].endswith("answers with error 400. (key) may not ask for 'top_k'.")
    assert set(shown.values()) == {None}
    assert api().get("/api/v1/language-models").json()["results"][0]["failure"] is None


def test_what_a_run_uses_counts_for_its_users_day(users):
    services.update_limits(values={"user_day_tokens": 50}, user=users["admin"])
    user = users["viewer"].pk
    with Endpoint(says("yes")) as endpoint:
        settings = LLMSettings(endpoint.url, "tiny", max_tokens=100)
        for _ in range(2):
            with use_meter(language_models.make_run_meter(user)):
                ask(settings, CHAT)
        third = language_models.make_run_meter(user)
        with use_meter(third), pytest.raises(OverBudgetError, match="this user's day is spent: 50 tokens"):
            ask(settings, CHAT)
        assert language_models.convert_to_json(third)["over_budget"] is True
        with use_meter(language_models.make_run_meter(users["analyst"].pk)):
            ask(settings, CHAT)
    assert selectors.get_usage(user) == Usage(2, 22, 14)


@pytest.mark.django_db(transaction=True)
def test_threads_that_ask_leave_no_connection_behind(users):
    services.update_limits(values={"user_day_tokens": 10_000}, user=users["admin"])
    meter, pool = language_models.make_job_meter(users["viewer"].pk), connection.pool
    settings = LLMSettings("http://localhost:1/v1", "tiny", max_tokens=100)

    def used() -> int:
        connection.close()
        stats = pool.get_stats()
        return stats["pool_size"] - stats["pool_available"]

    def ask_once(_: int) -> None:
        meter.check_budget(settings, 10)
        meter.count(Usage(1, 10, 5))

    before = used()
    for _ in range(2):
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(ask_once, range(8)))
    assert selectors.get_usage(users["viewer"].pk) == Usage(16, 160, 80)
    assert used() == before


def test_a_run_says_what_it_cost_and_that_it_was_refused_more(run, scripted, events, users, api):
    services.update_limits(values={"run_tokens": 50}, user=users["admin"])
    Run.objects.update(llm=1)
    with Endpoint(says("yes")) as endpoint:
        settings = LLMSettings(endpoint.url, "tiny", max_tokens=100)

        def think():
            ask(settings, CHAT)

        def refused():
            with pytest.raises(OverBudgetError, match="budget of this run is spent: 50 tokens"):
                ask(settings, CHAT)

        scripted(STARTED, think, think, refused, FINAL)
        answering.answer(str(run.pk))
        assert len(endpoint.bodies) == 2
    used = {"llm_calls": 2, "prompt_tokens": 22, "completion_tokens": 14, "cost": None}
    assert api("viewer").get(f"/api/v1/runs/{run.pk}").json()["usage"] == {**used, "over_budget": True}
    assert events(run)[-1]["usage"] == {**used, "reasoning_tokens": 0, "triples": 6}


def test_a_run_asks_the_model_that_it_names(tiny_graph, users, events):
    question = "what borders Switzerland?"
    with Endpoint(says("ans: Germany")) as endpoint:
        provider(users["admin"], base_url=endpoint.url, prompt_price=1e6, completion_price=0.0)
        run = answers.create_run(graph=tiny_graph, ask=answers.Ask(question, reasoner="llm"), user=users["viewer"])
        answering.answer(str(run.pk))
        assert endpoint.bodies[0]["model"] == "small"
    log = events(run)
    assert (log[0]["llm"], list(log[0]["prompts"])) == ("Local", ["answer"])
    assert [answer["label"] for answer in log[-1]["answers"]] == ["Germany"]
    run.refresh_from_db()
    assert (run.llm_name, run.usage["llm_calls"], run.usage["cost"]) == ("Local", 1, 11.0)
    assert selectors.get_usage(users["viewer"].pk).cost == 11.0


def costly(connection):
    connection.begin()
    connection.piece("ans: Germany")
    connection.end(5000, 10)


def test_an_evaluation_stops_at_its_users_limit_and_goes_on_with_a_larger_one(tiny_graph, question_set, users):
    services.update_limits(values={"user_day_tokens": 3000}, user=users["admin"])
    with Endpoint(costly) as endpoint:
        provider(users["admin"], base_url=endpoint.url, prompt_price=1.0, completion_price=0.0)
        report = reports.start_report(
            graph=tiny_graph,
            question_set=question_set,
            evaluation=reports.EvaluationRequest(split="all", reasoner="llm"),
            user=users["analyst"],
        )
        evaluation.evaluate(report.job_id)
        report.job.refresh_from_db()
        assert (report.job.state, report.job.error_code) == ("failed", "over_budget")
        assert report.job.error_message == "The language-model budget of this user's day is spent: 3,000 tokens."
        assert len(endpoint.bodies) == 1
        services.update_limits(values={"user_day_tokens": None}, user=users["admin"])
        again = reports.resume_report(report=report, user=users["analyst"])
        evaluation.evaluate(again.job_id)
        assert len(endpoint.bodies) == 2
    report.refresh_from_db()
    assert report.summary["usage"] == {
        "llm_calls": 2,
        "tokens": 10_020,
        "reasoning_tokens": 0,
        "cost": pytest.approx(0.01),
    }
    assert (report.llm_name, report.summary["manifest"]["config"]["llm"]) == ("Local", "Local")


def test_a_job_that_was_refused_does_not_go_on(users):
    meter = language_models.make_job_meter(None, Limit(tokens=5))
    meter.require_open()
    with Endpoint(says("yes")) as endpoint, use_meter(meter), pytest.raises(OverBudgetError):
        ask(LLMSettings(endpoint.url, "tiny"), CHAT)
    with pytest.raises(OverBudgetError, match="budget of this job is spent: 5 tokens"):
        meter.require_open()


def test_all_workers_keep_one_pace(redis):
    one, other = language_models.SharedPace(), language_models.SharedPace()
    settings = LLMSettings("http://x/v1", "m", requests_per_minute=2)
    assert (one.compute_delay(settings), other.compute_delay(settings)) == (0, 0)
    assert 50 < one.compute_delay(settings) <= 60
    assert 50 < other.compute_delay(settings) <= 60
    assert other.compute_delay(LLMSettings("http://x/v1", "n", requests_per_minute=2)) == 0
    assert one.compute_delay(LLMSettings("http://x/v1", "m")) == 0
