"""Items of review queues, what is said of them and decided, as the API shows and takes them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.api.fields import Computed, ErrorSerializer
from webapp.api.schema import allow_null, link_component
from webapp.graphs.serializers import HopSerializer, NodeSerializer, RelationStepSerializer
from webapp.review import selectors
from webapp.review.api.inputs import OpinionSerializer, PathField
from webapp.review.models import (
    Accord,
    CandidatePath,
    Draft,
    DraftPurpose,
    Item,
    ItemState,
    QueueKind,
    Reason,
    Submission,
    Verdict,
    VerdictKind,
)
from webapp.review.services import events


class CandidateSourceSerializer(serializers.Serializer[object]):
    """Who holds a path, with what score and why; ``label_set`` is null when no label set does."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    label_set = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    score = serializers.FloatField()
    explanation = serializers.CharField(allow_blank=True)


class CandidateSerializer(serializers.ModelSerializer[CandidatePath]):
    """A relation path, or program, to be judged. ``author`` is the analyst who added it, null for one of a label set.

    A program has no topic, path and steps; ``executed`` tells it, and ``reached`` counts what it gives.
    """

    # These are stored as they are shown: field by field they took most of an item's time.
    path = PathField()
    steps = Computed(RelationStepSerializer(many=True), attrgetter("steps"), as_stored=True)
    sources = Computed(CandidateSourceSerializer(many=True), attrgetter("sources"), as_stored=True)
    author = serializers.SerializerMethodField()
    edited_from = serializers.IntegerField(source="edited_from_id", allow_null=True)
    executed = Computed(allow_null(link_component("ProgramExecuted")), attrgetter("executed"), as_stored=True)

    class Meta:
        model = CandidatePath
        fields = [
            *("id", "topic", "path", "steps", "sources", "reached", "hits", "precision", "recall"),
            *("author", "edited_from", "retired", "executed"),
        ]

    def get_author(self, candidate: CandidatePath) -> str | None:
        """Who added it."""
        return candidate.author or None


class VerdictSerializer(serializers.ModelSerializer[Verdict]):
    """What was said of a path, or (``candidate`` null) of the question."""

    reasons = serializers.ListField(child=serializers.ChoiceField(choices=Reason.choices))

    class Meta:
        model = Verdict
        fields = ["candidate", "kind", "reasons", "comment"]


class CurrentAnnotationSerializer(serializers.ModelSerializer[Submission]):
    """What counts of an analyst on an item."""

    analyst = serializers.CharField(source="analyst_name")
    verdicts = VerdictSerializer(many=True)

    class Meta:
        model = Submission
        fields = ["analyst", "at", "comment", "verdicts"]


class DraftSerializer(serializers.ModelSerializer[Draft]):
    """What a person entered and did not submit."""

    content = OpinionSerializer()

    class Meta:
        model = Draft
        fields = ["revision", "saved_at", "content"]


class ItemRowSerializer(serializers.ModelSerializer[Item]):
    """An item in a list. ``accord`` stays ``none`` until enough analysts judged it: they judge blind."""

    accord = Computed(
        serializers.ChoiceField(choices=Accord.choices),
        lambda item: Accord.NONE if item.state == ItemState.OPEN else item.accord,
    )

    class Meta:
        model = Item
        fields = [
            *("id", "queue", "position", "key", "question", "doubt", "reason", "state", "submitted"),
            *("version", "accord", "settled"),
        ]


class AnsweredSerializer(serializers.ModelSerializer[Submission]):
    """What a person says the right answers are; ``id`` is that of the event."""

    analyst = serializers.CharField(source="analyst_name")
    answers = serializers.ListField(child=serializers.CharField(), source="answers.now")

    class Meta:
        model = Submission
        fields = ["id", "analyst", "at", "answers"]


