"""Where the ledgers of a fleet are: as files on the machines that read them, as files that only
Hadoop reaches, or as bytes in the rows of a table. The driver makes a table of all three, with a
row for each ledger, and the executor that gets a row makes a file of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from axilog.errors import AxilogError

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame, SparkSession

Ledgers = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]], "DataFrame"]
"""The path of a ledger, or paths, or a table with a column ``path``."""

_EXPECTED = {
    "expect_head": "string",
    "expect_entries": "bigint",
    "extends": "struct<records:bigint,head:string>",
}
_COLUMNS = {
    "path": "string",
    "file": "string",
    "content": "binary",
    "blobs": "map<string,binary>",
    "problem": "string",
    **_EXPECTED,
}
# What a row of binary files holds at most, as Java's arrays do.
_LONGEST_FILE = 2**31 - 1
_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_TASKS_PER_CORE = 8


class UnreadableLedgerError(Exception):
    """There is no file of a ledger. The message says why."""


def make_source_table(spark: SparkSession, ledgers: Ledgers) -> DataFrame:
    """The table with a row for each ledger: its path; the file to open, or its bytes and blobs, or
    why there is neither; and what is expected of it."""
    if isinstance(ledgers, (str, os.PathLike)):
        ledgers = [ledgers]
    table: Any = ledgers
    if not hasattr(table, "columns"):
        return _find_files(spark, [{"path": os.fspath(path)} for path in table])
    if "path" not in table.columns:
        raise ValueError(
            f"found a table with the columns {', '.join(table.columns)}; expected one with a "
            "column `path`, and the bytes of each ledger in a column `content` if it is no file"
        )
    if "content" not in table.columns:
        wanted = [name for name in ("path", *_EXPECTED) if name in table.columns]
        return _find_files(spark, [row.asDict() for row in table.select(*wanted).collect()])
    taken: DataFrame = table.select(*(_take_column(table, name) for name in _COLUMNS))
    return taken


def _take_column(table: DataFrame, name: str) -> Column:
    """A column of a table of bytes, and null where the table has none of this name."""
    from pyspark.sql import functions

    given = name in table.columns and name not in ("file", "problem")
    column = table[name] if given else functions.lit(None)
    return column.cast(_COLUMNS[name]).alias(name)


def _find_files(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    """The table of ledgers that are files."""
    for row in rows:
        row.update(place_file(row["path"]))
    far = [row for row in rows if row.get("file") is None and row.get("problem") is None]
    if far:
        from axilog._hadoop_files import find_far_files

        find_far_files(spark, far, _LONGEST_FILE)
    schema = ", ".join(f"{name} {type_}" for name, type_ in _COLUMNS.items())
    schema += ", far_file string, far_blobs string"
    names = (*_COLUMNS, "far_file", "far_blobs")
    values = [tuple(row.get(name) for name in names) for row in rows]
    table = spark.createDataFrame(values, schema)
    # Ledgers differ in length, so that a core that has done its part takes some of another's.
    parts = min(len(rows), _TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
    if parts > 1:
        table = table.repartition(parts)
    if any(row.get("far_file") for row in rows):
        from axilog._hadoop_files import join_far_files

        table = join_far_files(spark, table, rows)
    return table.select(*_COLUMNS)


def list_ledgers(spark: SparkSession, folder: str) -> list[str]:
    """The ledgers below a folder."""
    place = place_file(folder)
    if place.get("problem"):
        raise ValueError(f"{folder!a}: {place['problem']}")
    near = place.get("file")
    if near is None:
        from axilog._hadoop_files import list_far_ledgers

        return list_far_ledgers(spark, folder, _ENDINGS)
    found = []
    for where, below, names in os.walk(near, onerror=_raise):
        below[:] = [name for name in below if not name.endswith(".blobs")]
        found += [os.path.join(where, name) for name in names if name.endswith(_ENDINGS)]
    return sorted(found)


def _raise(error: OSError) -> None:
    raise error


def place_file(path: Optional[str]) -> dict[str, Optional[str]]:
    """The file that a path names on the machine that reads it, or why there is none; neither for a
    path of another file system."""
    if not path:
        return {"path": path, "problem": "the row has no path; name the ledger's file"}
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode(errors="replace")
        return {"path": shown, "problem": "the path is no UTF-8, which Spark needs; rename it"}
    scheme, colon, rest = path.partition(":/")
    if not colon or "/" in scheme or not scheme:
        return {"file": os.path.abspath(path)}
    if scheme != "file":
        return {}
    # Hadoop writes file:/folder, others file:///folder; neither encodes characters.
    return {"file": "/" + rest.removeprefix("//")}


class Source(NamedTuple):
    """A ledger that is open for reading."""

    path: str
    """The path that the caller gave."""
    file: str
    """The file, which is another one each time where the ledger came as bytes."""

    def say(self, text: str) -> str:
        """A text about the file, as one about the path."""
        return text.replace(self.file, self.path)


def read_rows(batch: pyarrow.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows of the source table, of which one is in memory at a time."""
    for number in range(batch.num_rows):
        yield batch.slice(number, 1).to_pylist()[0]


@contextmanager
def open_source(row: dict[str, Any]) -> Iterator[Source]:
    """Gives the ledger of a row: its own file, or a temporary one with the bytes of the row. Raises
    UnreadableLedgerError where there is neither, and in place of what the package raises in the
    block."""
    if row["problem"] is not None:
        raise UnreadableLedgerError(row["problem"])
    with ExitStack() as stack:
        file = row["file"]
        if file is None:
            file = _write_ledger(stack.enter_context(TemporaryDirectory(prefix="axilog-")), row)
        source = Source(row["path"], file)
        try:
            yield source
        except (AxilogError, OSError, ValueError) as error:
            raise UnreadableLedgerError(source.say(str(error))) from error


def _write_ledger(folder: str, row: dict[str, Any]) -> str:
    if row["path"] is None or row["content"] is None:
        missing = "path" if row["path"] is None else "content"
        raise UnreadableLedgerError(f"the column `{missing}` is null; it needs the ledger's")
    file = Path(folder, "ledger.jsonl")
    file.write_bytes(row["content"])
    for name, data in row["blobs"] or ():
        if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise UnreadableLedgerError(
                f"found a blob with the name {name!a}, expected its SHA-256 in hexadecimal"
            )
        if data is not None:
            shard = Path(f"{file}.blobs", name[:2])
            shard.mkdir(parents=True, exist_ok=True)
            (shard / name).write_bytes(data)
    return os.fspath(file)
