"""Fault flags: what the library says of the machine and of the program that calls it."""

from __future__ import annotations

from axilog.capi.structs import FAULT_NAMES, ct_fault_flags_t


class Faults(frozenset[str]):
    """The flags that are set, by their names in ``types.h``, such as ``"io_error"``."""

    @classmethod
    def of(cls, flags: ct_fault_flags_t) -> Faults:
        """The flags set in a C struct."""
        return cls(name for name, flag in zip(FAULT_NAMES, bytes(flags)) if flag)

    def __str__(self) -> str:
        return ", ".join(name for name in FAULT_NAMES if name in self) or "none"

    def __repr__(self) -> str:
        return f"Faults({[name for name in FAULT_NAMES if name in self]})"


NO_FAULTS = Faults()
