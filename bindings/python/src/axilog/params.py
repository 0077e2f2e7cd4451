"""Sampling parameters (SRS-004-SHALL-036)."""

from __future__ import annotations

from decimal import Decimal
from typing import Optional

from axilog.capi.constants import AX_PARAMS_NULL_INT32, AX_PARAMS_NULL_Q16
from axilog.capi.structs import ax_oracle_params_t
from axilog.fixed import Number, from_q16, to_q16


class Params:
    """How an oracle was asked. Immutable; what is absent is null in the record.

    ``max_tokens``: from 0 to 2^31-1. ``seed``: from 0 to 2^63-1. ``temperature``: from 0 to 32767;
    ``top_p``: from 0 to 1; both are recorded as Q16.16, rounded half to even. Raises ValueError
    for anything else.
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
            _whole("max_tokens", max_tokens, 2**31 - 1),
            _whole("seed", seed, 2**63 - 1),
            _fraction("temperature", temperature, 32767),
            _fraction("top_p", top_p, 1),
        )

    @classmethod
    def _of(cls, struct: ax_oracle_params_t) -> Params:
        params = cls()
        params._struct = ax_oracle_params_t.from_buffer_copy(struct)
        return params

    @property
    def max_tokens(self) -> Optional[int]:
        """The most tokens the answer may have."""
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
        return _decimal(self._struct.temperature)

    @property
    def top_p(self) -> Optional[Decimal]:
        """The nucleus sampling threshold as recorded."""
        return _decimal(self._struct.top_p)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.max_tokens, self.seed, self.temperature, self.top_p)

    def __repr__(self) -> str:
        names = ("max_tokens", "seed", "temperature", "top_p")
        given = zip(names, self._key())
        return (
            f"Params({', '.join(f'{name}={value}' for name, value in given if value is not None)})"
        )


def _whole(name: str, value: Optional[int], limit: int) -> int:
    if value is None:
        return AX_PARAMS_NULL_INT32
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
        raise ValueError(f"{name}: found {value!r}, expected an integer from 0 to {limit}")
    return value


def _fraction(name: str, value: Optional[Number], limit: int) -> int:
    if value is None:
        return AX_PARAMS_NULL_Q16
    try:
        raw = to_q16(value)
    except ValueError:
        raw = -1
    if not 0 <= raw <= limit * 65536 + (65535 if limit > 1 else 0):
        raise ValueError(f"{name}: found {value!r}, expected a number from 0 to {limit}")
    return raw


def _decimal(raw: int) -> Optional[Decimal]:
    return None if raw == AX_PARAMS_NULL_Q16 else from_q16(raw)
