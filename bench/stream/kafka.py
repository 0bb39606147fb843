#!/usr/bin/env python3
"""Upserts from Kafka into a primary-key table, and rows into Kafka, on a real broker.

    kafka.py WEIR SERVICES [--rows 2000000] [--partitions 4] [--format json|debezium-json|csv]
             [--seconds 20] [--rows-per-second 1000] [--interval 200ms]

SERVICES is the folder with kafka.sh, which installs, starts and stops a broker. Prints a line of JSON a figure: program,
work (kafka-write: from datagen into a topic; kafka-to-lookup: from there into a primary-key table with lookup changelog,
a checkpoint a second; kafka-read: to nowhere), rows, cpuSeconds and wallSeconds (of Weir alone), rowsPerSecond,
rowsPerCpuSecond, peakRssBytes; and, as latency.py does, how long it takes from the moment at which a message was produced
to the moment at which its row can be read in a table with lookup changelog (latency-kafka)."""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from latency import latencies, report

COLUMNS = "id BIGINT, user_id BIGINT, amount DECIMAL(10, 2), kind INT, n BIGINT"

MESSAGES = """
CREATE TEMPORARY TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = 'bench',
  'properties.bootstrap.servers' = '{brokers}', 'format' = '{format}', 'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset');
"""

FILL = """
CREATE TEMPORARY TABLE input ({columns})
WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', 'rows-per-second' = '100000000',
      'fields.id.min' = '0', 'fields.id.max' = '1000000', 'fields.kind.min' = '0', 'fields.kind.max' = '9');
INSERT INTO messages SELECT * FROM input;
"""

READ = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/warehouse');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 s';
CREATE TABLE lake.`default`.output ({columns}, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '2', 'changelog-producer' = 'lookup');
INSERT INTO lake.`default`.output SELECT * FROM messages;
"""

# Of messages that come one by one: who writes them, and who brings them into a table.
PRODUCE = """
CREATE TEMPORARY TABLE input (id BIGINT, amount BIGINT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',
  'fields.id.start' = '1', 'fields.id.end' = '{rows}', 'rows-per-second' = '{rows_per_second}');
CREATE TEMPORARY TABLE messages (id BIGINT, amount BIGINT) WITH ('connector' = 'kafka', 'topic' = 'fresh',
  'properties.bootstrap.servers' = '{brokers}', 'format' = 'json');
INSERT INTO messages SELECT * FROM input;
"""
FOLLOW = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/warehouse');
SET 'execution.checkpointing.interval' = '{interval}';
CREATE TEMPORARY TABLE messages (id BIGINT, amount BIGINT, produced TIMESTAMP_LTZ(3) METADATA FROM 'timestamp')
WITH ('connector' = 'kafka', 'topic' = 'fresh', 'properties.bootstrap.servers' = '{brokers}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.topic-partition-discovery.interval' = '0');
CREATE TABLE lake.`default`.fresh (id BIGINT, amount BIGINT, produced TIMESTAMP_LTZ(3), PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '2', 'changelog-producer' = 'lookup');
INSERT INTO lake.`default`.fresh SELECT * FROM messages;
"""


def produced_ns(row):
    moment = datetime.datetime.fromisoformat(row[2].replace("Z", "+00:00"))
    return int(moment.timestamp() * 1e9)


def measure_latency(options, brokers, folder):
    words = {"brokers": brokers, "folder": folder, "interval": options.interval,
             "rows_per_second": options.rows_per_second, "rows": options.seconds * options.rows_per_second}
    run(options.weir, "SET 'execution.runtime-mode' = 'batch';\n" +
        PRODUCE.format(**{**words, "rows": 1}))  # the topic is there then
    (folder / "follow.sql").write_text(FOLLOW.format(**words))
    job = subprocess.Popen([options.weir, "run", folder / "follow.sql", "--state", folder / "state"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    time.sleep(2)
    run(options.weir, PRODUCE.format(**words))
    time.sleep(2)
    job.send_signal(signal.SIGTERM)
    output, _ = job.communicate(timeout=60)
    if job.returncode != 0:
        sys.exit(output.decode(errors="replace")[-3000:])
    waits = latencies(options.weir, folder / "warehouse/default.db/fresh", produced_ns)
    report("kafka", waits[1:], options)  # the first one waited for the job


def run(weir, script):
    start = time.monotonic()
    process = subprocess.Popen([weir, "sql"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    process.stdin.write(script.encode())
    process.stdin.close()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(output.decode(errors="replace")[-3000:])
    return {"cpuSeconds": round(usage.ru_utime + usage.ru_stime, 2), "wallSeconds": round(time.monotonic() - start, 2),
            "peakRssBytes": usage.ru_maxrss * 1024}


def figure(work, rows, used):
    print(json.dumps({"program": "weir", "work": work, "rows": rows, **used, "rowsPerSecond": round(rows / used["wallSeconds"]),
                      "rowsPerCpuSecond": round(rows / used["cpuSeconds"])}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("services")
    parser.add_argument("--rows", type=int, default=2000000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--format", default="json")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rows-per-second", type=int, default=1000)
    parser.add_argument("--interval", default="200ms")
    options = parser.parse_args()
    script = pathlib.Path(options.services) / "kafka.sh"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-bench-"))
    server = folder / "kafka"
    try:
        subprocess.run([script, "install"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([script, "start", server], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "KAFKA_PROPS": f"num.partitions={options.partitions}"})
        brokers = (server / "env").read_text().split("KAFKA_BROKERS=")[1].split()[0]
        words = {"columns": COLUMNS, "brokers": brokers, "folder": folder, "rows": options.rows,
                 "format": options.format}
        messages = MESSAGES.format(name="messages", **words)
        figure("kafka-write", options.rows, run(options.weir, messages + FILL.format(**words)))
        figure("kafka-to-lookup", options.rows,
               run(options.weir, messages + READ.format(**words)))
        figure("kafka-read", options.rows,
               run(options.weir, "SET 'execution.runtime-mode' = 'streaming';\n" + messages +
                   f"CREATE TEMPORARY TABLE nowhere ({COLUMNS}) WITH ('connector' = 'blackhole');\n"
                   "INSERT INTO nowhere SELECT * FROM messages;"))
        measure_latency(options, brokers, folder)
    finally:
        subprocess.run([script, "stop", server], check=False, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
