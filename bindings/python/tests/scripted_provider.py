"""The scripted provider of the gateway's tests, which answers the SDKs of wrapped clients."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axilog import Comparison, Policy, PolicySet
from tests.conftest import ROOT

PROVIDER = ROOT / "harness" / "gateway" / "tests" / "clients" / "provider.py"
GOOD = '{"speed": 5}'
POLICIES = PolicySet(
    [
        Policy("SPEED", Comparison.GT, "70", selector="llm#speed"),
        Policy("AMOUNT", Comparison.GT, "250", selector="tool.pay#amount"),
    ]
)
KEY = "sk-0123456789"


@contextmanager
def serve_provider() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("provider", PROVIDER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.serve() as server:
        yield server


def wait_for_calls(provider: Any, path: str, count: int) -> None:
    """Waits until the provider has read ``count`` requests, which a client may give up before, and
    asserts that it has read no more. Where they never come it fails after a minute."""
    deadline = time.monotonic() + 60
    while provider.calls[path] < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert provider.calls[path] == count


def ask(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]
