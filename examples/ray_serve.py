"""Replicas of `bessemer serve` behind Ray Serve, with routing by prefix and autoscaling.

    pip install "ray[serve]" httpx
    python examples/ray_serve.py --model smollm2 --replicas 3
    curl http://localhost:8000/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hi"}]}'

Each replica is a server of its own. The router hashes how a conversation begins, so that its next request finds
the pages of the last; where that replica has a queue, the next one on the ring answers. A replica that dies in
the middle of an answer is replaced, and its requests are asked again: at temperature 0, or with a seed, the
text is the same, so what was sent already is skipped.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import subprocess

import httpx
from ray import serve
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

BESSEMER = os.environ.get("BESSEMER", "bessemer")
# More requests than this at one replica go to the next.
BUSY = 8


@serve.deployment(max_ongoing_requests=256, health_check_period_s=2)
class Replica:
    """A server in a process of its own, on a port that only this machine can reach."""

    def __init__(self, model: str, threads: int) -> None:
        command = [BESSEMER, "serve", "--model", model, "--only", "--port", "0", "--threads", str(threads)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if " is served at " in line:
                self.url = line.split(" is served at ")[1].strip()
                break
        else:
            raise RuntimeError(f"`{' '.join(command)}` ended early")
        self.client = httpx.AsyncClient(base_url=self.url, timeout=None)

    def check_health(self) -> None:
        if self.process.poll() is not None:
            raise RuntimeError("the server has ended")

    async def ask(self, path: str, body: dict):
        """The status and the type of the answer, then its bytes as they come."""
        async with self.client.stream("POST", path, json=body) as response:
            yield response.status_code, response.headers.get("content-type", "")
            async for piece in response.aiter_raw():
                yield piece

    def __del__(self) -> None:
        self.process.terminate()


@serve.deployment(max_ongoing_requests=1024)
class Router:
    """Sends a request to the replica that has most likely seen its beginning."""

    def __init__(self, *replicas) -> None:
        self.replicas = replicas
        self.running = [0] * len(replicas)

    def order(self, body: dict) -> list[int]:
        messages = body.get("messages") or [body.get("prompt", "")]
        beginning = json.dumps(messages[:2])[:2000]
        first = int.from_bytes(hashlib.sha256(beginning.encode()).digest()[:4], "big")
        ring = [(first + i) % len(self.replicas) for i in range(len(self.replicas))]
        # The replica of the beginning comes first, unless it is busy and another is not.
        return sorted(ring, key=lambda at: self.running[at] >= BUSY)

    async def __call__(self, request: Request) -> Response:
        try:
            body = await request.json()
        except ValueError:
            return JSONResponse({"error": {"message": "body: not JSON"}}, status_code=400)
        # Asked again elsewhere, it has to be the same answer.
        body.setdefault("seed", random.getrandbits(24))
        pieces = self.pieces(request.url.path, body)
        status, kind = await anext(pieces)
        return StreamingResponse(pieces, status_code=status, media_type=kind)

    async def pieces(self, path: str, body: dict):
        sent, begun, last = 0, False, None
        for at in self.order(body) * 2:
            self.running[at] += 1
            seen = 0
            try:
                answer = self.replicas[at].options(stream=True).ask.remote(path, body)
                async for piece in answer:
                    if isinstance(piece, (tuple, list)):
                        if not begun:
                            begun = True
                            yield piece
                        continue
                    # Events of a second attempt differ in their ids, so what counts is their number.
                    for event in split(piece):
                        seen += 1
                        if seen > sent:
                            sent += 1
                            yield event
                return
            except Exception as error:  # noqa: BLE001: whatever it is, the next replica is asked.
                last = error
                await asyncio.sleep(0.2)
            finally:
                self.running[at] -= 1
        if not begun:
            yield 503, "application/json"
        yield json.dumps({"error": {"message": f"no replica answers: {last}"}}).encode()


def split(piece: bytes):
    """Server-sent events one by one; anything else as it is."""
    if not piece.startswith(b"data: "):
        yield piece
        return
    for event in piece.split(b"\n\n"):
        if event:
            yield event + b"\n\n"


def application(model: str, replicas: int, threads: int):
    """The router with its replicas, each a deployment of its own, so that it can choose among them."""
    all_of_them = [
        Replica.options(name=f"replica-{at}").bind(model, threads) for at in range(replicas)
    ]
    return Router.bind(*all_of_them)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="ember")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--threads", type=int, default=max(1, (os.cpu_count() or 1) // 3))
    arguments = parser.parse_args()
    serve.run(application(arguments.model, arguments.replicas, arguments.threads), blocking=True)
