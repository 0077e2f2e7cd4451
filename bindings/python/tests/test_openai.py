"""The example that wraps the ``openai`` client: it runs with the real package against a local
server."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import openai
import pytest

import axilog
from axilog import Completion, Failure
from tests.conftest import Cli, begin_agent

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "openai_client.py"
MODEL = "model-2026-01-01"


class Server(ThreadingHTTPServer):
    """A server whose answer the test sets."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = 200
        self.body = b""
        self.hang = False
        self.hung = threading.Event()
        self.hang_up = False
        self.requests: list[dict[str, Any]] = []

    def set_answer(self, content: Any, finish: str = "stop", model: str = MODEL) -> None:
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        found = {"id": "1", "object": "chat.completion", "created": 1, "model": model}
        self.body = json.dumps({**found, "choices": [choice]}).encode()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        server = self.server
        size = int(self.headers["content-length"])
        server.requests.append({"path": self.path, **json.loads(self.rfile.read(size))})
        if server.hang:
            server.hung.set()
            self.rfile.read(1)  # Returns when the client has closed the connection.
            return
        if server.hang_up:
            self.close_connection = True
            return
        try:
            self.send_response(server.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(server.body)))
            self.end_headers()
            self.wfile.write(server.body)
        except OSError:
            pass  # The client has closed the connection after its timeout.

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client(server: Server) -> Iterator[openai.OpenAI]:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with openai.OpenAI(base_url=url, api_key="none", timeout=600.0) as client:
        yield client


def load_recorded_chat() -> Any:
    spec = importlib.util.spec_from_file_location("openai_client", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RecordedChat


MESSAGES = [{"role": "user", "content": 'how\n"fast"? é'}]


def test_every_answer_is_recorded_before_it_is_returned(
    cli: Cli, path: str, server: Server, client: openai.OpenAI
) -> None:
    with begin_agent(path) as agent:
        chat = load_recorded_chat()(client, agent, oracle_id="chat", model=MODEL)
        server.set_answer('{"value": 69}\r\n')
        assert chat.ask(MESSAGES, temperature=0.7, seed=4, max_tokens=50) == '{"value": 69}\n'
        found = server.requests[-1]
        assert found["path"] == "/v1/chat/completions" and found["messages"] == MESSAGES
        assert (found["temperature"], found["seed"], found["max_tokens"]) == (0.7, 4, 50)

        server.set_answer('{"value": 71}')
        with pytest.raises(axilog.BreachError, match="value 71 is above 70") as caught:
            chat.ask(MESSAGES)
        decision = caught.value.decision
        assert decision.health is axilog.Health.ALARM and decision.raw == b'{"value": 71}'
        head = agent.head
    # The request is a blob beside the ledger, as canonical JSON.
    digest = decision.input_hash
    prompt = Path(f"{path}.blobs", digest[:2], digest).read_text()
    assert json.loads(prompt) == {"messages": MESSAGES, "model": MODEL}
    assert cli.run("verify", path, "--blobs", "--expect-head", head).returncode == 0
    assert cli.run("replay", path).returncode == 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("as fast as you like", "no number"),
        (None, "no number"),
        ("e\u0301", "not admissible text"),
        ('"\ud800"', "not admissible text"),
        ('{"value": 1, "value": 2}', "no number"),
    ],
)
def test_answers_that_breach_are_not_returned(
    content: Any, why: str, path: str, server: Server, client: openai.OpenAI
) -> None:
    with begin_agent(path) as agent:
        chat = load_recorded_chat()(client, agent, oracle_id="chat", model=MODEL)
        server.set_answer(content)
        with pytest.raises(axilog.BreachError, match=why):
            chat.ask(MESSAGES)
    assert axilog.replay(path).health is axilog.Health.ALARM


