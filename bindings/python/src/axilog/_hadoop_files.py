"""Ledgers in a file system that only Hadoop reaches: Spark's own reader of binary files brings them
and their blobs to the executors, with the access that the session has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COMPRESSED = (".gz", ".zst")


def find_far_files(spark: SparkSession, rows: list[dict[str, Any]], longest: int) -> None:
    """Looks each path up, and sets ``far_file`` and ``far_blobs`` to what Hadoop calls the file and
    the folder of its blobs, or ``problem`` to why the file cannot be read."""
    jvm, configuration = _reach_hadoop(spark)
    for row in rows:
        try:
            path = jvm.org.apache.hadoop.fs.Path(row["path"])
            files = path.getFileSystem(configuration)
            status = files.getFileStatus(path)
            name = status.getPath().toString()
            blobs = jvm.org.apache.hadoop.fs.Path(_name_blobs(name))
            has_blobs = files.exists(blobs)
        # What py4j raises for an exception of Java depends on the file system.
        except Exception as error:
            row["problem"] = f"Hadoop cannot find the ledger: {_describe(error)}"
            continue
        if status.isDirectory():
            row["problem"] = "it is a directory; name a regular file"
        elif status.getLen() == 0:
            # Spark leaves empty files out.
            row["content"] = b""
        elif status.getLen() > longest:
            row["problem"] = (
                f"the file has {status.getLen()} bytes, and Spark reads at most {longest} of a "
                "binary file; name a path on the executors' machines"
            )
        else:
            row["far_file"] = name
            row["far_blobs"] = blobs.toString() if has_blobs else None


def join_far_files(spark: SparkSession, table: DataFrame, rows: list[dict[str, Any]]) -> DataFrame:
    """The table with the bytes of the files and of their blobs in ``content`` and ``blobs``."""
    from pyspark.sql import functions

    places = {row[name] for row in rows for name in ("far_file", "far_blobs") if row.get(name)}
    # A file that has gone, or cannot be read, is left out, and its ledger then has no bytes.
    files = (
        spark.read.format("binaryFile")
        .option("recursiveFileLookup", "true")
        .option("ignoreMissingFiles", "true")
        .option("ignoreCorruptFiles", "true")
        .load([_escape_wildcards(place) for place in sorted(places)])
        .select(functions.col("path").alias("far_path"), functions.col("content").alias("far_data"))
    )
    folder = functions.regexp_extract("far_path", r"^(.*)/([0-9a-f]{2})/\2[0-9a-f]{62}$", 1)
    name = functions.substring_index("far_path", "/", -1)
    blobs = (
        files.where(folder != "")
        .groupBy(folder.alias("far_folder"))
        .agg(
            functions.map_from_entries(
                functions.collect_list(functions.struct(name, "far_data"))
            ).alias("far_map")
        )
    )
    missing = functions.col("far_file").isNotNull() & functions.col("far_data").isNull()
    lost = functions.lit("Spark could not read the file; its log says why")
    return (
        table.join(files, table["far_file"] == files["far_path"], "left")
        .join(blobs, table["far_blobs"] == blobs["far_folder"], "left")
        .withColumn("content", functions.coalesce("content", "far_data"))
        .withColumn("blobs", functions.coalesce("blobs", "far_map"))
        .withColumn("problem", functions.when(missing, lost).otherwise(functions.col("problem")))
    )


def list_far_ledgers(spark: SparkSession, folder: str, endings: tuple[str, ...]) -> list[str]:
    """The files below a folder with one of the endings, but for what is in folders of blobs."""
    jvm, configuration = _reach_hadoop(spark)
    root = jvm.org.apache.hadoop.fs.Path(folder)
    files = root.getFileSystem(configuration)
    found, folders = [], [root]
    while folders:
        for status in files.listStatus(folders.pop()):
            name = status.getPath().toString()
            if status.isDirectory():
                if not name.endswith(".blobs"):
                    folders.append(status.getPath())
            elif name.endswith(endings):
                found.append(name)
    return sorted(found)


def _reach_hadoop(spark: SparkSession) -> tuple[Any, Any]:
    """The Java machine of the driver, and Hadoop's configuration of the session."""
    jvm = getattr(spark, "_jvm", None)
    if jvm is None:
        raise ValueError(
            "this session reaches no file system of Hadoop from Python (Spark Connect); read the "
            "ledgers as binary files, and give the table"
        )
    return jvm, spark._jsparkSession.sessionState().newHadoopConf()


def _name_blobs(name: str) -> str:
    """The folder of a ledger's blobs, which a compressed ledger shares with what it was."""
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return f"{name}.blobs"


def _escape_wildcards(place: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\*?[]{}" else sign for sign in place)


def _describe(error: Exception) -> str:
    cause = getattr(error, "java_exception", None)
    return str(error if cause is None else cause.toString())
