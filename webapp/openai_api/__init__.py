"""``/v1``: graphs as chat models, in the protocol of the OpenAI API."""
