"""The state of a ledger that is open, and of the agent that writes it."""

from __future__ import annotations

from ctypes import byref, c_void_p, sizeof
from typing import Any, NamedTuple, Optional

from axilog._host_call import make_error
from axilog.capi import lib
from axilog.capi.host import AXH_OK, axh_state_t
from axilog.enums import Health
from axilog.errors import LedgerError


class TornLine(NamedTuple):
    """An incomplete last line, which a crash left and opening the ledger moved to another file."""

    path: str
    """The file that holds the line now: ``LEDGER.torn-N``."""
    size: int
    """How many bytes the line has."""


class LeftBehind(NamedTuple):
    """Files among the blobs that no record names, which an interrupted writer left and opening the
    ledger moved out of them."""

    path: str
    """The directory that holds them now: ``LEDGER.left-behind``."""
    files: int
    """How many there are."""


class LedgerState:
    """What a program may know of an open ledger. Of a closed one it is what it was at the end."""

    _handle: c_void_p
    _path: str
    # What opening the ledger did.
    _opening: dict[str, Any]
    # The state when the ledger was closed; None while it is open.
    _last_state: Optional[axh_state_t]

    @property
    def path(self) -> str:
        """The path of the ledger file."""
        return self._path

    @property
    def health(self) -> Health:
        """The agent's state."""
        return Health(self._read_state().health)

    @property
    def fault_count(self) -> int:
        """How many faults the agent counted since the last reset."""
        return int(self._read_state().fault_count)

    @property
    def last_timestamp(self) -> int:
        """The last accepted time."""
        return int(self._read_state().last_timestamp)

    @property
    def entries(self) -> int:
        """How many records the ledger has, genesis and seal counted."""
        return int(self._read_state().entries)

    def __len__(self) -> int:
        return self.entries

    def __bool__(self) -> bool:
        return True

    @property
    def head(self) -> str:
        """The chain value of the last record, in hexadecimal. Keep it where nobody who can write
        the ledger can change it, and give it to :func:`axilog.verify`."""
        return bytes(self._read_state().head).hex()

    @property
    def sealed(self) -> bool:
        """Whether the ledger ends with a seal."""
        return bool(self._read_state().sealed)

    @property
    def configuration_hash(self) -> str:
        """The SHA-256 of the configuration, in hexadecimal: the policies, the two switches, and the
        manifest. Each reset records it, and a blob of the ledger has it as its name."""
        return bytes(self._read_state().configuration).hex()

    @property
    def manifest_hash(self) -> Optional[str]:
        """The SHA-256 of the manifest that the ledger is bound to, in hexadecimal; ``None`` without
        one."""
        state = self._read_state()
        return bytes(state.manifest).hex() if state.has_manifest else None

    @property
    def torn_line(self) -> Optional[TornLine]:
        """The torn last line that opening moved to another file; ``None`` where there was none."""
        torn = self._opening["torn"]
        return None if torn is None else TornLine(torn["path"], torn["bytes"])

    @property
    def left_behind(self) -> Optional[LeftBehind]:
        """The files among the blobs that no record names, which opening moved out of them; ``None``
        where there were none."""
        left = self._opening["left_behind"]
        return None if left is None else LeftBehind(left["path"], left["files"])

    @property
    def completed_records(self) -> int:
        """How many records opening has added, to complete a step that a crash interrupted."""
        return int(self._opening["completed_records"])

    @property
    def closed(self) -> bool:
        """Whether the ledger is closed."""
        return not self._handle.value

    def _read_state(self) -> axh_state_t:
        if self.closed and self._last_state is not None:
            return self._last_state
        state = axh_state_t(sizeof(axh_state_t))
        self._check(lib.axh_state(self._handle, byref(state)))
        return state

    def _check(self, status: int) -> None:
        if status != AXH_OK:
            raise self._make_error(status)

    def _make_error(self, status: int) -> Exception:
        if self.closed:
            return LedgerError(self._path, "is closed; open it again; nothing was recorded")
        return make_error(status, self._path)
