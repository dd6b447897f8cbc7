"""Runs as the API shows and takes them."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from redis.exceptions import RedisError
from rest_framework import serializers

from retrieval.events import from_plain
from retrieval.types import AgentAction
from webapp.answers import fair_queue, programs, selectors
from webapp.answers.models import AgentCorrection, Flag, FlagKind, Run, RunState
from webapp.api.fields import Computed, ErrorSerializer, PlainText, RowError, Stored
from webapp.api.schema import link_component
from webapp.experiments.serializers import MethodChoiceSerializer
from webapp.graphs.names import remove_names
from webapp.graphs.provenance_api import FactSourceSerializer
from webapp.jobs import heartbeats
from webapp.language_models.serializers import LLMUsageSerializer
from webapp.review.api.inputs import RightAnswersField
from webapp.review.models import ItemState
from webapp.review.services import outcomes

CONTENDERS_MAX = 8
NO_WORKER = {
    "code": "no_worker",
    "message": "No worker is running, so nobody works on this question yet.",
    "hint": "It begins by itself as soon as Clew's workers run again.",
}


class RunNoAnswerSerializer(serializers.Serializer[object]):
    """A typed no-answer."""

    reason = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class RunUsageSerializer(LLMUsageSerializer):
    """What a run used of its language model, and whether it was refused more."""

    over_budget = serializers.BooleanField()


class Waiting:
    """What runs wait for."""

    @cached_property
    def positions(self) -> dict[UUID, int]:
        """The place of each run that waits."""
        return fair_queue.compute_positions()

    @cached_property
    def without_worker(self) -> bool:
        """Whether nobody works on them; not known, and not said, while Redis is away."""
        try:
            return heartbeats.count(heartbeats.ANSWERS) == 0
        except RedisError:
            return False


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run."""

    graph_name = serializers.CharField(source="graph.name")
    snapshot = serializers.CharField(source="snapshot_hash")
    llm = serializers.CharField(source="llm_name", allow_blank=True)
    usage = RunUsageSerializer(allow_null=True)
    options = serializers.DictField(help_text="settings of the method that differ from its defaults")
    answers = serializers.ListField(child=serializers.CharField())
    no_answer = RunNoAnswerSerializer(allow_null=True)
    error = RowError()
    warning = serializers.SerializerMethodField()
    position = serializers.SerializerMethodField()
    duration_ms = serializers.SerializerMethodField()
    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    flagged = serializers.ChoiceField(
        choices=ItemState.choices,
        allow_null=True,
        default=None,
        help_text="the review state of its question, where somebody flagged the answer",
    )

    class Meta:
        model = Run
        fields = [
            *("id", "question", "graph", "graph_name", "snapshot", "method", "reasoner", "checkpoint"),
            *("llm", "usage", "budget", "seed", "options", "state", "incomplete", "answers", "answers_count"),
            *("no_answer", "error", "pause_after", "warning", "position", "group", "thread"),
            *("across", "created_at"),
            *("started_at", "finished_at", "duration_ms", "user", "flagged"),
        ]

    @extend_schema_field(ErrorSerializer(allow_null=True))
    def get_warning(self, run: Run) -> dict[str, str] | None:
        """What keeps it from going on."""
        return NO_WORKER if run.state == RunState.QUEUED and self._waiting.without_worker else None

    def get_position(self, run: Run) -> int | None:
        """Its place among all runs that wait, 1 being next; null where it does not wait."""
        return self._waiting.positions.get(run.pk) if run.state == RunState.QUEUED else None

    @property
    def _waiting(self) -> Waiting:
        """Looked up once for all that is shown together."""
        waiting: Waiting = self.root.__dict__.setdefault("_waiting_runs", Waiting())
        return waiting

    def get_duration_ms(self, run: Run) -> float | None:
        """From asking to the end, without the time that it waited for a person."""
        if run.finished_at is None:
            return None
        took = (run.finished_at - run.created_at).total_seconds() - run.rested_s
        return round(took * 1000, 1)


