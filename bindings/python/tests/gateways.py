"""Gateways of the command, which the ledgers of wrapped clients are compared with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from tests.conftest import Cli


@contextmanager
def run_gateway(cli: Cli, arguments: list[str], cwd: Optional[Path] = None) -> Iterator[str]:
    """Runs ``axilog gateway`` and gives its base URL."""
    command = [cli.program, "gateway", *arguments, "--json"]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["base_url"]
        finally:
            process.terminate()
            assert process.wait() == 0
