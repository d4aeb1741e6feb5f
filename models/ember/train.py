"""Trains ember: makes the text, the tokenizer and the weights. See README.md.

Run it again to go on from the last checkpoint.
"""

import argparse
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from data import batches, prepare, tensors
from model import SIZES, Ember

RATE, WARMUP, DECAY = 4e-3, 100, 0.4


def rate(step, steps):
    """Up, level, and down to nothing over the last part."""
    left = (steps - step) / (DECAY * steps)
    return RATE * min(1.0, (step + 1) / WARMUP, max(left, 0.02))


def loss_of(model, batch):
    tokens, targets = tensors(batch)
    return F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten(), ignore_index=-100)


@torch.no_grad()
def held_out(model, held):
    counts = [sum(len(row) - 1 for row in batch) for batch in held]
    return sum(loss_of(model, b).item() * n for b, n in zip(held, counts)) / sum(counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build"))
    parser.add_argument("--stories", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    shape = SIZES[args.size]
    train, held = prepare(args.out, args.stories, shape.vocabulary, args.seed)
    print(f"{len(train)} stories, {sum(map(len, train))} tokens", flush=True)
    train, held = batches(train, args.seed), batches(held, args.seed)
    print(f"{len(train)} batches", flush=True)

    model = Ember(shape)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
        lr=RATE, betas=(0.9, 0.95), fused=True)
    print(f"{sum(p.numel() for p in model.parameters())} weights", flush=True)
    checkpoint, step = args.out / "checkpoint.pt", 0
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]

    begun = saved_at = time.time()
    shown, first = 0.0, step
    while step < args.steps:
        for group in optimizer.param_groups:
            group["lr"] = rate(step, args.steps)
        loss = loss_of(model, train[step % len(train)])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        shown += loss.item()
        if step % 50 == 0:
            pace = (time.time() - begun) / (step - first)
            print(f"step {step} loss {shown / min(50, step - first):.4f} {pace:.2f} s/step", flush=True)
            shown = 0.0
        if time.time() - saved_at > 120 or step == args.steps:
            saved_at = time.time()
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                        "step": step, "shape": vars(shape)}, checkpoint)
    print(f"step {step} held-out loss {held_out(model, held):.4f}", flush=True)


if __name__ == "__main__":
    main()
