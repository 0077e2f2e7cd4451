"""Loading the shared library: the messages of a failing import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import axilog
from axilog.capi import ABI_VERSION, lib, library_path


def run_import(library: str) -> subprocess.CompletedProcess[str]:
    program = "import axilog; print(axilog.__version__)"
    environment = {**os.environ, "AXILOG_LIBRARY": library}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def compile_library(directory: Path, source: str) -> str:
    (directory / "fake.c").write_text(source)
    library = directory / "fake.so"
    command = ["cc", "-shared", "-fPIC", str(directory / "fake.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    return os.fspath(library)


def failing_import_message(library: str) -> str:
    process = run_import(library)
    assert process.returncode == 1
    last = process.stderr.splitlines()[-1]
    assert "LibraryError: axilog: " in last
    return last


def test_axilog_library_names_the_library_that_is_loaded() -> None:
    process = run_import(os.fspath(library_path()))
    assert (process.returncode, process.stdout.strip()) == (0, axilog.__version__)


def test_a_missing_library_is_reported(tmp_path: Path) -> None:
    message = failing_import_message(os.fspath(tmp_path / "none.so"))
    assert "there is no file" in message and "which AXILOG_LIBRARY names" in message


def test_a_file_that_is_no_library_is_reported(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    assert "cannot load" in failing_import_message(os.fspath(tmp_path / "text.so"))


def test_another_library_is_reported(tmp_path: Path) -> None:
    library = compile_library(tmp_path, "int something(void) { return 0; }\n")
    assert "is not libaxilog" in failing_import_message(library)


@pytest.mark.parametrize("version", [(ABI_VERSION[0] + 1, 0), (ABI_VERSION[0], ABI_VERSION[1] - 1)])
def test_another_interface_version_is_reported(tmp_path: Path, version: tuple[int, int]) -> None:
    number = version[0] << 16 | version[1]
    library = compile_library(tmp_path, f"unsigned ax_abi_version(void) {{ return {number}u; }}\n")
    message = failing_import_message(library)
    assert f"has version {version[0]}.{version[1]} of the C interface" in message
    assert "needs {}.{}".format(*ABI_VERSION) in message


def test_a_library_without_a_function_is_reported(tmp_path: Path) -> None:
    number = ABI_VERSION[0] << 16 | ABI_VERSION[1]
    library = compile_library(tmp_path, f"unsigned ax_abi_version(void) {{ return {number}u; }}\n")
    assert "lacks a function of libaxilog" in failing_import_message(library)


def test_the_package_expects_the_version_of_its_library() -> None:
    found = lib.ax_abi_version()
    assert (found >> 16, found & 0xFFFF) == ABI_VERSION
