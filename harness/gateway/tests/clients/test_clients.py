"""The official clients ask through the gateway as they would ask the provider."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import anthropic
import openai
import pytest
from langchain_openai import ChatOpenAI

HERE = Path(__file__).parent
GOOD = '{"speed": 5}'
TOOLS = [{"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}]


def question(text):
    return [{"role": "user", "content": text}]


def openai_client(gateway):
    return openai.OpenAI(base_url=gateway.base_url, api_key="sk-0123456789")


def anthropic_client(gateway):
    return anthropic.Anthropic(base_url=gateway.base_url.removesuffix("/v1"), api_key="sk-0123456789")


def ask_anthropic(client, text, **more):
    return client.messages.create(model="model-1", max_tokens=10, messages=question(text), **more)


def test_every_endpoint_of_openai(gateway):
    client = openai_client(gateway)
    assert [model.id for model in client.models.list()] == ["model-1"]
    chat = client.chat.completions.with_raw_response.create(model="model-1", messages=question("a"))
    assert chat.parse().choices[0].message.content == GOOD
    assert chat.headers["x-axilog-decision"] == "PERMITTED"
    assert client.completions.create(model="model-1", prompt="a").choices[0].text == GOOD
    assert client.responses.create(model="model-1", input="a").output_text == GOOD
    embedding = client.embeddings.create(model="model-1", input="a", encoding_format="float")
    assert embedding.data[0].embedding == [0.5, 0.25]
    stream = client.chat.completions.create(model="model-1", messages=question("a"), stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == GOOD
    with client.responses.stream(model="model-1", input="a") as stream:
        assert stream.get_final_response().output_text == GOOD
    gateway.audit()
    assert gateway.answers() == [GOOD] * 5


def test_every_endpoint_of_anthropic(gateway):
    client = anthropic_client(gateway)
    assert ask_anthropic(client, "a").content[0].text == GOOD
    with client.messages.stream(model="model-1", max_tokens=10, messages=question("a")) as stream:
        assert "".join(stream.text_stream) == GOOD
    gateway.audit()
    assert gateway.answers() == [GOOD] * 2


def test_two_hundred_calls_at_a_time(gateway):
    async def ask_all():
        async with openai.AsyncOpenAI(base_url=gateway.base_url, api_key="sk-0123456789") as client:
            asked = (
                client.chat.completions.create(model="model-1", messages=question(f"a {number}"))
                for number in range(200)
            )
            return await asyncio.gather(*asked)

    assert len(asyncio.run(ask_all())) == 200
    gateway.audit()
    assert gateway.answers() == [GOOD] * 200


def test_a_call_that_waits_takes_little_memory(gateway, provider):
    async def ask_all():
        async with openai.AsyncOpenAI(base_url=gateway.base_url, api_key="sk-0123456789", max_retries=0) as client:

            async def ask(number):
                # The provider answers nothing until it ends.
                messages = question(f"never {number}" + " " * 10_000)
                with pytest.raises(openai.APIError):
                    stream = await client.chat.completions.create(model="model-1", messages=messages, stream=True)
                    [chunk async for chunk in stream]

            before, _ = gateway.read_usage()
            asked = [asyncio.create_task(ask(number)) for number in range(200)]
            while provider.calls.total() < 200:
                await asyncio.sleep(0.1)
            after, descriptors = gateway.read_usage()
            provider.has_ended.set()
            await asyncio.gather(*asked)
            return after - before, descriptors

    memory, descriptors = asyncio.run(ask_all())
    # Most of it are the buffers of two connections.
    assert memory < 200 * 200_000
    # One for the client and one for the provider.
    assert descriptors < 430


def test_a_breach_is_an_error_that_is_not_repeated(gateway, provider):
    with pytest.raises(openai.PermissionDeniedError) as refused:
        openai_client(gateway).chat.completions.create(model="model-1", messages=question("fast"))
    assert refused.value.type == "axilog_breach"
    assert refused.value.body["axilog"]["policies"][0]["value"] == "71"
    # Now nothing is asked until an operator has acted, and neither client tries again.
    with pytest.raises(anthropic.InternalServerError) as closed:
        ask_anthropic(anthropic_client(gateway), "a")
    assert closed.value.body["error"]["type"] == "axilog_not_enabled"
    with pytest.raises(openai.InternalServerError):
        openai_client(gateway).responses.create(model="model-1", input="a")
    assert provider.calls == {"/v1/chat/completions": 1}
    gateway.audit()


def test_a_breach_of_anthropics_interface(gateway, provider):
    with pytest.raises(anthropic.PermissionDeniedError) as refused:
        ask_anthropic(anthropic_client(gateway), "fast")
    assert refused.value.body["error"]["type"] == "axilog_breach"
    assert provider.calls == {"/v1/messages": 1}


def test_an_error_of_the_provider_is_its_own_and_is_repeated(gateway, provider):
    with pytest.raises(openai.InternalServerError, match="boom"):
        openai_client(gateway).chat.completions.create(model="model-1", messages=question("boom"))
    assert provider.calls == {"/v1/chat/completions": 3}
    gateway.audit()


@pytest.mark.parametrize("fault", ["a page", "elsewhere", "packed", "gone", "tell the key"])
@pytest.mark.parametrize("interface", ["chat", "chat streamed", "message", "message streamed"])
def test_what_is_no_answer_is_an_error_that_is_not_repeated(gateway, provider, fault, interface):
    with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)) as failed:
        match interface.split(" "):
            case ["chat", *stream]:
                chat = openai_client(gateway).chat.completions
                chat.create(model="model-1", messages=question(fault), stream=bool(stream))
            case [_, *stream]:
                ask_anthropic(anthropic_client(gateway), fault, stream=bool(stream))
    assert failed.value.status_code == 502
    assert "axilog_provider_error" in str(failed.value.body)
    assert provider.calls.total() == 1
    gateway.audit()
    for path in gateway.folder.rglob("*"):
        assert path.is_dir() or b"sk-0123456789" not in path.read_bytes(), path


def test_connections_are_kept(gateway, provider):
    client, other = openai_client(gateway), anthropic_client(gateway)
    for number in range(10):
        client.chat.completions.create(model="model-1", messages=question(f"a {number}"))
        list(client.chat.completions.create(model="model-1", messages=question("a"), stream=True))
        ask_anthropic(other, "a")
    assert provider.calls.total() == 30
    assert provider.connections == 1
    gateway.audit()


def test_a_stream_that_comes_late(gateway, provider):
    client = openai_client(gateway)
    stream = client.chat.completions.create(model="model-1", messages=question("late"), stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == GOOD
    with anthropic_client(gateway).messages.stream(
        model="model-1", max_tokens=10, messages=question("late")
    ) as stream:
        assert stream.get_final_text() == GOOD
    stream = client.chat.completions.create(model="model-1", messages=question("late, fast"), stream=True)
    with pytest.raises(openai.APIError) as refused:
        list(stream)
    assert refused.value.type == "axilog_breach"
    assert provider.calls == {"/v1/chat/completions": 2, "/v1/messages": 1}


def test_a_late_breach_of_anthropics_interface(gateway):
    with pytest.raises(anthropic.APIStatusError) as refused:
        with anthropic_client(gateway).messages.stream(
            model="model-1", max_tokens=10, messages=question("late, fast")
        ) as stream:
            stream.get_final_text()
    assert refused.value.body["error"]["type"] == "axilog_breach"


@pytest.mark.parametrize("streams", [False, True])
def test_a_tool_call_is_judged_by_its_arguments(tool_gateway, streams):
    def ask(text):
        asked = openai_client(tool_gateway).chat.completions.create(
            model="model-1", messages=question(text), tools=TOOLS, stream=streams
        )
        return list(asked) if streams else asked

    ask("a")
    with pytest.raises(openai.PermissionDeniedError, match="tool.pay"):
        ask("too much")
    tool_gateway.audit()
    assert tool_gateway.answers("tool.pay") == ['{"amount":1}', '{"amount":251}']


def test_a_tool_of_anthropics_interface(tool_gateway):
    tools = [{"name": "pay", "input_schema": {"type": "object"}}]
    client = anthropic_client(tool_gateway)
    assert ask_anthropic(client, "a", tools=tools).content[1].input == {"amount": 1}
    with client.messages.stream(model="model-1", max_tokens=10, messages=question("a"), tools=tools) as stream:
        assert stream.get_final_message().content[1].input == {"amount": 1}
    with pytest.raises(anthropic.PermissionDeniedError, match="tool.pay"):
        ask_anthropic(client, "too much", tools=tools)


def run_node(gateway, *arguments):
    command = ["node", str(HERE / "chat.mjs"), gateway.base_url, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ).stdout.strip()


def test_the_client_for_node(gateway, provider):
    assert run_node(gateway, "a") == GOOD
    assert run_node(gateway, "a", "stream") == GOOD
    refused = json.loads(run_node(gateway, "fast", "stream"))
    assert refused == {"name": "PermissionDeniedError", "status": 403, "type": "axilog_breach"}
    assert json.loads(run_node(gateway, "a"))["type"] == "axilog_not_enabled"
    assert provider.calls == {"/v1/chat/completions": 3}


def test_langchain(gateway):
    model = ChatOpenAI(model="model-1", base_url=gateway.base_url, api_key="sk-0123456789")
    assert model.invoke("a").content == GOOD
    assert "".join(chunk.content for chunk in model.stream("a")) == GOOD
    with pytest.raises(openai.PermissionDeniedError):
        model.invoke("fast")


def test_replay_gives_clients_what_they_got(gateway, provider):
    def ask_all():
        client = openai_client(gateway)
        chat = client.chat.completions.create(model="model-1", messages=question("a")).model_dump()
        stream = list(client.chat.completions.create(model="model-1", messages=question("a"), stream=True))
        message = ask_anthropic(anthropic_client(gateway), "a").model_dump()
        with anthropic_client(gateway).messages.stream(
            model="model-1", max_tokens=10, messages=question("a")
        ) as streamed:
            return chat, stream, message, streamed.get_final_message().model_dump()

    first = ask_all()
    gateway.audit()
    asked = provider.calls.total()
    gateway.replay()
    assert ask_all() == first
    with pytest.raises(openai.NotFoundError, match="nearest"):
        openai_client(gateway).chat.completions.create(model="model-1", messages=question("b"))
    assert provider.calls.total() == asked
