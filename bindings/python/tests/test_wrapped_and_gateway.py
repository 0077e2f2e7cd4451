"""Wrapped clients write what the gateway writes of the same calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

import axilog
import axilog.anthropic
import axilog.openai
from tests.conftest import Cli
from tests.gateways import run_gateway
from tests.scripted_provider import KEY, POLICIES, ask, serve_provider

PAY: list[Any] = [{"type": "function", "function": {"name": "pay", "parameters": {}}}]
USE: list[Any] = [{"name": "pay", "input_schema": {"type": "object"}}]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serve_provider() as server:
        yield server


def call_openai(client: openai.OpenAI) -> None:
    create: Any = client.chat.completions.create
    create(model="model-1", messages=ask("a"), temperature=0.5, max_tokens=9, seed=3, top_p=0.25)
    create(model="model-1", messages=ask("e\u0301"), n=1)
    list(create(model="model-1", messages=ask("a"), stream=True))
    client.completions.create(model="model-1", prompt="a")
    client.responses.create(model="model-1", input="a")
    list(client.responses.create(model="model-1", input="a", stream=True))
    client.embeddings.create(model="model-1", input="a", encoding_format="float")
    with pytest.raises(openai.InternalServerError):
        create(model="model-1", messages=ask("boom"))
    with pytest.raises(Exception, match="not released|redirects|307"):
        create(model="model-1", messages=ask("elsewhere"))
    # The answer with the tool has no speed, and breaches.
    with pytest.raises((axilog.BreachError, openai.PermissionDeniedError)):
        list(create(model="model-1", messages=ask("pay much"), tools=PAY, stream=True))
    with pytest.raises((axilog.NotEnabledError, openai.InternalServerError)):
        create(model="model-1", messages=ask("a"))


def call_openai_and_break(client: openai.OpenAI) -> None:
    with pytest.raises((axilog.BreachError, openai.InternalServerError)):
        client.chat.completions.create(model="model-1", messages=ask("a page"))


def call_openai_and_cut(client: openai.OpenAI) -> None:
    with pytest.raises((axilog.BreachError, openai.InternalServerError)):
        client.chat.completions.create(model="model-1", messages=ask("cut"), stream=True)


def call_anthropic(client: anthropic.Anthropic) -> None:
    create: Any = client.messages.create
    more = {"model": "model-1", "max_tokens": 9}
    create(messages=ask("a"), **more)
    list(create(messages=ask("a"), stream=True, **more))
    with client.messages.stream(messages=ask("b"), **more) as stream:  # type: ignore[arg-type]
        assert stream.get_final_message().content
    with pytest.raises(anthropic.InternalServerError):
        create(messages=ask("boom"), **more)
    with pytest.raises((axilog.BreachError, anthropic.PermissionDeniedError)):
        list(create(messages=ask("pay much"), tools=USE, stream=True, **more))


@contextmanager
def make_openai(base_url: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=base_url, api_key=KEY, max_retries=0) as client:
        yield client


@contextmanager
def make_anthropic(base_url: str) -> Iterator[anthropic.Anthropic]:
    base_url = base_url.removesuffix("/v1")
    with anthropic.Anthropic(base_url=base_url, api_key=KEY, max_retries=0) as client:
        yield client


def read_observations(path: Path) -> list[dict[str, Any]]:
    """What each observation says, without the time that the provider took."""
    found = []
    with axilog.read(path, kinds=[axilog.RecordKind.OBSERVATION]) as reader:
        for record in reader:
            members = json.loads(record.payload)
            if members["oracle_id"] == "llm.provider":
                facts = json.loads(members["output"])
                assert facts.pop("milliseconds") >= 0
                members["output"] = facts
                del members["output_size"]
            del members["obs_hash"]
            found.append(members)
    return found


@pytest.mark.parametrize(
    ("make", "wrap", "call"),
    [
        (make_openai, axilog.openai.wrap, call_openai),
        (make_openai, axilog.openai.wrap, call_openai_and_break),
        (make_openai, axilog.openai.wrap, call_openai_and_cut),
        (make_anthropic, axilog.anthropic.wrap, call_anthropic),
    ],
)
def test_the_observations_are_those_of_the_gateway(
    make: Any, wrap: Any, call: Any, cli: Cli, tmp_path: Path, provider: Any
) -> None:
    (tmp_path / "policies.json").write_text(POLICIES.canonical())
    (tmp_path / "gateway.toml").write_text(
        'listen = "127.0.0.1:0"\nledgers = "ledgers"\n'
        f'[upstream]\nbase_url = "{provider.base_url}"\n'
        '[ledger.default]\npolicies = "policies.json"\n'
    )
    with run_gateway(cli, ["serve", "gateway.toml"], tmp_path) as base_url:
        with make(base_url) as client:
            call(client)
    path = tmp_path / "wrapped.jsonl"
    with axilog.Agent.create(path, policies=POLICIES) as agent, make(provider.base_url) as client:
        call(wrap(client, agent))
    expected = read_observations(tmp_path / "ledgers" / "default.jsonl")
    found = read_observations(path)
    # The reset and the time that a ledger begins with.
    assert [o["oracle_id"] for o in found[:2]] == ["ax.control", "ax.time"]
    assert found[2:] == expected[2:] and len(found) > 3
    assert axilog.audit(path).ok
