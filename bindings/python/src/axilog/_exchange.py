"""One exchange with the provider of a model: its question is kept before the provider is asked, and
its answer recorded before it is released. ``libaxilog_host`` reads both by the gateway's code."""

from __future__ import annotations

import json
import time as clock
from ctypes import byref, c_void_p, sizeof
from typing import Any, NamedTuple, Optional

from axilog._host_call import take_string
from axilog.agent import Agent
from axilog.capi import lib
from axilog.capi.host import (
    AXH_ARRIVAL_RESPONSE,
    AXH_NOT_OK,
    AXH_OK,
    axh_decision_t,
    axh_exchange_t,
)
from axilog.decision import BreachError, Decision


class KeptBackError(BreachError):
    """A wrapped client keeps back an answer: it is recorded and may not be acted on, or it is no
    answer that can be used. The message says why."""

    def __init__(self, decision: Decision, why: str) -> None:
        super().__init__(decision)
        self.args = (f"the answer is recorded and was not released: {why}",)
        self.why = why
        """The reason: what breached, which tool the ledger does not take, or what is wrong with the
        response."""

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptBackError, (self.decision, self.why)


class Response(NamedTuple):
    """What a provider sent."""

    status: int
    content_type: str
    body: bytes


class Exchange:
    """A request to a provider, whose question is durable once this object is there.

    Args:
        agent: The agent whose ledger records the exchange.
        interface: ``chat/completions``, ``responses``, ``completions``, ``embeddings`` or
            ``messages``.
        oracle_ids: By model, the oracle that its answers are of; others are of ``llm``.
        request: The body that is sent.
        key: The API key that it is sent with, which no file may hold.

    Raises:
        InputError, ModelError, OracleRefusedError, PolicyError, NotEnabledError, SchemaError and
        LedgerError, with nothing recorded: the request may not be sent.
    """

    def __init__(
        self,
        agent: Agent,
        interface: str,
        oracle_ids: dict[str, str],
        request: bytes,
        key: Optional[str],
    ) -> None:
        self._agent = agent
        self._call = axh_exchange_t(sizeof(axh_exchange_t))
        self._call.interface = interface.encode()
        self._call.request, self._call.request_len = request, len(request)
        if oracle_ids:
            self._call.oracle_id = _find_oracle(oracle_ids, request)
        if key is not None and key.isascii() and "\0" not in key:
            self._call.key = key.encode()
        agent._check(lib.axh_exchange_begin(agent._handle, byref(self._call)))
        self._began = clock.monotonic()

    def end(self, response: Response) -> None:
        """Records a response. Returns where the program may have it: everything in it may be acted
        on, or it is an error of the provider. Raises KeptBackError for another answer."""
        self._call.status = response.status
        self._call.content_type = response.content_type.encode("ascii", "replace")
        decision, found = self._record(AXH_ARRIVAL_RESPONSE, response.body)
        if found["end"] in ("breach", "provider_failure"):
            raise KeptBackError(decision, found["why"])

    def fail(self, arrival: int, received: bytes) -> None:
        """Records that no whole response came, and what came of one."""
        self._record(arrival, received)

    def _record(self, arrival: int, received: bytes) -> tuple[Decision, dict[str, Any]]:
        self._call.arrival = arrival
        self._call.response, self._call.response_len = received, len(received)
        self._call.milliseconds = int((clock.monotonic() - self._began) * 1000)
        found, text = axh_decision_t(sizeof(axh_decision_t)), c_void_p()
        status = lib.axh_exchange_end(
            self._agent._handle, byref(self._call), byref(found), byref(text)
        )
        if status not in (AXH_OK, AXH_NOT_OK):
            raise self._agent._make_error(status)
        return Decision(found, lib.axh_take_decision(), received), json.loads(take_string(text))


def _find_oracle(oracle_ids: dict[str, str], request: bytes) -> Optional[bytes]:
    try:
        model = json.loads(request)["model"]
    except (ValueError, KeyError, TypeError):
        return None  # The library says what is wrong with the request.
    oracle_id = oracle_ids.get(model) if isinstance(model, str) else None
    return None if oracle_id is None else oracle_id.encode()
