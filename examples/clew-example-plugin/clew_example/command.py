"""A language model behind a command line, such as ``ollama run qwen3:8b``: prompt to stdin, reply from stdout."""

import asyncio
import os
import shlex
from collections.abc import AsyncGenerator, Sequence

from retrieval.environment import LLMSettings
from retrieval.errors import LLMError
from retrieval.llm.constraints import Constraint
from retrieval.llm.prompts import Message


async def stream_reply(
    settings: LLMSettings, messages: Sequence[Message], constraint: Constraint
) -> AsyncGenerator[str, None]:
    """Run ``EXAMPLE_COMMAND`` and yield what it writes, as it writes it; a command reads no constraint."""
    del settings, constraint
    command = shlex.split(os.environ.get("EXAMPLE_COMMAND", ""))
    if not command:
        raise LLMError("EXAMPLE_COMMAND is not set.", hint="Give a command that answers what it reads.")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write("\n\n".join(message["content"] for message in messages).encode())
        process.stdin.close()
        while piece := await process.stdout.readline():
            yield piece.decode(errors="replace")
        if status := await process.wait():
            raise LLMError(f"The command ended with {status}.", hint="Run it by hand.")
    finally:  # also where nobody reads on
        if process.returncode is None:
            process.kill()
            await process.wait()
