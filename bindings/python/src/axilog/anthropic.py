"""A client of the official package ``anthropic`` whose calls are recorded and judged, without a
server between (``pip install axilog[anthropic]``).

    client = axilog.anthropic.wrap(anthropic.Anthropic(), agent)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, Union

import anthropic

from axilog._recording_transport import Sdk
from axilog._wrapped_client import wrap_client
from axilog.agent import Agent
from axilog.async_agent import AsyncAgent

__all__ = ["wrap"]

Client = TypeVar("Client", bound=Union[anthropic.Anthropic, anthropic.AsyncAnthropic])

_SDK = Sdk(
    interfaces=("messages",),
    advice=(
        "a wrapped client has messages.create and messages.stream; call the client that was "
        "wrapped for what needs no record"
    ),
    make_timeout_error=lambda request: anthropic.APITimeoutError(request=request),
    make_connection_error=lambda request: anthropic.APIConnectionError(request=request),
)
_RESOURCES = ("messages", "with_raw_response", "with_streaming_response")
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

    Arguments and errors are those of :func:`axilog.openai.wrap`.
    """
    is_async = isinstance(client, anthropic.AsyncAnthropic)
    wrapped: Client = wrap_client(client, agent, _SDK, _RESOURCES, oracle_ids, is_async=is_async)
    return wrapped
