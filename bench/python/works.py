"""What is compared, as a user of each library writes it."""

from dataclasses import dataclass, field

M = 1 << 20

SOFTMAX = """
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""


@dataclass
class Work:
    """The same work for several libraries; lazy ones must have computed it in the end."""

    name: str
    operands: dict[str, tuple[int, ...]]
    statements: dict[str, str]
    goals: dict[str, float]
    setups: dict[str, str] = field(default_factory=dict)


def chain(size, name):
    return Work(
        f"(sqrt(abs(a * b + c)) * a).sum(), {name}",
        {"a": (size,), "b": (size,), "c": (size,)},
        {
            "bessemer": "(bm.sqrt(bm.abs(a * b + c)) * a).sum().eval()",
            "numpy": "(np.sqrt(np.abs(a * b + c)) * a).sum()",
            "torch": "(torch.sqrt(torch.abs(a * b + c)) * a).sum()",
            "mlx": "done((mx.sqrt(mx.abs(a * b + c)) * a).sum())",
        },
        {"numpy": 4.0, "torch": 1.5, "mlx": 2.0},
    )


def softmax(*shape):
    return Work(
        f"softmax, {'×'.join(map(str, shape))}",
        {"x": shape},
        {
            "bessemer": "bm.softmax(x).eval()",
            "numpy": "softmax(x)",
            "torch": "torch.softmax(x, -1)",
            "mlx": "done(mx.softmax(x, -1))",
        },
        {"torch": 1.5},
        {"numpy": SOFTMAX},
    )


def layer_norm(*shape):
    return Work(
        f"layer norm, {'×'.join(map(str, shape))}",
        {"x": shape, "w": shape[-1:], "b": shape[-1:]},
        {
            "bessemer": "bm.layer_norm(x, w, b).eval()",
            "torch": "torch.nn.functional.layer_norm(x, w.shape, w, b)",
            "mlx": "done(mx.fast.layer_norm(x, w, b, 1e-5))",
        },
        {"torch": 1.5},
    )


def attention(heads, rows, size, causal):
    shape = (1, heads, rows, size)
    mask = '"causal"' if causal else "None"
    return Work(
        f"attention{' (causal)' if causal else ''}, {heads} heads, {rows} tokens, {size}",
        {"q": shape, "k": shape, "v": shape},
        {
            "bessemer": f"bm.attention(q, k, v, causal={causal}).eval()",
            "torch": f"torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal={causal})",
            "mlx": "done(mx.fast.scaled_dot_product_attention("
            f"q, k, v, scale={size**-0.5}, mask={mask}))",
        },
        {"torch": 1.5},
    )


WORKS = [
    Work(
        "a + b, 10 elements",
        {"a": (10,), "b": (10,)},
        {
            "bessemer": "(a + b).eval()",
            "numpy": "a + b",
            "torch": "a + b",
            "mlx": "done(a + b)",
        },
        {"torch": 1.0},
    ),
    chain(M, "1M"),
    chain(16 * M, "16M"),
    Work(
        "a @ b, 1024×1024",
        {"a": (1024, 1024), "b": (1024, 1024)},
        {
            "bessemer": "(a @ b).eval()",
            "numpy": "a @ b",
            "torch": "a @ b",
            "mlx": "done(a @ b)",
        },
        {"numpy": 1.0, "torch": 1.0, "mlx": 1.0},
    ),
    softmax(1024, 1024),
    softmax(32, 32000),
    layer_norm(512, 768),
    layer_norm(2048, 4096),
    attention(12, 512, 64, causal=False),
    attention(32, 1024, 128, causal=True),
]
