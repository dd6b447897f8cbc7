"""What one analyst says of an item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from webapp.review.models import VerdictKind


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict on a candidate.

    Attributes:
        candidate: its id; None says that the question is broken.
        kind: of :class:`webapp.review.models.VerdictKind`.
        reasons: codes of :class:`webapp.review.models.Reason`.
        comment: free text.
    """

    candidate: int | None
    kind: str
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one analyst stands by on an item.

    Attributes:
        analyst: the name.
        analyst_id: the account; None when it is gone.
        standing: id of the row that says so; None when it is yet to be written.
        event: the submission.
        said: its verdicts.
    """

    analyst: str
    analyst_id: int | None
    standing: int | None
    event: UUID
    said: tuple[Said, ...] = field(default=())

    @property
    def kinds(self) -> Mapping[int | None, str]:
        """By candidate."""
        return {one.candidate: one.kind for one in self.said}

    @property
    def broken(self) -> bool:
        """Whether it calls the question broken."""
        return any(one.kind == VerdictKind.BROKEN for one in self.said)
