"""The fault flags, by which the library reports errors of the machine and of its caller."""

from __future__ import annotations

from axilog.capi.structs import FAULT_NAMES, ct_fault_flags_t


class Faults(frozenset[str]):
    """The names of the fault flags that are set, as ``types.h`` spells them: ``"io_error"``."""

    @classmethod
    def from_struct(cls, flags: ct_fault_flags_t) -> Faults:
        """The flags that are set in a C struct."""
        return cls(name for name, flag in zip(FAULT_NAMES, bytes(flags)) if flag)

    def __str__(self) -> str:
        return ", ".join(name for name in FAULT_NAMES if name in self) or "none"

    def __repr__(self) -> str:
        return f"Faults({[name for name in FAULT_NAMES if name in self]})"


NO_FAULTS = Faults()
