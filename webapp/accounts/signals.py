"""What people's accounts tell the apps above them."""

from __future__ import annotations

from django.dispatch import Signal

person_changed = Signal()
"""``person`` may do something else than before, or nothing any more."""
