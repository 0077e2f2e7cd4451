"""The agent, which records the answers of oracles in a ledger file and decides whether they may be
acted on (SRS-004 sections 12 and 19; formats.md sections 5 and 6)."""

from __future__ import annotations

import json
import os
import time as clock
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from ctypes import byref, c_void_p, pointer, sizeof
from typing import Any, Callable, Optional, Union

from axilog._host_call import Path, encode_path, make_error, take_string
from axilog._ledger_state import LedgerState
from axilog._options import RunningValues, SchemaDocument, check_time, make_options
from axilog.capi import lib
from axilog.capi.host import (
    AXH_ERR_FORKED,
    AXH_ERR_HANDLE,
    AXH_OK,
    axh_decision_t,
    axh_observation_t,
    axh_options_t,
    axh_state_t,
)
from axilog.decision import Decision
from axilog.derivation import Source, derive_question
from axilog.enums import Failure, Health, InputClass, InputKind
from axilog.errors import IdentityError
from axilog.inputs import Text, as_bytes
from axilog.params import Params
from axilog.policy_set import PolicySet

_NO_SCHEMAS: Mapping[str, SchemaDocument] = {}
_OBSERVATION_SIZE = sizeof(axh_observation_t)
_DECISION_SIZE = sizeof(axh_decision_t)
_FAILURES = (Failure.TIMEOUT, Failure.TRANSPORT_ERROR)
_CONTROLS = (InputClass.RESET_REQUEST, InputClass.POLICY_TRIGGER, InputClass.FAULT_SIGNAL)
# This function object has no argtypes: its arguments are C values already, and checking each of
# them at each call would take time for nothing.
_observe = lib["axh_observe"]
_take_decision = lib.axh_take_decision


