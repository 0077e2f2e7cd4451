"""Builds libaxilog_host with cargo and puts it into the wheel. The wheel's tag is
py3-none-PLATFORM, since one library serves every version of Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WORKSPACE = Path(__file__).resolve().parents[2]
LIBRARY_NAMES = {"darwin": "libaxilog_host.dylib", "win32": "axilog_host.dll"}


class BuildError(RuntimeError):
    """The wheel cannot be built. The message says why and what to do."""


class LibraryHook(BuildHookInterface[Any]):
    """The build hook that adds the shared library to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the library and adds it to the wheel's files; hatchling calls this first."""
        if self.target_name != "wheel":
            raise BuildError(
                "axilog: there is no source distribution of the Python package, since it is built "
                "from the whole axilog workspace; build a wheel, which stands alone: "
                "`python -m build --wheel bindings/python` or `pip wheel ./bindings/python`"
            )
        library = build_library()
        name = LIBRARY_NAMES.get(sys.platform, "libaxilog_host.so")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][str(library)] = f"axilog/{name}"
        for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
            build_data["extra_metadata"][str(WORKSPACE / licence)] = licence


def build_library() -> Path:
    """Builds the release library and returns its path. Where AXILOG_LIBRARY names a library that
    was built already, that one is taken."""
    built = os.environ.get("AXILOG_LIBRARY")
    if built:
        if not Path(built).is_file():
            raise BuildError(
                f"axilog: there is no file {built}, which AXILOG_LIBRARY names; build it with "
                "`cargo build --release -p axilog-host`, or unset AXILOG_LIBRARY"
            )
        return Path(built)
    if not (WORKSPACE / "Cargo.toml").is_file():
        raise BuildError(
            f"axilog: {WORKSPACE} is not the axilog workspace, which the library is built from; "
            "install from a whole checkout: `pip install ./bindings/python`"
        )
    cargo = os.environ.get("CARGO") or shutil.which("cargo")
    if cargo is None:
        raise BuildError(
            "axilog: cargo is not on the PATH, and the library is built with it; install Rust "
            "1.95 or later (https://rustup.rs), or install a wheel that was built elsewhere"
        )
    command = [cargo, "build", "--release", "--package", "axilog-host", "--lib"]
    build = subprocess.run(
        [*command, "--message-format", "json-render-diagnostics"],
        cwd=WORKSPACE,
        stdout=subprocess.PIPE,
        check=False,
    )
    if build.returncode != 0:
        raise BuildError(f"axilog: `{' '.join(command)}` failed; its messages are above")
    for line in build.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "axilog_host":
            for file in message["filenames"]:
                if file.endswith((".so", ".dylib", ".dll")):
                    return Path(file)
    raise BuildError(f"axilog: `{' '.join(command)}` built no shared library")
