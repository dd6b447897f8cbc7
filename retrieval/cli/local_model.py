"""``serve-model``: a small language model on this machine, for whoever asks on loopback."""

from __future__ import annotations

from pathlib import Path

from retrieval.cli.console import print_note
from retrieval.environment import LOCAL_AT_ONCE, LOCAL_CONTEXT, LOCAL_MODEL, LOCAL_PORT


def serve(
    *,
    model: Path | None = None,
    port: int = LOCAL_PORT,
    context: int = LOCAL_CONTEXT,
    threads: int = 0,
    at_once: int = LOCAL_AT_ONCE,
) -> int:
    """Serve a language model by the chat-completions protocol until Ctrl-C; nothing but this machine reaches it.

    Args:
        model: its weights, a GGUF file (default: SmolLM2-135M-Instruct, from pip).
        port: on loopback.
        context: tokens that it reads and writes in one request.
        threads: of the processor (default: half of its cores).
        at_once: replies written at once; each takes memory for a whole context (190 MB of the small model's).
    """
    import uvicorn  # noqa: PLC0415

    from retrieval.llm.local import LlamaCpp, find_weights  # noqa: PLC0415
    from retrieval.llm.serving import build_application  # noqa: PLC0415

    file = model or find_weights()
    name = file.stem.lower() if model else LOCAL_MODEL
    # The file from pip is packed in a form that prompts are read slowly in, and small enough to be unpacked.
    opened = LlamaCpp(file, context=context, threads=threads, at_once=at_once, unpack=model is None)
    app = build_application(opened, name)
    variables = {"LLM_BASE_URL": "local"}
    if (model, port, context) != (None, LOCAL_PORT, LOCAL_CONTEXT):
        variables = {"LLM_BASE_URL": f"http://127.0.0.1:{port}/v1", "LLM_MODEL": name}
        variables |= {"LLM_CONTEXT_LENGTH": str(context), "LLM_CONSTRAINTS": "grammar"}
    local = " ".join(f"{key}={value}" for key, value in variables.items())
    print_note(f"Serving {name} ({file.stat().st_size / 1e6:,.0f} MB). Ask it with {local}; Ctrl-C ends.")
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", lifespan="off")
    return 0
