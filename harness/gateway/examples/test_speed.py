"""A test suite that asks a model once and never again.

    axilog gateway example > gateway.toml      # set base_url in it
    RECORD=1 pytest test_speed.py              # asks the provider for what the ledger lacks
    pytest test_speed.py                       # answers from the ledger; no provider, no key

AXILOG names the command where it is not on the PATH, MODEL the model.
"""

import json
import os
import subprocess

import openai
import pytest


@pytest.fixture(scope="session")
def client():
    command = [os.environ.get("AXILOG", "axilog"), "gateway"]
    if os.environ.get("RECORD"):
        command += ["serve", "gateway.toml", "--record-missing"]
    else:
        command += ["replay", "ledgers/default.jsonl", "--listen", "127.0.0.1:0"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as gateway:
        listening = json.loads(gateway.stdout.readline())
        key = os.environ.get("OPENAI_API_KEY", "not-needed-for-replay")
        yield openai.OpenAI(base_url=listening["base_url"], api_key=key)
        gateway.terminate()


@pytest.mark.parametrize("question", ["How fast?", "How slow?"])
def test_the_answer_is_short(client, question):
    answer = client.chat.completions.create(
        model=os.environ.get("MODEL", "gpt-4o-mini"),
        messages=[{"role": "user", "content": question}],
        max_tokens=20,
        temperature=0,
        seed=1,
    )
    assert 0 < len(answer.choices[0].message.content) < 200