class OutcomeSerializer(serializers.Serializer[object]):
    """What analysts decided about a flagged question; ``rational`` and ``rejected`` count its paths."""

    state = serializers.ChoiceField(choices=ItemState.choices)
    rational = serializers.IntegerField()
    rejected = serializers.IntegerField()
    answers = serializers.ListField(child=serializers.CharField())
    judges = serializers.ListField(child=serializers.CharField())


class FlagSerializer(serializers.ModelSerializer[Flag]):
    """What somebody doubts of a run, where its question waits for analysts, and what became of it."""

    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    queue = serializers.IntegerField(source="item.queue_id")
    right_answers = serializers.ListField(child=serializers.CharField())
    outcome = Computed(OutcomeSerializer(), lambda flag: outcomes.find_outcome(flag.item))

    class Meta:
        model = Flag
        fields = [*("kind", "answer", "chain", "comment", "right_answers", "at", "user", "queue", "item", "outcome")]


class RunDetailSerializer(RunSerializer):
    """A run, with what people doubt of it."""

    flags = Computed(FlagSerializer(many=True), selectors.list_flags)
    program = serializers.SerializerMethodField(help_text="that a person wrote or edited, by names")

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "flags", "program", "corrects", "follows"]

    @extend_schema_field({"type": ["object", "null"], "additionalProperties": True})
    def get_program(self, run: Run) -> dict[str, Any] | None:
        """Null where the question was read."""
        program: dict[str, Any] | None = run.program
        return program


class NewFlagSerializer(serializers.Serializer[object]):
    """What is doubted: ``answer`` is an entity, ``chain`` the index of an evidence chain.

    ``right_answers`` are labels of the graph: all right answers, or with ``answer-missing`` those that are missing.
    """

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=FlagKind.choices)
    answer = serializers.IntegerField(min_value=0, max_value=2**31 - 1, allow_null=True, default=None)
    chain = serializers.IntegerField(min_value=0, max_value=2**31 - 1, allow_null=True, default=None)
    comment = PlainText(max_length=2000, allow_blank=True, default="")
    right_answers = RightAnswersField(default=list)


class FlaggedSerializer(serializers.Serializer[object]):
    """Where the question waits for analysts."""

    queue = serializers.IntegerField()
    item = serializers.IntegerField()


@extend_schema_field({"type": "object", "additionalProperties": True})
class NewProgramField(Stored):
    """A program by names, as ``program.executed`` carries it."""


@extend_schema_field({"type": "object", "additionalProperties": True})
class ProgramField(serializers.JSONField):
    """The same, as it is shown."""


class OptionsField(serializers.DictField):
    """Settings of the method, as ``methods/NAME`` lists them; what is left out has its default."""


class AskSerializer(MethodChoiceSerializer):
    """A question."""

    graph = serializers.IntegerField()
    question = PlainText(allow_blank=True, max_length=100_000)
    entities = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        default=list,
        max_length=20,
    )
    options = OptionsField(default=dict)
    step_by_step = serializers.BooleanField(default=False)
    program = NewProgramField(allow_null=True, default=None, help_text="runs as it is; the question is not read")
    corrects = serializers.UUIDField(
        allow_null=True, default=None, help_text="the run whose program was edited; a run of the same graph"
    )
    follows = serializers.UUIDField(
        allow_null=True,
        default=None,
        help_text="the question before, which this one may lean on; of the same graph",
    )
    trial = serializers.BooleanField(
        default=False, help_text="tried for a review: no correction, and not in the history"
    )


@extend_schema_field(link_component("AgentActionRequest"))
class NewActionField(Stored):
    """An ``AgentAction``, as events carry it."""


class SteerSerializer(serializers.Serializer[object]):
    """How an agent is to go on."""

    keep = serializers.IntegerField(min_value=0, max_value=10_000)
    action = NewActionField(allow_null=True, default=None)
    pause_after = serializers.IntegerField(min_value=0, max_value=1000, required=False, allow_null=True)

    def validate_action(self, value: Any) -> AgentAction | None:
        """An ``AgentAction``, as events carry it."""
        try:
            return None if value is None else from_plain(AgentAction, remove_names(value))
        except ValueError as error:
            raise serializers.ValidationError(f"This is no action of an agent: {error}.") from None


@extend_schema_field(link_component("AgentAction"))
class ActionField(serializers.JSONField):
    """An ``AgentAction``, as events carry it."""


