"""Random blocks in ggml's quantised formats, and the numbers they stand for."""

import numpy as np


def _half(rng, shape):
    return (rng.random(shape) * 0.02 + 0.001).astype(np.float16)


def _bytes(*parts):
    rows = parts[0].shape[0]
    return np.concatenate([p.reshape(rows, -1).view(np.uint8) for p in parts], 1).reshape(-1)


def q4_0(rng, n, k):
    """32 numbers: a half scale and 16 bytes of nibbles, low ones first."""
    blocks = n * k // 32
    d, qs = _half(rng, (blocks, 1)), rng.integers(0, 256, (blocks, 16), np.uint8)
    q = np.concatenate([qs & 15, qs >> 4], 1).astype(np.float32) - 8
    return _bytes(d, qs), (d.astype(np.float32) * q).reshape(n, k)


def q8_0(rng, n, k):
    """32 numbers: a half scale and 32 signed bytes."""
    blocks = n * k // 32
    d, qs = _half(rng, (blocks, 1)), rng.integers(-127, 128, (blocks, 32), np.int8)
    return _bytes(d, qs), (d.astype(np.float32) * qs).reshape(n, k)


def q4_k(rng, n, k):
    """256 numbers in 8 parts, each with a 6-bit scale and minimum, packed into 12 bytes."""
    blocks = n * k // 256
    d, dmin = _half(rng, (blocks, 1)), _half(rng, (blocks, 1))
    sc, mn = rng.integers(0, 64, (2, blocks, 8), np.uint8)
    packed = np.zeros((blocks, 12), np.uint8)
    packed[:, :4] = sc[:, :4] | (sc[:, 4:] >> 4) << 6
    packed[:, 4:8] = mn[:, :4] | (mn[:, 4:] >> 4) << 6
    packed[:, 8:] = (sc[:, 4:] & 15) | (mn[:, 4:] & 15) << 4
    qs = rng.integers(0, 256, (blocks, 4, 32), np.uint8)
    q = np.stack([qs & 15, qs >> 4], 2).reshape(blocks, 8, 32).astype(np.float32)
    scale = d.astype(np.float32) * sc
    low = dmin.astype(np.float32) * mn
    return _bytes(d, dmin, packed, qs), (scale[..., None] * q - low[..., None]).reshape(n, k)


def q6_k(rng, n, k):
    """256 numbers: 4 low bits, 2 high bits, 16 signed scales, a half scale."""
    blocks = n * k // 256
    ql, qh = rng.integers(0, 256, (blocks, 2, 64), np.uint8), rng.integers(0, 256, (blocks, 2, 32), np.uint8)
    sc, d = rng.integers(-64, 64, (blocks, 16), np.int8), _half(rng, (blocks, 1))
    parts = [
        (ql[:, :, :32] & 15) | (qh & 3) << 4,
        (ql[:, :, 32:] & 15) | (qh >> 2 & 3) << 4,
        (ql[:, :, :32] >> 4) | (qh >> 4 & 3) << 4,
        (ql[:, :, 32:] >> 4) | (qh >> 6 & 3) << 4,
    ]
    q = np.stack(parts, 2).reshape(blocks, 16, 16).astype(np.float32) - 32
    values = d.astype(np.float32)[..., None] * sc.astype(np.float32)[..., None] * q
    return _bytes(ql, qh, sc, d), values.reshape(n, k)


def q5_0(rng, n, k):
    """32 numbers: a half scale, 32 fifth bits in 4 bytes, 16 bytes of nibbles."""
    blocks = n * k // 32
    d, qh = _half(rng, (blocks, 1)), rng.integers(0, 256, (blocks, 4), np.uint8)
    qs = rng.integers(0, 256, (blocks, 16), np.uint8)
    high = np.unpackbits(qh, axis=1, bitorder="little")
    q = (np.concatenate([qs & 15, qs >> 4], 1) | high << 4).astype(np.float32) - 16
    return _bytes(d, qh, qs), (d.astype(np.float32) * q).reshape(n, k)


def q5_k(rng, n, k):
    """As q4_k, with 256 fifth bits in 32 bytes before the nibbles."""
    blocks = n * k // 256
    four, _ = q4_k(rng, n, k)
    four = four.reshape(blocks, 144)
    qh = rng.integers(0, 256, (blocks, 32), np.uint8)
    d, dmin = (four[:, a : a + 2].copy().view(np.float16).astype(np.float32) for a in (0, 2))
    packed, qs = four[:, 4:16], four[:, 16:].reshape(blocks, 4, 32)
    sc = np.concatenate([packed[:, :4] & 63, packed[:, 8:] & 15 | packed[:, :4] >> 6 << 4], 1)
    mn = np.concatenate([packed[:, 4:8] & 63, packed[:, 8:] >> 4 | packed[:, 4:8] >> 6 << 4], 1)
    q = np.stack([qs & 15, qs >> 4], 2).reshape(blocks, 8, 32)
    q = (q + (16 * (qh[:, None, :] >> np.arange(8, dtype=np.uint8)[None, :, None] & 1))).astype(np.float32)
    values = (d * sc)[..., None] * q - (dmin * mn)[..., None]
    return np.concatenate([four[:, :16], qh, four[:, 16:]], 1).reshape(-1), values.reshape(n, k)
