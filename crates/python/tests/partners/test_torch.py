"""torch as a partner: DLPack both ways without copies, every dtype, and changes that show."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import bessemer as bm

DTYPES = {
    name: getattr(torch, name)
    for name in (
        "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16",
        "float32", "float64", "complex64",
    )
    if hasattr(bm, name) and hasattr(torch, name)
}  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
def test_both_ways(name: str) -> None:
    plain = torch.arange(24).reshape(2, 3, 4)
    tensor = (plain % 2 == 0) if name == "bool" else plain.to(DTYPES[name])
    for view in (tensor, tensor.transpose(0, 2), tensor[:, ::2], tensor[1], tensor[:0], tensor[0, 0, 0]):
        made = bm.from_dlpack(view)
        assert made.dtype == name and made.shape == tuple(view.shape)
        back = torch.from_dlpack(made)
        assert back.dtype == view.dtype and torch.equal(back, view)
        copied = bm.asarray(view)
        assert copied.tolist() == made.tolist()


def test_nothing_is_copied() -> None:
    tensor = torch.ones(64)
    made = bm.from_dlpack(tensor)
    tensor[3] = 7
    assert made[3].item() == 7
    ours = bm.arange(64, dtype="float32").eval()
    assert torch.from_dlpack(ours).data_ptr() == np.asarray(ours).__array_interface__["data"][0]
    assert torch.from_dlpack(torch.from_dlpack(ours) * 2).tolist() == (ours * 2).tolist()


def test_bfloat16_is_shared() -> None:
    tensor = torch.ones(32, dtype=torch.bfloat16)
    made = bm.from_dlpack(tensor)
    tensor[0] = 3
    assert made[0].item() == 3.0 and made.dtype == bm.bfloat16


def test_tensors_as_operands() -> None:
    x = bm.ones(3)
    assert isinstance(x + torch.ones(3), bm.Array)
    assert (x + torch.ones(3)).tolist() == [2, 2, 2]
