"""Tests and rounds as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.answers.serializers import NewProgramField, OptionsField
from webapp.api.fields import PlainText
from webapp.graph_tests import selectors
from webapp.graph_tests.history import Moment
from webapp.graph_tests.models import Cause, Decision, GraphTest, RoundOutcome, TestResult, TestRound
from webapp.graph_tests.outcomes import find_missing
from webapp.graph_tests.services import EXPECTED_MAX, TESTS_MAX
from webapp.jobs.serializers import JobSerializer

LABEL_MAX = 10_000


class LabelsField(serializers.ListField):
    """Labels of the graph."""

    child = PlainText(max_length=LABEL_MAX)


class FactsField(serializers.ListField):
    """Facts by labels: head, relation, tail."""

    child = serializers.ListField(child=serializers.CharField())


class BeforeSerializer(serializers.Serializer[object]):
    """What a test answered on the version that was current, or that it was asked of before."""

    number = serializers.IntegerField()
    answers = serializers.ListField(child=serializers.CharField())
    outcome = serializers.ChoiceField(choices=RoundOutcome.choices)
    method = serializers.CharField(allow_blank=True)
    fingerprint = serializers.CharField(allow_blank=True)


class ResultSerializer(serializers.ModelSerializer[TestResult]):
    """What a test answered: ``missing`` was expected and did not come, ``unexpected`` came and was not."""

    question = serializers.CharField(source="test.question")
    version = serializers.IntegerField(source="number")
    outcome = serializers.ChoiceField(choices=RoundOutcome.choices)
    expected = serializers.ListField(child=serializers.CharField())
    answers = serializers.ListField(child=serializers.CharField())
    missing = serializers.SerializerMethodField()
    unexpected = serializers.SerializerMethodField()
    before = BeforeSerializer(allow_null=True)
    added = FactsField()
    removed = FactsField()
    facts = serializers.SerializerMethodField(help_text="how many facts the answer rests on")

    class Meta:
        model = TestResult
        fields = [
            *("test", "round", "question", "version", "outcome", "expected", "answers", "missing"),
            *("unexpected", "reason", "message", "method", "fingerprint", "facts", "before", "changed"),
            *("added", "removed", "took_ms", "at"),
        ]

    def get_missing(self, result: TestResult) -> list[str]:
        """What did not come."""
        return [] if result.outcome == RoundOutcome.ERROR else find_missing(result.expected, result.answers)

    def get_unexpected(self, result: TestResult) -> list[str]:
        """What came beside it."""
        return find_missing(result.answers, result.expected)

    def get_facts(self, result: TestResult) -> int:
        """Of the evidence, as far as it is kept."""
        return len(result.facts)


class TestSerializer(serializers.ModelSerializer[GraphTest]):
    """A test, with its last result."""

    expected = serializers.ListField(child=serializers.CharField())
    entities = serializers.ListField(child=serializers.CharField())
    options = serializers.DictField()
    graph_name = serializers.CharField(source="graph.name")
    own_program = serializers.SerializerMethodField(help_text="a program of its own runs")
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)
    last = serializers.SerializerMethodField()

    class Meta:
        model = GraphTest
        fields = [
            *(
                "id",
                "graph",
                "graph_name",
                "question",
                "expected",
                "entities",
                "method",
                "options",
                "own_program",
            ),
            *("budget", "seed", "created_by", "created_at", "last"),
        ]

    def get_own_program(self, test: GraphTest) -> bool:
        """Not read from the question."""
        return test.program is not None

    @extend_schema_field(ResultSerializer(allow_null=True))
    def get_last(self, test: GraphTest) -> dict[str, Any] | None:
        """Null where it was never asked."""
        result = self.context["last"].get(test.pk)
        return None if result is None else dict(ResultSerializer(result).data)


class TestsSerializer(serializers.Serializer[object]):
    """All tests of a graph, and whether they hold back what fails."""

    hold = serializers.BooleanField()
    tests = TestSerializer(many=True)


class NewTestSerializer(serializers.Serializer[object]):
    """A test: a question with the answers that it must have; none where no answer is expected.

    ``entities`` are names of topics that are pinned; ``program`` runs in place of the question's words.
    """

    question = PlainText(allow_blank=True, max_length=100_000)
    expected = LabelsField(default=list, max_length=EXPECTED_MAX)
    entities = LabelsField(default=list, max_length=20)
    method = PlainText(max_length=32, allow_blank=True, default="")
    options = OptionsField(default=dict)
    program = NewProgramField(allow_null=True, default=None)
    budget = serializers.IntegerField(allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, default=0)


class KeepSerializer(serializers.Serializer[object]):
    """Tests to be kept: typed or imported ones, or a run whose answer is to stay as it is."""

    run = serializers.UUIDField(allow_null=True, default=None)
    tests = NewTestSerializer(many=True, default=list)

    def validate_tests(self, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """At most as many as a graph may have."""
        if len(value) > TESTS_MAX:
            raise serializers.ValidationError(f"At most {TESTS_MAX:,} tests are taken.")
        return value


class ChangeTestSerializer(serializers.Serializer[object]):
    """What a test expects from now on."""

    expected = LabelsField(max_length=EXPECTED_MAX)


class PolicySerializer(serializers.Serializer[object]):
    """Whether failing tests hold a new version or checkpoint back."""

    hold = serializers.BooleanField()


class AskTestsSerializer(serializers.Serializer[object]):
    """Which tests are to be asked: those named, or all."""

    tests = serializers.ListField(child=serializers.IntegerField(min_value=1), default=list, max_length=TESTS_MAX)


class FiguresSerializer(serializers.Serializer[object]):
    """How many tests went how."""

    passed = serializers.IntegerField(default=0)
    failed = serializers.IntegerField(default=0)
    error = serializers.IntegerField(default=0)
    changed = serializers.IntegerField(default=0)


class RoundSerializer(serializers.ModelSerializer[TestRound]):
    """A round of tests."""

    graph_name = serializers.CharField(source="graph.name")
    version = serializers.IntegerField(source="number")
    before = serializers.IntegerField(allow_null=True, help_text="the version that was current")
    snapshot = serializers.CharField(source="snapshot_hash")
    fingerprint = serializers.CharField(source="checkpoint.fingerprint", allow_null=True, default=None)
    cause = serializers.ChoiceField(choices=Cause.choices)
    decision = serializers.ChoiceField(choices=Decision.choices, allow_blank=True)
    tests = serializers.SerializerMethodField()
    figures = FiguresSerializer()
    job = JobSerializer(allow_null=True)
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)

    class Meta:
        model = TestRound
        fields = [
            *("id", "graph", "graph_name", "cause", "version", "before", "snapshot", "checkpoint"),
            *("fingerprint", "hold", "violations", "decision", "tests", "figures", "job", "created_by"),
            *("created_at", "finished_at"),
        ]

    def get_tests(self, round: TestRound) -> int:
        """How many are asked."""
        return len(round.tests)


class RoundDetailSerializer(RoundSerializer):
    """A round with what each test answered."""

    results = serializers.SerializerMethodField()

    class Meta(RoundSerializer.Meta):
        fields = [*RoundSerializer.Meta.fields, "results"]

    @extend_schema_field(ResultSerializer(many=True))
    def get_results(self, round: TestRound) -> list[dict[str, Any]]:
        """Those that changed first, then those that failed."""
        rows = sorted(
            selectors.list_results(round), key=lambda row: (not row.changed, row.outcome == RoundOutcome.PASSED)
        )
        return [dict(row) for row in ResultSerializer(rows, many=True).data]


class WatchSerializer(TestSerializer):
    """A question that a person watches: ``unread`` says that its answer changed and they have not looked."""

    class Meta(TestSerializer.Meta):
        fields = [*TestSerializer.Meta.fields, "unread"]


class NewWatchSerializer(serializers.Serializer[object]):
    """The question of a run, to be watched."""

    run = serializers.UUIDField()


class MomentSerializer(serializers.Serializer[object]):
    """A version and what it answers: ``came`` and ``went`` against the version before that was asked."""

    version = serializers.IntegerField(source="version.version")
    created_at = serializers.DateTimeField(source="version.created_at")
    note = serializers.CharField(source="version.note", allow_blank=True)
    current = serializers.SerializerMethodField()
    answers = serializers.ListField(
        source="result.answers", child=serializers.CharField(), default=None, allow_null=True
    )
    method = serializers.CharField(source="result.method", default="", allow_blank=True)
    fingerprint = serializers.CharField(source="result.fingerprint", default="", allow_blank=True)
    changed = serializers.BooleanField()
    came = serializers.ListField(child=serializers.CharField())
    went = serializers.ListField(child=serializers.CharField())
    added = FactsField()
    removed = FactsField()

    def get_current(self, moment: Moment) -> bool:
        """Whether it is the one that is asked."""
        return bool(self.context["graph"].snapshot_id == moment.version.pk)


class HistorySerializer(serializers.Serializer[object]):
    """A question through the versions of its graph, oldest first."""

    test = WatchSerializer()
    mine = serializers.BooleanField(help_text="watched by who asks")
    job = JobSerializer(allow_null=True, help_text="asks versions that were not asked yet")
    moments = MomentSerializer(many=True)
