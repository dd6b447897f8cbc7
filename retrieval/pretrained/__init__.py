"""Weights that come with Clew, trained on many graphs; see ``README.md`` beside them."""

from __future__ import annotations

from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs.json")
"""The ranker of programs (``retrieval.programs.weights``)."""

JUDGE = Path(__file__).with_name("judge.safetensors")
"""Which of the best programs is what was asked (``retrieval.programs.scoring``)."""

PATHS = Path(__file__).with_name("paths.safetensors")
"""How likely relation paths are what was asked (``retrieval.methods.zero_shot.model``)."""

READER = Path(__file__).with_name("reader.safetensors")
"""What is learned beside the text encoder to read answers in passages (``retrieval.reasoning.span_reader``)."""

LACKING = Path(__file__).with_name("lacking.safetensors")
"""How likely none of a graph's relation paths is what was asked; the same kind of model, fitted for that."""

CHOICE = Path(__file__).with_name("choice.json")
"""What answers a question, of all that programs and relation paths give (``retrieval.answering.fusion``)."""

CROSS_ENCODER = Path(__file__).with_name("cross_encoder.safetensors")
"""How likely an outcome in words is what was asked (``retrieval.answering.fusion.cross_encoder``)."""

CONFIDENCE = Path(__file__).with_name("confidence.json")
"""How likely an answer that was read from passages is right (``retrieval.reasoning.answer_confidence``)."""
