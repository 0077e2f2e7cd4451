"""Exact conversion between Q16.16 fixed point and decimal (SRS-004 section 18; formats.md section
7)."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Union

from axilog.capi.constants import Q16_16_MAX, Q16_16_MIN, Q16_16_ONE

Number = Union[int, float, str, Decimal]
"""A number in natural units. A float stands for the decimal that Python prints it as: 0.7 is
seven tenths, not the binary fraction next to it."""

# A value has at most 5 digits and 16 decimals. The program's own context may round earlier.
_EXACT = Context(prec=28)


def to_q16(value: Number) -> int:
    """Converts ``value`` to raw Q16.16, rounded half to even: 0.7 becomes 45875. Raises ValueError
    for a value that is no number or not from -32768 to 32767.9999."""
    try:
        number = Decimal(str(value) if isinstance(value, float) else value)
    except (InvalidOperation, TypeError, ValueError):
        number = Decimal("NaN")
    if number.is_finite() and -32769 < number < 32769:
        # The exact fraction of a tiny value, which rounds to 0, may be too long to compute.
        raw = 0 if number.adjusted() < -20 else round(Fraction(number) * Q16_16_ONE)
        if Q16_16_MIN <= raw <= Q16_16_MAX:
            return raw
    raise ValueError(f"found {value!r}, expected a number from -32768 to 32767")


def from_q16(raw: int) -> Decimal:
    """Converts a raw Q16.16 value to its exact decimal: 45875 becomes 0.6999969482421875."""
    if raw % Q16_16_ONE == 0:
        return Decimal(raw // Q16_16_ONE)
    return _EXACT.divide(Decimal(raw), Decimal(Q16_16_ONE))
