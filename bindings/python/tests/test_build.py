"""The wheel: its files, and the messages where it cannot be built."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import axilog
from tests.conftest import ROOT

PACKAGE = ROOT / "bindings" / "python"


def run_hatchling(target: str, directory: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    """Builds the package with a changed environment, in which AXILOG_LIBRARY may name the library
    to take."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    return subprocess.run(
        [*command, "--directory", os.fspath(directory)],
        cwd=PACKAGE,
        env={**os.environ, **changed},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    build = run_hatchling("wheel", tmp_path)
    assert build.returncode == 0, build.stderr
    (wheel,) = tmp_path.glob("*.whl")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-{platform}.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    assert "axilog/py.typed" in names
    assert [name for name in names if name.endswith((".so", ".dylib"))] != []
    assert not [name for name in names if "__pycache__" in name or "test" in name]
    assert [name for name in names if "LICENSE" in name]
    environment = {k: v for k, v in os.environ.items() if k not in ("AXILOG_LIBRARY", "PYTHONPATH")}
    program = "import axilog; from axilog.capi import library_path; print(library_path())"
    process = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={**environment, "PYTHONPATH": os.fspath(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.startswith(os.fspath(tmp_path / "installed")), process.stderr


def test_the_build_without_cargo_says_what_to_install(tmp_path: Path) -> None:
    build = run_hatchling("wheel", tmp_path, AXILOG_LIBRARY="", PATH="/nowhere", CARGO="")
    assert build.returncode == 1
    assert "cargo is not on the PATH" in build.stderr and "install Rust" in build.stderr


def test_the_build_names_the_cargo_command_that_failed(tmp_path: Path) -> None:
    build = run_hatchling("wheel", tmp_path, AXILOG_LIBRARY="", CARGO="false")
    assert build.returncode == 1
    assert "`false build --release --package axilog-host --lib` failed" in build.stderr


def test_the_build_names_the_library_that_is_missing(tmp_path: Path) -> None:
    build = run_hatchling("wheel", tmp_path, AXILOG_LIBRARY="/nowhere/l.so")
    assert build.returncode == 1
    assert "there is no file /nowhere/l.so, which AXILOG_LIBRARY names" in build.stderr


def test_a_source_distribution_is_refused(tmp_path: Path) -> None:
    build = run_hatchling("sdist", tmp_path)
    assert build.returncode == 1
    assert "build a wheel, which stands alone" in build.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_package_has_the_version_of_the_workspace() -> None:
    assert f'version = "{axilog.__version__}"' in (ROOT / "Cargo.toml").read_text()
