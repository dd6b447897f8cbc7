"""Settings of a method that were chosen in asking reach its engine."""

import pytest

from webapp.answers import selectors, services
from worker import answering


@pytest.mark.parametrize(("steps", "taken"), [(1, 1), (12, 5)])
def test_an_explorer_takes_as_many_steps_as_it_was_let(tiny_graph, users, steps, taken):
    ask = services.Ask("official language of the borders of Switzerland", method="graph-s3", options={"steps": steps})
    run = services.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
    answering.answer(str(run.pk))
    events = [event["type"] for event in selectors.load_events(run.pk)]
    assert (events.count("agent.step"), events[-1]) == (taken, "answer.final")
