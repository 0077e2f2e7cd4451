"""Audits a fleet of ledgers with a shell loop of the command, with the command on the folder, and
on Spark, and prints how long each takes. Then one ledger of as many records is replayed by the
command, and on Spark in segments.

    AXILOG=target/release/axilog python bench/fleet.py [--ledgers 1000] [--records 100] [--rounds 3]

Spark runs with one core, with two, and as a cluster of a master and two workers of one core, of
which one's executor is killed with SIGKILL in the middle of a second run. Each of them has audited
a few ledgers before it is timed, and each must find what the loop or the command found. At the end
the bench computes what 10^8 records would take, from a second fleet of fewer and longer
ledgers."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pyspark
from pyspark.sql import SparkSession

import axilog
import axilog.spark

COMMAND = os.environ.get("AXILOG", "axilog")
# Spark runs `python3` where nothing else is named.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
Findings = dict[str, tuple[Any, ...]]
"""Verdict, place and reason, by path."""
REPLAYED = ("sequence", "offset", "reason", "entries", "head")


def write_fleet(folder: Path, ledgers: int, records: int) -> list[str]:
    """Writes ledgers, of which every 50th is damaged in one of five ways."""
    paths = []
    for number in range(ledgers):
        path = folder / f"{number % 100:02}" / f"{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with axilog.Agent.create(path, time=1) as agent:
            while agent.entries < records:
                agent.observe(
                    f'{{"value": {number % 70}, "why": "the road is dry"}}',
                    oracle_id="llm",
                    model_id="m",
                    input=f"how fast, {number}?",
                )
        if number % 50 == 49:
            damage(path, number // 50 % 5)
        paths.append(os.fspath(path))
    return paths


def damage(path: Path, way: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    middle = len(lines) // 2
    altered = lines[middle].replace(b'"seq":', b'"seq":1', 1)
    changes = [
        [*lines[:middle], altered, *lines[middle + 1 :]],
        [*lines[:middle], *lines[middle + 1 :]],
        [*lines, b'{"chain":"00'],
        [],
        lines,
    ]
    path.write_bytes(b"".join(changes[way]))
    if changes[way] is lines:
        shutil.rmtree(f"{path}.blobs")


def loop_command(paths: list[str]) -> Findings:
    """What a shell loop of the command finds."""
    script = 'while IFS= read -r path; do "$0" audit --json "$path"; done'
    run = subprocess.run(
        ["sh", "-c", script, COMMAND],
        input="".join(f"{path}\n" for path in paths),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return read_objects(run.stdout)


def audit_folder(folder: Path) -> Findings:
    """What the command finds in the folder."""
    command = [COMMAND, "audit", "--json", os.fspath(folder)]
    return read_objects(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)


def read_objects(text: str) -> Findings:
    found = {}
    for line in text.splitlines():
        report = json.loads(line)
        fault = report["fault"] or {"sequence": None, "offset": None, "reason": None}
        place = (fault["sequence"], fault["offset"], fault["reason"])
        found[report["ledger"]] = (report["verdict"], *place)
    return found


def audit_on_spark(spark: SparkSession, paths: list[str]) -> Findings:
    """What Spark finds. The reason of a ledger without a fault is that of a check, which the
    command's object has in another place."""
    return {
        row.path: (row.verdict, row.sequence, row.offset, row.reason if row.fault else None)
        for row in axilog.spark.audit(spark, paths).collect()
    }


def replay_by_command(path: str) -> Findings:
    """What the command finds in one ledger."""
    command = [COMMAND, "replay", "--json", path]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)
    return {path: (report["verdict"], *(report.get(name) for name in REPLAYED))}


