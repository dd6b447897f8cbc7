"""Asking a language model: where it is, streaming replies, and replies that are kept."""
