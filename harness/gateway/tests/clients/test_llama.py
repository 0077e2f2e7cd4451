"""A real server behind the gateway, llama.cpp's with a tiny model, and programs that know nothing of either."""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy
from socket import socket
from time import sleep
from urllib.request import urlopen

import openai
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from conftest import AXILOG, Gateway

HERE = Path(__file__).parent
EXAMPLES = HERE / "../../examples"
TINY_LLAMA = HERE / "../../../oracle/tests/llama/tiny_llama.py"
KEY = {"OPENAI_API_KEY": "not-needed-here"}


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """The base URL of the server."""
    model = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    subprocess.run([sys.executable, TINY_LLAMA, "make", model, "--seed", "1"], check=True)
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, TINY_LLAMA, "serve", model, str(port), "--name", "tiny"]
    # The server ends with this end of the pipe.
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            urlopen(f"http://127.0.0.1:{port}/health").close()
            break
        except OSError:
            assert server.poll() is None, "the server ended"
            sleep(0.1)
    yield f"http://127.0.0.1:{port}/v1"
    server.kill()
    server.wait()


@pytest.fixture
def recording(llama, tmp_path):
    """A gateway without policies: the tiny model says anything."""
    gateway = Gateway(tmp_path, llama, "")
    yield gateway
    gateway.stop()


def whole_letters(text):
    """A text without the letter at its end that the limit of tokens has cut."""
    return text.rstrip("\ufffd")


def test_chat_and_completions_streamed_and_whole(recording):
    recording.start()
    client = openai.OpenAI(base_url=recording.base_url, api_key="sk-0123456789")
    same = {"model": "tiny", "max_tokens": 20, "temperature": 0, "seed": 1}
    messages = [{"role": "user", "content": "How fast?"}]
    whole = client.chat.completions.create(messages=messages, **same).choices[0].message.content
    stream = client.chat.completions.create(messages=messages, stream=True, **same)
    pieces = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
    assert whole_letters(pieces) == whole_letters(whole)
    whole = client.completions.create(prompt="How fast?", **same).choices[0].text
    stream = client.completions.create(prompt="How fast?", stream=True, **same)
    assert whole_letters("".join(chunk.choices[0].text for chunk in stream)) == whole_letters(whole)
    recording.audit()
    assert len(recording.answers()) == 4


def run_inspect(gateway, folder):
    """Runs the evaluation of the example, and gives its samples' answers and scores."""
    copy(EXAMPLES / "letters.py", gateway.folder)
    command = [Path(sys.executable).parent / "inspect", "eval", "letters.py", "--model", "openai/tiny"]
    command += ["--max-tokens", "30", "--temperature", "0", "--log-dir", str(folder), "--display", "none"]
    environment = {**os.environ, **KEY, "OPENAI_BASE_URL": gateway.base_url}
    subprocess.run(command, check=True, env=environment, cwd=gateway.folder)
    log = read_eval_log(list_eval_logs(str(folder))[0])
    assert log.status == "success"
    return [
        (sample.id, sample.output.completion, {name: score.value for name, score in sample.scores.items()})
        for sample in log.samples
    ]


def test_an_evaluation_with_inspect_ai_is_replayed_with_the_same_scores(recording, tmp_path):
    recorded = run_inspect(recording.start(), tmp_path / "recorded")
    recording.audit()
    assert run_inspect(recording.replay(), tmp_path / "replayed") == recorded


def test_a_suite_of_tests_asks_once(recording):
    def run_suite(**more):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / "test_speed.py")]
        environment = {**os.environ, **KEY, "AXILOG": AXILOG, "MODEL": "tiny", **more}
        return subprocess.run(
            command, cwd=recording.folder, env=environment, capture_output=True, text=True, check=False
        )

    first = run_suite(RECORD="1")
    assert "2 passed" in first.stdout, first.stdout
    recording.audit()
    # There is no provider any more.
    path = recording.folder / "gateway.toml"
    path.write_text(re.sub("base_url = .*", 'base_url = "http://127.0.0.1:1/v1"', path.read_text()))
    for more in ({}, {"RECORD": "1"}):
        again = run_suite(**more)
        assert "2 passed" in again.stdout, again.stdout
    assert len(recording.answers()) == 2
