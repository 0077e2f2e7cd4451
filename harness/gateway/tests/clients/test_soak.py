"""Calls of every kind at a bounded rate, for as many minutes as AXILOG_SOAK_MINUTES says: the gateway's memory and
descriptors stay as they are, and its ledgers are whole after it."""

import os
import socket
import threading
from collections import Counter
from itertools import count
from statistics import median
from time import monotonic, sleep
from urllib.request import urlopen

import anthropic
import openai
import pytest

from conftest import AMOUNT, Gateway

MINUTES = float(os.environ.get("AXILOG_SOAK_MINUTES", "0"))
RATE = 20  # calls a second, of all clients together
CLIENTS = 4
# What memory and descriptors may differ by, in the middle of the first third and of the last.
MORE_MEMORY = 2 << 20
MORE_DESCRIPTORS = 4

GOOD = '{"speed": 5}'
LEDGERS = """
[ledger.flagged]
policies = "policies.toml"
on_breach = "flag"
[ledger.tools]
policies = "tools.toml"
[ledger.tools.budget]
calls = 1000000
"""


class Client:
    """The official clients on connections of their own, which are kept."""

    def __init__(self, gateway, provider, number):
        self.provider = provider
        self.origin = gateway.base_url.removesuffix("/v1")
        self.number = number
        key = {"api_key": "sk-0123456789", "max_retries": 0}
        self.openai = {
            ledger: openai.OpenAI(base_url=f"{self.origin}/l/{ledger}/v1", **key)
            for ledger in ("default", "flagged", "tools")
        }
        self.anthropic = {
            ledger: anthropic.Anthropic(base_url=f"{self.origin}/l/{ledger}", **key)
            for ledger in ("default", "tools")
        }

    def chat(self, ledger, text, **more):
        messages = [{"role": "user", "content": text}]
        return self.openai[ledger].chat.completions.create(model="model-1", messages=messages, **more)

    def message(self, ledger, **more):
        messages = [{"role": "user", "content": f"client {self.number}"}]
        return self.anthropic[ledger].messages.create(model="model-1", max_tokens=9, messages=messages, **more)

    def leave(self, text):
        """Asks, and is gone when the provider was asked and has not answered."""
        body = b'{"model":"model-1","messages":[{"role":"user","content":"%s"}]}' % text.encode()
        host, port = self.origin.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                b"POST /l/default/v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n"
                b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
            )
            # Of one that leaves before that, the gateway may never have seen a request.
            while not any(text in str(asked) for asked in self.provider.bodies[-100:]):
                sleep(0.01)

    def ask(self, call):
        """Makes a call of the next kind, and names the ledger that records an answer of it."""
        tool = {"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}
        match call % 13:
            case 0:
                assert self.chat("default", f"question {call}").choices[0].message.content == GOOD
                return "default"
            case 1:
                stream = self.chat("default", f"question {call}", stream=True)
                assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == GOOD
                return "default"
            case 2:
                with self.openai["default"].responses.stream(model="model-1", input="a") as stream:
                    assert stream.get_final_response().output_text == GOOD
                return "default"
            case 3:
                assert self.message("default").content[0].text == GOOD
                return "default"
            case 4:
                events = self.message("tools", stream=True, tools=[{"name": "pay", "input_schema": {"type": "object"}}])
                assert list(events)[-1].type == "message_stop"
                return "tools"
            case 5:
                assert self.chat("tools", "a", tools=[tool]).choices[0].message.tool_calls[0].id == "t"
                return "tools"
            case 6:
                flagged = self.openai["flagged"].chat.completions.with_raw_response
                messages = [{"role": "user", "content": "fast"}]
                breach = flagged.create(model="model-1", messages=messages)
                assert breach.headers["x-axilog-decision"] == "BREACH"
                return "flagged"
            case 7:
                # An event of the stream where the status was sent already.
                with pytest.raises(openai.APIError):
                    list(self.chat("flagged", "cut", stream=True))
                return "flagged"
            case 8:
                with pytest.raises(openai.InternalServerError):
                    self.chat("flagged", "boom")
                return None
            case 9:
                with pytest.raises(openai.InternalServerError):
                    self.chat("flagged", "gone")
                return "flagged"
            case 10:
                self.leave(f"late {call}")
                return "default"
            case 11:
                with pytest.raises(openai.BadRequestError):
                    self.chat("default", "a", extra_body={"model": 7})
                return None
            case _:
                embedded = self.openai["default"].embeddings.create(model="model-1", input="a", encoding_format="float")
                assert embedded.data[0].embedding == [0.5, 0.25]
                return None


class Load:
    """Clients that ask at a rate until a time, and what they did."""

    def __init__(self, gateway, provider, seconds):
        self.answers = Counter()
        self.failures = []
        self.lock = threading.Lock()
        self.start, self.seconds = monotonic(), seconds
        clients = [Client(gateway, provider, number) for number in range(CLIENTS)]
        self.threads = [threading.Thread(target=self.run, args=(client,)) for client in clients]
        for thread in self.threads:
            thread.start()

    def run(self, client):
        for call in count(client.number, CLIENTS):
            due = call / RATE
            if due > self.seconds or self.failures:
                return
            sleep(max(0, self.start + due - monotonic()))
            try:
                ledger = client.ask(call)
            except BaseException as error:
                self.failures.append(f"call {call}: {error!r}")
                raise
            with self.lock:
                self.answers[ledger] += 1

    def is_running(self):
        return any(thread.is_alive() for thread in self.threads)


def compare_thirds(figures):
    """The middle of the first third and of the last."""
    third = len(figures) // 3
    return median(figures[:third]), median(figures[-third:])


@pytest.mark.skipif(MINUTES == 0, reason="AXILOG_SOAK_MINUTES says for how long")
def test_memory_and_descriptors_stay_as_they_are(provider, tmp_path, capsys):
    gateway = Gateway(tmp_path, provider.base_url, '[SPEED]\noracle = "llm"\npath = "speed"\nmax = "70"\n')
    (tmp_path / "tools.toml").write_text(AMOUNT)
    with (tmp_path / "gateway.toml").open("a") as configuration:
        configuration.write(LEDGERS)
    gateway.start()
    origin = gateway.base_url.removesuffix("/v1")
    used = []
    with urlopen(f"{origin}/axilog/calls") as live:
        reader = threading.Thread(target=live.read)
        reader.start()
        load = Load(gateway, provider, MINUTES * 60)
        while load.is_running():
            sleep(1)
            for path in ("metrics", "axilog/ledgers", "healthz"):
                with urlopen(f"{origin}/{path}") as response:
                    response.read()
            used.append(gateway.read_usage())
        gateway.stop()
        reader.join()

    # What is allocated once is there after a fifth of the time.
    memory, descriptors = zip(*used[len(used) // 5 :], strict=True)
    (first, last), (opened, left_open) = compare_thirds(memory), compare_thirds(descriptors)
    with capsys.disabled():
        print(
            f"\n{load.answers.total()} calls in {MINUTES:g} minutes; memory {first / 1024:.0f} KiB, then {last / 1024:.0f} KiB, "
            f"at most {max(memory) / 1024:.0f} KiB; descriptors {opened:g}, then {left_open:g}, at most {max(descriptors)}"
        )
    assert load.failures == []
    for ledger in ("default", "flagged", "tools"):
        gateway.audit(ledger)
        assert len(gateway.answers(ledger=ledger)) == load.answers[ledger], ledger
    assert last - first <= MORE_MEMORY
    assert left_open - opened <= MORE_DESCRIPTORS
