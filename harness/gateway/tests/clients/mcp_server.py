"""A server of the Model Context Protocol, as its Python package makes one."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("bank")
calls = Path(sys.argv[1])


@server.tool()
def pay(to: str, amount: float) -> dict[str, float]:
    """Pays an amount, and says what it cost."""
    with calls.open("a") as log:
        log.write(f"{to} {amount}\n")
    return {"amount": amount, "fee": 11 if to == "bob" else 0.5}


@server.tool()
def describe() -> str:
    """Describes the bank, at a length that no record holds."""
    return "ä" * 70_000


@server.resource("bank://terms")
def terms() -> str:
    return "No refunds."


server.run()
