"""Evidence: what a retriever found, reorganised into chains whose every hop is checked against the KG."""
