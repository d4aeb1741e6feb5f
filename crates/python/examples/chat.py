"""A chat with a model: ``python chat.py MODEL``, such as ``smollm2`` once it is pulled."""

from __future__ import annotations

import asyncio
import sys

from bessemer import llm


async def answer(model: llm.Llm, messages: list[dict[str, str]], session: llm.Session) -> str:
    """Prints an answer as it comes. What the session has of the chat is not computed again."""
    generation = model.chat(messages, session=session, max_tokens=400)
    async for piece in generation:
        print(piece, end="", flush=True)
    print()
    return generation.text


def main(name: str) -> None:
    """Talks until the input ends."""
    model = llm.load(name)
    session = model.session(context=2048)
    messages = [{"role": "system", "content": "You are kind and brief."}]
    for line in sys.stdin:
        messages.append({"role": "user", "content": line.strip()})
        text = asyncio.run(answer(model, messages, session))
        messages.append({"role": "assistant", "content": text})


if __name__ == "__main__":
    main(sys.argv[1])
