"""Text: the sentence encoder, the entity index, and linking mentions in questions to entities."""