class Agent(LedgerState, AbstractContextManager["Agent"]):
    """An agent under fixed policies, and the ledger file that it writes.

    :meth:`start` begins the ledger or goes on with it, :meth:`create` begins one, :meth:`open` goes
    on with one. A begun agent is ENABLED. Leaving the ``with`` block closes the file; a program
    that ends without closing it keeps every step that was recorded.

    The file is locked against other writers until it is closed. The directory ``LEDGER.blobs``
    beside it keeps what records name by hash: questions, the configuration, and answers that no
    record holds whole.

    Several threads may use one agent: each call is one step and returns when that step is on the
    disk, and steps that wait at once share a sync. Calls release the GIL.
    """

    def __init__(self) -> None:
        raise TypeError("an agent needs a ledger: use Agent.start, Agent.create or Agent.open")

    @classmethod
    def start(
        cls,
        path: Path,
        *,
        policies: Optional[PolicySet] = None,
        permit_truncated: bool = False,
        stop_on_invalid: bool = False,
        name: Optional[str] = None,
        note: Optional[str] = None,
        schemas: Mapping[str, SchemaDocument] = _NO_SCHEMAS,
        input_schemas: Mapping[str, SchemaDocument] = _NO_SCHEMAS,
        oracles: Optional[Iterable[str]] = None,
        require_policy: bool = False,
        follows: Optional[tuple[int, str]] = None,
        running_values: Optional[RunningValues] = None,
        time: Optional[int] = None,
    ) -> Agent:
        """Opens the ledger at ``path`` as :meth:`open` does, or begins it as :meth:`create` does
        where there is none. What is named must be what an existing ledger is bound to; what is left
        out is the ledger's. An existing ledger's agent is in the state that it was left in."""
        options = make_options(
            policies,
            permit_truncated,
            stop_on_invalid,
            name,
            note,
            schemas,
            input_schemas,
            oracles,
            require_policy,
            follows,
            running_values,
            time,
        )
        return cls._open_with(lib.axh_ledger_open_or_create, path, options)

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        policies: Optional[PolicySet] = None,
        permit_truncated: bool = False,
        stop_on_invalid: bool = False,
        name: Optional[str] = None,
        note: Optional[str] = None,
        schemas: Mapping[str, SchemaDocument] = _NO_SCHEMAS,
        input_schemas: Mapping[str, SchemaDocument] = _NO_SCHEMAS,
        oracles: Optional[Iterable[str]] = None,
        require_policy: bool = False,
        follows: Optional[tuple[int, str]] = None,
        running_values: Optional[RunningValues] = None,
        time: Optional[int] = None,
    ) -> Agent:
        """Begins a ledger at ``path``: keeps its configuration, and records a reset and the time.
        There must be no file, an empty one, or one that holds nothing but the genesis: a ledger is
        never overwritten.

        Args:
            path: The ledger file.
            policies: The policies that judge its answers; absent, the built-in ones.
            permit_truncated: Whether an answer that is cut off is judged like a whole one, instead
                of being a breach.
            stop_on_invalid: Whether an inadmissible answer stops the agent for good, instead of
                raising the alarm.
            name: The ledger's name: 1 to 256 visible ASCII characters without ``+``.
            note: A text for people: at most 4096 bytes of UTF-8, no control characters but line
                feeds.
            schemas: By oracle id, the JSON Schema (2020-12) of what the oracle answers, as a text
                or as a dictionary. An answer that violates it is recorded as INVALID_OUTPUT, and is
                a breach.
            input_schemas: By oracle id, the schema of what the oracle may be asked.
            oracles: The ids of the oracles that may answer. An answer of another one is refused
                before anything is recorded. Absent, any oracle may answer.
            require_policy: Whether only an oracle may answer that an enabled policy judges.
            follows: The sealed ledger that this one goes on from: how many records it has, its seal
                counted, and its head, as ``entries`` and ``head`` of :func:`axilog.replay` give
                them.
            running_values: What the ledger computes over the answers of oracles and records itself,
                so that policies limit it: by ``ax.sum.NAME``, ``ax.count.NAME`` or
                ``ax.change.NAME`` a dictionary of ``oracle``, ``path`` and ``window`` (Limits over
                time in docs/policies.md). Each needs a policy of its own.
            time: The present time, from 1, in the unit of later times; absent, whole seconds since
                1970.

        With any of the eight from ``name`` to ``running_values`` the ledger is bound to a manifest
        of all, which is kept as a blob. ``axilog head`` shows it.

        Raises:
            ValueError for a value that is refused, PolicyError, IdentityError, OracleRefusedError,
            LedgerExistsError, LedgerBusyError, LedgerIOError.
        """
        options = make_options(
            policies,
            permit_truncated,
            stop_on_invalid,
            name,
            note,
            schemas,
            input_schemas,
            oracles,
            require_policy,
            follows,
            running_values,
            time,
        )
        return cls._open_with(lib.axh_ledger_create, path, options)

    @classmethod
    def open(cls, path: Path, *, policies: Optional[PolicySet] = None) -> Agent:
        """Opens the ledger at ``path`` and replays it: its configuration, its models and the
        agent's state come from the file. A torn last line, and blobs that no record names, are
        moved aside, and an interrupted last step is completed.

        Args:
            path: The ledger file, which must exist.
            policies: The policies that the ledger must have been made under. They are needed only
                where the blob of its configuration is missing.

        Raises:
            LedgerMissingError, LedgerDamagedError, LedgerSealedError, ConfigurationError,
            LedgerBusyError, LedgerIOError.
        """
        options = axh_options_t(size=sizeof(axh_options_t))
        if policies is not None:
            text = policies.canonical().encode()
            options.policies, options.policies_len = text, len(text)
        return cls._open_with(lib.axh_ledger_open, path, options)

    @classmethod
    def _open_with(cls, function: Callable[..., int], path: Path, options: axh_options_t) -> Agent:
        name, handle = encode_path(path), c_void_p()
        status = function(name, byref(options), byref(handle))
        if status != AXH_OK:
            raise make_error(status, os.fsdecode(name))
        agent = cls.__new__(cls)
        agent._handle, agent._path = handle, os.fsdecode(name)
        agent._last_state = None
        text = c_void_p()
        agent._check(lib.axh_opening(handle, byref(text)))
        agent._opening = json.loads(take_string(text))
        return agent

    def observe(
        self,
        output: Text,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        params: Union[Params, Mapping[str, Any], None] = None,
        truncated: bool = False,
        derived_from: Sequence[Source] = (),
        even_refused: bool = False,
    ) -> Decision:
        """Records an oracle's raw answer, evaluates the policies on it and commits the transition.
        All of that is on the disk when this returns.

        Args:
            output: The answer as it came, text or bytes. Text that is not admissible (SRS-004
                section 5), or that violates the schema which the ledger declares, is recorded as
                INVALID_OUTPUT, and is a breach.
            oracle_id: Who answered, 1 to 256 visible ASCII characters.
            model_id: Which model answered, 1 to 256 visible ASCII characters. An oracle has one
                model in a ledger.
            input: What the oracle was asked, which should have passed :meth:`check_question`
                before.
            input_kind: What form the input must have.
            params: The sampling parameters of the call, or a dictionary of them.
            truncated: Whether the oracle said that the answer is cut off.
            derived_from: The decisions on the answers that the input was made from, or their
                ``obs_hash``es, in the order of use. The recorded input is then
                :func:`axilog.derive_input` of ``input``. Each must be an answer of the ledger that
                may be acted on.
            even_refused: Whether answers that may not be acted on are taken too. Where there are
                any, the recorded input says so.

        Returns:
            The decision, which is true where the answer may be acted on. A breach is a decision and
            no exception; its ``output()`` raises one.

        Raises:
            InputError, IdentityError, ModelError, OracleRefusedError, SchemaError,
            LedgerSealedError, StoppedError and LedgerError, with nothing recorded; LedgerIOError
            and LedgerDisplacedError where the step could not be stored.
        """
        answer = output if type(output) is bytes else as_bytes("output", output)
        if derived_from:
            question = self._derive_question(input, derived_from, input_kind, even_refused)
            input_kind = InputKind.JSON
        else:
            question = as_bytes("input", input)
        call = axh_observation_t(
            _OBSERVATION_SIZE,
            _encode_identity("oracle_id", oracle_id),
            _encode_identity("model_id", model_id),
            None if params is None else _point_to(params),
            question,
            len(question),
            answer,
            len(answer),
            input_kind,
            0,
            1 if truncated else 0,
        )
        found = axh_decision_t(_DECISION_SIZE)
        status = _observe(self._handle, byref(call), byref(found))
        if status != AXH_OK:
            raise self._make_error(status)
        return Decision(found, _take_decision(), answer)

    def observe_failure(
        self,
        failure: Failure,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        params: Union[Params, Mapping[str, Any], None] = None,
    ) -> Decision:
        """Records that an oracle gave no answer, which is a breach.

        Args:
            failure: TIMEOUT or TRANSPORT_ERROR. Whether an answer is admissible, :meth:`observe`
                decides.

        The other arguments, the result and the exceptions are those of :meth:`observe`; another
        ``failure`` raises ValueError.
        """
        if failure not in _FAILURES:
            raise ValueError(f"failure: found {failure!s}, expected TIMEOUT or TRANSPORT_ERROR")
        call = self._make_call(oracle_id, model_id, input, input_kind, (), False)
        if params is not None:
            call.params = _point_to(params)
        call.failure = int(failure)
        found = axh_decision_t(_DECISION_SIZE)
        self._check(lib.axh_observe(self._handle, byref(call), byref(found)))
        return Decision(found, _take_decision(), None)

    def check_question(
        self,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        derived_from: Sequence[Source] = (),
        even_refused: bool = False,
    ) -> bytes:
        """Checks, before an oracle is called, that its answer could be recorded: its ids, the
        input, the answers that the input was made from, and the declared schema of what the oracle
        may be asked. The arguments and exceptions are those of :meth:`observe`.

        Returns:
            The input in canonical form, which is what may be put to the oracle.
        """
        call = self._make_call(oracle_id, model_id, input, input_kind, derived_from, even_refused)
        text = c_void_p()
        self._check(lib.axh_check_question(self._handle, byref(call), byref(text)))
        return take_string(text)

    def observe_time(self, timestamp: Optional[int] = None, *, force: bool = False) -> Decision:
        """Records the time.

        Args:
            timestamp: The time in the unit of the times before; absent, whole seconds since 1970.
            force: Whether to record even a time that is not after the last one, which stops the
                agent.

        Raises:
            TimeRollbackError for such a time without ``force``, ValueError for one that is no
            unsigned 64-bit integer, and what :meth:`observe` raises for the ledger.
        """
        now = int(clock.time()) if timestamp is None else check_time(timestamp, 0)
        found = axh_decision_t(_DECISION_SIZE)
        self._check(lib.axh_time(self._handle, now, int(force), byref(found)))
        return Decision(found, _take_decision(), None)

    def observe_control(self, input_class: InputClass) -> Decision:
        """Records a control input: RESET_REQUEST, POLICY_TRIGGER or FAULT_SIGNAL. Raises ValueError
        for another class, and what :meth:`observe` raises for the ledger."""
        if input_class not in _CONTROLS:
            names = ", ".join(control.name for control in _CONTROLS)
            raise ValueError(f"input_class: found {input_class!s}, expected one of {names}")
        found = axh_decision_t(_DECISION_SIZE)
        self._check(lib.axh_control(self._handle, int(input_class), byref(found)))
        return Decision(found, _take_decision(), None)

    def reset(self) -> Decision:
        """Records a reset request: DEGRADED becomes INIT, and the next time then makes the agent
        ENABLED."""
        return self.observe_control(InputClass.RESET_REQUEST)

    def mitigate(self) -> Decision:
        """Records that an operator handled an alarm: ALARM becomes DEGRADED, which a reset ends."""
        return self.observe_control(InputClass.POLICY_TRIGGER)

    def signal_fault(self) -> Decision:
        """Records a fault of the machine. In ENABLED the third since the last reset raises the
        alarm; in INIT, ALARM and DEGRADED a fault stops the agent."""
        return self.observe_control(InputClass.FAULT_SIGNAL)

    def seal(self) -> None:
        """Ends the ledger with a seal: a record of how many records there are and of the head
        before it. Nothing may follow. Raises LedgerSealedError for a ledger that is sealed."""
        self._check(lib.axh_seal(self._handle))

    def close(self) -> None:
        """Closes the file and releases its lock, once the calls of other threads have returned.
        The properties keep what they were. Closing twice does nothing. Raises LedgerIOError where
        the last sync failed."""
        state = axh_state_t(sizeof(axh_state_t))
        if lib.axh_state(self._handle, byref(state)) == AXH_OK:
            self._last_state = state
        handle, self._handle = self._handle, c_void_p()
        status = lib.axh_ledger_close(handle) if handle.value else AXH_OK
        # Another thread may have closed it since, and a process that was forked never had it.
        if status not in (AXH_OK, AXH_ERR_HANDLE, AXH_ERR_FORKED):
            raise make_error(status, self._path)

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # The handle is missing where making the agent failed.
        handle = getattr(self, "_handle", None)
        if handle is not None and handle.value:
            lib.axh_ledger_close(handle)

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self._path}: an open agent cannot be sent to another process, since one process "
            "writes a ledger; send its path, and open it there once it is closed here"
        )

    def __repr__(self) -> str:
        state = axh_state_t(sizeof(axh_state_t))
        if lib.axh_state(self._handle, byref(state)) != AXH_OK:
            return f"<axilog.Agent on {self._path!r}, closed>"
        return f"<axilog.Agent on {self._path!r}, {Health(state.health)}, {state.entries} records>"

    def _make_call(
        self,
        oracle_id: str,
        model_id: str,
        input: Text,
        kind: InputKind,
        derived_from: Sequence[Source],
        even_refused: bool,
    ) -> axh_observation_t:
        if derived_from:
            question = self._derive_question(input, derived_from, kind, even_refused)
            kind = InputKind.JSON
        else:
            question = as_bytes("input", input)
        return axh_observation_t(
            _OBSERVATION_SIZE,
            _encode_identity("oracle_id", oracle_id),
            _encode_identity("model_id", model_id),
            None,
            question,
            len(question),
            None,
            0,
            kind,
        )

    def _derive_question(
        self, input: Text, sources: Sequence[Source], kind: InputKind, even_refused: bool
    ) -> bytes:
        handle = self._handle.value
        return derive_question(handle, self._path, input, sources, kind, even_refused)


def _encode_identity(field: str, identity: str) -> bytes:
    # What C takes is UTF-8 and ends at a NUL. Which of it is admissible the library says.
    if type(identity) is str and identity.isascii() and "\0" not in identity:
        return identity.encode()
    raise _identity_error(field, identity)


def _identity_error(field: str, identity: object) -> IdentityError:
    return IdentityError(
        f"the {field} {identity!a} is not admissible: expected 1 to 256 visible ASCII characters, "
        "as a str; nothing was recorded"
    )


def _point_to(params: Union[Params, Mapping[str, Any]]) -> Any:
    given = params if isinstance(params, Params) else Params(**params)
    return pointer(given._struct)
