"""Audits all ledgers below a folder with Spark, and prints the worst of them.

    spark-submit --master local[2] audit_fleet.py FOLDER [RESULT]

FOLDER is any folder that Spark reads; with RESULT the whole table goes there as Parquet. The exit
code is that of `axilog audit`: 0 where every ledger is OK, else 1."""

from __future__ import annotations

import argparse
import sys

from pyspark.sql import SparkSession, functions

import axilog.spark


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder")
    parser.add_argument("result", nargs="?")
    options = parser.parse_args()
    spark = SparkSession.builder.appName("axilog audit").getOrCreate()
    ledgers = axilog.spark.find_ledgers(spark, options.folder)
    audited = axilog.spark.audit(spark, ledgers).cache()
    counts = {row["verdict"]: row["count"] for row in audited.groupBy("verdict").count().collect()}
    if options.result:
        audited.write.mode("overwrite").parquet(options.result)
    worst = audited.where("verdict <> 'OK' OR state <> 'ENABLED'").orderBy(
        functions.expr(
            "array_position(array('FAILED', 'UNREADABLE', 'INCOMPLETE', 'OK'), verdict)"
        ),
        functions.desc("breaches"),
        "path",
    )
    for row in worst.limit(10).collect():
        print(row["verdict"], row["path"], row["reason"] or f"the agent is {row['state']}")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 0 if counts.keys() <= {"OK"} else 1


if __name__ == "__main__":
    sys.exit(main())
