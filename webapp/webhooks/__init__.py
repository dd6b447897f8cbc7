"""Webhooks: telling servers elsewhere what happened, signed, in order and again until they have it."""
