"""The constants of the array API."""

from __future__ import annotations

import math

e: float = math.e
inf: float = math.inf
nan: float = math.nan
newaxis = None
pi: float = math.pi
