"""Finding the shared library: what import says when it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import axilog
from axilog.capi import ABI_VERSION, lib, library_path


def import_with(library: str) -> subprocess.CompletedProcess[str]:
    program = "import axilog; print(axilog.__version__)"
    environment = {**os.environ, "AXILOG_LIBRARY": library}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def compiled(place: Path, source: str) -> str:
    (place / "fake.c").write_text(source)
    built = place / "fake.so"
    command = ["cc", "-shared", "-fPIC", str(place / "fake.c"), "-o", str(built)]
    subprocess.run(command, check=True)
    return os.fspath(built)


def refused(library: str) -> str:
    done = import_with(library)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "LibraryError: axilog: " in last
    return last


def test_the_override_is_loaded() -> None:
    done = import_with(os.fspath(library_path()))
    assert (done.returncode, done.stdout.strip()) == (0, axilog.__version__)


def test_a_path_without_a_file(tmp_path: Path) -> None:
    said = refused(os.fspath(tmp_path / "none.so"))
    assert "there is no file" in said and "which AXILOG_LIBRARY names" in said


def test_a_file_that_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    assert "cannot load" in refused(os.fspath(tmp_path / "text.so"))


def test_a_library_that_is_another(tmp_path: Path) -> None:
    library = compiled(tmp_path, "int something(void) { return 0; }\n")
    assert "is not libaxilog" in refused(library)


@pytest.mark.parametrize("version", [(ABI_VERSION[0] + 1, 0), (ABI_VERSION[0], ABI_VERSION[1] - 1)])
def test_another_version_of_the_interface(tmp_path: Path, version: tuple[int, int]) -> None:
    number = version[0] << 16 | version[1]
    library = compiled(tmp_path, f"unsigned ax_abi_version(void) {{ return {number}u; }}\n")
    said = refused(library)
    assert f"has version {version[0]}.{version[1]} of the C interface" in said
    assert "needs {}.{}".format(*ABI_VERSION) in said


def test_a_library_that_lacks_a_function(tmp_path: Path) -> None:
    number = ABI_VERSION[0] << 16 | ABI_VERSION[1]
    library = compiled(tmp_path, f"unsigned ax_abi_version(void) {{ return {number}u; }}\n")
    assert "lacks a function of libaxilog" in refused(library)


def test_the_version_is_the_librarys() -> None:
    found = lib.ax_abi_version()
    assert (found >> 16, found & 0xFFFF) == ABI_VERSION
