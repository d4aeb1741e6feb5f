"""Writes a checkpoint of train.py as spark.gguf, and holds the file to the model it was made of.

Matrices are Q8_0; the low-rank ones, the lerps and all vectors have the types that llama.cpp's
converter and quantizer leave them with. What the file means is computed by the plain NumPy model
that the tests' fixtures are made with, and has to be what torch computes with the file's weights.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType
from gguf.quants import dequantize, quantize

from rwkv7 import Shape, Spark
from shared import data, export as ember

LIMIT = 2_000_000
# Nothing in a recurrent model ends with it.
CONTEXT = 1048576
EXACT = ("time_mix_w1", "time_mix_w2")
HALF = tuple(f"time_mix_{name}{part}" for name in "avg" for part in "12")


def metadata(writer, s):
    writer.add_name("spark")
    writer.add_description("A toy story model, made with bessemer: models/spark says how")
    writer.add_license("MIT OR Apache-2.0")
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(s.hidden)
    writer.add_block_count(s.layers)
    writer.add_feed_forward_length(s.feed_forward)
    writer.add_head_count(0)
    writer.add_layer_norm_eps(s.epsilon)
    writer.add_wkv_head_size(s.head_size)
    writer.add_decay_lora_rank(s.ranks["w"])
    writer.add_iclr_lora_rank(s.ranks["a"])
    writer.add_value_residual_mix_lora_rank(s.ranks["v"])
    writer.add_gate_lora_rank(s.ranks["g"])
    writer.add_token_shift_count(2)
    writer.add_vocab_size(s.vocabulary)


def stored(name, weight):
    """The bytes of a tensor and their type."""
    part = name.split(".")[-2]
    if weight.ndim != 2 or part in EXACT:
        return weight, GGMLQuantizationType.F32
    if part in HALF:
        return weight.astype(np.float16), GGMLQuantizationType.F16
    return quantize(weight, GGMLQuantizationType.Q8_0), GGMLQuantizationType.Q8_0


def check(path, shape, kept):
    """That a reader of the file finds the logits that torch finds, for a few stories."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "crates/llm/fixtures"))
    from rwkv_reference import Model

    model, reference = Spark(shape), Model(path)
    model.load_state_dict(kept)
    rng = np.random.default_rng(0)
    largest = 0.0
    with torch.no_grad():
        for length in (1, 40, 200):
            tokens = [data.BOS, *rng.integers(2, shape.vocabulary, length - 1).tolist()]
            found = model(torch.tensor([tokens]))[0].numpy()
            wanted = reference.logits(tokens)
            largest = max(largest, np.abs(found - wanted).max() / np.abs(wanted).max())
    print(f"largest difference to the reference: {largest:.1e} of the largest logit")
    assert largest < 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, default=Path("spark.gguf"))
    args = parser.parse_args()
    saved = torch.load(args.build / "checkpoint.pt")
    shape, weights = Shape(**saved["shape"]), saved["model"]
    writer = GGUFWriter(args.out, "rwkv7")
    metadata(writer, shape)
    ember.tokenizer(writer, json.loads((args.build / "tokenizer.json").read_text())["model"])
    kept = {}
    for name, weight in weights.items():
        values, kind = stored(name, weight.float().numpy())
        writer.add_tensor(name, values, raw_dtype=kind)
        kept[name] = torch.from_numpy(dequantize(values, kind).reshape(weight.shape))
        if name.startswith("blk.0.time_mix_a"):
            # The first layer has no use for these, but llama.cpp asks for them.
            writer.add_tensor(name.replace("time_mix_a", "time_mix_v"), values, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    check(args.out, shape, kept)
    size = args.out.stat().st_size
    print(f"{args.out}: {size} bytes")
    assert size <= LIMIT, f"more than {LIMIT} bytes"


if __name__ == "__main__":
    main()
