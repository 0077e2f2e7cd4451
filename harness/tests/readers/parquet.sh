#!/usr/bin/env bash
# Reads an export in Parquet with DuckDB, pandas and PyArrow, and compares it with the export in JSON
# lines. Installs the three with pip, into a directory that is removed. AXILOG names a command with the
# feature parquet; without it the command is built.
set -euo pipefail
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet duckdb pandas pyarrow

if [ -n "${AXILOG:-}" ]; then
    axilog() { "$AXILOG" "$@"; }
else
    axilog() { cargo run --quiet -p axilog-harness --features parquet -- "$@"; }
fi
axilog demo --ledger "$work/demo.jsonl" >/dev/null
axilog export "$work/demo.jsonl" --format parquet -o "$work/rows.parquet"
axilog export "$work/demo.jsonl" --format jsonl -o "$work/rows.jsonl"

"$work/venv/bin/python" - "$work" <<'PYTHON'
import json
import sys

import duckdb
import pandas
import pyarrow.parquet

work = sys.argv[1]
parquet = f"{work}/rows.parquet"
with open(f"{work}/rows.jsonl", encoding="utf-8") as lines:
    rows = [json.loads(line) for line in lines]

read = duckdb.read_parquet(parquet)
assert [dict(zip(read.columns, row)) for row in read.fetchall()] == rows, "DuckDB"
assert pyarrow.parquet.read_table(parquet).to_pylist() == rows, "PyArrow"
frame = pandas.read_parquet(parquet)
assert set(frame.columns) == set(rows[0]) and len(frame) == len(rows), "pandas"
for name in ("sequence", "output", "verified"):
    assert frame[name].tolist() == [row[name] for row in rows], f"pandas: {name}"
print(
    f"{len(rows)} rows read alike by DuckDB {duckdb.__version__}, "
    f"PyArrow {pyarrow.__version__} and pandas {pandas.__version__}"
)
PYTHON