class AnswersChangeSerializer(serializers.Serializer[object]):
    """The right answers before and after an event."""

    before = serializers.ListField(child=serializers.CharField())
    now = serializers.ListField(child=serializers.CharField())


class ItemSerializer(serializers.ModelSerializer[Item]):
    """An item with its candidates, what the one who asks said of it, and the event that decided it.

    ``answered`` is who said what the answers are; null: they are the question set's, or ``assumed``: a doubted run
    gave them besides. ``suggested`` are those that others called right since, for an analyst to take over.
    ``draft`` and ``decision_draft`` are what the person who asks entered and did not submit.
    """

    kind = serializers.ChoiceField(choices=QueueKind.choices, source="queue.kind")
    topics = serializers.ListField(child=serializers.CharField())
    answers = serializers.ListField(child=serializers.CharField())
    candidates = Computed(CandidateSerializer(many=True), selectors.list_candidates)
    mine = serializers.SerializerMethodField()
    adjudicated = Computed(CurrentAnnotationSerializer(allow_null=True), selectors.get_decision)
    answered = AnsweredSerializer(allow_null=True, read_only=True)
    suggested = Computed(AnsweredSerializer(many=True), selectors.list_suggestions)
    draft = serializers.SerializerMethodField()
    decision_draft = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = [
            *("id", "queue", "kind", "position", "key", "question", "topics", "answers", "doubt", "reason"),
            *("shown", "state", "submitted", "version", "settled", "candidates", "mine", "adjudicated"),
            *("assumed", "answered", "suggested", "draft", "decision_draft"),
        ]

    @extend_schema_field(CurrentAnnotationSerializer(allow_null=True))
    def get_mine(self, item: Item) -> dict[str, Any] | None:
        """What the one who asks said."""
        return _render_submission(self.context["mine"])

    @extend_schema_field(DraftSerializer(allow_null=True))
    def get_draft(self, item: Item) -> dict[str, Any] | None:
        """The judgement that the person began."""
        return self._render_draft(DraftPurpose.JUDGEMENT)

    @extend_schema_field(DraftSerializer(allow_null=True))
    def get_decision_draft(self, item: Item) -> dict[str, Any] | None:
        """The decision that the person began."""
        return self._render_draft(DraftPurpose.DECISION)

    def _render_draft(self, purpose: str) -> dict[str, Any] | None:
        draft = self.context["drafts"].get(purpose)
        return None if draft is None else dict(DraftSerializer(draft).data)


def _render_submission(event: Submission | None) -> dict[str, Any] | None:
    return None if event is None else dict(CurrentAnnotationSerializer(event).data)


class NextSerializer(serializers.Serializer[object]):
    """The next item; null when none is left for this analyst."""

    item = ItemSerializer(allow_null=True)


class SubmittedSerializer(serializers.Serializer[object]):
    """The item as it is now, and the next one."""

    item = ItemRowSerializer()
    next = ItemSerializer(allow_null=True)


class DrawnSerializer(serializers.Serializer[object]):
    """The facts of a path, to be drawn; at most 12 entities of each kind."""

    hops = HopSerializer(many=True)
    hit = NodeSerializer(many=True)
    extra = NodeSerializer(many=True)
    missed = NodeSerializer(many=True)


class PathPreviewSerializer(DrawnSerializer):
    """The facts of one candidate."""

    candidate = serializers.IntegerField()


class FitSerializer(serializers.Serializer[object]):
    """How what a path reaches fits the answers."""

    reached = serializers.IntegerField()
    hits = serializers.IntegerField()
    precision = serializers.FloatField()
    recall = serializers.FloatField()


class PathStepSerializer(serializers.Serializer[object]):
    """A relation in a direction; ``reached`` counts the entities after it, at most 12 of them are listed."""

    relation = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    inverse = serializers.BooleanField()
    reached = serializers.IntegerField()
    sample = NodeSerializer(many=True)


