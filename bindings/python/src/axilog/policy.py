"""Policies (SRS-004 section 17; formats.md section 4, Policy files)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple, Optional, Union

from axilog.enums import Comparison
from axilog.errors import PolicyError
from axilog.q16 import from_q16, to_q16

VALUE = "value"
"""The selector of policies that name none."""


class _Fields(NamedTuple):
    policy_id: str
    comparison: Comparison
    threshold: int
    selector: str
    enabled: bool


class Policy(_Fields):
    """One policy: a value is a breach where ``value COMPARISON limit`` holds.

    Args:
        policy_id: 1 to 64 characters of ``A-Z a-z 0-9 - _ .``
        comparison: GT, LT, GE or LE.
        limit: The limit as a decimal, a text such as ``"22.5"`` or a :class:`decimal.Decimal`,
            rounded half to even to a multiple of 1/65536. A bare number is refused: ``70`` could be
            the limit 70 or the raw value of the limit 0.001.
        selector: Where the value stands, and in whose answers: ``[oracle#]path``, at most 192
            bytes. The path is the name of a member at the top level of the answer, as ``speed``, or
            an RFC 6901 pointer, as ``/linear/x`` or ``/speeds/0``. ``/speeds/~*`` judges every
            element of an array (its greatest under GT and GE, its least under LT and LE), and
            ``/speeds/~#`` the number of elements or members. ``/arguments/~j/amount`` judges a
            member of the JSON that the string ``arguments`` holds. ``/amount/~e3`` divides the
            number by 10^3, from ``~e-9`` to ``~e9``. ``tool.transfer#/amount`` judges the answers
            of the oracle ``tool.transfer`` alone. ``elapsed`` is the time since the last
            observation of the time.
        enabled: Whether the policy is evaluated. A disabled one leaves no record.
        raw: The limit as raw Q16.16, as in policy files, in place of ``limit``:
            ``axilog.to_q16(70)`` is 4587520, the member ``threshold``.

    Raises:
        PolicyError for a limit of another type or out of range. What else is wrong with a policy,
        its :class:`axilog.PolicySet` says.
    """

    __slots__ = ()

    def __new__(
        cls,
        policy_id: str,
        comparison: Comparison,
        limit: Union[str, Decimal, None] = None,
        selector: str = VALUE,
        enabled: bool = True,
        *,
        raw: Optional[int] = None,
    ) -> Policy:
        threshold = _convert_limit(policy_id, limit) if raw is None else raw
        if raw is not None and limit is not None:
            raise PolicyError(f"{policy_id}.limit: found raw too, expected one of them")
        return super().__new__(cls, policy_id, comparison, threshold, selector, enabled)

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, int]]:
        # Copies and pickles are made of these.
        policy_id, comparison, threshold, selector, enabled = self
        return (policy_id, comparison, None, selector, enabled), {"raw": threshold}

    @property
    def limit(self) -> Decimal:
        """The limit, as an exact decimal."""
        return from_q16(self.threshold)


def _convert_limit(policy_id: str, limit: Union[str, Decimal, None]) -> int:
    where = f"{policy_id}.limit"
    if not isinstance(limit, (str, Decimal)):
        number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        text = f"{limit!r}" if number else "70"
        raise PolicyError(
            f'{where}: found {limit!r:.70}, expected a text such as "{text}", a Decimal, or the '
            f"raw Q16.16 value by name: raw=axilog.to_q16({text})"
        )
    try:
        return to_q16(limit)
    except ValueError as error:
        raise PolicyError(f"{where}: {error}") from None
