"""Drafts: what a person entered about an item and did not submit yet, kept with their account."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from webapp.accounts.models import User
from webapp.api.errors import ConflictError
from webapp.review.domain.annotation import Annotation
from webapp.review.models import Draft, DraftPurpose, Item

Content = dict[str, Any]


class DraftChangedError(ConflictError):
    """Another tab or device saved a draft of the same item."""

    code = "draft_changed"

    def __init__(self, draft: Draft | None) -> None:
        super().__init__(
            "This question was changed in another tab or on another device.",
            hint="Keep this version by saving it again over that revision, or take the other one.",
        )
        self.draft = draft


@transaction.atomic
def save_draft(*, item: Item, user: User, purpose: str, revision: UUID, base: UUID | None, content: Content) -> None:
    """Save a draft over the revision that the client changed; a draft without content is removed.

    Args:
        purpose: of :class:`DraftPurpose`.
        revision: made by the client; repeating a request changes nothing.
        base: the revision that the client has; None where it has none.
        content: verdicts, broken, reasons and comment.

    Raises:
        DraftChangedError: ``base`` is not the current revision.
    """
    # Two first saves at once wait here: the second finds the row of the first.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    existing = Draft.objects.filter(item=item, analyst=user, purpose=purpose).first()
    if existing is not None and existing.revision == revision:
        return
    if (existing and existing.revision) != base:
        raise DraftChangedError(existing)
    if is_empty(content):
        delete_draft(item=item, user=user, purpose=purpose)
        return
    row = existing or Draft(queue_id=item.queue_id, item=item, analyst=user, purpose=purpose)
    row.content, row.revision = content, revision
    row.save()


def is_empty(content: Content) -> bool:
    """Whether a draft holds nothing that a person entered."""
    return not (content["verdicts"] or content["broken"] or content["comment"].strip())


def delete_draft(*, item: Item, user: User, purpose: str) -> None:
    """Remove a draft, because it was submitted or emptied."""
    Draft.objects.filter(item=item, analyst=user, purpose=purpose).delete()


def keep_annotation(*, item: Item, annotation: Annotation, comment: str, purpose: str = DraftPurpose.JUDGEMENT) -> None:
    """Make a draft of an annotation that no longer counts, unless its analyst has a draft already."""
    if annotation.analyst_id is None:
        return
    content = {
        "verdicts": [
            {
                "candidate": verdict.candidate,
                "kind": verdict.kind,
                "reasons": list(verdict.reasons),
                "comment": verdict.comment,
            }
            for verdict in annotation.verdicts
            if verdict.candidate is not None
        ],
        "broken": annotation.broken,
        "reasons": [code for verdict in annotation.verdicts if verdict.candidate is None for code in verdict.reasons],
        "comment": comment,
    }
    if is_empty(content):
        return
    Draft.objects.get_or_create(
        item=item,
        analyst_id=annotation.analyst_id,
        purpose=purpose,
        defaults={"queue_id": item.queue_id, "content": content, "revision": uuid4()},
    )
