"""Context managers that close what they are."""

from __future__ import annotations

from types import TracebackType
from typing import Optional, TypeVar

Self = TypeVar("Self", bound="Closing")


class Closing:
    """Something with a ``close``; leaving its ``with`` block calls it."""

    def close(self) -> None:
        """Ends its use."""
        raise NotImplementedError

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
