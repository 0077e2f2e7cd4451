"""Builds libaxilog_host with cargo and puts it into the wheel. The wheel's tag is
py3-none-PLATFORM, since one library serves every version of Python. Into the source distribution
it puts the Rust sources, so that a wheel is built of it where cargo is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
# A source distribution has the workspace inside.
IN_SOURCES = "workspace"
WORKSPACE = HERE / IN_SOURCES if (HERE / IN_SOURCES).is_dir() else HERE.parents[1]
# What the core needs beside its manifest; the other members of the workspace have folders of their
# own.
OF_THE_CORE = ("build", "include", "policies", "src")
FILES = ("Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT")
LIBRARY_NAMES = {"darwin": "libaxilog_host.dylib", "win32": "axilog_host.dll"}


class BuildError(RuntimeError):
    """The wheel cannot be built. The message says why and what to do."""


class LibraryHook(BuildHookInterface[Any]):
    """The build hook that adds the shared library to the wheel, and the Rust sources to the source
    distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds its files to those of the build; hatchling calls this first."""
        if self.target_name == "sdist":
            for file in list_sources():
                name = file.relative_to(WORKSPACE).as_posix()
                build_data["force_include"][str(file)] = f"{IN_SOURCES}/{name}"
            return
        library = build_library()
        name = LIBRARY_NAMES.get(sys.platform, "libaxilog_host.so")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][str(library)] = f"axilog/{name}"
        for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
            build_data["extra_metadata"][str(WORKSPACE / licence)] = licence


def list_sources() -> list[Path]:
    """The files that cargo needs to build the library: the manifests and the code of the workspace,
    whose every member must be there, without tests."""
    check_workspace()
    manifest = (WORKSPACE / "Cargo.toml").read_text(encoding="utf-8")
    members = re.search(r"^members = \[(.*?)\]", manifest, re.DOTALL | re.MULTILINE)
    if members is None:
        raise BuildError(f"axilog: {WORKSPACE}/Cargo.toml names no members of the workspace")
    folders = [*OF_THE_CORE, *re.findall(r'"([^"]+)"', members[1])]
    files = {WORKSPACE / name for name in FILES}
    for folder in folders:
        for place, below, names in os.walk(WORKSPACE / folder):
            left_out = {"target", "node_modules"}
            # Cargo refuses a manifest that names a test which is not there.
            if "Cargo.toml" not in names or "[[test]]" not in Path(place, "Cargo.toml").read_text():
                left_out.add("tests")
            below[:] = [name for name in below if name not in left_out]
            files.update(Path(place, name) for name in names)
    return sorted(files)


def check_workspace() -> None:
    """Refuses a folder that is not the whole workspace."""
    if not (WORKSPACE / "Cargo.toml").is_file():
        raise BuildError(
            f"axilog: {WORKSPACE} is not the axilog workspace, which the library is built from; "
            "install from a whole checkout: `pip install ./bindings/python`"
        )


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
    check_workspace()
    cargo = os.environ.get("CARGO") or shutil.which("cargo")
    if cargo is None:
        raise BuildError(
            "axilog: cargo is not on the PATH, and the library is built with it; install Rust "
            "1.95 or later (https://rustup.rs), or install a wheel that was built elsewhere"
        )
    command = [cargo, "build", "--locked", "--release", "--package", "axilog-host", "--lib"]
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
