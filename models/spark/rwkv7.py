"""The model: a small RWKV-7. Modules and weights have the names GGUF files have for them.

The recurrence is computed in chunks, so that a step of training is a few large products instead of
many small ones. Within a chunk, with `P` the decays multiplied up, the state is `Z * P` and what is
removed from it, `U`, solves a triangular system; a whole chunk then takes the state `S` to
`S @ step + added`, which is all that is left to be done one after the other.
"""

import math
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F

CHUNK = 16
SLOWEST = math.exp(-0.5)


@dataclass
class Shape:
    vocabulary: int = 2048
    layers: int = 4
    hidden: int = 128
    head_size: int = 64
    feed_forward: int = 512
    ranks: dict = field(default_factory=lambda: {"w": 16, "a": 16, "v": 8, "g": 32})
    epsilon: float = 1e-5
    group_epsilon: float = 64e-5

    @property
    def heads(self):
        return self.hidden // self.head_size


def inverse(lower):
    """Of 1 - `lower`, which has nothing on and above its diagonal, so that powers of it end."""
    one = torch.eye(lower.shape[-1], dtype=lower.dtype)
    product, power = one + lower, lower
    for _ in range(int(math.log2(lower.shape[-1])) - 1):
        power = power @ power
        product = product + product @ power
    return product


