"""Who sees which rows, over all models and all addresses: nobody, until a model says otherwise."""

import pytest
from django.apps import apps
from django.urls import URLPattern, URLResolver

from webapp.api.access import OPEN, AccessControlled, filter_visible
from webapp.graphs.models import Graph, Seeded
from webapp.project import api_urls

OURS = [model for model in apps.get_models() if model.__module__.startswith("webapp.")]

#: Rows without an address of their own: they are read by way of another row, or never shown.
WITHOUT_ADDRESS = {
    "graphs.seeded",
    "language_models.spendinglimits",
    "review.currentannotation",
    "review.queuecounter",
    "review.reservation",
    "review.verdict",
    "review.draft",
    "sharing.sharingpolicy",
}


def test_every_model_says_who_sees_it_or_nobody_does():
    assert [model for model in OURS if not issubclass(model, AccessControlled)] == []
    silent = {
        model._meta.label_lower
        for model in OURS
        if not model.visible_through and "make_visibility_filter" not in vars(model)
    }
    assert silent == WITHOUT_ADDRESS


def test_a_model_that_says_nothing_is_seen_by_nobody(users):
    Seeded.objects.create(name="demo")
    assert filter_visible(Seeded.objects.all(), users["admin"]).count() == 0


def views(patterns=api_urls.urlpatterns):
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
            yield pattern.callback.cls


def test_every_view_finds_rows_only_by_what_their_model_says():
    of_rows = {view for view in views() if getattr(view, "queryset", None) is not None}
    assert len(of_rows) > 12
    silent = [
        view.__name__
        for view in of_rows
        if view.queryset.model._meta.label_lower in WITHOUT_ADDRESS
        or not (issubclass(view.queryset.model, AccessControlled) or view.queryset.model in OPEN)
    ]
    assert silent == []
    assert [view.__name__ for view in of_rows if not view.filter_backends] == []


def graphs_of(rows, way):
    return set(rows.values_list(f"{way}__pk", flat=True))


@pytest.mark.parametrize(
    "model", [model for model in OURS if "graph" in model.visible_through], ids=lambda m: m._meta.label_lower
)
def test_what_hangs_on_a_graph_is_seen_by_those_who_see_it(model, world):
    _, people = world
    rows = model._base_manager.all()
    way = model.visible_through
    for person in people.values():
        seen = set(filter_visible(Graph.objects.all(), person).values_list("pk", flat=True))
        assert graphs_of(filter_visible(rows, person), way) == graphs_of(rows, way) & seen, person.username
