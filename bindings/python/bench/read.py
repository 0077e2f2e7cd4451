"""Compares the checks and the reading of a ledger with the command's.

    AXILOG=target/release/axilog python bench/read.py

Writes a ledger of short answers into the directory of temporary files. The package and the command
take turns on it, and the bench counts the processor time of each call: of the command, that of its
process. It prints the medians, how many times the command's speed the package has, and what reading
the records costs.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import axilog

COMMAND = os.environ.get("AXILOG", "axilog")


def write_ledger(path: str, answers: int) -> int:
    """Writes a ledger of three records for each answer; returns how many records it has."""
    with axilog.Agent.create(path, time=1) as agent, ThreadPoolExecutor(64) as threads:
        # Threads share the syncs of the disk.
        for _ in threads.map(lambda number: observe(agent, number), range(answers)):
            pass
        return agent.entries


def observe(agent: axilog.Agent, number: int) -> None:
    answer = f'{{"value": {number % 70}, "why": "the road is dry"}}'
    agent.observe(answer, oracle_id="llm", model_id="m", input="how fast?")


def run_command(*arguments: str) -> None:
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL)


def measure(call: Callable[..., object], *arguments: str) -> float:
    """The processor time of a call and of the processes that it waits for, in seconds."""
    begin = count_time()
    call(*arguments)
    return count_time() - begin


def count_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--answers", type=int, default=333_332)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "ledger.jsonl")
        records = write_ledger(path, options.answers)
        print(f"{records} records, {os.path.getsize(path) / 1e6:.0f} MB")
        for name, check in (("verify", axilog.verify), ("replay", axilog.replay)):
            pairs = [
                (measure(run_command, name, path), measure(check, path))
                for _ in range(options.rounds)
            ]
            command, package = (statistics.median(times) for times in zip(*pairs))
            print(
                f"{name:<12}command {command:6.2f} s   package {package:6.2f} s   "
                f"{command / package:5.2f} times its speed"
            )
        for name, read in (
            ("read", lambda: sum(1 for _ in axilog.read(path))),
            ("to_arrow", lambda: axilog.to_arrow(path)),
            ("to_pandas", lambda: axilog.to_pandas(path)),
            ("to_polars", lambda: axilog.to_polars(path)),
        ):
            seconds = statistics.median(measure(read) for _ in range(options.rounds))
            print(f"{name:<12}{seconds:6.2f} s   {seconds / records * 1e6:6.2f} us a record")


if __name__ == "__main__":
    main()
