"""The sink that collects the records of one step."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Optional

from axilog.capi.structs import append_t, ax_agent_ctx_t, ax_ledger_sink_t
from axilog.entry import Entry, LineWriter
from axilog.errors import SinkError

EntrySink = Callable[[Entry], object]
"""A caller's function that stores each record."""


class Recorder:
    """Collects the records that the library commits, and with ``lines`` their ledger lines too.

    The library hands over each record before its ledger's head moves, and ``sink``, if given, is
    called with it then. An exception of ``sink`` fails the ledger; :meth:`raise_failure` raises it
    once the library has returned.
    """

    def __init__(self, sink: Optional[EntrySink] = None, lines: bool = False) -> None:
        self.entries: list[Entry] = []
        """The records since the last :meth:`clear`, in order."""
        self.lines = bytearray()
        """The lines of these records, where the recorder was made with ``lines``."""
        self._error: Optional[BaseException] = None
        self._sink = sink
        self._writer = LineWriter() if lines else None
        self._c_sink = ax_ledger_sink_t(append_t(self._append), None)

    def attach(self, agent: ax_agent_ctx_t) -> None:
        """Makes this recorder the sink of the agent's ledger. The recorder must outlive the
        agent."""
        agent.ledger.sink = ctypes.pointer(self._c_sink)

    def clear(self) -> None:
        """Empties the recorder for the next step."""
        self.entries = []
        self.lines = bytearray()
        self._error = None

    def _append(self, user: Any, entry: Any) -> int:
        # An exception that leaves this function is lost: ctypes prints it, and the library sees 0.
        try:
            record = Entry.from_struct(entry.contents)
            if self._writer is not None:
                self.lines += self._writer.format_line(entry)
            if self._sink is not None:
                self._sink(record)
            self.entries.append(record)
        except BaseException as error:
            self._error = error
            return 1
        return 0

    def raise_failure(self, committed: int) -> None:
        """Raises SinkError if a record is missing here, since the sink raised an exception or a
        signal interrupted it. ``committed`` is how many records the library committed since the
        last :meth:`clear`. A KeyboardInterrupt or SystemExit of the sink is raised unchanged."""
        error = self._error
        if error is not None:
            self._error = None
            if not isinstance(error, Exception):
                raise error
            raise SinkError(
                f"a record could not be stored: {error!r}; the agent is STOPPED"
            ) from error
        if len(self.entries) != committed:
            # ctypes drops an exception that a signal raises before _append has begun.
            raise SinkError(
                f"the library committed {committed} records and the sink got {len(self.entries)}, "
                "since a signal interrupted it; the agent is STOPPED"
            )
