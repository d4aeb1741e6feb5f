"""Results of several arrays, under the names of the array API."""

from __future__ import annotations

from typing import NamedTuple

from ._bessemer import Array


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Array
    inverse_indices: Array


class Eigh(NamedTuple):
    """What `linalg.eigh` gives."""

    eigenvalues: Array
    eigenvectors: Array


class QR(NamedTuple):
    """What `linalg.qr` gives."""

    Q: Array
    R: Array


class Slogdet(NamedTuple):
    """What `linalg.slogdet` gives."""

    sign: Array
    logabsdet: Array


class SVD(NamedTuple):
    """What `linalg.svd` gives."""

    U: Array
    S: Array
    Vh: Array
