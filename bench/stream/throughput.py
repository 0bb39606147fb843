#!/usr/bin/env python3
"""Streaming queries over the same CSV file, by Weir and, where its peer is found, by Flink.

    throughput.py WEIR [--rows 2000000] [--repeat 3] [--peer PEER]

Prints a line of JSON a figure: program, work, rows, cpuSeconds, wallSeconds, rowsPerCpuSecond, peakRssBytes. Flink's
start (`SELECT 1`) is measured in the same run and subtracted; of Weir nothing is. Queries that keep state run against
Flink's RocksDB state and against its heap. Last come lines with the ratios, and the upserts from datagen into tables,
which Weir alone is measured with."""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

TABLES = """
CREATE TEMPORARY TABLE input (id BIGINT, user_id BIGINT, amount DECIMAL(10, 2), kind STRING, note STRING)
WITH ('connector' = 'filesystem', 'path' = '{folder}/input', 'format' = 'csv');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '10 s';
"""

# Where Flink keeps its state, and what it takes to keep checkpoints of more than a few megabytes.
FLINK = """
SET 'state.backend.type' = '{backend}';
SET 'execution.checkpointing.dir' = 'file://{folder}/checkpoints';
"""

QUERIES = {
    "project": """
CREATE TEMPORARY TABLE output (id BIGINT, twice DECIMAL(12, 2), kind STRING) WITH ('connector' = 'blackhole');
INSERT INTO output SELECT id, amount * 2, UPPER(kind) FROM input WHERE user_id > 1000 AND note LIKE '%7%';
""",
    "group": """
CREATE TEMPORARY TABLE output (user_id BIGINT, total DECIMAL(38, 2), n BIGINT, top DECIMAL(10, 2))
WITH ('connector' = 'blackhole');
INSERT INTO output SELECT user_id, SUM(amount), COUNT(*), MAX(amount) FROM input GROUP BY user_id;
""",
}

# Rows come from datagen into a table; the count is what it makes.
UPSERTS = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/warehouse');
CREATE TEMPORARY TABLE input (id BIGINT, user_id BIGINT, amount DECIMAL(10, 2), kind INT, n BIGINT)
WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', 'rows-per-second' = '100000000',
      'fields.id.min' = '0', 'fields.id.max' = '1000000', 'fields.kind.min' = '0', 'fields.kind.max' = '9');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 s';
CREATE TABLE lake.`default`.output (id BIGINT, user_id BIGINT, amount DECIMAL(10, 2), kind INT, n BIGINT,
  PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '2', 'changelog-producer' = '{producer}');
INSERT INTO lake.`default`.output SELECT * FROM input;
"""


def write_input(folder, rows):
    """The same rows every time."""
    generator = random.Random(42)
    (folder / "input").mkdir()
    with open(folder / "input" / "rows.csv", "w", encoding="utf-8") as out:
        for number in range(rows):
            user, cents = generator.randrange(100000), generator.randrange(1000000)
            out.write(f"{number},{user},{cents // 100}.{cents % 100:02d},kind{user % 17},note {cents:x} of {user:x}\n")


def run(command):
    """CPU and wall seconds of a command and all it starts."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{output.decode(errors='replace')[-3000:]}")
    return {"cpuSeconds": usage.ru_utime + usage.ru_stime, "wallSeconds": time.monotonic() - start,
            "peakRssBytes": usage.ru_maxrss * 1024}


def run_script(program, folder, text):
    script = folder / "script.sql"
    script.write_text(text)
    shutil.rmtree(folder / "warehouse", ignore_errors=True)
    shutil.rmtree(folder / "state", ignore_errors=True)
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    return run([*program, str(script)])


def report(program, work, rows, figures):
    figures = {key: round(value, 3) for key, value in figures.items()}
    figures["rowsPerCpuSecond"] = round(rows / figures["cpuSeconds"])
    figures["rowsPerSecond"] = round(rows / figures["wallSeconds"])
    print(json.dumps({"program": program, "work": work, "rows": rows, **figures}), flush=True)
    return figures["rowsPerCpuSecond"]


def median(runs):
    return sorted(runs, key=lambda figures: figures["cpuSeconds"])[len(runs) // 2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--rows", type=int, default=2000000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer", default=os.environ.get("WEIR_SHARED", "../shared") + "/peer/peer")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-throughput-"))
    rows = options.rows
    try:
        write_input(folder, rows)
        weir = [options.weir, "run", "--state", str(folder / "state")]
        found = {}
        for work, query in QUERIES.items():
            text = TABLES.format(folder=folder) + query
            runs = [run_script(weir, folder, text) for _ in range(options.repeat)]
            found[work] = report("weir", work, rows, median(runs))
        for producer in ("none", "lookup"):
            many = rows * 5  # several checkpoints, so that keys are written again
            text = UPSERTS.format(folder=folder, rows=many, producer=producer)
            runs = [run_script(weir, folder, text) for _ in range(options.repeat)]
            report("weir", "upserts-" + producer, many, median(runs))
        if not os.access(options.peer, os.X_OK):
            print(f"Flink: skipped: no {options.peer}", file=sys.stderr)
            return
        flink = [options.peer, "sql"]
        start = run_script(flink, folder, "SELECT 1;")
        for work, query in QUERIES.items():
            for backend in ("rocksdb", "hashmap") if work == "group" else ("hashmap",):
                text = FLINK.format(backend=backend, folder=folder) + TABLES.format(folder=folder) + query
                figures = run_script(flink, folder, text)
                for key in ("cpuSeconds", "wallSeconds"):
                    figures[key] -= start[key]
                name = work + ("-" + backend if work == "group" else "")
                ratio = found[work] / report("flink", name, rows, figures)
                print(json.dumps({"ratio": name, "weirOverFlink": round(ratio, 2)}), flush=True)
    finally:
        shutil.rmtree(folder)


main()
