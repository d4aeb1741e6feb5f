"""The model: a small llama (RMS norm, rotary positions, grouped queries, gated feed-forward)."""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Shape:
    vocabulary: int = 2048
    context: int = 512
    layers: int = 4
    hidden: int = 128
    heads: int = 4
    kv_heads: int = 2
    feed_forward: int = 352
    epsilon: float = 1e-5
    rope_base: float = 10_000.0

    @property
    def head_size(self):
        return self.hidden // self.heads


SIZES = {
    "small": Shape(),
    "large": Shape(layers=6, hidden=256, heads=8, kv_heads=2, feed_forward=448),
}


class Norm(nn.Module):
    def __init__(self, size, epsilon):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(size)), epsilon

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.epsilon)


def turns(shape, length):
    """The rotary angles' cosines and sines: [length, head_size / 2]."""
    pair = torch.arange(0, shape.head_size, 2) / shape.head_size
    angles = torch.outer(torch.arange(length).float(), shape.rope_base ** -pair)
    return angles.cos(), angles.sin()


def turn(x, cos, sin):
    """Turns neighbouring elements of each head, as GGUF files of this architecture expect."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.shape = s
        linear = lambda i, o: nn.Linear(i, o, bias=False)
        self.attn_norm, self.ffn_norm = Norm(s.hidden, s.epsilon), Norm(s.hidden, s.epsilon)
        self.attn_q = linear(s.hidden, s.heads * s.head_size)
        self.attn_k = linear(s.hidden, s.kv_heads * s.head_size)
        self.attn_v = linear(s.hidden, s.kv_heads * s.head_size)
        self.attn_output = linear(s.heads * s.head_size, s.hidden)
        self.ffn_gate = linear(s.hidden, s.feed_forward)
        self.ffn_up = linear(s.hidden, s.feed_forward)
        self.ffn_down = linear(s.feed_forward, s.hidden)

    def forward(self, x, cos, sin):
        s, (batch, length, _) = self.shape, x.shape
        heads = lambda y, n: y.view(batch, length, n, s.head_size).transpose(1, 2)
        y = self.attn_norm(x)
        q = turn(heads(self.attn_q(y), s.heads), cos, sin)
        k = turn(heads(self.attn_k(y), s.kv_heads), cos, sin)
        k, v = (t.repeat_interleave(s.heads // s.kv_heads, 1)
                for t in (k, heads(self.attn_v(y), s.kv_heads)))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.attn_output(y.transpose(1, 2).reshape(batch, length, -1))
        y = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))


class Ember(nn.Module):
    """Token ids in, logits out; the embedding is the output matrix too."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.hidden)
        self.blk = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.output_norm = Norm(shape.hidden, shape.epsilon)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                last = name.endswith(("attn_output.weight", "ffn_down.weight"))
                std = 0.02 / math.sqrt(2 * shape.layers) if last else 0.02
                nn.init.normal_(weight, std=std if "token" in name or last else weight.shape[1] ** -0.5)

    def forward(self, tokens):
        x = self.token_embd(tokens)
        cos, sin = turns(self.shape, tokens.shape[1])
        for layer in self.blk:
            x = layer(x, cos, sin)
        return F.linear(self.output_norm(x), self.token_embd.weight)
