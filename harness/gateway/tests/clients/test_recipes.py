"""Every recipe of docs/gateway.md, run as it stands there but for the ports and what is installed already.

Those for containers are in test_container.py, and the blocks with output in the test program `pages` of the command."""

import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from shutil import copy
from socket import socket
from time import sleep
from urllib.request import Request, urlopen

import pytest

from conftest import AXILOG, SPEED, Gateway

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[3]
PAGE = (REPOSITORY / "docs/gateway.md").read_text()
OPERATOR = "operator-key-0123456789"
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(AXILOG).parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
    "OPENAI_API_KEY": "sk-0123456789",
    "ANTHROPIC_API_KEY": "sk-0123456789",
    "OPERATOR_KEY": OPERATOR,
}
# The first words of each indented block of the page.
BLOCKS = [
    "cargo xtask install",
    "python3 -m venv tiny",
    "curl http://127.0.0.1:8089/v1/chat/completions -H 'content-type",
    'curl http://127.0.0.1:8089/v1/chat/completions -H "Authorization',
    "axilog gateway replay ledgers/default.jsonl --listen",
    "axilog gateway serve gateway.toml --record-missing",
    "ask() {",
    "axilog control mitigate",
    "[ledger.default.budget]",
    "podman build",
    "podman run --detach",
]


def read_blocks():
    """The indented blocks of the page."""
    blocks = re.findall(r"(?<=\n\n)(?: {4}.*\n)+", PAGE)
    return [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in blocks]


def block(words):
    """The block that begins with these words."""
    (found,) = (text for text in read_blocks() if text.startswith(words))
    return found


def setting(client):
    """What the page's table says of a client."""
    return re.search(rf"^\| {re.escape(client)}.* \| .*?`(.+?)`.* \|$", PAGE, re.MULTILINE)[1]


