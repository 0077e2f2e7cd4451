"""The official client and server of the Model Context Protocol, with `axilog mcp` between them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

AXILOG = os.environ["AXILOG"]
SERVER = Path(__file__).parent / "mcp_server.py"
POLICIES = """
[AMOUNT]
oracle = "tool.pay"
path = "/amount"
max = "250"

[FEE]
oracle = "result.pay"
path = "/structuredContent/fee"
max = "10"
"""


def ask(folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Makes the calls one after the other, in one session of a client."""
    (folder / "policies.toml").write_text(POLICIES)
    arguments = ["mcp", "--ledger", "day.jsonl", "--policies", "policies.toml", "--"]
    arguments += [sys.executable, str(SERVER), "calls.txt"]
    server = StdioServerParameters(command=AXILOG, args=arguments, cwd=folder)

    async def run() -> list[Any]:
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = await session.list_tools()
            assert [tool.name for tool in tools.tools] == ["pay", "describe"]
            terms = await session.read_resource("bank://terms")
            assert terms.contents[0].text == "No refunds."
            return [await session.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def axilog(folder: Path, *arguments: str) -> str:
    done = subprocess.run([AXILOG, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def read_calls(folder: Path) -> list[str]:
    calls = folder / "calls.txt"
    return calls.read_text().splitlines() if calls.exists() else []


def test_calls_and_results_are_recorded(tmp_path: Path) -> None:
    first, second = ask(
        tmp_path,
        ("pay", {"to": "alice", "amount": 250}),
        ("pay", {"to": "zoë", "amount": 0.1}),
    )
    assert not first.is_error and first.structured_content == {"amount": 250, "fee": 0.5}
    assert not second.is_error and second.structured_content == {"amount": 0.1, "fee": 0.5}
    assert read_calls(tmp_path) == ["alice 250.0", "zoë 0.1"]
    axilog(tmp_path, "audit", "day.jsonl", "--policies", "policies.toml")
    records = [json.loads(line) for line in axilog(tmp_path, "show", "day.jsonl", "--json").splitlines()]
    oracles = [record["oracle_id"] for record in records if "oracle_id" in record]
    assert [oracle for oracle in oracles if not oracle.startswith("ax.")] == ["tool.pay", "result.pay"] * 2


def test_a_refused_call_reaches_no_server(tmp_path: Path) -> None:
    first, second = ask(
        tmp_path,
        ("pay", {"to": "alice", "amount": 251}),
        ("pay", {"to": "alice", "amount": 1}),
    )
    assert first.is_error and "251 is above 250 (AMOUNT)" in first.content[0].text
    assert second.is_error and "ALARM" in second.content[0].text
    assert read_calls(tmp_path) == []
    axilog(tmp_path, "control", "mitigate", "--ledger", "day.jsonl")
    axilog(tmp_path, "control", "reset", "--ledger", "day.jsonl")
    (third,) = ask(tmp_path, ("pay", {"to": "alice", "amount": 1}))
    assert not third.is_error
    assert read_calls(tmp_path) == ["alice 1.0"]


def test_a_refused_result_reaches_no_client(tmp_path: Path) -> None:
    (paid,) = ask(tmp_path, ("pay", {"to": "bob", "amount": 1}))
    assert paid.is_error and "kept back the result of pay" in paid.content[0].text
    assert paid.structured_content is None
    assert read_calls(tmp_path) == ["bob 1.0"]


def test_a_result_that_no_record_holds_is_kept_back(tmp_path: Path) -> None:
    (described,) = ask(tmp_path, ("describe", {}))
    assert described.is_error and "longer than a record may be" in described.content[0].text
    axilog(tmp_path, "audit", "day.jsonl", "--policies", "policies.toml")
