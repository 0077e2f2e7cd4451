"""The transports of wrapped clients: every request that a client of an SDK sends passes here, is
kept before it leaves and recorded before its response goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Callable, NamedTuple, Optional

from anyio import CancelScope
from anyio.to_thread import run_sync

from axilog._exchange import Exchange, Response
from axilog.agent import Agent
from axilog.capi.host import (
    AXH_ARRIVAL_BROKEN,
    AXH_ARRIVAL_CANCELLED,
    AXH_ARRIVAL_TIMEOUT,
    AXH_ARRIVAL_UNREACHABLE,
)
from axilog.errors import NotRecordedError

# What the library takes of a response.
_MAX_BYTES = 64 << 20


class Escape(BaseException):
    """An error on its way out of an SDK, which repeats a request where its transport raises an
    Exception, and hides that behind an error of its own. A request that was refused or recorded
    must not be repeated, and its error must be seen."""

    def __init__(self, error: Exception, cause: Optional[BaseException] = None) -> None:
        super().__init__(error)
        self.error = error
        self.cause = cause


class Sdk(NamedTuple):
    """What an SDK calls the things that recording needs."""

    interfaces: tuple[str, ...]
    """The paths that are recorded, below the base URL; a longer one before its own end."""
    advice: str
    """What a program may call, in words."""
    make_timeout_error: Callable[[Any], Exception]
    """The SDK's error for a request that was not answered in time."""
    make_connection_error: Callable[[Any], Exception]
    """The SDK's error for a request whose answer did not arrive whole."""


class Recorder:
    """What both transports do before a request is sent and after its response is there."""

    def __init__(self, agent: Agent, sdk: Sdk, oracle_ids: Mapping[str, str], client: Any) -> None:
        self.agent = agent
        self.sdk = sdk
        self.oracle_ids = dict(oracle_ids)
        self.http = find_http_module(client)
        """The HTTP library that the client is of."""

    def begin(self, request: Any) -> Exchange:
        """Keeps the question of a request that was read."""
        interface = self._find_interface(request)
        # The response is recorded as the provider wrote it.
        request.headers["accept-encoding"] = "identity"
        key = _find_key(request.headers)
        return Exchange(self.agent, interface, self.oracle_ids, bytes(request.content), key)

    def _find_interface(self, request: Any) -> str:
        path = request.url.path
        if request.method == "POST":
            for interface in self.sdk.interfaces:
                if path.endswith(f"/{interface}"):
                    return interface
        raise NotRecordedError(
            f"{request.method} {path} cannot be recorded, and was not sent: {self.sdk.advice}"
        )

    def end(self, exchange: Exchange, response: Any, body: bytes) -> Any:
        """Records a whole response, and gives it as the SDK is to read it."""
        headers = response.headers
        exchange.end(Response(response.status_code, headers.get("content-type", ""), body))
        return self.http.Response(
            response.status_code,
            headers=headers,
            stream=self.http.ByteStream(body),
            extensions={k: v for k, v in response.extensions.items() if k != "network_stream"},
        )

    def fail(
        self, exchange: Exchange, request: Any, fault: BaseException, received: bytes
    ) -> BaseException:
        """Records why no whole response came. Gives what the SDK is to see of it."""
        arrival = self._classify(fault)
        try:
            exchange.fail(arrival, received)
        except Exception as error:
            return Escape(error, fault)
        if arrival == AXH_ARRIVAL_TIMEOUT:
            return Escape(self.sdk.make_timeout_error(request), fault)
        if arrival == AXH_ARRIVAL_BROKEN:
            return Escape(self.sdk.make_connection_error(request), fault)
        # Nobody was asked, so that the SDK may ask again; or nobody waits.
        return fault

    def _classify(self, fault: BaseException) -> int:
        http = self.http
        before = (
            http.ConnectError,
            http.ConnectTimeout,
            http.PoolTimeout,
            http.UnsupportedProtocol,
        )
        if isinstance(fault, before):
            return AXH_ARRIVAL_UNREACHABLE
        if isinstance(fault, http.TimeoutException):
            return AXH_ARRIVAL_TIMEOUT
        return AXH_ARRIVAL_BROKEN if isinstance(fault, Exception) else AXH_ARRIVAL_CANCELLED


def _check_encoding(response: Any) -> None:
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise ValueError(
            f"the provider sent the content-encoding {encoding!r}, and was asked for none"
        )


def _add_piece(received: bytearray, piece: bytes) -> None:
    if len(piece) > _MAX_BYTES - len(received):
        raise ValueError(f"the response is longer than {_MAX_BYTES} bytes")
    received += piece


@contextmanager
def _escaping() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise Escape(error) from None


class RecordingTransport:
    """The transport of a wrapped client, which sends through the HTTP client that was wrapped."""

    def __init__(self, inner: Any, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    def handle_request(self, request: Any) -> Any:
        request.read()
        with _escaping():
            exchange = self._recorder.begin(request)
        received = bytearray()
        try:
            response = self._inner.send(request, stream=True, follow_redirects=False)
            try:
                _check_encoding(response)
                for piece in response.iter_raw():
                    _add_piece(received, piece)
            finally:
                response.close()
        except BaseException as fault:
            raise self._recorder.fail(exchange, request, fault, bytes(received)) from None
        with _escaping():
            return self._recorder.end(exchange, response, bytes(received))

    def close(self) -> None:
        self._inner.close()

    def __enter__(self) -> RecordingTransport:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class AsyncRecordingTransport:
    """The same for clients of asyncio or trio. What waits for the disk runs in a thread."""

    def __init__(self, inner: Any, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        with _escaping():
            exchange = await run_sync(self._recorder.begin, request)
        received = bytearray()
        try:
            response = await self._inner.send(request, stream=True, follow_redirects=False)
            try:
                _check_encoding(response)
                async for piece in response.aiter_raw():
                    _add_piece(received, piece)
            finally:
                await response.aclose()
        except BaseException as fault:
            seen = fault
            # That a task was cancelled is recorded too.
            with CancelScope(shield=True):
                what_came = bytes(received)
                seen = await run_sync(self._recorder.fail, exchange, request, fault, what_came)
            raise seen from None
        with _escaping():
            return await run_sync(self._recorder.end, exchange, response, bytes(received))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> AsyncRecordingTransport:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()


def find_http_module(client: Any) -> Any:
    """The HTTP library, ``httpx`` or its successor, whose client this is."""
    for base in type(client).__mro__:
        package = base.__module__.partition(".")[0]
        if package.startswith("httpx") and base.__name__ in ("Client", "AsyncClient"):
            return sys.modules[package]
    raise TypeError(f"found an HTTP client of the type {type(client)!r}, expected one of httpx")


def _find_key(headers: Any) -> Optional[str]:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if key and scheme.lower() == "bearer":
        return str(key).strip()
    for name in ("x-api-key", "api-key", "authorization"):
        if headers.get(name):
            return str(headers[name])
    return None
