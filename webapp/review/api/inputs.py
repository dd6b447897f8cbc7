"""What the review API takes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.api.fields import PlainText
from webapp.api.schema import RELATION_PATH
from webapp.experiments.serializers import SEED_MAX
from webapp.review.models import DraftPurpose, Ordering, QueueKind, Reason, VerdictKind
from webapp.review.services.right_answers import ANSWERS_MAX

OVERLAP_MAX = 10
HOLDING_MAX = 5
COMMENT_MAX = 2000
LABEL_MAX = 4096
STEPS_MAX = 50


class NewQueueSerializer(serializers.Serializer[object]):
    """What to review."""

    graph = serializers.IntegerField()
    question_set = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=QueueKind.choices, default=QueueKind.PATHS.value)
    label_sets = serializers.ListField(
        child=serializers.IntegerField(),
        max_length=20,
        default=list,
        help_text="of paths; programs need none",
    )
    name = PlainText(max_length=200, allow_blank=True, default="")
    ordering = serializers.ChoiceField(choices=Ordering.choices, default=Ordering.UNCERTAINTY.value)
    seed = serializers.IntegerField(min_value=0, max_value=SEED_MAX, default=0)
    overlap = serializers.IntegerField(min_value=1, max_value=OVERLAP_MAX, default=1)


class HoldingSerializer(serializers.Serializer[object]):
    """Items that the analyst has before them."""

    holding = serializers.ListField(child=serializers.IntegerField(), max_length=HOLDING_MAX, default=list)


class VerdictInputSerializer(serializers.Serializer[object]):
    """A verdict on a path."""

    candidate = serializers.IntegerField()
    kind = serializers.ChoiceField(
        choices=[(kind.value, kind.label) for kind in VerdictKind if kind != VerdictKind.BROKEN]
    )
    reasons = serializers.ListField(child=serializers.ChoiceField(choices=Reason.choices), default=list)
    comment = PlainText(max_length=COMMENT_MAX, allow_blank=True, default="")


class OpinionSerializer(serializers.Serializer[object]):
    """Verdicts on the paths of a question, or that it is broken, and a comment on it."""

    verdicts = VerdictInputSerializer(many=True, default=list)
    broken = serializers.BooleanField(default=False)
    reasons = serializers.ListField(child=serializers.ChoiceField(choices=Reason.choices), default=list)
    comment = PlainText(max_length=COMMENT_MAX, allow_blank=True, default="")


class DraftInputSerializer(serializers.Serializer[object]):
    """A draft; ``revision`` is made by the client, ``base`` is the revision that it changes."""

    purpose = serializers.ChoiceField(choices=DraftPurpose.choices)
    revision = serializers.UUIDField()
    base = serializers.UUIDField(allow_null=True, default=None)
    content = OpinionSerializer()


class DecisionSerializer(OpinionSerializer):
    """How an item is decided."""

    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=0)


class AnnotationInputSerializer(DecisionSerializer, HoldingSerializer):
    """What an analyst says of an item, and which items they hold besides."""

    shown = serializers.CharField(max_length=64)


class UndoSerializer(serializers.Serializer[object]):
    """The id of an event, made by the client."""

    id = serializers.UUIDField()


class TakeBackSerializer(UndoSerializer):
    """The id of an event, and the version of the item as it was shown."""

    version = serializers.IntegerField(min_value=0)


@extend_schema_field(RELATION_PATH)
class PathField(serializers.JSONField):
    """``[[relation, inverse], ...]``."""

    default_error_messages = {"not_a_path": "A path is a list of [relation, inverse], with a text and a truth value."}

    def to_internal_value(self, data: Any) -> Any:
        """Check and return the steps."""
        try:
            value: Any = super().to_internal_value(data)
        except RecursionError:  # in an address it is read here, not by the parser of bodies
            self.fail("not_a_path")
        if not isinstance(value, list) or len(value) > STEPS_MAX:
            self.fail("not_a_path")
        return tuple(self._parse_step(step) for step in value)

    def _parse_step(self, step: Any) -> tuple[str, bool]:
        if not isinstance(step, list) or len(step) != 2 or not isinstance(step[1], bool):
            self.fail("not_a_path")
        if not isinstance(step[0], str) or "\0" in step[0]:
            self.fail("not_a_path")
        name: str = PlainText(max_length=LABEL_MAX, trim_whitespace=False).run_validation(step[0])
        return name, step[1]


class RightAnswersField(serializers.ListField):
    """Labels of entities that answer a question."""

    child = PlainText(max_length=LABEL_MAX)

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=ANSWERS_MAX, **options)


class RightAnswersSerializer(serializers.Serializer[object]):
    """All right answers of a question, none where they are not known; ``replaces`` is the event that counts so far."""

    id = serializers.UUIDField()
    answers = RightAnswersField()
    replaces = serializers.UUIDField(allow_null=True, default=None)


@extend_schema_field(OpenApiTypes.STR)
class PathTextField(PathField):
    """A path as a text of JSON."""


class HopsQuerySerializer(serializers.Serializer[object]):
    """Which path is looked at; ``path`` is JSON."""

    topic = PlainText(max_length=LABEL_MAX, trim_whitespace=False)
    path = PathTextField(binary=True)


class NewPathSerializer(serializers.Serializer[object]):
    """A path to be added."""

    id = serializers.UUIDField()
    topic = PlainText(max_length=LABEL_MAX, trim_whitespace=False)
    path = PathField()
    edited_from = serializers.IntegerField(allow_null=True, default=None)


class ImportSerializer(serializers.Serializer[object]):
    """A file of verdicts, and whose they are: empty for the names in the file, where it has some, else one's own."""

    file = serializers.FileField(allow_empty_file=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """``as`` is a word of Python's."""
        name = PlainText(max_length=150, allow_blank=True, default="")
        return {**super().get_fields(), "as": name}
