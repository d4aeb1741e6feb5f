"""What computing an array would do, as text and as a picture. The text comes from the engine."""

from __future__ import annotations


class Explanation(str):
    """An evaluation plan: each fused program, what it reads, and the ops between them.

    It is a text, which notebooks show as a picture of the steps.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        from ._html import plan

        return plan(self)

    def __repr__(self) -> str:
        # A console shows what it says, not how one would write it down.
        return str(self)
