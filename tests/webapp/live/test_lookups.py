"""Look-ups that sockets share."""

import asyncio

import pytest

from webapp.live.lookups import query_cached

pytestmark = pytest.mark.django_db(transaction=True)  # threads close their connections


@pytest.fixture
def query():
    """``query("name")`` is a query that notes its runs."""
    runs = []

    def make(name, error=None):
        def run():
            runs.append(name)
            if error:
                raise error
            return f"{name} {runs.count(name)}"

        return run

    make.runs = runs
    return make


async def test_what_many_ask_at_once_is_asked_once(query):
    found = await asyncio.gather(*(query_cached("key", query("a"), kept_s=60) for _ in range(40)))
    assert found == ["a 1"] * 40
    assert await query_cached("other", query("b"), kept_s=60) == "b 1"
    assert query.runs == ["a", "b"]


async def test_what_must_be_new_is_asked_anew_and_kept_for_others(query):
    assert await query_cached("key", query("a"), kept_s=60) == "a 1"
    assert await query_cached("key", query("a"), kept_s=0) == "a 2"
    assert await query_cached("key", query("a"), kept_s=60) == "a 2"


async def test_who_leaves_takes_nothing_from_those_who_wait(query):
    first = asyncio.ensure_future(query_cached("key", query("a"), kept_s=60))
    await asyncio.sleep(0)
    second = asyncio.ensure_future(query_cached("key", query("a"), kept_s=60))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "a 1"


async def test_a_query_that_failed_is_not_asked_by_all(query):
    failing = query("a", ValueError("away"))
    found = await asyncio.gather(*(query_cached("key", failing, kept_s=60) for _ in range(5)), return_exceptions=True)
    assert [str(one) for one in found] == ["away"] * 5
    assert query.runs == ["a"]
