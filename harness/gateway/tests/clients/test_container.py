"""The gateway in a container, as docs/gateway.md runs it. Needs the image that AXILOG_IMAGE names, and the command PODMAN:
../container/run makes it."""

import json
import os
import re
import subprocess
import threading
from time import sleep
from urllib.request import urlopen

import openai
import pytest
from test_recipes import block

IMAGE = os.environ.get("AXILOG_IMAGE")
PODMAN = os.environ.get("PODMAN", "podman")
pytestmark = pytest.mark.skipif(IMAGE is None, reason="AXILOG_IMAGE names no image")


def podman(arguments, folder, **more):
    command = f"{PODMAN} {arguments}"
    done = subprocess.run(["sh", "-ec", command], cwd=folder, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def recipes(provider, tmp_path):
    """The recipes of the page: a gateway that runs, what audits its ledger, and what stops it."""
    _build, example = block("podman build").splitlines()
    podman(example.removeprefix("podman "), tmp_path)
    configuration = tmp_path / "gateway.toml"
    text = configuration.read_text()
    for name, value in {
        "listen": "0.0.0.0:8089",
        "ledgers": "/var/lib/axilog",
        "base_url": provider.base_url,
    }.items():
        text, count = re.subn(rf'^{name} = ".*?"', f'{name} = "{value}"', text, flags=re.MULTILINE)
        assert count == 1, name
    configuration.write_text(text)
    run, audit, stop = block("podman run --detach").replace("\\\n", "").splitlines()
    # The provider is on this machine, and so the container is in its network; its port is the gateway's own.
    run = run.replace("--publish 127.0.0.1:8089:8089", "--network host")
    yield [words.removeprefix("podman ") for words in (run, audit, stop)]
    podman("rm --force --volumes --ignore axilog-gateway", tmp_path)
    podman("volume rm --force axilog-ledgers", tmp_path)


def client():
    return openai.OpenAI(base_url="http://127.0.0.1:8089/v1", api_key="sk-0123456789", max_retries=0)


def ask(text):
    return client().chat.completions.create(model="model-1", messages=[{"role": "user", "content": text}])


def wait_until_it_answers():
    for _ in range(100):
        try:
            with urlopen("http://127.0.0.1:8089/healthz"):
                return
        except OSError:
            sleep(0.1)
    raise AssertionError("the gateway does not answer")


def test_a_container_records_is_healthy_and_ends_in_order(recipes, tmp_path):
    run, audit, stop = recipes
    podman(run, tmp_path)
    wait_until_it_answers()
    assert ask("a").choices[0].message.content == '{"speed": 5}'
    podman("healthcheck run axilog-gateway", tmp_path)
    assert podman("exec axilog-gateway id -u", tmp_path) == "65532\n"
    assert podman("exec axilog-gateway stat -c '%u %a' /var/lib/axilog", tmp_path) == "65532 700\n"
    failed = subprocess.run(
        ["sh", "-c", f"{PODMAN} exec axilog-gateway touch /usr/local/bin/other"], capture_output=True, check=False
    )
    assert failed.returncode != 0

    # A call that was begun is finished.
    late = []
    asking = threading.Thread(target=lambda: late.append(ask("late").choices[0].message.content))
    asking.start()
    sleep(0.5)
    podman(stop, tmp_path)
    asking.join()
    assert late == ['{"speed": 5}']
    state = json.loads(podman("inspect --format '{{json .State}}' axilog-gateway", tmp_path))
    assert (state["ExitCode"], state["Status"]) == (0, "exited")
    assert "OK" in podman(audit, tmp_path)
    shown = podman(audit.replace("audit default.jsonl", "show default.jsonl --json --oracle llm --tag obs"), tmp_path)
    assert len(shown.splitlines()) == 2


def test_a_container_whose_configuration_is_wrong_ends(recipes, tmp_path):
    run, *_ = recipes
    (tmp_path / "gateway.toml").write_text("listen = 1\n")
    podman(run, tmp_path)
    for _ in range(100):
        if podman("inspect --format '{{.State.Status}}' axilog-gateway", tmp_path).strip() == "exited":
            break
        sleep(0.1)
    told = subprocess.run(["sh", "-c", f"{PODMAN} logs axilog-gateway"], capture_output=True, text=True, check=True)
    assert "gateway.toml" in told.stderr
