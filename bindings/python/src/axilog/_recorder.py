"""A sink that keeps the records of a step until it is over."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Optional

from axilog.capi.structs import append_t, ax_agent_ctx_t, ax_ledger_sink_t
from axilog.entry import Entry, LineWriter
from axilog.errors import SinkError

Store = Callable[[Entry], None]


class Recorder:
    """Records and, for a ledger file, their lines, since the last :meth:`begin`.

    ``store`` is called with each record as the library hands it over, before the ledger's head
    moves. What it raises fails the ledger, and :meth:`check` raises it again outside.
    """

    def __init__(self, store: Optional[Store] = None, lines: bool = False) -> None:
        self.entries: list[Entry] = []
        """The records, in order."""
        self.lines = bytearray()
        """Their lines as a ledger file holds them, where those were asked for."""
        self._error: Optional[BaseException] = None
        self._store = store
        self._writer = LineWriter() if lines else None
        self._sink = ax_ledger_sink_t(append_t(self._append), None)

    def attach(self, agent: ax_agent_ctx_t) -> None:
        """Makes this the sink of the agent's ledger, which must not outlive it."""
        agent.ledger.sink = ctypes.pointer(self._sink)

    def begin(self) -> None:
        """Forgets what was recorded."""
        self.entries = []
        self.lines = bytearray()
        self._error = None

    def _append(self, user: Any, entry: Any) -> int:
        # An exception may not leave: ctypes would print it and tell the library that all is well.
        try:
            record = Entry.of(entry.contents)
            if self._writer is not None:
                self.lines += self._writer.line(entry)
            if self._store is not None:
                self._store(record)
            self.entries.append(record)
        except BaseException as error:
            self._error = error
            return 1
        return 0

    def check(self, records: int) -> None:
        """Raises what stopped a record from being kept, where the library committed ``records``
        since :meth:`begin`."""
        error = self._error
        if error is not None:
            self._error = None
            if not isinstance(error, Exception):
                raise error
            raise SinkError(
                f"a record could not be stored: {error!r}; the agent is STOPPED"
            ) from error
        if len(self.entries) != records:
            # A signal's exception came between the library and this object, where ctypes drops it.
            raise SinkError(
                f"{records} records were committed and {len(self.entries)} arrived; the agent is "
                "STOPPED"
            )
