"""The wheel and the source distribution: their files, and the messages where a wheel cannot be
built."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import axilog
from tests.conftest import ROOT

PACKAGE = ROOT / "bindings" / "python"


def run_hatchling(
    target: str, directory: Path, package: Path = PACKAGE, **changed: str
) -> subprocess.CompletedProcess[str]:
    """Builds the package with a changed environment, in which AXILOG_LIBRARY may name the library
    to take."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    return subprocess.run(
        [*command, "--directory", os.fspath(directory)],
        cwd=package,
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
    assert "`false build --locked --release --package axilog-host --lib` failed" in build.stderr


def test_the_build_names_the_library_that_is_missing(tmp_path: Path) -> None:
    build = run_hatchling("wheel", tmp_path, AXILOG_LIBRARY="/nowhere/l.so")
    assert build.returncode == 1
    assert "there is no file /nowhere/l.so, which AXILOG_LIBRARY names" in build.stderr


def test_a_wheel_is_built_from_the_source_distribution(tmp_path: Path) -> None:
    """``cargo xtask wheel`` compiles it; here cargo reads the manifests, and goes no further, since
    there is no such platform."""
    build = run_hatchling("sdist", tmp_path)
    assert build.returncode == 0, build.stderr
    (sources,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        archive.extractall(tmp_path)
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    read = subprocess.run(
        ["cargo", "build", "--offline", "--package=axilog-host", "--lib", "--target=no-such-one"],
        cwd=unpacked / "workspace",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "could not find specification for target" in read.stderr, read.stderr
    wheel = run_hatchling("wheel", tmp_path, package=unpacked)
    assert wheel.returncode == 0, wheel.stderr
    (built,) = tmp_path.glob("*.whl")
    assert built.name.startswith(f"axilog-{axilog.__version__}-py3-none-")
    without = run_hatchling("wheel", tmp_path, package=unpacked, AXILOG_LIBRARY="", CARGO="false")
    assert "`false build --locked --release --package" in without.stderr


def test_the_package_has_the_version_of_the_workspace() -> None:
    assert f'version = "{axilog.__version__}"' in (ROOT / "Cargo.toml").read_text()
