"""Writes a checkpoint of train.py as ember.gguf: matrices as Q8_0, norms as f32."""

import argparse
import json
from pathlib import Path

import torch
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType
from gguf.quants import quantize

from data import BOS, EOS
from model import Shape

LIMIT = 4_000_000


def metadata(writer, shape):
    writer.add_name("ember")
    writer.add_description("A toy story model, made with bessemer: models/ember says how")
    writer.add_license("MIT OR Apache-2.0")
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.hidden)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_dimension_count(shape.head_size)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_vocab_size(shape.vocabulary)


def tokenizer(writer, model):
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(
        [TokenType.CONTROL if id in (BOS, EOS) else TokenType.NORMAL for id in range(len(tokens))])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, default=Path("ember.gguf"))
    args = parser.parse_args()
    saved = torch.load(args.build / "checkpoint.pt")
    shape, weights = Shape(**saved.get("shape", {})), saved["model"]
    writer = GGUFWriter(args.out, "llama")
    metadata(writer, shape)
    tokenizer(writer, json.loads((args.build / "tokenizer.json").read_text())["model"])
    for name, weight in weights.items():
        weight = weight.float().numpy()
        if weight.ndim == 2:
            blocks = quantize(weight, GGMLQuantizationType.Q8_0)
            writer.add_tensor(name, blocks, raw_dtype=GGMLQuantizationType.Q8_0)
        else:
            writer.add_tensor(name, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    size = args.out.stat().st_size
    print(f"{args.out}: {size} bytes")
    assert size <= LIMIT, f"more than {LIMIT} bytes"


if __name__ == "__main__":
    main()