class OnwardSerializer(FitSerializer):
    """A relation by which a path can go on, and how what it then reaches fits the answers."""

    relation = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    inverse = serializers.BooleanField()


class HopsSerializer(DrawnSerializer, FitSerializer):
    """A path as far as it can be walked, and how it can go on (at most 60 relations, of ``next_total``)."""

    valid = serializers.BooleanField()
    error = ErrorSerializer(allow_null=True)
    steps = PathStepSerializer(many=True)
    same_as = serializers.IntegerField(allow_null=True)
    next = OnwardSerializer(many=True)
    next_total = serializers.IntegerField(allow_null=True, help_text="null: too many facts to count")


class ChangedItemSerializer(serializers.Serializer[object]):
    """The item as it is now."""

    item = ItemSerializer()


class DecidedItemSerializer(serializers.Serializer[object]):
    """The item as it is now, in short."""

    item = ItemRowSerializer()


class AnalystVerdictSerializer(serializers.Serializer[object]):
    """What one analyst says of a path, or of the question."""

    analyst = serializers.CharField()
    kind = serializers.ChoiceField(choices=VerdictKind.choices)
    reasons = serializers.ListField(child=serializers.ChoiceField(choices=Reason.choices))
    comment = serializers.CharField(allow_blank=True)


class SidesSerializer(serializers.Serializer[object]):
    """A path and what each analyst says of it."""

    candidate = CandidateSerializer()
    said = AnalystVerdictSerializer(many=True)


class DisagreementSerializer(serializers.Serializer[object]):
    """An item that analysts do not agree on; ``broken``: those who call the question so."""

    item = ItemRowSerializer()
    candidates = SidesSerializer(many=True)
    broken = AnalystVerdictSerializer(many=True)


class AcceptedSerializer(serializers.Serializer[object]):
    """How many items were accepted, and how many nothing decided yet."""

    accepted = serializers.IntegerField()
    left = serializers.IntegerField()


class TakenBackSerializer(serializers.Serializer[object]):
    """How many items are as they were before."""

    undone = serializers.IntegerField()


class LineProblemSerializer(serializers.Serializer[object]):
    """A line that could not be used, or not wholly."""

    line = serializers.IntegerField()
    message = serializers.CharField()
    text = serializers.CharField(allow_blank=True)


class ImportedSerializer(serializers.Serializer[object]):
    """What a file brought: ``verdicts`` that were not there, and at most 1,000 of ``problems_total`` problems."""

    read = serializers.IntegerField(help_text="lines")
    verdicts = serializers.IntegerField()
    added_paths = serializers.IntegerField()
    problems = LineProblemSerializer(many=True)
    problems_total = serializers.IntegerField()
    undo = serializers.UUIDField()


class ReviewEventSerializer(serializers.ModelSerializer[Submission]):
    """Something that happened to an item; ``shown`` is the hash of what the analyst saw of it.

    ``withheld``: its verdicts and comment are not shown to who may still judge the item independently.
    """

    analyst = serializers.CharField(source="analyst_name")
    question_id = serializers.CharField(source="item.key")
    question = serializers.CharField(source="item.question")
    comment = serializers.SerializerMethodField()
    verdicts = Computed(VerdictSerializer(many=True), events.get_shown_verdicts)
    withheld = serializers.BooleanField()
    path = serializers.IntegerField(source="path_id", allow_null=True)
    undoes = serializers.UUIDField(source="undoes_id", allow_null=True)
    replaces = serializers.UUIDField(source="replaces_id", allow_null=True)
    answers = AnswersChangeSerializer(allow_null=True)

    class Meta:
        model = Submission
        fields = [
            *("id", "at", "analyst", "kind", "item", "question_id", "question", "shown", "comment", "path"),
            *("undoes", "replaces", "batch", "answers", "verdicts", "withheld"),
        ]

    def get_comment(self, event: Submission) -> str:
        """The comment on the question."""
        return events.get_shown_comment(event)
