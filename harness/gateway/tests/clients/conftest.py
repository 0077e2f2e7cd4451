"""A provider in this process, and gateways before it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from provider import serve

AXILOG = os.environ["AXILOG"]
SPEED = '[SPEED]\noracle = "llm"\npath = "speed"\nmax = "70"\n'
AMOUNT = '[AMOUNT]\noracle = "tool.pay"\npath = "amount"\nmax = "250"\n'


@pytest.fixture
def provider():
    """The scripted provider, with its number of calls at each path."""
    with serve() as server:
        yield server


class Gateway:
    """A gateway in a folder."""

    def __init__(self, folder, base_url, policies):
        self.folder = Path(folder)
        (self.folder / "gateway.toml").write_text(
            'listen = "127.0.0.1:0"\nledgers = "ledgers"\ncomment_interval = 1\n'
            f'[upstream]\nbase_url = "{base_url}"\n[ledger.default]\n'
        )
        if policies:
            (self.folder / "policies.toml").write_text(policies)
            with (self.folder / "gateway.toml").open("a") as configuration:
                configuration.write('policies = "policies.toml"\n')
        self.process = None

    def start(self, *arguments):
        return self.spawn([AXILOG, "gateway", *(arguments or ("serve", "gateway.toml")), "--json"])

    def spawn(self, command):
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.base_url = json.loads(self.process.stdout.readline())["base_url"]
        return self

    def replay(self):
        return self.start("replay", "ledgers/default.jsonl", "--listen", "127.0.0.1:0")

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            assert self.process.wait() == 0
            self.process.stdout.close()
            self.process = None

    def read_usage(self):
        """The bytes of the gateway in memory, and its descriptors."""
        folder = Path(f"/proc/{self.process.pid}")
        resident = re.search(r"^VmRSS:\s+(\d+) kB$", (folder / "status").read_text(), re.MULTILINE)
        return int(resident[1]) << 10, len(list((folder / "fd").iterdir()))

    def audit(self, ledger="default"):
        """Stops the gateway and audits a ledger of it."""
        self.stop()
        command = [AXILOG, "audit", f"ledgers/{ledger}.jsonl", "--json"]
        audited = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert json.loads(audited.stdout)["verdict"] == "OK", audited.stdout

    def answers(self, oracle="llm", ledger="default"):
        """What a ledger holds of an oracle."""
        command = [AXILOG, "show", f"ledgers/{ledger}.jsonl", "--json", "--tag", "obs", "--oracle", oracle]
        shown = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
        return [json.loads(line)["output"] for line in shown.stdout.splitlines()]


@pytest.fixture
def gateway(provider, tmp_path):
    gateway = Gateway(tmp_path, provider.base_url, SPEED).start()
    yield gateway
    gateway.stop()


@pytest.fixture
def tool_gateway(provider, tmp_path):
    """A gateway that judges what a tool is called with, and nothing else."""
    gateway = Gateway(tmp_path, provider.base_url, AMOUNT).start()
    yield gateway
    gateway.stop()
