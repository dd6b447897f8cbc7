"""What is no password."""

from __future__ import annotations

from django.core.exceptions import ValidationError

VISIBLE_MIN = 8


def count_visible(password: str) -> int:
    """How many characters it has that are seen: no spaces, controls or joiners."""
    return sum(char.isprintable() and not char.isspace() for char in password)


class EnoughVisible:
    """Refuse passwords of spaces and of characters that nobody sees."""

    def validate(self, password: str, user: object = None) -> None:
        """Check.

        Raises:
            ValidationError: too few can be seen.
        """
        if count_visible(password) < VISIBLE_MIN:
            raise ValidationError(self.get_help_text(), code="password_invisible")

    def get_help_text(self) -> str:
        """What is asked for."""
        return f"The password must have at least {VISIBLE_MIN} characters other than spaces."
