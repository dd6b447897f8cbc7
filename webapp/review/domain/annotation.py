"""What one analyst says of an item: an annotation, and the verdicts that it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from webapp.review.models import VerdictKind


@dataclass(frozen=True, slots=True)
class VerdictData:
    """A verdict on a candidate.

    Attributes:
        candidate: its id; None says that the question is broken.
        kind: of :class:`webapp.review.models.VerdictKind`.
        reasons: codes of :class:`webapp.review.models.Reason`.
    """

    candidate: int | None
    kind: str
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an analyst says of an item by now.

    Attributes:
        analyst_id: the account; None when it is gone.
        current: id of the row that points at its submission; None when it is yet to be written.
        event: the submission.
        verdicts: on the item's candidates, or on the question.
    """

    analyst: str
    analyst_id: int | None
    current: int | None
    event: UUID
    verdicts: tuple[VerdictData, ...] = field(default=())

    @property
    def kinds(self) -> Mapping[int | None, str]:
        """By candidate."""
        return {verdict.candidate: verdict.kind for verdict in self.verdicts}

    @property
    def broken(self) -> bool:
        """Whether it calls the question broken."""
        return any(verdict.kind == VerdictKind.BROKEN for verdict in self.verdicts)