def replay_on_spark(spark: SparkSession, path: str) -> Findings:
    """What Spark finds in one ledger, of which a task takes a thirtieth."""
    size = max(os.path.getsize(path) // 30, 1 << 16)
    report = axilog.spark.replay(spark, path, segment_bytes=size)
    return {path: (report.verdict.name, *(getattr(report, name) for name in REPLAYED))}


def measure(rounds: int, call: Callable[..., Findings], *arguments: Any) -> tuple[float, Findings]:
    """The shortest of some runs, in seconds: what else the machine does only adds to it."""
    seconds = []
    for _ in range(rounds):
        begin = time.monotonic()
        found = call(*arguments)
        seconds.append(time.monotonic() - begin)
    return min(seconds), found


@contextlib.contextmanager
def open_session(master: str, paths: list[str]) -> Iterator[SparkSession]:
    """A session that has audited a few ledgers."""
    spark = (
        SparkSession.builder.master(master)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "1g")
        .config("spark.pyspark.python", sys.executable)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    try:
        audit_on_spark(spark, paths[:40])
        yield spark
    finally:
        spark.stop()


@contextlib.contextmanager
def open_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A master and two workers of one core: the master's address, and the workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    run = [os.path.join(pyspark.__path__[0], "bin", "spark-class")]
    package = "org.apache.spark.deploy"
    place = ["--host", "127.0.0.1", "--webui-port", "0"]
    master = [*run, f"{package}.master.Master", *place, "--port", str(port)]
    worker = [*run, f"{package}.worker.Worker", *place, "--cores", "1", "--memory", "1g"]
    worker += ["--work-dir", os.fspath(folder), address]
    processes = []
    try:
        for command in (master, worker, worker):
            quiet = subprocess.DEVNULL
            processes.append(subprocess.Popen(command, stdout=quiet, stderr=quiet))
            time.sleep(5)
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def kill_executor(worker: subprocess.Popen[bytes]) -> None:
    """Kills what a worker has started: its executor."""
    children = Path(f"/proc/{worker.pid}/task")
    for text in [file.read_text() for file in children.glob("*/children")]:
        for child in text.split():
            os.kill(int(child), signal.SIGKILL)
            print(f"{'':<34}the executor {child} is killed")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--ledgers", type=int, default=1000)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        fleet, longer = Path(directory, "fleet"), Path(directory, "longer")
        paths = write_fleet(fleet, options.ledgers, options.records)
        long_paths = write_fleet(longer, max(options.ledgers // 20, 1), options.records * 20)
        print(f"{len(paths)} ledgers of {options.records} records, {os.cpu_count()} processors")
        rounds = options.rounds
        base, expected = measure(rounds, loop_command, paths)
        bad = sum(finding[0] != "OK" for finding in expected.values())
        print(f"{'shell loop of the command':<34}{base:8.2f} s   {bad} ledgers are not OK")

        one_path = write_fleet(Path(directory, "one"), 1, options.ledgers * options.records)[0]
        base_one, expected_one = measure(rounds, replay_by_command, one_path)
        print(f"{'axilog replay of one ledger':<34}{base_one:8.2f} s")

        def show(what: str, run: tuple[float, Findings]) -> float:
            seconds, found = run
            assert found == expected, f"{what} found something else than the loop"
            print(f"{what:<34}{seconds:8.2f} s   {seconds / base:5.2f} times the loop", flush=True)
            return seconds

        def show_one(what: str, spark: SparkSession, rounds: int) -> float:
            seconds, found = measure(rounds, replay_on_spark, spark, one_path)
            assert found == expected_one, f"{what}: segments say something else than the command"
            told = f"{seconds / base_one:5.2f} times the command, one ledger"
            print(f"{what:<34}{seconds:8.2f} s   {told}", flush=True)
            return seconds

        show("axilog audit FOLDER", measure(rounds, audit_folder, fleet))
        for cores in (1, 2):
            with open_session(f"local[{cores}]", paths) as spark:
                run = measure(rounds, audit_on_spark, spark, paths)
                seconds = show(f"Spark local[{cores}]", run)
                show_one(f"Spark local[{cores}]", spark, rounds)
                if cores == 1:
                    one, long = seconds, measure(rounds, audit_on_spark, spark, long_paths)[0]
        with open_cluster(Path(directory, "work")) as (address, workers):
            with open_session(address, paths) as spark:
                run = measure(rounds, audit_on_spark, spark, paths)
                seconds = show("Spark, a master and two workers", run)
                timer = threading.Timer(seconds / 2, kill_executor, [workers[0]])
                timer.start()
                run = measure(1, audit_on_spark, spark, paths)
                timer.join()
                show("the same, an executor killed", run)
                seconds = show_one("Spark, a master and two workers", spark, rounds)
                timer = threading.Timer(seconds / 2, kill_executor, [workers[0]])
                timer.start()
                show_one("the same, an executor killed", spark, 1)
                timer.join()
        print_sizes(one, long, len(paths), len(long_paths), options.records)


def print_sizes(one: float, long: float, many: int, few: int, records: int) -> None:
    """Two fleets of the same number of records differ by what a ledger costs."""
    ledger = max((one - long) / (many - few), 0.0)
    record = max(one - many * ledger, 0.0) / (many * records)
    print(f"\nby one core of Spark: {ledger * 1e3:.2f} ms a ledger, {record * 1e6:.2f} us a record")
    print("computed from that, 10^8 records:")
    for ledgers in (10**3, 10**5):
        core = ledgers * ledger + 10**8 * record
        sizes = ", ".join(f"{core / cores / 60:.1f} min on {cores} cores" for cores in (2, 16, 128))
        print(f"  in {ledgers} ledgers: {sizes}")


if __name__ == "__main__":
    main()
