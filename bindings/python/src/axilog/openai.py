"""A client of the official package ``openai`` whose calls are recorded and judged, without a server
between (``pip install axilog[openai]``).

    client = axilog.openai.wrap(openai.OpenAI(), agent)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, Union

import openai

from axilog._recording_transport import Sdk
from axilog._wrapped_client import wrap_client
from axilog.agent import Agent
from axilog.async_agent import AsyncAgent
from axilog.errors import NotRecordedError

__all__ = ["wrap"]

Client = TypeVar("Client", bound=Union[openai.OpenAI, openai.AsyncOpenAI])

_SDK = Sdk(
    interfaces=("chat/completions", "responses", "completions", "embeddings"),
    advice=(
        "a wrapped client has chat.completions.create, responses.create, completions.create and "
        "embeddings.create; call the client that was wrapped for what needs no record"
    ),
    make_timeout_error=lambda request: openai.APITimeoutError(request=request),
    make_connection_error=lambda request: openai.APIConnectionError(request=request),
)
_RESOURCES = (
    "chat",
    "responses",
    "completions",
    "embeddings",
    "with_raw_response",
    "with_streaming_response",
)
_NO_ORACLES: Mapping[str, str] = {}


def wrap(
    client: Client,
    agent: Union[Agent, AsyncAgent],
    *,
    oracle_ids: Mapping[str, str] = _NO_ORACLES,
) -> Client:
    """A client like ``client`` that asks through ``agent``: it keeps each question before the
    provider is asked, records what comes back as the gateway does, has the policies judge it, and
    returns only an answer that may be acted on. Streams are held back until their end.

    Args:
        client: The client, whose settings are taken over. It is not changed, and shares its
            connections with the wrapped one: closing one closes the other.
        agent: The agent, whose policies must name the oracles that they judge.
        oracle_ids: By model, the oracle that its answers are of; those of other models are of
            ``llm``. A ledger binds each oracle to one model.

    A call raises :class:`axilog.KeptBackError`, which is a :class:`axilog.BreachError`, for an
    answer that may not be acted on; :class:`axilog.NotEnabledError` where an earlier one raised the
    alarm; :class:`axilog.NotRecordedError` for what cannot be recorded, such as ``images``; what
    :meth:`axilog.Agent.check_question` raises for a question that the ledger does not take; and the
    SDK's own errors for errors of the provider, timeouts and connections, which are recorded.
    """
    if getattr(client, "workload_identity", None) is not None:
        raise NotRecordedError(
            "a client with a workload identity sends calls that nobody records; use an API key"
        )
    is_async = isinstance(client, openai.AsyncOpenAI)
    wrapped: Client = wrap_client(client, agent, _SDK, _RESOURCES, oracle_ids, is_async=is_async)
    return wrapped
