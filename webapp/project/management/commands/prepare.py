"""``manage.py prepare``: what has to be done once before the parts of a new version of Clew are started."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from webapp.accounts import services as accounts


class Command(BaseCommand):
    """Migrate the database and make the first administrator."""

    help = "Bring the database up to date and make the administrator, unless there is one. Does no harm twice."

    def handle(self, *args: Any, **options: Any) -> None:
        """Show the administrator's password where it was generated: it cannot be shown again."""
        call_command("migrate", verbosity=0, interactive=False)
        password = accounts.ensure_admin(password=settings.CLEW.admin_password)
        self.stdout.write("The database is up to date.")
        if password is not None:
            self.stdout.write(f"Log in as {accounts.ADMIN} with the password {password} (shown only now).")
