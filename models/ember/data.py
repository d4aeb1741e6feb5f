"""From stories to batches: the tokenizer is trained here, and stories become rows of tokens."""

import random

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from text import story

BOS, EOS = 0, 1
ROW_TOKENS = 1024  # of a batch, about


def train_tokenizer(stories, size):
    """Byte-level BPE with GPT-2's way of cutting words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<s>", "</s>"],
                                  initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(stories, trainer)
    return tokenizer


def rows(tokenizer, stories, seed):
    """Stories as tokens. Some are cut early on, as if a prompt had ended there."""
    rng = random.Random(seed)
    heads, tails = [], []
    for text in stories:
        cut = rng.randrange(1, min(60, len(text))) if rng.random() < 0.2 else 0
        heads.append(text[:cut])
        tails.append(text[cut:])
    for head, tail in zip(tokenizer.encode_batch(heads), tokenizer.encode_batch(tails)):
        yield np.array([BOS, *head.ids, *tail.ids, EOS], np.uint16)


def batches(rows, seed):
    """Rows of like length together, in an order of chance."""
    rng = random.Random(seed)
    out = []
    for start in range(0, len(rows), 2048):
        pool = sorted(rows[start:start + 2048], key=len)
        batch = []
        for row in pool:
            if batch and (len(batch) + 1) * len(row) > ROW_TOKENS:
                out.append(batch)
                batch = []
            batch.append(row)
        out.append(batch)
    rng.shuffle(out)
    return out


def tensors(batch):
    """Inputs, and targets with -100 where a row is over."""
    length = max(map(len, batch))
    tokens = torch.full((len(batch), length), EOS, dtype=torch.long)
    targets = torch.full((len(batch), length), -100, dtype=torch.long)
    for i, row in enumerate(batch):
        row = torch.from_numpy(row.astype(np.int64))
        tokens[i, :len(row)] = row
        targets[i, :len(row) - 1] = row[1:]
    return tokens[:, :-1], targets[:, :-1]


def prepare(out, count, vocabulary, seed):
    """The tokenizer and the rows to train on and to hold out; kept in `out` once made."""
    kept = out / f"rows-{count}-{vocabulary}-{seed}.npz"
    if not kept.exists():
        texts = [story(number, seed) for number in range(count)]
        held = [story(number, seed + 1) for number in range(300)]
        tokenizer = train_tokenizer(texts[:20_000], vocabulary)
        tokenizer.save(str(out / "tokenizer.json"))
        words = sum(len(text.split()) for text in texts)
        print(f"{len(texts)} stories, {len(set(texts))} distinct, {words} words", flush=True)
        parts = {}
        for name, part in (("train", texts), ("held", held)):
            made = list(rows(tokenizer, part, seed))
            parts[name] = np.concatenate(made)
            parts[f"{name}_ends"] = np.cumsum([len(row) for row in made])
        np.savez(kept, **parts)
    parts = np.load(kept)
    return [np.split(parts[name], parts[f"{name}_ends"][:-1]) for name in ("train", "held")]
