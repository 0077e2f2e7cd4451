"""Wrapped clients of the package ``openai``: the real SDK against a scripted provider."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

import axilog
import axilog.openai
from axilog import Failure, Health
from tests.conftest import Cli, begin_agent
from tests.scripted_provider import GOOD, KEY, POLICIES, ask, serve_provider, wait_for_calls

PAY: list[Any] = [{"type": "function", "function": {"name": "pay", "parameters": {}}}]
PERMITTED = ["llm.provider", "llm"]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serve_provider() as server:
        yield server


@pytest.fixture
def agent(path: str) -> Iterator[axilog.Agent]:
    with begin_agent(path, policies=POLICIES) as agent:
        yield agent


@pytest.fixture
def unwrapped(provider: Any) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=provider.base_url, api_key=KEY) as client:
        yield client


@pytest.fixture
def client(unwrapped: openai.OpenAI, agent: axilog.Agent) -> openai.OpenAI:
    return axilog.openai.wrap(unwrapped, agent)


def create(client: openai.OpenAI, text: str, **more: Any) -> Any:
    return client.chat.completions.create(model="model-1", messages=ask(text), **more)


def read_outputs(path: str) -> list[tuple[str, str]]:
    """Each answer of the ledger with its oracle, times and controls left out."""
    with axilog.read(path) as reader:
        observations = [r.observation for r in reader if r.observation is not None]
    return [(o.oracle_id, o.output) for o in observations if not o.oracle_id.startswith("ax.")]


def read_oracles(path: str) -> list[str]:
    return [oracle for oracle, _ in read_outputs(path)]


def test_an_answer_is_recorded_and_returned_as_the_sdk_types_it(
    client: openai.OpenAI, path: str, provider: Any
) -> None:
    completion = create(client, "a", temperature=0.5)
    assert isinstance(completion, openai.types.chat.ChatCompletion)
    assert completion.choices[0].message.content == GOOD
    assert read_outputs(path)[-1] == ("llm", GOOD)
    with axilog.read(path, oracle_id="llm", questions=True) as reader:
        [record] = [record for record in reader if record.observation is not None]
    # The question is what was sent.
    assert record.question == axilog.canonical_json(provider.bodies[0])
    assert axilog.audit(path).ok


def test_the_question_is_durable_before_the_provider_is_asked(
    client: openai.OpenAI, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[bytes] = []
    inner: Any = client._client._transport._inner  # type: ignore[attr-defined]
    send = inner.send

    def look(*arguments: Any, **named: Any) -> Any:
        blobs = Path(f"{path}.blobs").rglob("*")
        kept.extend(blob.read_bytes() for blob in blobs if blob.is_file())
        return send(*arguments, **named)

    monkeypatch.setattr(inner, "send", look)
    create(client, "is it there?")
    assert any(b"is it there?" in blob for blob in kept)


def test_a_breach_is_raised_once_and_the_next_question_is_not_asked(
    client: openai.OpenAI, agent: axilog.Agent, path: str, provider: Any
) -> None:
    with pytest.raises(axilog.BreachError, match="llm#speed 71 is above 70") as caught:
        create(client, "how fast?")
    error = caught.value
    assert isinstance(error, axilog.KeptBackError) and error.decision.health is Health.ALARM
    assert not error.decision and str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(axilog.NotEnabledError, match="the agent is ALARM"):
        create(client, "a")
    assert provider.calls["/v1/chat/completions"] == 1
    agent.mitigate()
    agent.reset()
    agent.observe_time(agent.last_timestamp + 1)
    assert create(client, "a").choices[0].message.content == GOOD
    assert axilog.audit(path).ok


def test_each_tool_call_is_an_observation_and_one_breach_keeps_back_the_answer(
    unwrapped: openai.OpenAI, path: str
) -> None:
    only_tools = axilog.PolicySet([p for p in POLICIES if p.policy_id == "AMOUNT"])
    with begin_agent(path, policies=only_tools) as agent:
        client = axilog.openai.wrap(unwrapped, agent)
        message = create(client, "a little", tools=PAY).choices[0].message
        assert message.tool_calls[0].function.arguments == '{"amount": 1}'
        assert read_outputs(path)[-1] == ("tool.pay", '{"amount":1}')
        with pytest.raises(axilog.KeptBackError, match="tool.pay#amount 251 is above 250"):
            create(client, "pay much", tools=PAY)
    assert read_oracles(path) == ["llm.provider", "llm", "tool.pay"] * 2


def test_a_tool_that_the_ledger_does_not_declare_keeps_back_the_answer(
    unwrapped: openai.OpenAI, path: str
) -> None:
    with begin_agent(path, policies=axilog.PolicySet(), oracles=["llm"]) as agent:
        client = axilog.openai.wrap(unwrapped, agent)
        with pytest.raises(axilog.KeptBackError, match='calls the tool "pay"'):
            create(client, "a little", tools=PAY)
    assert read_oracles(path) == ["llm"]


@pytest.mark.parametrize(
    ("text", "options", "raised", "failure"),
    [
        (
            "never",
            {"timeout": openai.Timeout(60, read=0.5)},
            openai.APITimeoutError,
            Failure.TIMEOUT,
        ),
        ("gone", {}, openai.APIConnectionError, Failure.TRANSPORT_ERROR),
        ("packed", {}, openai.APIConnectionError, Failure.TRANSPORT_ERROR),
        ("a page", {}, axilog.KeptBackError, Failure.TRANSPORT_ERROR),
        ("tell the key", {}, axilog.KeptBackError, Failure.TRANSPORT_ERROR),
        ("boom", {}, openai.InternalServerError, None),
        ("elsewhere", {}, openai.APIStatusError, None),
    ],
)
def test_failures_are_recorded_and_raised(
    text: str,
    options: dict[str, Any],
    raised: type[Exception],
    failure: Any,
    client: openai.OpenAI,
    agent: axilog.Agent,
    path: str,
    provider: Any,
) -> None:
    retries = 2 if text == "boom" else 0
    patient = client.with_options(**options)
    with pytest.raises(raised):
        create(patient, text)
    # Errors of the provider are repeated by the SDK, each recorded; failures are not.
    wait_for_calls(provider, "/v1/chat/completions", 1 + retries)
    if failure is None:
        assert read_oracles(path) == ["llm.provider"] * (1 + retries)
        assert agent.health is Health.ENABLED
    else:
        assert read_oracles(path) == PERMITTED and agent.health is Health.ALARM
        with axilog.read(path, oracle_id="llm") as reader:
            [record] = [record for record in reader if record.observation is not None]
        assert record.observation is not None and record.observation.failure is failure
    for kept in Path(f"{path}.blobs").rglob("*"):
        assert not kept.is_file() or KEY.encode() not in kept.read_bytes()
    assert axilog.audit(path).ok


def test_a_provider_that_cannot_be_reached_was_not_asked(path: str) -> None:
    with begin_agent(path, policies=POLICIES) as agent:
        unreachable = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY, max_retries=1)
        client = axilog.openai.wrap(unreachable, agent)
        with pytest.raises(openai.APIConnectionError):
            create(client, "a")
        assert read_oracles(path) == ["llm.provider"] * 2 and agent.health is Health.ENABLED


@pytest.mark.parametrize(
    ("text", "raised", "told"),
    [(f"my key is {KEY}", axilog.InputError, "holds the API key")],
)
def test_a_question_that_the_ledger_does_not_take_is_not_sent(
    text: str, raised: type[Exception], told: str, client: openai.OpenAI, path: str, provider: Any
) -> None:
    with pytest.raises(raised, match=told):
        create(client, text)
    with pytest.raises(axilog.InputError, match="names no model|U\\+0020"):
        client.chat.completions.create(model="a b", messages=ask("a"))
    create(client, "a")
    with pytest.raises(axilog.ModelError, match="model-1"):
        client.chat.completions.create(model="model-2", messages=ask("a"))
    assert provider.calls["/v1/chat/completions"] == 1 and read_oracles(path) == PERMITTED


def test_a_further_model_has_an_oracle_of_its_own(
    unwrapped: openai.OpenAI, agent: axilog.Agent, path: str
) -> None:
    client = axilog.openai.wrap(unwrapped, agent, oracle_ids={"model-2": "second"})
    create(client, "a")
    client.chat.completions.create(model="model-2", messages=ask("a"))
    assert read_oracles(path) == ["llm.provider", "llm", "llm.provider", "second"]


def test_policies_that_judge_every_oracle_are_refused(
    unwrapped: openai.OpenAI, path: str, provider: Any
) -> None:
    with begin_agent(path) as agent:
        client = axilog.openai.wrap(unwrapped, agent)
        with pytest.raises(axilog.PolicyError, match="name the oracle in each selector"):
            create(client, "a")
    assert provider.calls == {}


def test_what_cannot_be_recorded_is_not_called(
    client: openai.OpenAI, unwrapped: openai.OpenAI, agent: axilog.Agent, provider: Any
) -> None:
    before = agent.head
    calls: list[Any] = [
        lambda: client.models,
        lambda: client.images,
        lambda: client.beta,
        lambda: client.with_raw_response.files,
        lambda: client.realtime,
        lambda: client.responses.connect(),
        lambda: client.responses.retrieve("r"),
        lambda: client.chat.completions.list(),
        lambda: client.get("/models", cast_to=object),
        lambda: client.post("/images/generations", cast_to=object, body={}),
        lambda: client.with_options(http_client=openai.DefaultHttpxClient()),
    ]
    for call in calls:
        with pytest.raises(axilog.NotRecordedError):
            call()
    assert not hasattr(client, "images")
    assert agent.head == before and provider.calls == {}
    with pytest.raises(TypeError, match="wrapped already"):
        axilog.openai.wrap(client, agent)
    assert [model.id for model in unwrapped.models.list()] == ["model-1"]


def test_every_interface_of_the_sdk_is_recorded(client: openai.OpenAI, path: str) -> None:
    raw = client.chat.completions.with_raw_response.create(model="model-1", messages=ask("a"))
    assert raw.parse().choices[0].message.content == GOOD and raw.http_response.is_success
    assert client.completions.create(model="model-1", prompt="a").choices[0].text == GOOD
    assert client.responses.create(model="model-1", input="a").output_text == GOOD
    embedding = client.embeddings.create(model="model-1", input="a", encoding_format="float")
    assert embedding.data[0].embedding == [0.5, 0.25]
    assert read_oracles(path) == [*PERMITTED * 3, "llm.provider", "llm.embedding"]


def test_a_stream_is_held_until_it_is_judged(
    client: openai.OpenAI, path: str, agent: axilog.Agent
) -> None:
    stream = create(client, "a", stream=True)
    # What the events add up to is recorded before the first of them is read.
    assert read_outputs(path)[-1] == ("llm", GOOD)
    chunks = list(stream)
    assert all(isinstance(chunk, openai.types.chat.ChatCompletionChunk) for chunk in chunks)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == GOOD
    with client.responses.stream(model="model-1", input="a") as events:
        assert events.get_final_response().output_text == GOOD
    with client.chat.completions.stream(model="model-1", messages=ask("a")) as chat:
        assert chat.get_final_completion().choices[0].message.content == GOOD
    with pytest.raises(axilog.KeptBackError, match="llm#speed 71 is above 70"):
        create(client, "how fast?", stream=True)
    assert read_oracles(path) == PERMITTED * 4 and agent.health is Health.ALARM
    assert axilog.audit(path).ok


@pytest.mark.parametrize("interface", ["chat", "responses"])
def test_a_stream_that_is_cut_is_no_answer(
    interface: str, client: openai.OpenAI, path: str
) -> None:
    with pytest.raises(axilog.KeptBackError, match="the stream was cut|is no JSON"):
        if interface == "chat":
            create(client, "cut", stream=True)
        else:
            client.responses.create(model="model-1", input="cut", stream=True)
    with axilog.read(path, oracle_id="llm.provider", questions=True) as reader:
        [record] = [record for record in reader if record.observation is not None]
    # What came of it is bound.
    assert record.question is not None and record.question.startswith((b"data: ", b"event: "))


def test_clients_of_asyncio_are_recorded_too(path: str, provider: Any) -> None:
    async def ask_all() -> None:
        agent = begin_agent(path, policies=POLICIES)
        async with axilog.AsyncAgent(agent) as recorded:
            unwrapped = openai.AsyncOpenAI(base_url=provider.base_url, api_key=KEY)
            async with axilog.openai.wrap(unwrapped, recorded) as client:
                create: Any = client.chat.completions.create
                answers = await asyncio.gather(
                    *(create(model="model-1", messages=ask(f"a {n}")) for n in range(20))
                )
                assert {a.choices[0].message.content for a in answers} == {GOOD}
                stream = await create(model="model-1", messages=ask("a"), stream=True)
                pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
                assert "".join(pieces) == GOOD
                with pytest.raises(axilog.NotRecordedError):
                    client.images  # noqa: B018
                asked = provider.calls["/v1/chat/completions"]
                waiting = asyncio.create_task(create(model="model-1", messages=ask("never")))
                while provider.calls["/v1/chat/completions"] == asked and not waiting.done():
                    await asyncio.sleep(0.01)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                assert agent.health is Health.ENABLED
                with pytest.raises(axilog.KeptBackError, match="above 70"):
                    await create(model="model-1", messages=ask("how fast?"))
                with pytest.raises(axilog.NotEnabledError):
                    await create(model="model-1", messages=ask("a"))

    asyncio.run(ask_all())
    outputs = read_outputs(path)
    assert [oracle for oracle, _ in outputs].count("llm") == 22
    assert sum('"fault":"cancelled"' in output for _, output in outputs) == 1
    assert axilog.audit(path).ok


def test_the_ledger_that_a_wrapped_client_writes_is_replayed_by_the_gateway(
    cli: Cli, client: openai.OpenAI, agent: axilog.Agent, path: str, provider: Any
) -> None:
    from tests.gateways import run_gateway

    create(client, "a")
    "".join(chunk.choices[0].delta.content or "" for chunk in create(client, "b", stream=True))
    agent.close()
    asked = provider.calls["/v1/chat/completions"]
    replay = ["replay", path, "--listen", "127.0.0.1:0"]
    with (
        run_gateway(cli, replay) as base_url,
        openai.OpenAI(base_url=base_url, api_key=KEY) as replayed,
    ):
        assert create(replayed, "a").choices[0].message.content == GOOD
        chunks = create(replayed, "b", stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == GOOD
    assert provider.calls["/v1/chat/completions"] == asked
