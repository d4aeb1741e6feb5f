"""Linear algebra. Arrays of more than two dimensions are stacks of matrices. Factorisations are computed on
the CPU, also for arrays of GPUs: ``explain`` shows what is copied.

>>> import bessemer as bm
>>> bm.linalg.det(bm.array([[1.0, 2.0], [2.0, 1.0]])).item()
-3.0
"""

from __future__ import annotations

from ._bessemer import _linalg_cholesky as cholesky
from ._bessemer import _linalg_cross as cross
from ._bessemer import _linalg_det as det
from ._bessemer import _linalg_diagonal as diagonal
from ._bessemer import _linalg_eigh as eigh
from ._bessemer import _linalg_eigvalsh as eigvalsh
from ._bessemer import _linalg_inv as inv
from ._bessemer import _linalg_matrix_norm as matrix_norm
from ._bessemer import _linalg_matrix_power as matrix_power
from ._bessemer import _linalg_matrix_rank as matrix_rank
from ._bessemer import _linalg_outer as outer
from ._bessemer import _linalg_pinv as pinv
from ._bessemer import _linalg_qr as qr
from ._bessemer import _linalg_slogdet as slogdet
from ._bessemer import _linalg_solve as solve
from ._bessemer import _linalg_svd as svd
from ._bessemer import _linalg_svdvals as svdvals
from ._bessemer import _linalg_trace as trace
from ._bessemer import _linalg_vector_norm as vector_norm
from ._bessemer import matmul, matrix_transpose, tensordot, vecdot

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd",
    "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip
