"""The steps of an agent: calls of the library whose records are on disk before they return."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Optional

from axilog._question_checks import QuestionChecks
from axilog._recorder import Recorder
from axilog.capi.constants import AX_TAG_PROOF
from axilog.capi.inlines import ct_fault_clear
from axilog.capi.structs import ax_agent_ctx_t, ax_ledger_ctx_t, ax_policy_ctx_t, ct_fault_flags_t
from axilog.decision import Decision
from axilog.entry import Entry
from axilog.enums import Health, ReturnCode
from axilog.errors import CallError, ConcurrentUseError, StoppedError
from axilog.faults import Faults
from axilog.ledger import Ledger

_HEALTH: tuple[Health, ...] = tuple(Health)
_PROOF = AX_TAG_PROOF.decode()


class AgentSteps:
    """The C structs of an agent, and the steps that it makes in them."""

    _context: ax_agent_ctx_t
    _policy_context: ax_policy_ctx_t
    _chain: ax_ledger_ctx_t
    _faults: ct_fault_flags_t
    _ledger: Optional[Ledger]
    _recorder: Optional[Recorder]
    _question_checks: QuestionChecks
    _lock: threading.Lock

    def _run_step(self, c_call: Callable[[], int], answer: bytes = b"") -> Decision:
        sequence = self._chain.sequence + 1
        code = self._run_call(c_call, answer)
        records = () if self._recorder is None else tuple(self._recorder.entries)
        self._question_checks.note_records(records)
        return self._make_decision(sequence, code, records)

    def _run_call(self, c_call: Callable[[], int], answer: bytes = b"") -> int:
        """Runs one call of the library and puts the records that it commits on disk."""
        recorder, ledger, sequence = self._recorder, self._ledger, self._chain.sequence
        if ledger is not None:
            ledger._file.check_open()
        if recorder is not None:
            recorder.clear()
        try:
            code = c_call()
            if recorder is not None:
                recorder.raise_failure(self._chain.sequence - sequence)
            if code not in (ReturnCode.OK, ReturnCode.ENCODING):
                raise self._call_error(code)
            if ledger is not None and recorder is not None:
                if answer and any(entry.tag == _PROOF for entry in recorder.entries):
                    ledger._put_blob(answer)
                ledger._file.append(bytes(recorder.lines))
        except BaseException:
            ct_fault_clear(self._faults)
            # The agent may be ahead of its ledger now, so it must not act again.
            if self._chain.sequence != sequence or self._chain.failed:
                self._stop()
            raise
        return code

    def _stop(self) -> None:
        self._chain.failed = 1
        self._context.local_failed_flag = 1
        self._context.health = int(Health.STOPPED)

    def _make_decision(self, sequence: int, code: int, records: tuple[Entry, ...] = ()) -> Decision:
        context = self._policy_context
        # An agent that was STOPPED before evaluates no policy.
        permitted = context.last_eval_seq == sequence and not context.breach_flag
        return Decision(sequence, code == 0, permitted, _HEALTH[self._context.health], records)

    def _call_error(self, code: int) -> CallError:
        faults = Faults.from_struct(self._faults)
        ct_fault_clear(self._faults)
        return_code = ReturnCode(code)
        if return_code is not ReturnCode.LEDGER:
            return CallError(return_code, faults, "nothing was recorded")
        state = "is sealed" if self.sealed else "has failed"
        return StoppedError(return_code, faults, f"the ledger {state} and takes nothing more")

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        if not self._lock.acquire(False):
            raise concurrent_use_error()
        try:
            yield
        finally:
            self._lock.release()

    @property
    def health(self) -> Health:
        """The agent's state."""
        return _HEALTH[int(self._context.health)]

    @property
    def fault_count(self) -> int:
        """How many faults the agent counted since the last reset."""
        return int(self._context.fault_accumulator)

    @property
    def last_timestamp(self) -> int:
        """The last accepted time; 0 before the first."""
        return int(self._context.last_timestamp)

    @property
    def entries(self) -> int:
        """How many records the agent's ledger has, genesis and seal counted."""
        return int(self._chain.sequence) + 1

    @property
    def head(self) -> str:
        """The chain value of the last record, in hexadecimal. Keep it where nobody who can write
        the ledger can change it, and give it to :func:`axilog.verify`."""
        return bytes(self._chain.current_hash).hex()

    @property
    def sealed(self) -> bool:
        """Whether the agent's ledger ends with a seal."""
        return bool(self._chain.sealed)


def concurrent_use_error() -> ConcurrentUseError:
    """The error of a call while another one is under way."""
    return ConcurrentUseError(
        "the agent is in use: a call on it is under way, in another thread or in this one's sink; "
        "nothing was done; give each thread its own agent, or put a lock of yours around it"
    )
