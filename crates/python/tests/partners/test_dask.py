"""Dask with our arrays as blocks: sums, products and decompositions over a local cluster."""

from __future__ import annotations

from collections.abc import Iterator

import dask.array as da
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

import bessemer as bm


@pytest.fixture(scope="module")
def cluster() -> Iterator[Client]:
    with LocalCluster(
        n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None
    ) as local, Client(local) as client:
        yield client


def _blocks(x: np.ndarray, chunks: tuple[int, int]) -> da.Array:
    """A dask array whose blocks are ours."""
    return da.from_array(x, chunks=chunks).map_blocks(bm.asarray, dtype=x.dtype, meta=bm.zeros((0, 0)))


def test_blocks_are_ours(cluster: Client) -> None:
    x = np.arange(64, dtype="f4").reshape(8, 8)
    blocks = _blocks(x, (4, 4))
    assert isinstance(blocks._meta, bm.Array)
    kinds = set(cluster.gather(cluster.map(type, cluster.compute(list(blocks.to_delayed().flatten())))))
    assert kinds == {bm.Array}
    found = blocks.compute()
    assert isinstance(found, bm.Array)
    np.testing.assert_array_equal(np.asarray(found), x)


def test_elementwise_and_sums(cluster: Client) -> None:
    x = np.random.default_rng(1).normal(size=(400, 300)).astype("f4")
    blocks = _blocks(x, (100, 150))
    y = (blocks * 2 + 1).sum(axis=0)
    found = y.compute()
    assert isinstance(found, bm.Array)
    np.testing.assert_allclose(np.asarray(found), (x * 2 + 1).sum(axis=0), rtol=1e-4)
    np.testing.assert_allclose(float(blocks.mean().compute()), x.mean(), atol=1e-5)
    np.testing.assert_allclose(float(np.exp(blocks).max().compute()), np.exp(x).max(), rtol=1e-5)


def test_matmul(cluster: Client) -> None:
    generator = np.random.default_rng(2)
    a = generator.normal(size=(300, 200)).astype("f4")
    b = generator.normal(size=(200, 100)).astype("f4")
    found = (_blocks(a, (100, 100)) @ _blocks(b, (100, 50))).compute()
    assert isinstance(found, bm.Array)
    np.testing.assert_allclose(np.asarray(found), a @ b, rtol=1e-3, atol=1e-3)


def test_svd(cluster: Client) -> None:
    x = np.random.default_rng(3).normal(size=(400, 20)).astype("f4")
    u, s, v = da.linalg.svd(_blocks(x, (100, 20)))
    u, s, v = (np.asarray(part) for part in da.compute(u, s, v))
    np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), rtol=1e-4)
    np.testing.assert_allclose(u @ np.diag(s) @ v, x, atol=1e-4)
