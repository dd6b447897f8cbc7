"""``manage.py unlock NAME``: let people log in again to an account that wrong passwords have locked."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from webapp.accounts import throttling


class Command(BaseCommand):
    """Lift the lock of an account."""

    help = "Forget all wrong passwords that were tried for an account."

    def add_arguments(self, parser: Any) -> None:
        """The account's user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Lift it."""
        throttling.clear_lock(options["username"])
        self.stdout.write(f"{options['username']} can log in again from everywhere.")
