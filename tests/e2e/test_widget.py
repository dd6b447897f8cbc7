"""The notebook widget in a browser: what anywidget sends to a notebook, rendered as its front end does."""

import json

import pytest
import traitlets
from playwright.sync_api import expect

import clew
from clew.notebook import AnswerGraph
from tests.support import made_runs

FRANCE, SPAIN, PARIS = (made_runs.node(number, name) for number, name in enumerate(("France", "Spain", "Paris")))
RENDER = """async ([esm, state]) => {
  const address = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  const listeners = {};
  const model = {
    get: (name) => state[name],
    on: (event, callback) => (listeners[event] = callback),
    off: (event) => delete listeners[event],
  };
  window.change = (name, value) => { state[name] = value; listeners[`change:${name}`](); };
  window.leave = await widget.render({ model, el: document.body });
  window.listening = () => Object.keys(listeners).length;
}"""
HAS_COLOUR = """([r, g, b]) => {
  const canvases = document.querySelector("div").shadowRoot.querySelectorAll("canvas");
  return [...canvases].some((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) return true;
    return false;
  });
}"""
YELLOW, DARK_YELLOW = [243, 183, 31], [245, 196, 69]
"""The colour of answers in both themes."""


@pytest.fixture(scope="module")
def page(browser):
    """An empty page; no Clew runs."""
    page = browser.new_page()
    yield page
    page.close()


def make_answer(evidence, answers):
    stream = made_runs.events("What is the capital of France?", FRANCE, evidence, answers)
    events = [{"run": "r", "seq": seq, "at": made_runs.AT, **event} for seq, event in enumerate(stream, 1)]
    return clew.Answer({"id": "r", "error": None}, events, [], "")


def test_an_answer_is_drawn(page, console_errors, shot):
    widget = AnswerGraph(make_answer([made_runs.hop(FRANCE, "capital", PARIS)], [PARIS]), height=300)
    state = {name: widget.get_state()[name] for name in ("events", "height", "theme")}
    page.evaluate(RENDER, [widget._esm, json.loads(json.dumps(state))])
    drawing = page.get_by_role("img")
    expect(drawing).to_have_accessible_name("Graph of the answer: Paris")
    assert drawing.bounding_box()["height"] == 300
    page.wait_for_function(HAS_COLOUR, arg=YELLOW)
    shot("widget")

    widget.theme = "dark"
    page.evaluate("theme => change('theme', theme)", widget.theme)
    page.wait_for_function(HAS_COLOUR, arg=DARK_YELLOW)
    other = make_answer([made_runs.hop(FRANCE, "borders", SPAIN)], [SPAIN])
    page.evaluate("events => change('events', events)", other.events)
    expect(drawing).to_have_accessible_name("Graph of the answer: Spain")
    page.evaluate("leave()")
    expect(drawing).to_have_count(0)
    assert (page.evaluate("listening()"), console_errors) == (0, [])
    with pytest.raises(traitlets.TraitError):
        widget.theme = "blue"


def test_no_answer_is_an_empty_drawing(page, console_errors):
    widget = AnswerGraph(make_answer([], []))
    page.evaluate(RENDER, [widget._esm, {"events": widget.events, "height": 200, "theme": "light"}])
    expect(page.get_by_role("img")).to_have_accessible_name("Graph of the answer: none")
    page.evaluate("leave()")
    assert console_errors == []
