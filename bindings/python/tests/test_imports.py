"""The modules of the package import one another in one direction only."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "bindings" / "python" / "src"


def read_import_graph(source: Path) -> dict[str, set[str]]:
    """Which modules below ``source`` each of them imports, be it inside a function or for the type
    checker only."""
    modules = {module_name(source, path): path for path in source.rglob("*.py")}
    return {
        name: imported_names(ast.parse(path.read_text()), modules) - {name}
        for name, path in modules.items()
    }


def module_name(source: Path, path: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(tree: ast.Module, modules: dict[str, Path]) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "the package imports by absolute names"
            for alias in node.names:
                # ``from package import name`` imports a submodule, or else what the package has.
                submodule = f"{node.module}.{alias.name}"
                names.add(submodule if submodule in modules else node.module)
    return names & set(modules)


def check_acyclic(source: Path) -> None:
    try:
        TopologicalSorter(read_import_graph(source)).prepare()
    except CycleError as error:
        # The sorter lists a cycle from the imported module to the one that imports it.
        cycle = " -> ".join(reversed(error.args[1]))
        pytest.fail(
            f"the imports of these modules form a cycle: {cycle}; move what they share below"
        )


def test_imports_have_no_cycle() -> None:
    assert len(read_import_graph(SOURCE)) > 20
    check_acyclic(SOURCE)


def test_an_import_cycle_is_named(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package.top import a\n")
    (package / "top.py").write_text("import package.middle\n")
    (package / "middle.py").write_text("def use() -> None:\n    from package import bottom\n")
    (package / "bottom.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package.top import a\n"
    )
    expected = "(package.(top|middle|bottom) -> ){3}package"
    with pytest.raises(pytest.fail.Exception, match=expected) as caught:
        check_acyclic(tmp_path)
    assert "package.top -> package.middle" in str(caught.value)


def test_no_format_has_a_second_implementation() -> None:
    """Hashes, locks, files and canonical forms are the library's. The rows of a fleet's table
    become temporary files, byte for byte."""
    own = {"hashlib", "fcntl", "tempfile", "unicodedata", "shutil", "re"}
    found = {
        f"{path.name}: {name}"
        for path in SOURCE.rglob("*.py")
        for name in imported_modules(ast.parse(path.read_text())) & own
    }
    assert found == {"_host_check.py: re", "_fleet_sources.py: tempfile"}, found
    written = [p.name for p in SOURCE.rglob("*.py") if "write_bytes(" in p.read_text()]
    assert written == ["_fleet_sources.py"]


def imported_modules(tree: ast.Module) -> set[str]:
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    return names | {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
