"""Wrapped clients of the package ``anthropic``: the real SDK against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest

import axilog
import axilog.anthropic
from axilog import Failure, Health
from tests.conftest import begin_agent
from tests.scripted_provider import GOOD, KEY, POLICIES, ask, serve_provider, wait_for_calls

USE: list[Any] = [{"name": "pay", "input_schema": {"type": "object"}}]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serve_provider() as server:
        server.root = server.base_url[: -len("/v1")]
        yield server


@pytest.fixture
def agent(path: str) -> Iterator[axilog.Agent]:
    with begin_agent(path, policies=POLICIES) as agent:
        yield agent


@pytest.fixture
def client(provider: Any, agent: axilog.Agent) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=provider.root, api_key=KEY) as unwrapped:
        yield axilog.anthropic.wrap(unwrapped, agent)


def create(client: anthropic.Anthropic, text: str, **more: Any) -> Any:
    return client.messages.create(model="model-1", max_tokens=9, messages=ask(text), **more)


def read_outputs(path: str) -> list[str]:
    with axilog.read(path) as reader:
        observations = [r.observation for r in reader if r.observation is not None]
    return [o.output for o in observations if o.oracle_id in ("llm", "tool.pay")]


def test_messages_are_recorded_and_returned_as_the_sdk_types_them(
    client: anthropic.Anthropic, path: str
) -> None:
    message = create(client, "a")
    assert message.content[0].text == GOOD and isinstance(message, anthropic.types.Message)
    with client.messages.stream(model="model-1", max_tokens=9, messages=ask("a")) as stream:
        # Recorded before the first event is read.
        assert read_outputs(path) == [GOOD] * 2
        assert "".join(stream.text_stream) == GOOD
    assert len(list(create(client, "a", stream=True))) > 5
    raw = client.messages.with_raw_response.create(model="model-1", max_tokens=9, messages=ask("a"))
    assert raw.parse().model == "model-1"
    assert read_outputs(path) == [GOOD] * 4 and axilog.audit(path).ok


@pytest.mark.parametrize("stream", [False, True])
def test_a_breach_of_a_tool_keeps_back_the_answer(stream: bool, provider: Any, path: str) -> None:
    only_tools = axilog.PolicySet([p for p in POLICIES if p.policy_id == "AMOUNT"])
    with begin_agent(path, policies=only_tools) as agent:
        unwrapped = anthropic.Anthropic(base_url=provider.root, api_key=KEY)
        with axilog.anthropic.wrap(unwrapped, agent) as client:
            create(client, "a little", tools=USE, stream=stream)
            with pytest.raises(axilog.BreachError, match="tool.pay#amount 251 is above 250"):
                create(client, "pay much", tools=USE, stream=stream)
            with pytest.raises(axilog.NotEnabledError):
                create(client, "a")
    assert provider.calls["/v1/messages"] == 2
    assert read_outputs(path)[1::2] == ['{"amount":1}', '{"amount":251}']


@pytest.mark.parametrize(
    ("text", "options", "raised", "failure"),
    [
        (
            "never",
            {"timeout": anthropic.Timeout(60, read=0.5)},
            anthropic.APITimeoutError,
            Failure.TIMEOUT,
        ),
        ("gone", {}, anthropic.APIConnectionError, Failure.TRANSPORT_ERROR),
        ("a page", {}, axilog.KeptBackError, Failure.TRANSPORT_ERROR),
        ("cut", {"stream": True}, axilog.KeptBackError, Failure.TRANSPORT_ERROR),
        ("boom", {}, anthropic.InternalServerError, None),
    ],
)
def test_failures_are_recorded_and_raised(
    text: str,
    options: dict[str, Any],
    raised: type[Exception],
    failure: Any,
    client: anthropic.Anthropic,
    agent: axilog.Agent,
    path: str,
    provider: Any,
) -> None:
    with pytest.raises(raised):
        create(client, text, **options)
    wait_for_calls(provider, "/v1/messages", 3 if text == "boom" else 1)
    with axilog.read(path, oracle_id="llm") as reader:
        failures = [r.observation.failure for r in reader if r.observation is not None]
    assert failures == ([] if failure is None else [failure])
    assert agent.health is (Health.ENABLED if failure is None else Health.ALARM)
    assert axilog.audit(path).ok


def test_what_cannot_be_recorded_is_not_called(
    client: anthropic.Anthropic, agent: axilog.Agent, provider: Any
) -> None:
    before = agent.head
    calls: list[Any] = [
        lambda: client.models,
        lambda: client.beta,
        lambda: client.messages.batches.list(),
        lambda: client.messages.count_tokens(model="model-1", messages=ask("a")),
        lambda: client.with_options(http_client=anthropic.DefaultHttpxClient()),
    ]
    for call in calls:
        with pytest.raises(axilog.NotRecordedError):
            call()
    assert agent.head == before and provider.calls == {}


def test_clients_of_asyncio_are_recorded_too(path: str, provider: Any) -> None:
    async def ask_all() -> None:
        with begin_agent(path, policies=POLICIES) as agent:
            unwrapped = anthropic.AsyncAnthropic(base_url=provider.root, api_key=KEY)
            async with axilog.anthropic.wrap(unwrapped, agent) as client:
                create: Any = client.messages.create
                asked = [
                    create(model="model-1", max_tokens=9, messages=ask(f"a {n}")) for n in range(10)
                ]
                assert {m.content[0].text for m in await asyncio.gather(*asked)} == {GOOD}
                more: Any = {"model": "model-1", "max_tokens": 9}
                async with client.messages.stream(messages=ask("a"), **more) as stream:
                    assert await stream.get_final_text() == GOOD
                with pytest.raises(axilog.KeptBackError, match="above 70"):
                    await create(messages=ask("how fast?"), **more)

    asyncio.run(ask_all())
    assert len(read_outputs(path)) == 12 and axilog.audit(path).ok
