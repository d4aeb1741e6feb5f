"""Shader libraries of more crates: every kernel must compile, unchanged."""

import glob
import os

from harness import case, check
from sources import crate


def _all(name, version, folder, pattern="**/*.metal"):
    root = os.path.join(crate(name, version), folder)
    files = sorted(glob.glob(os.path.join(root, pattern), recursive=True))
    assert files, f"{name}: no shaders"
    total = sum(check(f, [os.path.dirname(f), root]) for f in files)
    print(f"      {name}: {len(files)} files, {total} kernels", flush=True)


@case
def tract():
    _all("tract-metal", "0.23.9", "src/kernels")


@case
def mistral_quant():
    _all("mistralrs-quant", "0.8.1", "src/metal_kernels")


@case
def mistral_paged_attention():
    _all("mistralrs-paged-attn", "0.8.1", "src/metal/kernels")


@case
def ministark():
    _all("ministark-gpu", "0.3.0", "src/metal", "shaders.metal")
