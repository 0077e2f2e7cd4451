"""Reads the declarations of the C headers, and runs C programs that include them."""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conftest import INCLUDE, ROOT

HOST_INCLUDE = ROOT / "harness" / "host" / "include"


class Function(NamedTuple):
    """The declared types of a function."""

    result: str
    arguments: list[str]


@cache
def declarations_text() -> str:
    """The text of all headers without comments, preprocessor lines and inline functions."""
    text = "\n".join(path.read_text() for path in sorted(INCLUDE.glob("axilog/*.h")))
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = re.sub(r"^#.*?(?<!\\)$", "", text, flags=re.M | re.S)
    return re.sub(r"static inline[^{;]*\{.*?\n\}", "", text, flags=re.S)


def functions() -> dict[str, Function]:
    found = {}
    for result, name, arguments in re.findall(
        r"(?:^|\n)([a-z_][\w \t]*?[\w*]\s*\**)\b(\w+)\(([^()]*)\);", declarations_text()
    ):
        found[name] = Function(
            normalise_type(result), [argument_type(part) for part in arguments.split(",")]
        )
    return {
        name: Function(result, [] if arguments == ["void"] else arguments)
        for name, (result, arguments) in found.items()
    }


def renamed() -> dict[str, str]:
    """The functions that a header renames, each with its symbol."""
    text = "\n".join(path.read_text() for path in sorted(INCLUDE.glob("axilog/*.h")))
    return dict(re.findall(r"^#define (\w+) (\1_\w+)$", text, flags=re.M))


def normalise_type(declared: str) -> str:
    words = declared.replace("*", " * ").replace("struct ", "").replace("enum ", "").split()
    return " ".join(words)


def argument_type(declared: str) -> str:
    """The type of a declared parameter: ``const uint8_t head[32]`` has ``const uint8_t *``."""
    array = re.sub(r"\w+\[\d+\]$", "*", declared.strip())
    if array != declared.strip():
        return normalise_type(array)
    words = normalise_type(declared).split()
    return " ".join(words if words[-1] == "*" or len(words) == 1 else words[:-1])


def inlines() -> dict[str, list[str]]:
    """The inline functions, and the struct that each of them takes."""
    text = "\n".join(path.read_text() for path in sorted(INCLUDE.glob("axilog/*.h")))
    found = re.findall(r"static inline \w+ (\w+)\((?:const )?(\w+) \*\w+\)", text)
    return {name: [parameter] for name, parameter in found}


def structs() -> dict[str, list[str]]:
    """The fields of each struct, in order."""
    found = {}
    for body, name in re.findall(
        r"typedef struct \w+ \{(.*?)\n\} (\w+);", declarations_text(), re.S
    ):
        fields = [line for line in body.split(";") if line.strip()]
        found[name] = [field_name(field) for field in fields]
    return found


def field_name(declared: str) -> str:
    pointer = re.search(r"\(\*(\w+)\)", declared)
    if pointer:
        return pointer.group(1)
    name = re.search(r"(\w+)(?:\[\d+\])?\s*$", declared)
    assert name, declared
    return name.group(1)


def enums() -> dict[str, list[str]]:
    """The enumerators of each enum."""
    found = {}
    for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", declarations_text(), re.S):
        found[name] = re.findall(r"(\w+) =", body)
    return found


def macros() -> dict[str, str]:
    """The object-like macros, but for include guards and the names of functions."""
    found = {}
    for path in INCLUDE.glob("axilog/*.h"):
        for name, value in re.findall(r"^#define (\w+)[ \t]+(\S.*)$", path.read_text(), re.M):
            found[name] = value
    return {name: value for name, value in found.items() if name not in renamed()}


def run_c(body: str) -> str:
    """Compiles a C program with this ``main`` and returns what it prints."""
    program = (
        "#include <inttypes.h>\n#include <stddef.h>\n#include <stdio.h>\n"
        '#include "axilog/axilog.h"\n#include "axilog/host.h"\n'
        f"int main(void)\n{{\n{body}\n    return 0;\n}}\n"
    )
    with tempfile.TemporaryDirectory() as directory:
        source, binary = Path(directory, "program.c"), Path(directory, "program")
        source.write_text(program)
        compiler = shlex.split("cc")
        folders = [f"-I{INCLUDE}", f"-I{HOST_INCLUDE}"]
        command = [*compiler, "-std=c99", *folders, str(source), "-o", str(binary)]
        subprocess.run(command, check=True)
        return subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
