"""Random arrays. The same seed gives the same numbers on every device.

>>> import bessemer as bm
>>> bm.random.uniform(size=3, seed=1).tolist() == bm.random.uniform(size=3, seed=1).tolist()
True
"""

from __future__ import annotations

from ._bessemer import _random_choice as choice
from ._bessemer import _random_integers as integers
from ._bessemer import _random_normal as normal
from ._bessemer import _random_permutation as permutation
from ._bessemer import _random_uniform as uniform

__all__ = ["choice", "integers", "normal", "permutation", "uniform"]
