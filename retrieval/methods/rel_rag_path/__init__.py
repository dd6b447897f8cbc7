"""REL-RAG, learning paths (REL-RAG section 4.1)."""
