"""Ledgers on Spark, compared with the command. Skipped where Spark or Java is absent;
``./test --spark`` installs both."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import axilog
from tests.conftest import ROOT, Cli, begin_agent, observe, write_ledger
from tests.fleets import (
    compare_with_command,
    read_page,
    write_changed_blobs,
    write_damaged,
    write_strange,
)
from tests.test_blobs import write_answers

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: axilog[spark]")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, which is not here", allow_module_level=True)

import axilog.spark  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning:pyspark", "ignore::ResourceWarning")
ENVIRONMENT = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
EXAMPLE = ROOT / "bindings" / "python" / "examples" / "audit_fleet.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the session knows as ``viewfs:///fleet``, too."""
    return tmp_path_factory.mktemp("fleet")


@pytest.fixture(scope="module")
def spark(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of two cores, in which a task may fail three times."""
    from pyspark.sql import SparkSession

    own = tmp_path_factory.mktemp("spark")
    # A session reads the interpreter of its executors from the environment alone.
    environment = pytest.MonkeyPatch()
    environment.setenv("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in {
        # Machines that compile little start soon.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.hadoop.fs.viewfs.mounttable.default.link./fleet": folder.as_uri(),
        "spark.local.dir": own,
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": 2,
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, str(value))
    session = builder.getOrCreate()
    environment.undo()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def paths(folder: Path) -> list[str]:
    """The ledgers of the folder, and what is none."""
    return [*write_damaged(folder), *write_changed_blobs(folder), *write_strange(folder)]


def collect(table: Any) -> list[dict[str, Any]]:
    return sorted((row.asDict() for row in table.collect()), key=lambda row: str(row["path"]))


def list_files(folder: Path) -> list[tuple[str, int, int]]:
    """What is in a folder, and when each of it was changed."""
    found = [(os.fspath(p), p.lstat().st_size, p.lstat().st_mtime_ns) for p in folder.rglob("*")]
    return sorted(found)


def without_seconds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "seconds": None} for row in rows]


def test_each_ledger_is_a_row_with_what_the_command_says(
    cli: Cli, spark: Any, folder: Path, paths: list[str]
) -> None:
    before = list_files(folder)
    rows = collect(axilog.spark.audit(spark, paths))
    assert [row["path"] for row in rows] == sorted(paths)
    for row in rows:
        compare_with_command(cli, row, row["path"])
    verdicts = {row["verdict"] for row in rows}
    assert verdicts == {"OK", "FAILED", "INCOMPLETE", "UNREADABLE"}
    assert list_files(folder) == before


def test_other_file_systems_of_hadoop_give_the_same(
    cli: Cli, spark: Any, folder: Path, paths: list[str]
) -> None:
    near = [path for path in paths if not path.endswith("pipe.jsonl")]
    # What is no file there has no bytes, so that its rows differ.
    usual = [path for path in near if "directory" not in path and "absent" not in path]
    # Blobs that are empty, or in a wrong folder, are missing there, and not damaged or left behind.
    usual = [path for path in usual if not re.search("blob in another|shorter raw", path)]
    far = {f"viewfs:///fleet/{Path(path).name}": path for path in usual}
    rows = collect(axilog.spark.audit(spark, list(far)))
    assert [row["path"] for row in rows] == sorted(far)
    for row in rows:
        compare_with_command(cli, row, far[row["path"]])
    odd = ["viewfs:///fleet/directory.jsonl", "viewfs:///fleet/absent.jsonl", "no:///such"]
    for row in collect(axilog.spark.audit(spark, odd)):
        assert row["verdict"] == "UNREADABLE" and row["reason"], row


def test_the_ledgers_of_a_folder_are_found(
    cli: Cli, spark: Any, folder: Path, paths: list[str]
) -> None:
    near = [path for path in paths if Path(path).is_file() or path.endswith("pipe.jsonl")]
    assert axilog.spark.find_ledgers(spark, folder) == sorted(near)
    assert axilog.spark.find_ledgers(spark, folder.as_uri()) == sorted(near)
    # Hadoop lists no pipes in some file systems, and links in others.
    far = [f"viewfs:/fleet/{Path(path).name}" for path in near]
    assert axilog.spark.find_ledgers(spark, "viewfs:///fleet") == sorted(far)
    with pytest.raises(FileNotFoundError):
        axilog.spark.find_ledgers(spark, folder / "absent")


def test_spark_s_own_list_of_files_is_taken(cli: Cli, spark: Any, tmp_path: Path) -> None:
    below = tmp_path / "a b" / "50%20" / "x=1"
    below.mkdir(parents=True)
    for name in ("one.jsonl", "two [x].jsonl"):
        write_ledger(os.fspath(below / name))
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    ledgers = files.option("pathGlobFilter", "*.jsonl").load(os.fspath(tmp_path))
    rows = collect(axilog.spark.audit(spark, ledgers.select("path")))
    assert len(rows) == 2
    for row in rows:
        assert row["path"].startswith("file:/")
        compare_with_command(cli, row, row["path"][len("file:") :])


def test_a_task_that_is_killed_runs_again_and_changes_nothing(
    cli: Cli, spark: Any, tmp_path: Path
) -> None:
    ledgers, killed = tmp_path / "ledgers", tmp_path / "killed"
    ledgers.mkdir()
    killed.mkdir()
    paths = [os.fspath(ledgers / f"{number}.jsonl") for number in range(6)]
    for path in paths:
        write_answers(path)
    table = spark.createDataFrame(
        [
            (path, Path(path).read_bytes(), {f.name: f.read_bytes() for f in list_blobs(path)})
            for path in paths
        ],
        "path string, content binary, blobs map<string,binary>",
    ).repartition(3)

    def kill_first_attempts(batches: Any) -> Any:
        import signal

        from pyspark import TaskContext

        context: Any = TaskContext.get()
        yield from batches
        if context.attemptNumber() == 0:
            Path(killed, str(context.partitionId())).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    before = list_files(ledgers)
    struck = table.mapInArrow(kill_first_attempts, table.schema)
    rows = collect(axilog.spark.audit(spark, struck))
    assert len(list(killed.iterdir())) > 1
    assert without_seconds(rows) == without_seconds(collect(axilog.spark.audit(spark, table)))
    for row in rows:
        compare_with_command(cli, row, row["path"])
    assert list_files(ledgers) == before


def list_blobs(path: str) -> list[Path]:
    return list(Path(f"{path}.blobs").glob("*/*"))


def test_records_are_tables(spark: Any, tmp_path: Path) -> None:
    paths = [os.fspath(tmp_path / name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path in paths[:2]:
        write_answers(path)
    lines = Path(paths[1]).read_bytes().splitlines(keepends=True)
    Path(paths[1]).write_bytes(b"".join(lines[:-2] + lines[-1:]))
    kinds = axilog.RecordKind
    for read, kind in (
        (axilog.spark.observations, kinds.OBSERVATION),
        (axilog.spark.policies, kinds.POLICY),
        (axilog.spark.transitions, kinds.TRANSITION),
    ):
        rows = collect(read(spark, paths))
        for path in paths:
            own = [row for row in rows if row["path"] == path]
            defects = [row["defect"] for row in own if row["defect"] is not None]
            found = [(row["sequence"], row["ledger_seq"], row["offset"]) for row in own]
            expected: list[Any] = []
            try:
                for record in axilog.read(path, kinds=[kind]):
                    expected.append((record.sequence, record.ledger_seq, record.offset))
            except axilog.LedgerError as error:
                assert defects == [str(error)]
                expected.append((None, None, None))
            assert found == expected and len(defects) == (path != paths[0])
    typed = dict(axilog.spark.observations(spark, paths).dtypes)
    assert typed["time"] == "decimal(20,0)" and typed["obs_hash"] == "binary"
    asked = axilog.spark.observations(spark, paths[:1]).where("question = 'how fast?'")
    assert asked.count() == 3
    last = axilog.spark.transitions(spark, paths[:1]).orderBy("sequence").collect()[-1]
    assert (last.next_state, last.violation) == ("ALARM", "POLICY_BREACH")


def test_what_is_expected_holds_for_every_ledger_or_for_one(spark: Any, tmp_path: Path) -> None:
    paths = [os.fspath(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    rules = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, "9", selector="llm#value")])
    for path, given in zip(paths, (rules, axilog.PolicySet.builtin())):
        with begin_agent(path, policies=given) as agent:
            observe(agent, b'{"value": 1}')
    rows = collect(axilog.spark.audit(spark, paths, policies=rules))
    assert [row["verdict"] for row in rows] == ["OK", "FAILED"]
    audited = axilog.spark.audit(spark, paths)
    noted = [(row["path"], (row["records"], row["head"])) for row in collect(audited)]
    noted[1] = (noted[1][0], noted[0][1])
    with axilog.Agent.open(paths[0]) as agent:
        observe(agent, b'{"value": 2}')
    table = spark.createDataFrame(noted, "path string, extends struct<records:bigint,head:string>")
    rows = collect(axilog.spark.audit(spark, table))
    assert [row["fault"] for row in rows] == [None, "ALTERED"]
    with pytest.raises(ValueError, match="budget"):
        axilog.spark.audit(spark, paths, budget={"blobs": 1})
    with pytest.raises(ValueError, match="expected one with a column `path`"):
        axilog.spark.audit(spark, table.select("extends"))


def test_a_huge_ledger_is_checked_in_segments(cli: Cli, spark: Any, tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "huge.jsonl")
    write_answers(path)
    lines = Path(path).read_bytes().splitlines(keepends=True)
    size: dict[str, Any] = {"segment_bytes": 1000}
    assert Path(path).stat().st_size > 3000
    for damaged in (lines, lines[:-1], lines[:7] + lines[8:], [*lines[:9], b"{}\n", *lines[9:]]):
        Path(path).write_bytes(b"".join(damaged))
        verified = axilog.spark.verify(spark, path, **size)
        replayed = axilog.spark.replay(spark, f"file:{path}", **size)
        assert verified == axilog.verify(path)
        assert replayed.ledger == f"file:{path}"
        assert replace(replayed, ledger=path) == axilog.replay(path)
        of_command = cli.run_json("replay", path)
        assert replayed.sequence == of_command.get("sequence")
        assert replayed.verdict.name == of_command["verdict"]
    pinned: dict[str, Any] = {"expect_models": {"llm": "another"}}
    Path(path).write_bytes(b"".join(lines))
    report = axilog.spark.verify(spark, path, **size, **pinned)
    assert report == axilog.verify(path, **pinned) and not report
    Path(path).write_bytes(b"")
    assert axilog.spark.verify(spark, path) == axilog.verify(path)
    with pytest.raises(axilog.LedgerMissingError):
        axilog.spark.replay(spark, tmp_path / "absent.jsonl")
    for check in (axilog.spark.verify, axilog.spark.replay):
        for far in ("viewfs:/fleet/a.jsonl", "hdfs://host/a.jsonl", "s3a://bucket/a.jsonl"):
            with pytest.raises(ValueError, match="one file under the same path on every machine"):
                check(spark, far)
    with pytest.raises(ValueError, match="segment_bytes: found 0"):
        axilog.spark.verify(spark, path, segment_bytes=0)
    # The driver finds a directory, which no executor reads.
    with pytest.raises(axilog.LedgerError, match="an executor cannot read it: .*directory"):
        axilog.spark.verify(spark, tmp_path)


def test_the_example_prints_the_worst(cli: Cli, tmp_path: Path) -> None:
    for number in range(4):
        write_ledger(os.fspath(tmp_path / f"{number}.jsonl"), answers=1)
    damaged = tmp_path / "3.jsonl"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    (tmp_path / "4.jsonl").touch()
    submit = Path(sys.executable).with_name("spark-submit")
    options = ["--master", "local[1]", "--conf", "spark.ui.enabled=false"]
    run = subprocess.run(
        [submit, *options, EXAMPLE, tmp_path, tmp_path / "result"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **ENVIRONMENT},
    )
    assert run.returncode == 1, run.stderr
    *worst, summary = run.stdout.splitlines()
    assert summary == "1 FAILED, 1 INCOMPLETE, 3 OK"
    assert [line.split()[0] for line in worst] == ["FAILED", "INCOMPLETE"]
    assert axilog.CheckResult.FAILED.value not in worst[0]
    assert list((tmp_path / "result").glob("*.parquet"))


def test_the_programs_of_the_page_print_what_it_says(tmp_path: Path) -> None:
    programs, expected = read_page("A fleet to try", "With Spark", "One huge ledger")
    assert len(programs) == 6
    (tmp_path / "page.py").write_text("\n".join(programs))
    run = subprocess.run(
        [sys.executable, "page.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **ENVIRONMENT},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == expected
