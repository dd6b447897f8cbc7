"""INSES: a navigator selects triples hop after hop, similarity bridges what is not connected (Algorithm 1)."""
