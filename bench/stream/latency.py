#!/usr/bin/env python3
"""From a row in a file to the row in tables: how long it takes until readers can see it.

    latency.py WEIR [--seconds 20] [--rows-per-second 1000] [--interval 20ms]

Rows come into a folder, a small file every 10 ms; a job brings them into an ODS table, a second one into a DWD table,
a third one sums them up in a DWS table. Each row holds the moment when its file got its name. A snapshot is visible from
the moment when its file got its name, which the file system notes (st_ctime); what is new in it is read afterwards,
so that nothing but the pipeline itself is measured. Prints a line of JSON and a histogram a table."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCRIPT = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/warehouse');
USE CATALOG lake;
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '{interval}';
CREATE TEMPORARY TABLE input (id BIGINT, user_id BIGINT, amount BIGINT, written_ns BIGINT)
WITH ('connector' = 'filesystem', 'path' = '{folder}/input', 'format' = 'json', 'source.monitor-interval' = '1ms');
CREATE TABLE ods (id BIGINT, user_id BIGINT, amount BIGINT, written_ns BIGINT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '1', 'changelog-producer' = 'input');
CREATE TABLE dwd (id BIGINT, user_id BIGINT, amount BIGINT, written_ns BIGINT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '1', 'changelog-producer' = 'input');
CREATE TABLE dws (user_id BIGINT, amount BIGINT, written_ns BIGINT, PRIMARY KEY (user_id) NOT ENFORCED)
WITH ('bucket' = '1');
INSERT INTO ods SELECT * FROM input;
INSERT INTO dwd SELECT * FROM ods WHERE amount >= 0;
INSERT INTO dws SELECT user_id, SUM(amount), MAX(written_ns) FROM dwd GROUP BY user_id;
"""
USERS = 100
FILE_MS = 10


def feed(folder, seconds, rows_per_second):
    target = folder / "input"
    rows_per_file = max(1, rows_per_second * FILE_MS // 1000)
    start = time.monotonic()
    number = 0
    for file in range(seconds * 1000 // FILE_MS):
        wait = start + file * FILE_MS / 1000 - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        hidden = target / f".{file}"
        with open(hidden, "w", encoding="ascii") as out:
            now = time.time_ns()
            for _ in range(rows_per_file):
                row = {"id": number, "user_id": number % USERS, "amount": number % 7, "written_ns": now}
                out.write(json.dumps(row) + "\n")
                number += 1
        os.rename(hidden, target / f"{file:08d}.json")
    return number


def latencies(weir, table, moment):
    """Milliseconds of each row, in the order of snapshots; `moment` gives when a row began, in nanoseconds since 1970."""
    visible = {}
    for path in (table / "snapshot").glob("snapshot-*"):
        visible[int(path.name.split("-")[1])] = path.stat().st_ctime_ns
    dump = subprocess.run([weir, "dump", table, "--stream", "1", "-", "--with-snapshot"], check=True,
                          capture_output=True, text=True)
    found = []
    for line in dump.stdout.splitlines():
        snapshot, kind, *row = json.loads(line)
        if kind in ("+I", "+U"):
            found.append((visible[int(snapshot)] - moment(row)) / 1e6)
    return found


def report(name, milliseconds, options):
    ordered = sorted(milliseconds)
    if not ordered:
        sys.exit(f"{name}: no rows came")
    figures = {"work": "latency-" + name, "rows": len(ordered), "rowsPerSecond": options.rows_per_second,
               "checkpointInterval": options.interval}
    for percent in (50, 90, 99):
        figures[f"p{percent}Ms"] = round(ordered[min(len(ordered) - 1, len(ordered) * percent // 100)], 1)
    figures["maxMs"] = round(ordered[-1], 1)
    print(json.dumps(figures), flush=True)
    bounds = [10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, float("inf")]
    low = 0
    for bound in bounds:
        count = sum(low <= value < bound for value in ordered)
        if count:
            bar = "#" * max(1, round(50 * count / len(ordered)))
            print(f"  {low:>5} ms … {bar} {100 * count / len(ordered):.1f} %", file=sys.stderr)
        low = bound


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rows-per-second", type=int, default=1000)
    parser.add_argument("--interval", default="20ms")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-latency-"))
    try:
        (folder / "input").mkdir()
        (folder / "script.sql").write_text(SCRIPT.format(folder=folder, interval=options.interval))
        job = subprocess.Popen([options.weir, "run", folder / "script.sql", "--state", folder / "state"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        time.sleep(1)
        feed(folder, options.seconds, options.rows_per_second)
        time.sleep(1)
        job.send_signal(signal.SIGTERM)
        output, _ = job.communicate(timeout=60)
        if job.returncode != 0:
            sys.exit(output.decode(errors="replace")[-3000:])
        tables = folder / "warehouse/default.db"
        report("ods", latencies(options.weir, tables / "ods", lambda row: row[3]), options)
        report("dws", latencies(options.weir, tables / "dws", lambda row: row[2]), options)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
