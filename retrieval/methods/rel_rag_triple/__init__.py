"""REL-RAG, learning triples (REL-RAG section 4.2)."""
