"""Methods that answer a question alike answer it once."""

import threading

import pytest

from retrieval.answering import answer_cache
from retrieval.answering.answer_cache import Retelling
from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.run import AskRequest, PipelineRun, Stopwatch
from retrieval.answering.spec import EXTRACTIVE, AnswererSpec
from retrieval.errors import Cancelled, LLMError
from retrieval.events import QuestionLinked
from retrieval.language.question import Question
from tests.retrieval.films import WordEncoder, build

QUESTION = AskRequest(Question("which languages are films by the director of Film 01 in"))
EVENTS = [QuestionLinked((), (f"name {i}",), 1.0) for i in range(4)]


def run(cancelled=lambda: False):
    return PipelineRun(QUESTION, cancelled)


class Answer:
    """Brings the events, each time alike, and counts how often it was asked to."""

    def __init__(self, events=EVENTS):
        self.events, self.times = events, 0

    def __call__(self):
        self.times += 1
        yield from self.events


@pytest.fixture(scope="module")
def answerers(tmp_path_factory):
    root = tmp_path_factory.mktemp("films")
    parts = load_parts(build(root / "graph"), WordEncoder())

    def opened(method):
        return load_answerer(AnswererSpec(snapshot=parts.snapshot.path, method=method, reasoner=EXTRACTIVE), parts)

    return {method: opened(method) for method in ("reg-path", "reg-triple", "rapl")}


def told(answerer, **how):
    """The events after the first, which names the method, and how often the question was read for them."""
    reader, read = answerer.programs._reader, []
    before, reader.read = reader.read, lambda *args: (read.append(1), before(*args))[1]
    try:
        events = list(answerer.run(QUESTION, **how))
    finally:
        del reader.read
    return events[0], events[1:], len(read)


def test_methods_without_a_checkpoint_tell_what_the_first_of_them_has_answered(answerers):
    first, events, read = told(answerers["reg-path"])
    assert (first.method, read) == ("reg-path", 1)
    for method in ("reg-triple", "rapl"):
        begun, again, read = told(answerers[method])
        assert (begun.method, read) == (method, 0)
        assert again[:-1] == events[:-1]
        assert (again[-1].answers, again[-1].usage) == (events[-1].answers, events[-1].usage)


def test_a_run_whose_seconds_are_counted_computes_itself(answerers):
    told(answerers["reg-path"])
    _, _, read = told(answerers["reg-triple"], watch=Stopwatch())
    assert read == 1


def test_an_answer_is_told_again_for_a_while_only(monkeypatch):
    kept, answer = Retelling(), Answer()
    assert list(kept.stream_events("key", run(), answer)) == EVENTS
    assert list(kept.stream_events("key", run(), answer)) == EVENTS
    assert answer.times == 1
    monkeypatch.setattr(answer_cache, "FRESH_S", -1.0)
    assert list(kept.stream_events("key", run(), answer)) == EVENTS
    assert answer.times == 2


def test_who_follows_goes_on_alone_where_the_other_was_left(monkeypatch):
    kept, answer = Retelling(), Answer()
    left = kept.stream_events("key", run(), answer)
    assert [next(left), next(left)] == EVENTS[:2]
    follower = kept.stream_events("key", run(), answer)
    assert next(follower) == EVENTS[0]
    left.close()
    assert list(follower) == EVENTS[1:]
    assert answer.times == 2
    monkeypatch.setattr(answer_cache, "PATIENCE_S", 0.1)
    still = kept.stream_events("key", run(), answer)  # what was left is not told again
    assert next(still) == EVENTS[0]
    assert list(kept.stream_events("key", run(), answer)) == EVENTS
    assert answer.times == 4
    assert list(still) == EVENTS[1:]


def test_who_follows_takes_what_comes_and_can_be_stopped():
    kept, begin, stop = Retelling(), threading.Event(), threading.Event()

    def slowly():
        yield EVENTS[0]
        begin.wait(10)
        yield from EVENTS[1:]

    first = kept.stream_events("key", run(), slowly)
    assert next(first) == EVENTS[0]
    stopped = kept.stream_events("key", run(stop.is_set), slowly)
    assert next(stopped) == EVENTS[0]
    stop.set()
    with pytest.raises(Cancelled):
        next(stopped)
    got = []
    other = threading.Thread(target=lambda: got.extend(kept.stream_events("key", run(), slowly)))
    other.start()
    begin.set()
    assert list(first) == EVENTS[1:]
    other.join(10)
    assert got == EVENTS


def test_each_fails_on_its_own():
    def failing():
        yield EVENTS[0]
        raise LLMError("It broke.", hint="")

    kept = Retelling()
    for _ in range(2):
        with pytest.raises(LLMError):
            list(kept.stream_events("key", run(), failing))


def test_the_oldest_is_forgotten(monkeypatch):
    monkeypatch.setattr(answer_cache, "REMEMBERED", 2)
    kept, answer = Retelling(), Answer(EVENTS[:1])
    for key in ("one", "two", "three", "two", "one"):
        assert list(kept.stream_events(key, run(), answer)) == EVENTS[:1]
    assert answer.times == 4
