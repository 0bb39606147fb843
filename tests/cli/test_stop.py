#!/usr/bin/env python3
"""SIGTERM while a program waits for a server that does not answer: it ends soon, and says what it could not do.

Usage: test_stop.py WEIR
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

ENOUGH_S = 10  # waits without an end in sight are ten times as long, and more
SETTLE_S = 1.5  # until the program waits for the server

failures = []


class Mute:
    """Takes connections, and never says anything."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()


class Hanging:
    """Lets nobody in: its queue of connections is full."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.port = self.socket.getsockname()[1]
        self.first = []
        for _ in range(4):
            first = socket.socket()
            first.setblocking(False)
            first.connect_ex(("127.0.0.1", self.port))
            self.first.append(first)

    def close(self):
        for first in self.first:
            first.close()
        self.socket.close()


class Refusing:
    """Nobody listens."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))  # nobody else takes the port
        self.port = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()


NUMBERS = """CREATE TEMPORARY TABLE numbers (id INT, name STRING)
    WITH ('connector' = 'datagen', 'rows-per-second' = '100', 'fields.name.length' = '5');
"""
TOPIC = """CREATE TEMPORARY TABLE topic (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = 't',
    'properties.bootstrap.servers' = '127.0.0.1:{port}', 'format' = 'json', {more});
"""
PRINT = "CREATE TEMPORARY TABLE out (id INT, name STRING) WITH ('connector' = 'print');\n"
CAPTURE = """CREATE TEMPORARY TABLE {name} (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
    'connector' = 'mysql-cdc', 'hostname' = '127.0.0.1', 'port' = '{port}', 'username' = 'u', 'password' = 'p',
    'database-name' = 'd', 'table-name' = 't');
"""
EARLIEST = "'scan.startup.mode' = 'earliest-offset'"
BOUNDED = EARLIEST + ", 'scan.bounded.mode' = 'latest-offset'"
STORE = """CREATE CATALOG store WITH ('type' = 'paimon', 'warehouse' = 's3://bucket/lake',
    's3.endpoint' = 'http://127.0.0.1:{port}', 's3.access-key' = 'a', 's3.secret-key' = 'b',
    's3.path.style.access' = 'true');
SELECT * FROM store.`default`.t;
"""
NODES = """CREATE CATALOG nodes WITH ('type' = 'paimon', 'warehouse' = 'webhdfs://127.0.0.1:{port}/lake');
SELECT * FROM nodes.`default`.t;
"""

# What they wait for: those that never answer, and where nobody listens too, if that is not given up by itself.
SILENT, ALL = (Mute, Hanging), (Mute, Hanging, Refusing)
CASES = {
    "a Kafka source": (ALL, TOPIC.replace("{more}", EARLIEST) + PRINT + "INSERT INTO out SELECT * FROM topic;"),
    "a bounded Kafka source": (ALL, TOPIC.replace("{more}", BOUNDED) + "SELECT * FROM topic;"),
    "a Kafka source of a query in batch mode": (ALL, "SET 'execution.runtime-mode' = 'batch';\n"
    + TOPIC.replace("{more}", BOUNDED) + "SELECT COUNT(*) FROM topic;"),
    "a Kafka sink": (ALL, NUMBERS + TOPIC.replace("{more}", EARLIEST) + "INSERT INTO topic SELECT * FROM numbers;"),
    "a Kafka sink without guarantees": (ALL, NUMBERS
    + TOPIC.replace("{more}", "'sink.delivery-guarantee' = 'none'") + "INSERT INTO topic SELECT * FROM numbers;"),
    "a Kafka sink with transactions": (ALL, NUMBERS
    + TOPIC.replace("{more}", "'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'x'")
    + "INSERT INTO topic SELECT * FROM numbers;"),
    "a Kafka sink of a statement in batch mode": (ALL, "SET 'execution.runtime-mode' = 'batch';\n"
    + TOPIC.replace("{more}", EARLIEST) + "INSERT INTO topic VALUES (1, 'a');"),
    "a MySQL source": (SILENT, CAPTURE.replace("{name}", "users") + PRINT + "INSERT INTO out SELECT * FROM users;"),
    "three MySQL sources": (SILENT, CAPTURE.replace("{name}", "a") + CAPTURE.replace("{name}", "b")
    + CAPTURE.replace("{name}", "c") + PRINT
    + "INSERT INTO out SELECT * FROM a UNION ALL SELECT * FROM b UNION ALL SELECT * FROM c;"),
    "an S3 store": (SILENT, STORE),
    "a name node": (ALL, NODES),
}


def check(what, holds, told):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}\n{told}")


def run(weir, name, script, server):
    """Starts a script, tells it to end, and waits for that."""
    what = f"{name}, {type(server).__name__.lower()}"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "script.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script.replace("{port}", str(server.port)))
        process = subprocess.Popen([weir, "run", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, text=True)
        time.sleep(SETTLE_S)
        started = time.monotonic()
        runs = process.poll() is None
        process.send_signal(signal.SIGTERM)
        try:
            told, _ = process.communicate(timeout=ENOUGH_S)
        except subprocess.TimeoutExpired:
            process.kill()
            told, _ = process.communicate()
            told = f"it was still there after {ENOUGH_S} s\n" + told
        took = time.monotonic() - started
        print(f"{what}: {took:.1f} s, status {process.returncode}")
        check(what, runs and process.returncode in (0, 1, 128 + signal.SIGTERM) and took < ENOUGH_S, told)
        if process.returncode == 1:
            check(f"{what}: says what is missing", "stopped without a last checkpoint: INSERT INTO" in told, told)


def main():
    weir = sys.argv[1]
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, (kinds, script) in CASES.items():
        for kind in kinds:
            if only in name:
                server = kind()
                run(weir, name, script, server)
                server.close()
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
