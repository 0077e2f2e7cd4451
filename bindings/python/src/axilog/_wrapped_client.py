"""Clients of the official SDKs, wrapped: each call is recorded, and judged before it returns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Union, cast

from axilog._recording_transport import (
    AsyncRecordingTransport,
    Escape,
    Recorder,
    RecordingTransport,
    Sdk,
    find_http_module,
)
from axilog.agent import Agent
from axilog.async_agent import AsyncAgent
from axilog.errors import NotRecordedError


class _Wrapped:
    """What a wrapped client does otherwise than the SDK's: errors come out as they are."""

    def request(self, *arguments: Any, **named: Any) -> Any:
        try:
            return cast(Any, super()).request(*arguments, **named)
        except Escape as escape:
            raise escape.error from escape.cause

    def copy(self, *, http_client: Any = None, **named: Any) -> Any:
        _refuse_http_client(http_client)
        return cast(Any, super()).copy(**named)

    with_options = copy


class _AsyncWrapped:
    """The same for clients of asyncio or trio."""

    async def request(self, *arguments: Any, **named: Any) -> Any:
        try:
            return await cast(Any, super()).request(*arguments, **named)
        except Escape as escape:
            raise escape.error from escape.cause

    def copy(self, *, http_client: Any = None, **named: Any) -> Any:
        _refuse_http_client(http_client)
        return cast(Any, super()).copy(**named)

    with_options = copy


def _refuse_http_client(http_client: object) -> None:
    if http_client is not None:
        raise NotRecordedError(
            "another HTTP client would send calls that nobody records; give it to the client "
            "before that is wrapped"
        )


def wrap_client(
    client: Any,
    agent: Union[Agent, AsyncAgent],
    sdk: Sdk,
    resources: tuple[str, ...],
    oracle_ids: Mapping[str, str],
    *,
    is_async: bool,
) -> Any:
    """A copy of ``client`` that sends through a recording transport, and has no other resources
    than those that are named."""
    if isinstance(client, (_Wrapped, _AsyncWrapped)):
        raise TypeError("the client is wrapped already; wrap the one that it was made of")
    # The SDKs have no public name for the HTTP client, whose settings are to be kept.
    inner = client._client
    open_agent = agent.agent if isinstance(agent, AsyncAgent) else agent
    recorder = Recorder(open_agent, sdk, oracle_ids, inner)
    http = find_http_module(inner)
    transport = (AsyncRecordingTransport if is_async else RecordingTransport)(inner, recorder)
    outer = (http.AsyncClient if is_async else http.Client)(
        transport=transport,
        headers=inner.headers,
        params=inner.params,
        cookies=inner.cookies,
        timeout=inner.timeout,
        trust_env=False,
    )
    base = type(client)
    wrapped_class = _make_class(base, sdk, resources, is_async)
    # The SDK copies a client as one of its own class, with all settings.
    same: Any = object.__new__(wrapped_class)
    same.__dict__.update(vars(client))
    return base.copy(same, http_client=outer)


def _make_class(base: type, sdk: Sdk, resources: tuple[str, ...], is_async: bool) -> type:
    mixin: type = _AsyncWrapped if is_async else _Wrapped
    members: dict[str, Any] = {"__module__": base.__module__, "__doc__": base.__doc__}
    for name, resource in _list_resources(base).items():
        if name not in resources:
            members[name] = property(_refuse(f"{base.__name__}.{name}", sdk))
        elif name == "responses":
            members[name] = _without_connect(resource, sdk)
    return type(base.__name__, (mixin, base), members)


def _list_resources(base: type) -> dict[str, Any]:
    """The resources of a client, which it makes when they are first asked for."""
    found: dict[str, Any] = {}
    for owner in reversed(base.__mro__):
        found.update((n, m) for n, m in vars(owner).items() if isinstance(m, cached_property))
    return found


def _refuse(name: str, sdk: Sdk) -> Any:
    def refuse(*arguments: object, **named: object) -> Any:
        raise NotRecordedError(f"{name} cannot be recorded, and is not called: {sdk.advice}")

    return refuse


def _without_connect(resource: Any, sdk: Sdk) -> Any:
    """The resource without its WebSocket, which goes past the HTTP client."""

    def get(client: Any) -> Any:
        made = resource.func(client)
        made.connect = _refuse("responses.connect", sdk)
        return made

    own = cached_property(get)
    own.__set_name__(object, resource.attrname)
    return own