def test_a_cut_off_answer_is_recorded_as_truncated(
    path: str, server: Server, client: openai.OpenAI
) -> None:
    with begin_agent(path) as agent:
        chat = load_recorded_chat()(client, agent, oracle_id="chat", model=MODEL)
        server.set_answer('{"value": 6', finish="length")
        with pytest.raises(axilog.BreachError, match="is a breach") as caught:
            chat.ask(MESSAGES)
        assert caught.value.decision.completion is Completion.TRUNCATED


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        ({"hang": True}, Failure.TIMEOUT),
        ({"hang_up": True}, Failure.TRANSPORT_ERROR),
        ({"status": 500, "body": b"{}"}, Failure.TRANSPORT_ERROR),
        ({"status": 429, "body": b'{"error": {"message": "later"}}'}, Failure.TRANSPORT_ERROR),
        ({"status": 401, "body": b""}, Failure.TRANSPORT_ERROR),
        ({"body": b'{"choices": []}'}, Failure.TRANSPORT_ERROR),
        ({"body": b'"text"'}, Failure.TRANSPORT_ERROR),
        ({"body": b"<html>"}, Failure.TRANSPORT_ERROR),
    ],
)
def test_every_failure_is_recorded_as_an_observation(
    change: dict[str, Any], failure: Failure, path: str, server: Server, client: openai.OpenAI
) -> None:
    server.set_answer('{"value": 1}')
    for name, value in change.items():
        setattr(server, name, value)
    with begin_agent(path) as agent:
        patient = client.with_options(timeout=0.5 if server.hang else 600.0)
        chat = load_recorded_chat()(patient, agent, oracle_id="chat", model=MODEL)
        with pytest.raises(axilog.BreachError, match="the oracle ") as caught:
            chat.ask(MESSAGES)
        assert caught.value.__cause__ is not None
        assert caught.value.decision.failure is failure
    # A busy machine may let the server read the request after the client has given up.
    assert not server.hang or server.hung.wait(300.0)
    # The client does not retry: each attempt is an observation of its own.
    assert len(server.requests) == 1
    assert axilog.replay(path).ok and axilog.verify(path, blobs=True).ok


def test_an_answer_of_another_model_is_recorded_and_told(
    path: str, server: Server, client: openai.OpenAI
) -> None:
    server.set_answer('{"value": 1}', model="another")
    with begin_agent(path) as agent:
        chat = load_recorded_chat()(client, agent, oracle_id="chat", model=MODEL)
        with pytest.warns(UserWarning, match="says that 'another' answered"):
            assert chat.ask(MESSAGES) == '{"value": 1}'
    assert axilog.verify(path, expect_models={"chat": MODEL}).ok


def test_an_unreachable_server_is_a_transport_error(path: str) -> None:
    with openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="none", timeout=600.0) as client:
        with begin_agent(path) as agent:
            chat = load_recorded_chat()(client, agent, oracle_id="chat", model=MODEL)
            with pytest.raises(axilog.BreachError, match="the oracle could not be reached"):
                chat.ask(MESSAGES)


def test_an_inadmissible_question_is_not_sent(
    path: str, server: Server, client: openai.OpenAI
) -> None:
    with begin_agent(path) as agent:
        before = agent.head
        chat = load_recorded_chat()(client, agent, oracle_id="chat", model=MODEL)
        with pytest.raises(axilog.InputError, match="normalisation form C"):
            chat.ask([{"role": "user", "content": "e\u0301"}])
        assert server.requests == [] and agent.head == before


def test_the_example_program_returns_its_exit_codes(cli: Cli, path: str, server: Server) -> None:
    environment = {
        **os.environ,
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
    }
    command = [sys.executable, os.fspath(EXAMPLE), path, MODEL, "how fast?"]
    for content, code, out in (('{"value": 3}', 0, '{"value": 3}\n'), ('{"value": 99}', 1, "")):
        server.set_answer(content)
        process = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        assert (process.returncode, process.stdout) == (code, out), process.stderr
        head = process.stderr.split()[-1]
        assert cli.run("replay", path, "--expect-head", head).returncode == 0
    assert "not used: observation 8 is a breach" in process.stderr