def run(script, folder, **more):
    """Runs a script of a shell, and gives what it prints."""
    done = subprocess.run(
        ["sh", "-ec", script], cwd=folder, env={**ENVIRONMENT, **more}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def at(gateway, text):
    """A recipe's text with the port of a gateway."""
    return text.replace("127.0.0.1:8089", gateway.base_url.removeprefix("http://").removesuffix("/v1"))


def free_port():
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Background:
    """A command that runs until the block ends."""

    def __init__(self, command, folder):
        # A server of the tiny model ends with this end of the pipe.
        self.process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"], cwd=folder, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )

    def __enter__(self):
        return self.process

    def __exit__(self, *_exception):
        self.process.terminate()
        self.process.communicate()


def wait_until_it_listens(process):
    assert "listening at" in process.stdout.readline()


def test_no_recipe_is_left_out():
    found = read_blocks()
    assert len(found) == len(BLOCKS)
    assert [text for text, words in zip(found, BLOCKS, strict=True) if not text.startswith(words)] == []


def test_five_minutes_without_a_provider(tmp_path):
    ports = {"8089": str(free_port()), "9000": str(free_port())}

    def adapt(text):
        text = re.sub("8089|9000", lambda port: ports[port[0]], text)
        return text.replace("tiny/bin/python harness", f"{sys.executable} {REPOSITORY}/harness")

    _install, example, serve = block("cargo xtask install").splitlines()
    run(example, tmp_path)
    configuration = tmp_path / "gateway.toml"
    configuration.write_text(adapt(configuration.read_text()))
    packages, make, serve_model = block("python3 -m venv tiny").splitlines()
    assert set(packages.split("install ")[1].split()) <= set((HERE / "requirements.in").read_text().split())
    run(adapt(make), tmp_path)
    with Background(adapt(serve_model), tmp_path), Background(serve, tmp_path) as gateway:
        wait_until_it_listens(gateway)
        run(f"until curl -sf http://127.0.0.1:{ports['9000']}/health; do sleep 0.1; done", tmp_path)
        printed = run(adapt(block("curl http://127.0.0.1:8089/v1/chat/completions -H 'content-type")), tmp_path)
    assert '"object":"chat.completion"' in printed
    assert "fast?" in printed
    assert re.search(r"^OK +ledgers/default.jsonl$", printed, re.MULTILINE), printed


def test_curl(provider, tmp_path):
    gateway = Gateway(tmp_path, provider.base_url, "").start()
    printed = run(at(gateway, block('curl http://127.0.0.1:8089/v1/chat/completions -H "Authorization')), tmp_path)
    gateway.audit()
    assert "x-axilog-decision: PERMITTED" in printed
    assert '{\\"speed\\": 71}' in printed


PYTHON = {
    "openai": "openai.OpenAI().chat.completions.create(model='model-1', messages=messages).choices[0].message.content",
    "anthropic": "anthropic.Anthropic().messages.create(model='model-1', max_tokens=9, messages=messages).content[0].text",
}


@pytest.mark.parametrize("client", ["openai", "anthropic"])
def test_clients_that_the_environment_tells(gateway, client):
    name, url = at(gateway, setting(f"`{client}`")).split(" ")[0].split("=")
    script = f"import {client}; messages = [{{'role': 'user', 'content': 'a'}}]; print({PYTHON[client]})"
    for command in (f'"{sys.executable}" -c "{script}"', f"node {HERE}/recipe.mjs {client}"):
        assert run(command, gateway.folder, **{name: url}).strip() == '{"speed": 5}'
    assert len(gateway.answers()) == 2


def test_langchain(gateway):
    model = at(gateway, setting("LangChain"))
    script = f"from langchain_openai import ChatOpenAI; print({model}.invoke('a').content)".replace('"', "'")
    assert run(f'"{sys.executable}" -c "{script}"', gateway.folder).strip() == '{"speed": 5}'


def test_inspect(gateway):
    command = at(gateway, setting("inspect_ai"))
    copy(REPOSITORY / "harness/gateway/examples/letters.py", gateway.folder)
    command = command.replace("TASK", "letters.py").replace("MODEL", "model-1")
    run(f"{command} --display none --log-dir logs", gateway.folder)
    # One for each sample, and more where the client repeats a call that took too long for it.
    assert len(gateway.answers()) >= 5


def ask(gateway, text="a"):
    """Asks with curl, and gives status and body."""
    body = f'{{"model":"model-1","messages":[{{"role":"user","content":"{text}"}}]}}'
    url = f"{gateway.base_url}/chat/completions"
    words = f"-s -w ' %{{http_code}}' -H 'content-type: application/json' -d '{body}'"
    return run(f"curl {url} {words}", gateway.folder).rpartition(" ")[::2]


def test_replay(gateway, provider):
    answer, recorded = ask(gateway)
    assert recorded == "200"
    gateway.stop()
    replay = at(gateway, block("axilog gateway replay ledgers/default.jsonl --listen"))
    with Background(replay, gateway.folder) as replaying:
        wait_until_it_listens(replaying)
        assert ask(gateway) == (answer, "200")
    assert provider.calls.total() == 1

    serve, replay = block("axilog gateway serve gateway.toml --record-missing").splitlines()
    configuration = gateway.folder / "gateway.toml"
    fixed = gateway.base_url.removeprefix("http://").removesuffix("/v1")
    configuration.write_text(configuration.read_text().replace("127.0.0.1:0", fixed))
    with Background(serve, gateway.folder) as recording:
        wait_until_it_listens(recording)
        assert ask(gateway) == (answer, "200")
        assert ask(gateway, "b")[1] == "200"
    assert provider.calls.total() == 2
    # What follows the command on its line is a comment, and its port is the default.
    assert replay.split("#")[0].split() == "axilog gateway replay ledgers/default.jsonl".split()


def test_an_operator_brings_a_ledger_back(provider, tmp_path):
    gateway = Gateway(tmp_path, provider.base_url, SPEED)
    path = tmp_path / "gateway.toml"
    port = free_port()
    key = sha256(OPERATOR.encode()).hexdigest()
    path.write_text(
        path.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}") + f'[operator]\nkey_sha256 = ["{key}"]\n'
    )
    gateway.start()
    assert [ask(gateway, text)[1] for text in ("a", "fast", "a")] == ["200", "403", "503"]
    # A second has passed since the ledger's last time.
    sleep(1.1)
    printed = run(at(gateway, block("ask() {")), tmp_path)
    assert re.findall('"state":"([A-Z]+)"', printed) == ["DEGRADED", "INIT", "ENABLED"]
    assert [ask(gateway, text)[1] for text in ("a", "fast")] == ["200", "403"]
    gateway.stop()

    *commands, serve = block("axilog control mitigate").splitlines()
    sleep(1.1)
    run("\n".join(commands), tmp_path)
    with Background(serve, tmp_path) as serving:
        wait_until_it_listens(serving)
        assert ask(gateway)[1] == "200"
    gateway.audit()


def test_settings(provider, tmp_path):
    gateway = Gateway(tmp_path, provider.base_url, "")
    path = tmp_path / "gateway.toml"
    (hosts,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    path.write_text(hosts + path.read_text() + block("[ledger.default.budget]"))
    gateway.start()
    origin = gateway.base_url.removesuffix("/v1")
    with urlopen(Request(f"{origin}/axilog/ledgers", headers={"host": "axilog"})) as response:
        told = response.read().decode()
    assert '"begun":false' in told
    checked = run("axilog gateway check gateway.toml", tmp_path)
    assert "this machine's names, axilog" in checked
    assert "window_tokens 200000" in checked
