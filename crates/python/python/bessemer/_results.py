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