@extend_schema_field({"type": "array", "items": link_component("AgentAction")})
class ActionsField(serializers.JSONField):
    """Several of them."""


class CorrectionSerializer(serializers.ModelSerializer[AgentCorrection]):
    """A step that a person chose otherwise than the policy."""

    graph = serializers.IntegerField(source="run.graph_id")
    graph_name = serializers.CharField(source="run.graph.name")
    snapshot = serializers.CharField(source="run.snapshot_hash")
    question = serializers.CharField(source="run.question")
    before = ActionsField()
    proposed = ActionField(allow_null=True)
    chosen = ActionField()
    state = serializers.SerializerMethodField()
    user = serializers.CharField(source="user.username", allow_null=True, default=None)

    class Meta:
        model = AgentCorrection
        fields = [
            *("id", "run", "graph", "graph_name", "snapshot", "question", "step", "before", "proposed"),
            *("chosen", "state", "user", "at"),
        ]

    @extend_schema_field(serializers.ChoiceField(choices=["kept", "open", "undone"]))
    def get_state(self, correction: AgentCorrection) -> str:
        """Whether it is a label: ``kept``, or why not yet or not any more: ``open``, ``undone``."""
        state: str = self.context["state_of"](correction)
        return state


class ProgramCorrectionSerializer(serializers.ModelSerializer[Run]):
    """A program that a person wrote or edited, beside the one that the question was read as."""

    run = serializers.UUIDField(source="id")
    snapshot = serializers.CharField(source="snapshot_hash")
    before = ProgramField(source="program_before", allow_null=True)
    after = ProgramField(source="program")
    answers = serializers.ListField(child=serializers.CharField())
    state = serializers.SerializerMethodField()
    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = Run
        fields = [
            *("run", "corrects", "graph", "snapshot", "question", "before", "after"),
            *("answers", "answers_count", "state", "user", "at"),
        ]

    @extend_schema_field(serializers.ChoiceField(choices=["kept", "open", "undone"]))
    def get_state(self, run: Run) -> str:
        """Whether it is a label: ``kept``, or why not yet or not any more: ``open``, ``undone``."""
        return programs.get_state(run)


class ContenderSerializer(serializers.Serializer[object]):
    """A method to be compared."""

    method = PlainText(max_length=32)
    checkpoint = serializers.IntegerField(allow_null=True, default=None)
    options = OptionsField(default=dict)


class CompareSerializer(AskSerializer):
    """A question for several methods."""

    method = None  # type: ignore[assignment]  # takes the parent's field away
    checkpoint = None  # type: ignore[assignment]
    step_by_step = None  # type: ignore[assignment]
    options = None  # type: ignore[assignment]
    methods = ContenderSerializer(many=True, allow_empty=False)

    def validate_methods(self, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """At most as many as can be told apart."""
        if len(value) > CONTENDERS_MAX:
            raise serializers.ValidationError(f"At most {CONTENDERS_MAX} methods can be compared.")
        return value


class RunGroupSerializer(serializers.Serializer[object]):
    """One question asked of several methods."""

    id = serializers.UUIDField()
    graph = serializers.IntegerField()
    graph_name = serializers.CharField()
    question = serializers.CharField()
    created_at = serializers.DateTimeField()
    runs = RunSerializer(many=True)


class EventSerializer(serializers.Serializer[object]):
    """An event: its envelope, and the fields of its type (``docs/contracts.md``)."""

    run = serializers.UUIDField()
    seq = serializers.IntegerField()
    at = serializers.DateTimeField()
    type = serializers.CharField()


class EvidenceSourceSerializer(serializers.Serializer[object]):
    """A fact of the evidence, with where it comes from."""

    head = serializers.CharField()
    relation = serializers.CharField()
    tail = serializers.CharField()
    source = FactSourceSerializer(  # type: ignore[assignment]  # a field of this name hides an option of the base
        allow_null=True, help_text="null where it is not known"
    )


class ExportSerializer(serializers.Serializer[object]):
    """A run with all its events."""

    run = RunSerializer()
    events = EventSerializer(many=True)
    sources = EvidenceSourceSerializer(many=True)