def recurrence(r, log_w, k, v, a, b, chunk=CHUNK):
    """S = S * w + (S @ a) b' + v k', y = S @ r, for [batch, heads, time, head]."""
    batch, heads, length, size = r.shape
    count = -(-length // chunk)
    cut = lambda x: F.pad(x, (0, 0, 0, count * chunk - length)).reshape(
        batch * heads, count, chunk, size)
    r, log_w, k, v, a, b = map(cut, (r, log_w, k, v, a, b))
    total = log_w.cumsum(2)
    decayed = total.exp()
    a, r = a * (total - log_w).exp(), r * decayed
    b, k = b / decayed, k / decayed
    with_b, with_k = torch.cat((a, r), 2) @ b.mT, torch.cat((a, r), 2) @ k.mT
    solved = inverse(with_b[:, :, :chunk].tril(-1))
    # U is `from_state @ S' + from_value`.
    from_state = solved @ a
    from_value = solved @ (with_k[:, :, :chunk].tril(-1) @ v)
    r_b = with_b[:, :, chunk:].tril()
    left = r + r_b @ from_state
    known = r_b @ from_value + with_k[:, :, chunk:].tril() @ v
    last = decayed[:, :, -1:]
    step = (torch.eye(size) + from_state.mT @ b) * last
    added = (torch.cat((from_value, v), 2).mT @ torch.cat((b, k), 2)) * last
    states, state = [], torch.zeros(batch * heads, size, size)
    for number in range(count):
        states.append(state)
        state = torch.baddbmm(added[:, number], state, step[:, number])
    y = left @ torch.stack(states, 1).mT + known
    return y.reshape(batch, heads, count * chunk, size)[:, :, :length]


def before(x):
    """The difference of each token to the one before it."""
    return F.pad(x, (0, 0, 1, -1)) - x


class Vector(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.weight = nn.Parameter(values.clone())


def linear(into, out, width):
    made = nn.Linear(into, out, bias=False)
    nn.init.uniform_(made.weight, -width, width)
    return made


class Layer(nn.Module):
    def __init__(self, s, number):
        super().__init__()
        self.shape, self.number = s, number
        c, unit = s.hidden, s.hidden ** -0.5
        depth = number / max(s.layers - 1, 1)
        at = torch.arange(c) / c
        self.attn_norm, self.attn_norm_2 = nn.LayerNorm(c, s.epsilon), nn.LayerNorm(c, s.epsilon)
        # Later layers look less at the token before; channels differ in how much.
        left = 1 - number / s.layers
        powers = {"r": 0.2, "w": 0.9, "k": 0.7, "v": 0.7, "a": 0.9, "g": 0.2}
        lerps = torch.stack([1 - at ** (power * left) for power in powers.values()])
        self.time_mix_lerp_fused = Vector(lerps.view(6, 1, 1, c))
        within = torch.linspace(-1, 1, s.head_size).repeat(s.heads)
        bend = within * within.abs()
        fast = -5.5 + 6 * (torch.arange(c) / (c - 1)) ** (1 + depth ** 0.3)
        line = torch.linspace(-0.5, 0.5, c)
        self.time_mix_w0 = Vector(fast + 2.5 * bend)
        self.time_mix_a0 = Vector(-0.19 + 0.3 * bend + 0.4 * line)
        if number > 0:
            self.time_mix_v0 = Vector(0.73 - 0.4 * line)
        for name, rank in s.ranks.items():
            if name == "v" and number == 0:
                continue
            setattr(self, f"time_mix_{name}1", linear(c, rank, 0.0))
            up = linear(rank, c, 0.0)
            nn.init.orthogonal_(up.weight, 0.1 if name != "g" else 1.0)
            setattr(self, f"time_mix_{name}2", up)
        nn.init.uniform_(self.time_mix_g1.weight, -0.1 * unit, 0.1 * unit)
        self.time_mix_k_k = Vector(0.71 - 0.1 * line)
        self.time_mix_k_a = Vector(torch.full((c,), 1.02))
        self.time_mix_r_k = Vector(torch.full((c,), -0.04))
        self.time_mix_receptance = linear(c, c, 0.5 * unit)
        self.time_mix_key = linear(c, c, 0.05 * unit)
        self.time_mix_value = linear(c, c, 0.5 * unit)
        self.time_mix_output = linear(c, c, 0.0)
        self.time_mix_ln = nn.GroupNorm(s.heads, c, s.group_epsilon)
        nn.init.constant_(self.time_mix_ln.weight, ((number + 1) / s.layers) ** 0.7)
        self.channel_mix_lerp_k = Vector(1 - at ** left ** 4)
        self.channel_mix_key = linear(c, s.feed_forward, 0.5 * unit)
        self.channel_mix_value = linear(s.feed_forward, c, 0.0)

    def time_mix(self, x, v_first):
        s, (batch, length, c) = self.shape, x.shape
        heads = lambda y: y.view(batch, length, s.heads, s.head_size).transpose(1, 2)
        there = before(x)
        xr, xw, xk, xv, xa, xg = (x + there * lerp for lerp in self.time_mix_lerp_fused.weight)
        r, k, v = self.time_mix_receptance(xr), self.time_mix_key(xk), self.time_mix_value(xv)
        w = self.time_mix_w0.weight + self.time_mix_w2(self.time_mix_w1(xw).tanh())
        a = (self.time_mix_a0.weight + self.time_mix_a2(self.time_mix_a1(xa))).sigmoid()
        g = self.time_mix_g2(self.time_mix_g1(xg).sigmoid())
        if self.number == 0:
            v_first = v
        else:
            mix = (self.time_mix_v0.weight + self.time_mix_v2(self.time_mix_v1(xv))).sigmoid()
            v = v + (v_first - v) * mix
        removed = F.normalize(heads(k * self.time_mix_k_k.weight), dim=-1)
        k = k * (1 + (a - 1) * self.time_mix_k_a.weight)
        r_, k_, v_ = heads(r), heads(k), heads(v)
        y = recurrence(r_, heads(-SLOWEST * w.sigmoid()), k_, v_, -removed, removed * heads(a))
        y = self.time_mix_ln(y.transpose(1, 2).reshape(batch * length, c)).view(x.shape)
        own = (r_ * k_ * self.time_mix_r_k.weight.view(1, s.heads, 1, -1)).sum(-1, keepdim=True) * v_
        y = y + own.transpose(1, 2).reshape(x.shape)
        return self.time_mix_output(y * g), v_first

    def forward(self, x, v_first):
        y, v_first = self.time_mix(self.attn_norm(x), v_first)
        x = x + y
        y = self.attn_norm_2(x)
        y = y + before(y) * self.channel_mix_lerp_k.weight
        return x + self.channel_mix_value(F.relu(self.channel_mix_key(y)) ** 2), v_first


class Spark(nn.Module):
    """Token ids in, logits out."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.hidden)
        nn.init.uniform_(self.token_embd.weight, -1e-4, 1e-4)
        self.token_embd_norm = nn.LayerNorm(shape.hidden, shape.epsilon)
        self.blk = nn.ModuleList(Layer(shape, number) for number in range(shape.layers))
        self.output_norm = nn.LayerNorm(shape.hidden, shape.epsilon)
        self.output = linear(shape.hidden, shape.vocabulary, 0.0)
        nn.init.orthogonal_(self.output.weight, 0.5 * (shape.vocabulary / shape.hidden) ** 0.5)

    def forward(self, tokens):
        x, v_first = self.token_embd_norm(self.token_embd(tokens)), None
        for layer in self.blk:
            x, v_first = layer(x, v_first)
        return self.output(self.output_norm(x))
