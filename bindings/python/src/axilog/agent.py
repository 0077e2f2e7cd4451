"""The agent: takes oracles' answers, records them, and says what may be acted on (SRS-004 sections
12 and 19; formats.md section 5)."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Optional

from axilog._calls import Call, as_bytes, check_identities
from axilog._closing import Closing
from axilog._recorder import Recorder, Store
from axilog._rules import given
from axilog.capi import lib
from axilog.capi.constants import AX_MAX_OBS_BYTES
from axilog.capi.inlines import ct_fault_clear
from axilog.capi.structs import ax_agent_ctx_t, ct_fault_flags_t
from axilog.configuration import Configuration
from axilog.decision import Decision
from axilog.entry import Entry
from axilog.enums import Completion, Failure, Health, InputClass, InputKind, ReturnCode
from axilog.errors import (
    CallError,
    ConcurrentUseError,
    ConfigurationError,
    ModelError,
    RollbackError,
    StoppedError,
)
from axilog.faults import Faults
from axilog.inputs import Text, canonical_input
from axilog.ledger import Ledger
from axilog.params import Params
from axilog.policy_set import PolicySet

_HEALTH: tuple[Health, ...] = tuple(Health)
_ENCODING = int(ReturnCode.ENCODING)
_MAX_TIME = 2**64 - 1
# A function object of its own, without argtypes: what it is called with are C values already, made
# once per agent, and checking each of them each time would be a fifth of the cost of a call.
_observe = lib["ax_agent_observe"]
_WORK_BYTES = ctypes.c_size_t(AX_MAX_OBS_BYTES)


class Agent(Closing):
    """An agent under fixed policies.

    ``ledger``: where its records go. Without one it keeps the chain's head only, and ``sink``, if
    given, is called with each :class:`axilog.Entry` before the head moves; what it raises fails the
    ledger for good. ``policies``: the built-in ones where absent. ``permit_truncated`` and
    ``stop_on_invalid``: see :class:`axilog.Configuration`. An opened ledger names its own rules:
    there the three may be left out, and must be the ledger's where they are given.

    An agent is used by one thread at a time: a call while another one is under way raises
    ConcurrentUseError and does nothing. Calls release the GIL, so agents of their own run in
    parallel. The properties are for the thread that uses it.
    """

    def __init__(
        self,
        ledger: Optional[Ledger] = None,
        *,
        policies: Optional[PolicySet] = None,
        permit_truncated: Optional[bool] = None,
        stop_on_invalid: Optional[bool] = None,
        sink: Optional[Store] = None,
    ) -> None:
        if ledger is not None and sink is not None:
            raise ValueError("an agent has a ledger or a sink, not both")
        self._ledger = ledger
        self._faults = ct_fault_flags_t()
        resumed = None if ledger is None else ledger._resumed
        recorded = None if resumed is None else resumed.configuration
        self._configuration = given(recorded, policies, permit_truncated, stop_on_invalid)
        if ledger is not None:
            if recorded is not None and recorded != self._configuration:
                raise ConfigurationError(
                    ledger.path,
                    f"was made under the configuration {recorded.hash()}, and the one given is "
                    f"{self._configuration.hash()}; leave the rules out, or begin a new ledger",
                )
            ledger._bind()
        if resumed is None:
            self._context = ax_agent_ctx_t()
            lib.ax_agent_init(ctypes.byref(self._context), ctypes.byref(self._faults))
        else:
            self._context = resumed.agent
        self._models: dict[str, str] = {} if resumed is None else resumed.models
        self._calls: dict[str, Call] = {}
        self._chain = self._context.ledger
        self._rules = self._configuration._context(self._context)
        self._recorder: Optional[Recorder] = None
        if ledger is not None or sink is not None:
            self._recorder = Recorder(sink, lines=ledger is not None)
            self._recorder.attach(self._context)
        self._lock = threading.Lock() if ledger is None else ledger._lock
        self._enter = self._lock.acquire
        self._leave = self._lock.release
        # Every call passes the same memory, so the references are made once.
        self._agent_ref = ctypes.byref(self._context)
        self._rules_ref = ctypes.byref(self._rules)
        self._faults_ref = ctypes.byref(self._faults)
        self._work = ctypes.create_string_buffer(AX_MAX_OBS_BYTES)

    def observe(
        self,
        output: Text,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        params: Optional[Params] = None,
        truncated: bool = False,
    ) -> Decision:
        """Takes an oracle's raw answer all the way: records it, evaluates the policies, commits the
        transition. With a ledger all of it is on disk when this returns.

        ``output``: the answer as it came; bytes that are not admissible are recorded as such and
        breach. ``input``: what the oracle was asked, which :func:`axilog.canonical_input` should
        have passed before. ``truncated``: the oracle said that the answer is a beginning only.

        A breach is a decision, not an exception: look at ``ok``, or call ``raise_for_breach()``.

        Raises, with nothing recorded: InputError, IdentityError, ModelError (an oracle has one
        model in a ledger), ConcurrentUseError, LedgerError, StoppedError. SinkError where a record
        could not be stored.
        """
        if not self._enter(False):
            raise _busy()
        try:
            call = self._calls.get(oracle_id)
            if call is None or call.model_id != model_id:
                self._check_model(oracle_id, model_id)
                call = self._calls[oracle_id] = Call(oracle_id, model_id)
            answer = output if type(output) is bytes else as_bytes(output)
            # What canonical_input does, without the call where the text is plain.
            if input_kind == 0 and type(input) is str and input.isascii() and input.isprintable():
                asked = input.encode()
            else:
                asked = canonical_input(input, input_kind)
            struct = call.struct
            struct.output = answer
            struct.output_len = len(answer)
            struct.input = asked
            struct.input_len = len(asked)
            if call.params is not params:
                call.set_params(params)
            if call.kind is not input_kind or call.truncated is not truncated:
                call.set_kind(input_kind, truncated)
            if self._recorder is not None:
                return self._keep(call, asked, answer)
            sequence = self._chain.sequence + 1
            code = self._take(call)
            if code != 0 and code != _ENCODING:
                raise self._refused(code)
            if not call.recorded:
                self._note_model(call)
            return self._decision(sequence, code)
        finally:
            self._leave()

    def observe_failure(
        self,
        failure: Failure,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        params: Optional[Params] = None,
    ) -> Decision:
        """Records that an oracle gave no usable answer: TIMEOUT, TRANSPORT_ERROR, or INVALID_OUTPUT
        for one that the program itself found invalid. It breaches. Otherwise as :meth:`observe`."""
        if failure == Failure.NULL:
            raise ValueError("failure: found NULL, expected how the oracle failed")
        with self._alone():
            self._check_model(oracle_id, model_id)
            asked = canonical_input(input, input_kind)
            call = Call(oracle_id, model_id)
            call.set_params(params)
            call.set_kind(input_kind, False)
            call.struct.completion_state = int(Completion.ERROR)
            call.struct.failure_type = int(Failure(failure))
            call.struct.input = asked
            call.struct.input_len = len(asked)
            return self._keep(call, asked, b"")

    def time(self, timestamp: Optional[int] = None, *, force: bool = False) -> Decision:
        """Records the time: ``timestamp`` in the unit of the times before, or whole seconds since
        1970. One that does not exceed the last would stop the agent and raises RollbackError,
        unless ``force`` is given."""
        now = int(time.time()) if timestamp is None else timestamp
        if isinstance(now, bool) or not 0 <= now <= _MAX_TIME:
            raise ValueError(f"timestamp: found {now!r}, expected 0 to {_MAX_TIME}")
        with self._alone():
            last = self.last_timestamp
            if now <= last and not force:
                raise RollbackError(
                    f"the time {now} is not after the last recorded one, {last}, and would stop "
                    "the agent; nothing was recorded (force=True records it all the same)"
                )
            return self._step(
                lambda: lib.ax_agent_observe_time(
                    self._agent_ref,
                    self._rules_ref,
                    now,
                    self._work,
                    AX_MAX_OBS_BYTES,
                    self._faults_ref,
                )
            )

    def control(self, input_class: InputClass) -> Decision:
        """Records a control input: RESET_REQUEST, POLICY_TRIGGER or FAULT_SIGNAL. Before a reset
        the ledger keeps the configuration that the reset names."""
        with self._alone():
            if self._ledger is not None and input_class == InputClass.RESET_REQUEST:
                self._ledger._keep_blob(self._configuration.canonical())
            return self._step(
                lambda: lib.ax_agent_observe_control(
                    self._agent_ref,
                    self._rules_ref,
                    int(input_class),
                    self._work,
                    AX_MAX_OBS_BYTES,
                    self._faults_ref,
                )
            )

    def reset(self) -> Decision:
        """Resets the agent: UNINIT and DEGRADED become INIT, and the time must follow."""
        return self.control(InputClass.RESET_REQUEST)

    def mitigate(self) -> Decision:
        """Records an operator's handling of an alarm: ALARM becomes DEGRADED, and a reset must
        follow."""
        return self.control(InputClass.POLICY_TRIGGER)

    def fault(self) -> Decision:
        """Records a fault of the machine."""
        return self.control(InputClass.FAULT_SIGNAL)

    def seal(self) -> None:
        """Ends the ledger with a seal, a record that holds how many records there are and the head
        before it. Nothing may follow."""
        with self._alone():
            self._run(lambda: lib.ax_ledger_seal(ctypes.byref(self._chain), self._faults_ref))

    def _check_model(self, oracle_id: str, model_id: str) -> None:
        check_identities(oracle_id, model_id)
        recorded = self._models.get(oracle_id, model_id)
        if recorded != model_id:
            where = "" if self._ledger is None else f"{self._ledger.path}: "
            raise ModelError(
                f"{where}the oracle {oracle_id!r} has the model {recorded!r} in this ledger and "
                f"cannot have {model_id!r} too; use another oracle id or another ledger; nothing "
                "was recorded"
            )

    def _note_model(self, call: Call) -> None:
        self._models[call.oracle_id] = call.model_id
        call.recorded = True

    def _keep(self, call: Call, asked: bytes, answer: bytes) -> Decision:
        """Observes ``call``; the input, and an answer that is not admissible, are kept first."""
        if self._ledger is not None:
            self._ledger._keep_blob(asked)
        decision = self._step(lambda: self._take(call), answer)
        self._note_model(call)
        return decision

    def _take(self, call: Call) -> int:
        code: int = _observe(
            self._agent_ref,
            self._rules_ref,
            call.ref,
            self._work,
            _WORK_BYTES,
            self._faults_ref,
        )
        return code

    def _step(self, act: Callable[[], int], answer: bytes = b"") -> Decision:
        sequence = self._chain.sequence + 1
        code = self._run(act, answer)
        recorder = self._recorder
        return self._decision(sequence, code, () if recorder is None else tuple(recorder.entries))

    def _run(self, act: Callable[[], int], answer: bytes = b"") -> int:
        """Runs one call of the library and puts what it recorded on disk."""
        recorder, ledger, before = self._recorder, self._ledger, self._chain.sequence
        if ledger is not None:
            ledger._check_open()
        if recorder is not None:
            recorder.begin()
        try:
            code = act()
            if recorder is not None:
                recorder.check(self._chain.sequence - before)
            if code not in (ReturnCode.OK, ReturnCode.ENCODING):
                raise self._refused(code)
            if ledger is not None and recorder is not None:
                if code == ReturnCode.ENCODING:
                    ledger._keep_blob(answer)
                ledger._append(bytes(recorder.lines))
        except BaseException:
            ct_fault_clear(self._faults)
            # An agent that is ahead of its ledger acts no more.
            if self._chain.sequence != before or self._chain.failed:
                self._halt()
            raise
        return code

    def _halt(self) -> None:
        self._chain.failed = 1
        self._context.local_failed_flag = 1
        self._context.health = int(Health.STOPPED)

    def _decision(self, sequence: int, code: int, records: tuple[Entry, ...] = ()) -> Decision:
        rules = self._rules
        # An agent that was STOPPED before evaluates nothing.
        permitted = rules.last_eval_seq == sequence and not rules.breach_flag
        return Decision(sequence, code == 0, permitted, _HEALTH[self._context.health], records)

    def _refused(self, code: int) -> CallError:
        faults = Faults.of(self._faults)
        ct_fault_clear(self._faults)
        number = ReturnCode(code)
        if number is not ReturnCode.LEDGER:
            return CallError(number, faults, "nothing was recorded")
        why = "is sealed" if self.sealed else "has failed"
        return StoppedError(number, faults, f"the ledger {why} and takes nothing more")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._enter(False):
            raise _busy()
        try:
            yield
        finally:
            self._leave()

    @property
    def health(self) -> Health:
        """Its state."""
        return _HEALTH[int(self._context.health)]

    @property
    def fault_count(self) -> int:
        """Faults since the last reset."""
        return int(self._context.fault_accumulator)

    @property
    def last_timestamp(self) -> int:
        """The last accepted time; 0 before the first."""
        return int(self._context.last_timestamp)

    @property
    def entries(self) -> int:
        """How many records its ledger has, genesis and seal counted."""
        return int(self._chain.sequence) + 1

    @property
    def head(self) -> str:
        """The chain value of the last record, in hexadecimal. Keep it elsewhere, where whoever
        writes the ledger cannot change it, and give it to :func:`axilog.verify`."""
        return bytes(self._chain.current_hash).hex()

    @property
    def sealed(self) -> bool:
        """Whether a seal ended its ledger."""
        return bool(self._chain.sealed)

    @property
    def configuration(self) -> Configuration:
        """The rules it runs under."""
        return self._configuration

    @property
    def ledger(self) -> Optional[Ledger]:
        """The ledger file that it writes."""
        return self._ledger

    def close(self) -> None:
        """Closes the agent's ledger, where it has one. Closing twice does nothing."""
        if self._ledger is not None:
            self._ledger.close()

    def __repr__(self) -> str:
        where = "" if self._ledger is None else f" on {self._ledger.path!r}"
        return f"<axilog.Agent {self.health}, {self.entries} records{where}>"


def _busy() -> ConcurrentUseError:
    return ConcurrentUseError(
        "the agent is in use: a call on it is under way, in another thread or in this one's sink; "
        "nothing was done; give each thread its own agent, or put a lock of yours around it"
    )
