"""The agent, which records the answers of oracles and decides whether they may be acted on (SRS-004
sections 12 and 19; formats.md section 5)."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Optional

from axilog._agent_steps import AgentSteps, concurrent_use_error
from axilog._derivations import SOURCES_MEMBER
from axilog._ledger_configuration import complete_configuration
from axilog._oracle_call import OracleCall, as_bytes, check_identities
from axilog._question_checks import QuestionChecks
from axilog._recorder import EntrySink, Recorder
from axilog.capi import lib
from axilog.capi.constants import AX_MAX_OBS_BYTES
from axilog.capi.structs import ax_agent_ctx_t, ct_fault_flags_t
from axilog.configuration import Configuration
from axilog.decision import Decision
from axilog.derivation import Source, derive_input
from axilog.enums import Completion, Failure, Health, InputClass, InputKind, ReturnCode
from axilog.errors import (
    ConfigurationError,
    ModelError,
    ResetMissingError,
    TimeRollbackError,
)
from axilog.inputs import Text, canonical_input
from axilog.ledger import Ledger
from axilog.params import Params
from axilog.policy_set import PolicySet

_ENCODING = int(ReturnCode.ENCODING)
_MAX_TIMESTAMP = 2**64 - 1
# This function object has no argtypes: its arguments are C values already, made once per agent, and
# checking each of them at each call would be a fifth of the call's cost.
_observe = lib["ax_agent_observe"]
_WORK_BYTES = ctypes.c_size_t(AX_MAX_OBS_BYTES)


class Agent(AgentSteps, AbstractContextManager["Agent"]):
    """An agent under fixed policies.

    A new agent is UNINIT, and takes nothing but a reset: call :meth:`reset`, which makes it INIT,
    and then :meth:`observe_time`, which makes it ENABLED. Behind that its decisions can be acted
    on.

    One thread at a time uses an agent: a call while another one is under way raises
    ConcurrentUseError and does nothing. Calls release the GIL, so that several agents run in
    parallel. Only the thread that uses the agent should read its properties.

    Args:
        ledger: The ledger file that the agent writes. Without one it keeps only the chain's head.
        policies: The policies; absent, the built-in ones.
        permit_truncated: See :class:`axilog.Configuration`; absent, false.
        stop_on_invalid: See :class:`axilog.Configuration`; absent, false.
        manifest: See :class:`axilog.Configuration`; absent, that of :meth:`axilog.Ledger.create`,
            or none. Whoever gives one keeps the document as a blob of the ledger.
        require_policy: Whether an answer that no policy judged may not be acted on: its decision is
            not ``ok``, and no question may be derived from it. A ledger of
            ``Ledger.create(require_policy=True)`` does not even take it.
        sink: A function that is called with each :class:`axilog.Entry` before the chain's head
            moves, in place of ``ledger``. An exception of it fails the agent's ledger for good.

    An opened ledger names its own configuration: ``policies``, ``permit_truncated``,
    ``stop_on_invalid`` and ``manifest`` are then the ledger's where absent, and must be the
    ledger's where given.

    Raises:
        ConfigurationError, LedgerError for a ledger that has an agent already, ValueError for both
        a ledger and a sink.
    """

    def __init__(
        self,
        ledger: Optional[Ledger] = None,
        *,
        policies: Optional[PolicySet] = None,
        permit_truncated: Optional[bool] = None,
        stop_on_invalid: Optional[bool] = None,
        manifest: Optional[str] = None,
        require_policy: bool = False,
        sink: Optional[EntrySink] = None,
    ) -> None:
        if ledger is not None and sink is not None:
            raise ValueError("an agent has a ledger or a sink, not both")
        self._ledger = ledger
        self._faults = ct_fault_flags_t()
        resumed = None if ledger is None else ledger._resumed
        recorded = None if resumed is None else resumed.configuration
        if ledger is not None and ledger._manifest is not None:
            named = ledger._manifest.hash()
            if manifest is not None and manifest != named:
                raise ConfigurationError(
                    ledger.path,
                    f"was made with a name or a note, whose manifest is {named}, and the one given "
                    f"is {manifest!a}; leave out manifest, or name and note",
                )
            manifest = named
        self._configuration = complete_configuration(
            recorded, policies, permit_truncated, stop_on_invalid, manifest
        )
        if ledger is not None:
            if recorded is not None and recorded != self._configuration:
                raise ConfigurationError(
                    ledger.path,
                    f"was made under the configuration {recorded.hash()}, and the one given is "
                    f"{self._configuration.hash()}; leave out policies, permit_truncated, "
                    "stop_on_invalid and manifest, or begin a new ledger",
                )
            ledger._attach_agent()
        if resumed is None:
            self._context = ax_agent_ctx_t()
            lib.ax_agent_init(ctypes.byref(self._context), ctypes.byref(self._faults))
        else:
            self._context = resumed.agent
        self._models: dict[str, str] = {} if resumed is None else resumed.models
        self._calls: dict[str, OracleCall] = {}
        self._require_policy = require_policy
        self._question_checks = QuestionChecks(ledger, self._configuration.manifest, require_policy)
        self._chain = self._context.ledger
        self._policy_context = self._configuration._make_context(self._context)
        self._recorder: Optional[Recorder] = None
        if ledger is not None or sink is not None:
            self._recorder = Recorder(sink, lines=ledger is not None)
            self._recorder.attach(self._context)
        self._lock = threading.Lock() if ledger is None else ledger._lock
        self._try_lock = self._lock.acquire
        self._unlock = self._lock.release
        # Every call passes the same structs, so the references to them are made once.
        self._agent_ref = ctypes.byref(self._context)
        self._policy_context_ref = ctypes.byref(self._policy_context)
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
        derived_from: Sequence[Source] = (),
        even_refused: bool = False,
    ) -> Decision:
        """Records an oracle's raw answer, evaluates the policies on it and commits the transition.
        With a ledger all of that is on disk when this returns.

        Args:
            output: The answer as it came, text or bytes. Text that is not admissible (SRS-004
                section 5), or that violates the schema which the ledger declares, is recorded as
                INVALID_OUTPUT, and is a breach.
            oracle_id: Who answered, 1 to 256 visible ASCII characters.
            model_id: Which model answered, 1 to 256 visible ASCII characters. An oracle has one
                model in a ledger.
            input: What the oracle was asked, which should have passed
                :func:`axilog.canonical_input` before.
            input_kind: What form the input must have.
            params: The sampling parameters of the call.
            truncated: Whether the oracle said that the answer is cut off.
            derived_from: The decisions on the answers that the input was made from, or their
                ``obs_hash``es, in the order of use. The recorded input is then
                :func:`axilog.derive_input` of ``input``. With a ledger each must be an answer of
                it that may be acted on.
            even_refused: Whether answers that may not be acted on are taken too. Where there are
                any, the recorded input says so.

        Returns:
            The decision, which is true where the answer may be acted on. A breach is a decision and
            no exception; its ``output()`` raises one.

        Raises:
            InputError, IdentityError, ModelError, OracleRefusedError, SchemaError,
            ResetMissingError, ConcurrentUseError, LedgerError and StoppedError, with nothing
            recorded; SinkError where a record could not be stored.
        """
        if not self._try_lock(False):
            raise concurrent_use_error()
        try:
            if not self._context.health:
                raise _reset_missing_error("an answer")
            call = self._calls.get(oracle_id)
            if call is None or call.model_id != model_id:
                call = self._calls[oracle_id] = self._make_call(oracle_id, model_id)
            answer = output if type(output) is bytes else as_bytes(output)
            prompt, input_kind = self._make_prompt(
                call, input, input_kind, derived_from, even_refused
            )
            violation = None if call.output_schema is None else call.find_violation(answer)
            struct = call.struct
            struct.output = answer
            struct.output_len = len(answer)
            struct.input = prompt
            struct.input_len = len(prompt)
            if call.params is not params:
                call.set_params(params)
            if call.kind is not input_kind or call.truncated is not truncated:
                call.set_kind(input_kind, truncated)
            if violation is not None:
                return self._observe_refused(call, prompt, answer, violation)
            if self._recorder is not None:
                return self._observe_recorded(call, prompt, answer)
            sequence = self._chain.sequence + 1
            code = self._observe_call(call)
            if code != 0 and code != _ENCODING:
                raise self._call_error(code)
            if not call.recorded:
                self._note_model(call)
            decision = self._make_decision(sequence, code)
            decision.policy_missing = call.lacks_policy
            decision.raw = answer
            return decision
        finally:
            self._unlock()

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
        with self._hold_lock():
            call = self._make_call(oracle_id, model_id)
            return self._make_prompt(call, input, input_kind, derived_from, even_refused)[0]

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
        """Records that an oracle gave no usable answer, which is a breach.

        Args:
            failure: TIMEOUT, TRANSPORT_ERROR, or INVALID_OUTPUT for an answer that the program
                itself found invalid.

        The other arguments, the result and the exceptions are those of :meth:`observe`; NULL as
        ``failure`` raises ValueError.
        """
        if failure == Failure.NULL:
            raise ValueError(
                "failure: found NULL, expected TIMEOUT, TRANSPORT_ERROR, INVALID_OUTPUT"
            )
        with self._hold_lock():
            self._require_reset("a failure")
            call = self._make_call(oracle_id, model_id)
            prompt, input_kind = self._make_prompt(call, input, input_kind, (), False)
            call.set_params(params)
            call.set_kind(input_kind, False)
            call.struct.completion_state = int(Completion.ERROR)
            call.struct.failure_type = int(Failure(failure))
            call.struct.input = prompt
            call.struct.input_len = len(prompt)
            return self._observe_recorded(call, prompt, None)

    def observe_time(self, timestamp: Optional[int] = None, *, force: bool = False) -> Decision:
        """Records the time.

        Args:
            timestamp: The time in the unit of the times before; absent, whole seconds since 1970.
            force: Whether to record even a time that is not after the last one, which stops the
                agent.

        Raises:
            TimeRollbackError for such a time without ``force``, ValueError for one that is no
            unsigned 64-bit integer, ResetMissingError before the first reset, and what
            :meth:`observe` raises.
        """
        now = int(time.time()) if timestamp is None else timestamp
        if isinstance(now, bool) or not 0 <= now <= _MAX_TIMESTAMP:
            raise ValueError(f"timestamp: found {now!r}, expected 0 to {_MAX_TIMESTAMP}")
        with self._hold_lock():
            self._require_reset("a time")
            last = self.last_timestamp
            if now <= last and not force:
                raise TimeRollbackError(
                    f"the time {now} is not after the last recorded one, {last}, and would stop "
                    "the agent; nothing was recorded (force=True records it all the same)"
                )
            return self._observe_input(lib.ax_agent_observe_time, now)

    def observe_control(self, input_class: InputClass) -> Decision:
        """Records a control input: RESET_REQUEST, POLICY_TRIGGER or FAULT_SIGNAL. Before a reset
        the ledger keeps the configuration, whose hash the reset records, and its manifest. Raises
        CallError for another class, and what :meth:`observe` raises."""
        with self._hold_lock():
            if input_class != InputClass.RESET_REQUEST:
                self._require_reset(f"the control input {input_class!s}")
            elif self._ledger is not None:
                self._ledger._put_manifest()
                self._ledger._put_blob(self._configuration.canonical())
            return self._observe_input(lib.ax_agent_observe_control, int(input_class))

    def reset(self) -> Decision:
        """Records a reset request: UNINIT and DEGRADED become INIT, and the next time then makes
        the agent ENABLED."""
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
        before it. Nothing may follow. Raises StoppedError for a ledger that is already sealed."""
        with self._hold_lock():
            self._run_call(lambda: lib.ax_ledger_seal(ctypes.byref(self._chain), self._faults_ref))

    def _require_reset(self, what: str) -> None:
        if self._context.health == Health.UNINIT:
            raise _reset_missing_error(what)

    def _make_call(self, oracle_id: str, model_id: str) -> OracleCall:
        self._check_model(oracle_id, model_id)
        policies = self._configuration.policies
        self._question_checks.check_oracle(oracle_id, policies)
        schemas = self._question_checks.load_schemas()
        call = OracleCall(oracle_id, model_id)
        call.lacks_policy = self._require_policy and not policies.judges(oracle_id)
        call.input_schema = schemas.input_schema(oracle_id)
        call.output_schema = schemas.output_schema(oracle_id)
        return call

    def _make_prompt(
        self,
        call: OracleCall,
        input: Text,
        kind: InputKind,
        derived_from: Sequence[Source],
        even_refused: bool,
    ) -> tuple[bytes, InputKind]:
        """What the oracle was asked, in canonical form and checked, and the kind of that."""
        # As canonical_input does, but without a call for the most frequent kind of text.
        if derived_from:
            if even_refused:
                even_refused = self._question_checks.has_refused_answer(derived_from)
            prompt = derive_input(input, derived_from, kind, even_refused=even_refused)
            kind = InputKind.JSON
        elif kind == 0 and type(input) is str and input.isascii() and input.isprintable():
            prompt = input.encode()
        else:
            prompt = canonical_input(input, kind)
        if SOURCES_MEMBER in prompt:
            self._question_checks.check_sources(prompt)
        if call.input_schema is not None:
            self._question_checks.check_input(call, prompt)
        return prompt, kind

    def _check_model(self, oracle_id: str, model_id: str) -> None:
        check_identities(oracle_id, model_id)
        recorded = self._models.get(oracle_id, model_id)
        if recorded != model_id:
            where = "" if self._ledger is None else f"{self._ledger.path}: "
            raise ModelError(
                f"{where}the oracle {oracle_id!a} has the model {recorded!a} in this ledger and "
                f"cannot have {model_id!a} too; use another oracle id or another ledger; nothing "
                "was recorded"
            )

    def _note_model(self, call: OracleCall) -> None:
        self._models[call.oracle_id] = call.model_id
        call.recorded = True

    def _observe_refused(
        self, call: OracleCall, prompt: bytes, answer: bytes, violation: str
    ) -> Decision:
        """Observes ``call``, whose answer violates its declared schema."""
        kind, truncated = call.kind, call.truncated
        call.refuse_output()
        try:
            decision = self._observe_recorded(call, prompt, answer)
        finally:
            call.set_kind(kind, truncated)
        decision.schema_violation = violation
        return decision

    def _observe_recorded(
        self, call: OracleCall, prompt: bytes, answer: Optional[bytes]
    ) -> Decision:
        """Observes ``call`` as a step. A ledger keeps the prompt as a blob before, and the answer
        too if the observation does not hold it; the RAW record behind it names that blob."""
        if self._ledger is not None:
            self._ledger._put_blob(prompt)
        decision = self._run_step(lambda: self._observe_call(call), answer or b"")
        decision.policy_missing = call.lacks_policy
        decision.raw = answer
        self._note_model(call)
        return decision

    def _observe_call(self, call: OracleCall) -> int:
        code: int = _observe(
            self._agent_ref,
            self._policy_context_ref,
            call.ref,
            self._work,
            _WORK_BYTES,
            self._faults_ref,
        )
        return code

    def _observe_input(self, function: Callable[..., int], value: int) -> Decision:
        return self._run_step(
            lambda: function(
                self._agent_ref,
                self._policy_context_ref,
                value,
                self._work,
                _WORK_BYTES,
                self._faults_ref,
            )
        )

    @property
    def configuration(self) -> Configuration:
        """The policies and switches that the agent runs under."""
        return self._configuration

    @property
    def ledger(self) -> Optional[Ledger]:
        """The ledger file that the agent writes; ``None`` without one."""
        return self._ledger

    def close(self) -> None:
        """Closes the agent's ledger, where it has one. Closing twice does nothing."""
        if self._ledger is not None:
            self._ledger.close()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "" if self._ledger is None else f" on {self._ledger.path!r}"
        return f"<axilog.Agent {self.health}, {self.entries} records{where}>"


def _reset_missing_error(what: str) -> ResetMissingError:
    return ResetMissingError(
        f"the agent is UNINIT and was given {what}, which would stop it for good; call reset() "
        "first, and observe_time() behind it; nothing was recorded"
    )
