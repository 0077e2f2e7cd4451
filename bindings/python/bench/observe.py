"""Measures what ``Agent.observe`` costs on top of the C call.

    python bench/observe.py

The bench makes the same observation in three ways: a short answer to a short question under the
built-in policy, into a ledger file below ``TMPDIR``. One way is ``Agent.observe``. Another is a
loop in C, compiled by ``cc`` (or ``$CC``), which fills the same struct and calls the same function
of the same library. The third fills it and calls it from Python by ``ctypes``, without the package.
They take turns in one thread, so that a change of the machine's speed affects all, and the
bench measures the processor time of that thread, so that other processes do not count. It prints
microseconds per observation, for each way and for the difference in each round: the median of all
rounds, and the range that holds 80 % of them.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import axilog
from axilog.capi import lib, library_path
from axilog.capi.host import axh_decision_t, axh_observation_t

LIMIT_MICROSECONDS = 2.0
QUESTION = "how fast?"
ANSWER = b'{"value": 69}'
ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
#include "axilog/host.h"

static axh_ledger_t *ledger;

int begin(const char *path)
{
    return axh_ledger_create(path, NULL, &ledger);
}

int observe(const char *input, size_t input_len, const char *output, size_t output_len, int count)
{
    for (int i = 0; i < count; i++) {
        const axh_observation_t call = {
            .size = sizeof call, .oracle_id = "llm", .model_id = "m", .input = input,
            .input_len = input_len, .output = output, .output_len = output_len
        };
        axh_decision_t decision = { .size = sizeof decision };
        if (axh_observe(ledger, &call, &decision) != AXH_OK || !decision.may_act) {
            return 1;
        }
    }
    return 0;
}
"""


def compile_loop(directory: str) -> ctypes.CDLL:
    """Compiles the loop in C and links it with the library that the package has loaded."""
    source, loop = Path(directory, "loop.c"), Path(directory, "loop.so")
    source.write_text(PROGRAM)
    library = library_path().resolve()
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run(
        [
            *compiler,
            "-O2",
            "-shared",
            "-fPIC",
            f"-I{ROOT}/include",
            f"-I{ROOT}/harness/host/include",
            str(source),
            str(library),
        ]
        + [f"-Wl,-rpath,{library.parent}", "-o", str(loop)],
        check=True,
    )
    loaded = ctypes.CDLL(str(loop))
    size = ctypes.c_size_t
    loaded.observe.argtypes = [ctypes.c_char_p, size, ctypes.c_char_p, size, ctypes.c_int]
    if loaded.begin(os.fsencode(os.path.join(directory, "c.jsonl"))) != 0:
        raise SystemExit("the ledger of the loop in C cannot be begun")
    return loaded


def make_c_round(loop: ctypes.CDLL, count: int) -> Callable[[], None]:
    question = QUESTION.encode()

    def run() -> None:
        if loop.observe(question, len(question), ANSWER, len(ANSWER), count) != 0:
            raise SystemExit("an observation in C failed")

    return run


def make_python_round(directory: str, count: int) -> Callable[[], None]:
    agent = axilog.Agent.create(os.path.join(directory, "python.jsonl"))

    def run() -> None:
        for _ in range(count):
            agent.observe(ANSWER, oracle_id="llm", model_id="m", input=QUESTION)
        if agent.health is not axilog.Health.ENABLED:
            raise SystemExit("an observation in Python failed")

    return run


def make_ctypes_round(directory: str, count: int) -> Callable[[], None]:
    ledger = ctypes.c_void_p()
    path = os.fsencode(os.path.join(directory, "ctypes.jsonl"))
    if lib.axh_ledger_create(path, None, ctypes.byref(ledger)) != 0:
        raise SystemExit("the ledger of the calls by ctypes cannot be begun")
    question, sizes = QUESTION.encode(), map(ctypes.sizeof, (axh_observation_t, axh_decision_t))
    call_size, decision_size = sizes
    observe = lib["axh_observe"]

    def run() -> None:
        for _ in range(count):
            call = axh_observation_t(
                call_size, b"llm", b"m", None, question, len(question), ANSWER, len(ANSWER)
            )
            found = axh_decision_t(decision_size)
            if observe(ledger, ctypes.byref(call), ctypes.byref(found)) != 0:
                raise SystemExit("an observation by ctypes failed")

    return run


def measure_round(run: Callable[[], None], count: int) -> float:
    begin = time.thread_time_ns()
    run()
    return (time.thread_time_ns() - begin) / count / 1000


def format_line(name: str, values: list[float]) -> str:
    tenths = statistics.quantiles(values, n=10)
    middle = f"80 % within {tenths[0]:.2f} to {tenths[-1]:.2f}"
    return f"{name:<24}{statistics.median(values):6.2f} us   {middle}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--count", type=int, default=500, help="observations per round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        ways = (
            make_c_round(compile_loop(directory), options.count),
            make_ctypes_round(directory, options.count),
            make_python_round(directory, options.count),
        )
        rounds = [
            tuple(measure_round(way, options.count) for way in ways) for _ in range(options.rounds)
        ]
    version = sys.version.split()[0]
    print(f"Python {version}, {options.rounds} rounds of {options.count} observations")
    print(format_line("in C", [c for c, _, _ in rounds]))
    print(format_line("Agent.observe", [python for _, _, python in rounds]))
    print(format_line("by ctypes, on top", [call - c for c, call, _ in rounds]))
    on_top = format_line("on top", [python - c for c, _, python in rounds])
    print(f"{on_top}   limit {LIMIT_MICROSECONDS:.0f}")


if __name__ == "__main__":
    main()
