"""Sampling parameters (SRS-004 sections 5.4 and 9.3, SRS-004-SHALL-036)."""

from __future__ import annotations

from decimal import Decimal
from typing import Optional

from axilog.capi.constants import AX_PARAMS_NULL_INT32, AX_PARAMS_NULL_Q16
from axilog.capi.structs import ax_oracle_params_t
from axilog.q16 import Number, from_q16, to_q16


class Params:
    """The sampling parameters of a call. Immutable; an absent parameter is null in the record.

    Args:
        max_tokens: The most tokens the answer may have, from 0 to 2^31-1.
        seed: The seed of the sampling, from 0 to 2^63-1.
        temperature: The temperature, from 0 to 32767; recorded as Q16.16, rounded half to even.
        top_p: The nucleus sampling threshold, from 0 to 1; recorded like ``temperature``.

    Raises:
        ValueError for a value that is no number or out of its range.
    """

    __slots__ = ("_struct",)

    def __init__(
        self,
        *,
        max_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        temperature: Optional[Number] = None,
        top_p: Optional[Number] = None,
    ) -> None:
        self._struct = ax_oracle_params_t(
            _check_integer("max_tokens", max_tokens, 2**31 - 1),
            _check_integer("seed", seed, 2**63 - 1),
            _convert_fraction("temperature", temperature, 32767),
            _convert_fraction("top_p", top_p, 1),
        )

    @classmethod
    def _from_struct(cls, struct: ax_oracle_params_t) -> Params:
        params = cls()
        params._struct = ax_oracle_params_t.from_buffer_copy(struct)
        return params

    @property
    def max_tokens(self) -> Optional[int]:
        """The most tokens that the answer may have."""
        number = int(self._struct.max_tokens)
        return None if number == AX_PARAMS_NULL_INT32 else number

    @property
    def seed(self) -> Optional[int]:
        """The seed of the sampling."""
        number = int(self._struct.seed)
        return None if number < 0 else number

    @property
    def temperature(self) -> Optional[Decimal]:
        """The temperature as recorded."""
        return _to_decimal(self._struct.temperature)

    @property
    def top_p(self) -> Optional[Decimal]:
        """The nucleus sampling threshold as recorded."""
        return _to_decimal(self._struct.top_p)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.max_tokens, self.seed, self.temperature, self.top_p)

    def __repr__(self) -> str:
        names = ("max_tokens", "seed", "temperature", "top_p")
        values = zip(names, self._key())
        return (
            f"Params({', '.join(f'{name}={value}' for name, value in values if value is not None)})"
        )


def _check_integer(name: str, value: Optional[int], limit: int) -> int:
    if value is None:
        return AX_PARAMS_NULL_INT32
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
        raise ValueError(f"{name}: found {value!r}, expected an integer from 0 to {limit}")
    return value


def _convert_fraction(name: str, value: Optional[Number], limit: int) -> int:
    if value is None:
        return AX_PARAMS_NULL_Q16
    try:
        raw = to_q16(value)
    except ValueError:
        raw = -1
    if not 0 <= raw <= limit * 65536 + (65535 if limit > 1 else 0):
        raise ValueError(f"{name}: found {value!r}, expected a number from 0 to {limit}")
    return raw


def _to_decimal(raw: int) -> Optional[Decimal]:
    return None if raw == AX_PARAMS_NULL_Q16 else from_q16(raw)
