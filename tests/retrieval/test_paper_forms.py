"""Every setting of every method is decided: docs/paper-forms.md has its value in the paper's form and the place."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from retrieval import config as configs
from retrieval.config import make_setting
from retrieval.methods import registry
from retrieval.methods.reg_triple.spec import RegTripleConfig
from retrieval.methods.spec import MethodSpec

PAGE = Path(__file__).parents[2] / "docs" / "paper-forms.md"
KINDS = ("training", "asking")
#: What Clew cannot do as the paper does.
DEPARTS = {("graph-s3", "training", "lora_rank")}
#: They are of no paper, and have no settings.
BASELINES = {"llm-only", "llm-cot"}
PLACE = re.compile(r"\b(eq\. \d|Table \d|Algorithm \d|Definition \d|App\. [A-Z]|[A-H]\.\d|\d(\.\d)?\b)")
UNDECIDED = re.compile(r"(silent|not read|no part of the form|departs|INSES trains no classifier)\b")

Rows = dict[tuple[str, str, str], tuple[str, str]]


def read_page() -> Rows:
    """Value and place by method, kind and setting."""
    found: Rows = {}
    method = kind = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            method, kind = line[3:], ""
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) != 3:
            continue
        if cells[0] in KINDS:
            kind = cells[0]
        else:
            key = (method, kind, cells[0].strip("`"))
            assert key not in found, f"{key} is decided twice"
            found[key] = cells[1], cells[2]
    return found


def settings_of(spec: MethodSpec) -> dict[tuple[str, str, str], configs.Setting]:
    classes = {"training": spec.config, "asking": spec.options}
    return {
        (spec.name, kind, one.name): one
        for kind, cls in classes.items()
        if cls is not None
        for one in configs.describe(cls)
    }


def paper_values(method: str) -> dict[tuple[str, str, str], object]:
    spec, form = registry.get_method(method), {"preset": "paper"}
    found = {}
    if spec.config is not None:
        training = configs.export_settings(registry.parse(method, form))
        found = {(method, "training", name): value for name, value in training.items()}
    asking = configs.export_settings(registry.parse_options(method, form))
    return found | {(method, "asking", name): value for name, value in asking.items()}


def shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "(empty)"


METHODS = [name for name in registry.METHODS if name not in BASELINES]


def test_baselines_have_no_settings():
    assert [name for name in registry.METHODS if not settings_of(registry.get_method(name))] == sorted(
        BASELINES, reverse=True
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_setting_has_a_row_with_the_value_of_the_preset(method):
    rows = {key: row for key, row in read_page().items() if key[0] == method}
    values = paper_values(method)
    assert set(rows) == set(settings_of(registry.get_method(method)))
    assert {key: value for key, (value, _) in rows.items()} == {key: shown(value) for key, value in values.items()}


def test_a_setting_without_a_row_is_noticed():
    @dataclass(frozen=True, slots=True)
    class Longer(RegTripleConfig):
        temperature: float = make_setting(1.0, "Of nothing [2].", above=0)

    spec = replace(registry.get_method("reg-triple"), config=Longer)
    assert set(settings_of(spec)) - set(read_page()) == {("reg-triple", "training", "temperature")}


def test_every_row_names_a_place_or_says_why_there_is_none():
    wrong = [key for key, (_, place) in read_page().items() if not (PLACE.search(place) or UNDECIDED.match(place))]
    assert wrong == []
    departs = {key for key, (_, place) in read_page().items() if place.startswith("departs")}
    assert departs == DEPARTS


@pytest.mark.parametrize("method", METHODS)
def test_what_is_not_in_the_paper_stands_at_its_default_or_is_fixed_by_the_preset(method):
    """A value that the paper does not give is changed for a reason: the preset names it."""
    spec, defaults = registry.get_method(method), settings_of(registry.get_method(method))
    presets = {"training": spec.presets.get("paper", {}), "asking": spec.asking["paper"]}
    changed = {key for key, value in paper_values(method).items() if value != defaults[key].default}
    assert changed == {
        (method, kind, name)
        for kind, values in presets.items()
        for name, value in values.items()
        if value != defaults[method, kind, name].default
    }


#: What the form's text says in brackets is the paper's value; words that are not values are left out.
BRACKETS = {
    "no": False,
    "yes": True,
    "no limit": 0,
    "all": 0,
    "once": 0,
}


@pytest.mark.parametrize("method", METHODS)
def test_values_in_brackets_are_those_of_the_preset(method):
    values, checked = paper_values(method), 0
    for key, one in settings_of(registry.get_method(method)).items():
        said = re.search(r"\[([^\[\]]+)\][.:]?( \(docs/[^)]*\))?\.?$", one.about)
        if said is None or UNDECIDED.match(read_page()[key][1]):
            continue
        text = said.group(1)
        wanted: object = BRACKETS.get(text)
        if text in one.choices:
            wanted = text
        elif re.fullmatch(r"[\d.e-]+", text):
            wanted = float(text)
        if wanted is not None:
            checked += 1
            assert values[key] == wanted, key
    assert checked or method == "router"
