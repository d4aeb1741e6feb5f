"""Trains spark on ember's stories with ember's tokenizer. See README.md.

Run it again to go on from the last checkpoint.
"""

import argparse
import time
from pathlib import Path

import torch

from rwkv7 import Shape, Spark
from shared import data, train as ember


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build"))
    parser.add_argument("--stories", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    shape = Shape()
    rows, held = data.prepare(args.out, args.stories, shape.vocabulary, args.seed)
    rows, held = data.batches(rows, args.seed), data.batches(held, args.seed)
    model = Spark(shape)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
        lr=ember.RATE, betas=(0.9, 0.95), fused=True)
    print(f"{len(rows)} batches, {sum(p.numel() for p in model.parameters())} weights", flush=True)
    checkpoint, step = args.out / "checkpoint.pt", 0
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]

    begun, saved_at = time.process_time(), time.time()
    shown, first = 0.0, step
    while step < args.steps:
        for group in optimizer.param_groups:
            group["lr"] = ember.rate(step, args.steps)
        loss = ember.loss_of(model, rows[step % len(rows)])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        shown += loss.item()
        if step % 50 == 0:
            pace = (time.process_time() - begun) / (step - first)
            print(f"step {step} loss {shown / min(50, step - first):.4f} {pace:.3f} s/step", flush=True)
            shown = 0.0
        if time.time() - saved_at > 120 or step == args.steps:
            saved_at = time.time()
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                        "step": step, "shape": vars(shape)}, checkpoint)
    print(f"step {step} held-out loss {ember.held_out(model, held):.4f}", flush=True)


if __name__ == "__main__":
    main()
