"""Reasoners: from evidence chains to answers, or to a typed no-answer."""
