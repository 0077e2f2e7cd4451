"""The wheel: what is in it, and what is said where it cannot be built."""

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


def build(target: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    return subprocess.run(
        [*command, "--directory", os.fspath(place)],
        cwd=PACKAGE,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_stands_alone(tmp_path: Path) -> None:
    built = build("wheel", tmp_path)
    assert built.returncode == 0, built.stderr
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
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={**environment, "PYTHONPATH": os.fspath(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(os.fspath(tmp_path / "installed")), done.stderr


def test_without_cargo(tmp_path: Path) -> None:
    built = build("wheel", tmp_path, PATH="/nowhere", CARGO="")
    assert built.returncode == 1
    assert "cargo is not on the PATH" in built.stderr and "install Rust" in built.stderr


def test_where_cargo_fails(tmp_path: Path) -> None:
    built = build("wheel", tmp_path, CARGO="false")
    assert built.returncode == 1
    assert "`false build --release --package axilog --lib` failed" in built.stderr


def test_there_is_no_source_distribution(tmp_path: Path) -> None:
    built = build("sdist", tmp_path)
    assert built.returncode == 1
    assert "build a wheel, which stands alone" in built.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_the_workspaces() -> None:
    assert f'version = "{axilog.__version__}"' in (ROOT / "Cargo.toml").read_text()
