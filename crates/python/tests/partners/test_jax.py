"""jax as a partner: DLPack both ways, without copies where jax allows them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import bessemer as bm

jax.config.update("jax_enable_x64", True)

NAMES = [
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex64",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_both_ways(name: str) -> None:
    plain = jnp.arange(24).reshape(2, 3, 4)
    x = (plain % 2 == 0) if name == "bool" else plain.astype(name)
    for view in (x, x[1], x[0, 0, 0], x[:0]):
        made = bm.from_dlpack(view)
        assert made.dtype == name and made.shape == view.shape
        back = jnp.from_dlpack(made)
        assert back.dtype == view.dtype and bool((back == view).all())
        np.testing.assert_array_equal(np.asarray(bm.asarray(view)), np.asarray(view))


def test_nothing_is_copied() -> None:
    x = jnp.ones(64, dtype="float32")
    assert np.asarray(bm.from_dlpack(x)).__array_interface__["data"][0] == x.unsafe_buffer_pointer()


def test_arrays_of_jax_as_operands() -> None:
    x = bm.ones(3)
    assert (x + np.asarray(jnp.ones(3, dtype="float32"))).tolist() == [2, 2, 2]
    assert bm.asarray(jnp.ones(3)).dtype == bm.float64
