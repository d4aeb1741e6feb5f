"""Devices: the current one, several at once, and what cannot be."""

from __future__ import annotations

import asyncio
import threading

import pytest

import bessemer as bm


def test_a_name_is_a_device() -> None:
    cpu = bm.device("cpu")
    assert cpu is bm.device("cpu")
    assert cpu == "cpu" and cpu == bm.device("cpu") and str(cpu) == "cpu"
    assert repr(cpu) == "bessemer.device('cpu')"
    assert cpu.kind == "cpu" and cpu.threads > 0 and cpu.memory_limit > 0 and cpu.name
    assert isinstance(cpu.features, list) and isinstance(bm.device("auto").passed_over, list)
    with pytest.raises(RuntimeError, match="choose one of auto, cpu"):
        bm.device("tpu")
    with pytest.raises(TypeError, match="device"):
        bm.ones(2, device=3)


def test_the_current_device() -> None:
    reference = bm.device("reference")
    assert bm.ones(2, device="reference").device == reference
    with bm.device("reference"):
        assert bm.default_device() == reference
        with bm.device("cpu"), bm.device("cpu"):
            assert bm.zeros(2).device == "cpu"
        assert bm.array([1]).device == reference
        seen = []
        thread = threading.Thread(target=lambda: seen.append(bm.default_device()))
        thread.start()
        thread.join()
        assert seen == [bm.device("auto")]
    assert bm.default_device() == bm.device("auto")


def test_tasks_have_their_own() -> None:
    async def task(name: str) -> str:
        with bm.device(name):
            await asyncio.sleep(0.01)
            return bm.ones(1).device.kind

    async def both() -> list[str]:
        return await asyncio.gather(task("cpu"), task("reference"))

    assert asyncio.run(both()) == ["cpu", "reference"]


def test_devices_do_not_mix() -> None:
    a, b = bm.ones(2, device="cpu"), bm.ones(2, device="reference")
    with pytest.raises(ValueError, match="different devices"):
        a + b
    moved = a.to_device("reference") + b
    assert moved.tolist() == [2, 2] and moved.device == "reference"
    assert a.to_device("cpu").device == "cpu"
    assert bm.asarray(a, device="reference").device == "reference"
    with pytest.raises(ValueError, match="stream"):
        a.to_device("cpu", stream=1)
    bm.eval([a, {"b": b}], moved)
    with pytest.raises(TypeError, match="eval"):
        bm.eval(3)


def test_out_of_memory() -> None:
    small = bm.device("cpu", memory_limit=1 << 20)
    assert small != bm.device("cpu")
    x = bm.ones(1000, device=small)
    with pytest.raises(MemoryError, match="out of memory"):
        (bm.ones((1000, 1000), device=small) * 2).eval()
    assert x.sum().item() == 1000
    assert (x + x).device == small
    small.trim()
    assert small.memory_used < 1 << 20


def test_memory_that_no_machine_has() -> None:
    with pytest.raises((MemoryError, ValueError)):
        bm.ones((1 << 40, 1 << 20)).eval()
    with pytest.raises((MemoryError, ValueError)):
        (bm.ones(1 << 45) + bm.arange(1.0)).eval()
