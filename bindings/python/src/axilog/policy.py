"""Policies, and the checks that policies must pass (SRS-004 section 17; formats.md section 4,
Policy files)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Optional, Union

from axilog.capi.constants import AX_POLICY_ID_MAX_LEN, AX_POLICY_MAX_COUNT, Q16_16_MAX, Q16_16_MIN
from axilog.enums import Comparison
from axilog.errors import PolicyError
from axilog.q16 import from_q16, to_q16
from axilog.selector import COUNT, ELAPSED, VALUE, check_selector, order_selector

# Longer times all saturate to one raw value, so no greater limit can be told from this one.
_MAX_ELAPSED = 32767 * 65536
_MAX_COUNT = 32767 * 65536
_POLICY_ID = re.compile(rf"[A-Za-z0-9_.-]{{1,{AX_POLICY_ID_MAX_LEN}}}")


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
            ``/speeds/~#`` the number of elements or members. ``/amount/~e3`` divides the number by
            10^3, from ``~e-9`` to ``~e9``. ``tool.transfer#/amount`` judges the answers of the
            oracle ``tool.transfer`` alone. ``elapsed`` is the time since the last observation of
            the time.
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
            raise PolicyError(f"{policy_id}.limit", "found raw too, expected one of them")
        return super().__new__(cls, policy_id, comparison, threshold, selector, enabled)

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, int]]:
        # Copies and pickles are made of these.
        policy_id, comparison, threshold, selector, enabled = self
        return (policy_id, comparison, None, selector, enabled), {"raw": threshold}

    @property
    def limit(self) -> Decimal:
        """The limit, as an exact decimal."""
        return from_q16(self.threshold)

    def permitted_range(self) -> tuple[int, int]:
        """The smallest and the largest raw value that is no breach. Where every value is a breach,
        the first is greater than the second."""
        is_count = self.selector.endswith("/" + COUNT)
        low = 0 if is_count or self.selector == ELAPSED else Q16_16_MIN + 1
        high = _MAX_COUNT if is_count else Q16_16_MAX
        if self.comparison is Comparison.GT:
            return low, min(high, self.threshold)
        if self.comparison is Comparison.LT:
            return max(low, self.threshold), high
        if self.comparison is Comparison.GE:
            return low, min(high, self.threshold - 1)
        return max(low, self.threshold + 1), high


def _convert_limit(policy_id: str, limit: Union[str, Decimal, None]) -> int:
    where = f"{policy_id}.limit"
    if not isinstance(limit, (str, Decimal)):
        number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        text = f"{limit!r}" if number else "70"
        raise PolicyError(
            where,
            f'found {_format_found(limit)}, expected a text such as "{text}", a Decimal, or the '
            f"raw Q16.16 value by name: raw=axilog.to_q16({text})",
        )
    try:
        return to_q16(limit)
    except ValueError as error:
        raise PolicyError(where, str(error)) from None


def check_shape(policy: Policy, where: str) -> None:
    """Raises PolicyError for a field of the wrong type or form. ``where`` names the policy."""

    def refuse(field: str, found: object, expected: str) -> None:
        raise PolicyError(f"{where}.{field}", f"found {_format_found(found)}, expected {expected}")

    if not isinstance(policy.policy_id, str) or not _POLICY_ID.fullmatch(policy.policy_id):
        expected = f"1 to {AX_POLICY_ID_MAX_LEN} characters of A-Z a-z 0-9 - _ ."
        refuse("policy_id", policy.policy_id, expected)
    if not isinstance(policy.comparison, Comparison):
        refuse("comparison", policy.comparison, "one of GT, LT, GE, LE")
    number = isinstance(policy.threshold, int) and not isinstance(policy.threshold, bool)
    if not number or not Q16_16_MIN <= policy.threshold <= Q16_16_MAX:
        expected = f"an integer from {Q16_16_MIN} to {Q16_16_MAX}, the raw Q16.16 value"
        refuse("threshold", policy.threshold, expected)
    if not isinstance(policy.enabled, bool):
        refuse("enabled", policy.enabled, "true or false")
    check_selector(policy.selector, f"{where}.selector")


def check_ids(policies: Sequence[Policy]) -> None:
    """Raises PolicyError for more than 64 policies, and for an id that two of them have."""
    if len(policies) > AX_POLICY_MAX_COUNT:
        raise PolicyError(
            "policies", f"found {len(policies)}, expected at most {AX_POLICY_MAX_COUNT}"
        )
    ids = set()
    for policy in policies:
        if policy.policy_id in ids:
            reason = f"found the policy_id {policy.policy_id} a second time, expected each once"
            raise PolicyError("policies", reason)
        ids.add(policy.policy_id)


def check_limits(policies: Iterable[Policy]) -> None:
    """Raises PolicyError for a limit on ``elapsed`` that saturation hides, enabled or not, and for
    a selector whose enabled policies permit no value."""
    bounds: dict[str, tuple[Policy, Policy]] = {}
    for policy in policies:
        if policy.selector == ELAPSED and policy.threshold > _MAX_ELAPSED:
            raise PolicyError(
                policy.policy_id,
                f"found the limit {_format_q16(policy.threshold)} on elapsed, expected at most "
                f"{_format_q16(_MAX_ELAPSED)}, since elapsed saturates above it",
            )
        if not policy.enabled:
            continue
        lowest, highest = bounds.get(policy.selector, (policy, policy))
        if policy.permitted_range()[0] > lowest.permitted_range()[0]:
            lowest = policy
        if policy.permitted_range()[1] < highest.permitted_range()[1]:
            highest = policy
        bounds[policy.selector] = (lowest, highest)
        low, high = lowest.permitted_range()[0], highest.permitted_range()[1]
        if low > high:
            raise PolicyError(
                policy.policy_id,
                f"found no permitted value of {policy.selector}: {lowest.policy_id} wants at least "
                f"{_format_q16(low)} and {highest.policy_id} at most {_format_q16(high)}; expected "
                "limits that some value meets",
            )


def compute_envelope(policies: Iterable[Policy]) -> dict[str, tuple[int, int]]:
    """Computes the certified operational envelope: for each selector with enabled policies, in
    selector order, the smallest and the largest raw value that is no breach of any of them."""
    bounds: dict[str, tuple[int, int]] = {}
    for policy in policies:
        if policy.enabled:
            low, high = policy.permitted_range()
            others = bounds.get(policy.selector, (low, high))
            bounds[policy.selector] = (max(low, others[0]), min(high, others[1]))
    return {selector: bounds[selector] for selector in sorted(bounds, key=order_selector)}


def _format_q16(raw: int) -> str:
    return f"{raw} ({from_q16(raw)})"


def _format_found(found: object) -> str:
    text = repr(found)
    return text if len(text) <= 70 else text[:70] + "…"
