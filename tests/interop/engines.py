"""The two sides: Weir and real Java Paimon, driven alike.

Each runs as one process that takes commands from standard input, a JSON array of words a line, and ends the output of
each with a line `#rc 0` or `#rc 1`. The commands and what they print are those of the Java peer."""

import json
import os
import subprocess
import tempfile
import time


class Failure(Exception):
    """A command that failed, with what it said."""


class Engine:
    def __init__(self, name, command, environment=None):
        self.name = name
        self.errors = tempfile.TemporaryFile()
        self.times = {}  # by command: how often, and seconds
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            env={**os.environ, **(environment or {})})

    def call(self, *words):
        """The lines that a command prints."""
        started = time.monotonic()
        try:
            return self._call(*words)
        finally:
            count, seconds = self.times.get(words[0], (0, 0.0))
            self.times[words[0]] = (count + 1, seconds + time.monotonic() - started)

    def print_times(self):
        print(f"{self.name}: " + ", ".join(
            f"{count} {command} in {seconds:.1f} s" for command, (count, seconds) in sorted(self.times.items())))

    def _call(self, *words):
        line = json.dumps([str(word) for word in words]) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name} has ended: {self._last_error()}") from None
        lines = []
        while True:
            raw = self.process.stdout.readline()
            if not raw:
                raise Failure(f"{self.name} ended at {' '.join(map(str, words))}: {self._last_error()}")
            text = raw.decode().rstrip("\n")
            if text == "#rc 0":
                return lines
            if text == "#rc 1":
                raise Failure(f"{self.name} {' '.join(map(str, words))}: {self._last_error()}")
            lines.append(text)

    def _last_error(self):
        """What was written to standard error since the last look, with a stack trace cut to its causes."""
        self.errors.seek(getattr(self, "seen", 0))
        text = self.errors.read().decode(errors="replace").strip()
        self.seen = self.errors.tell()
        lines = [line for line in text.splitlines() if not line.startswith("\tat ") and not line.startswith("\t...")]
        return "\n".join(lines[:12]) or "no message"

    def close(self):
        self.process.stdin.close()
        return self.process.wait()

    # Commands that both sides have.

    def create(self, warehouse, name, schema):
        """Makes a table and gives its path."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(schema, file)
            file.flush()
            return json.loads(self.call("create", warehouse, "db", name, file.name)[0])["path"]

    def write(self, table, rows, *words):
        """Writes lines of rows and gives the latest snapshot's id after it."""
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(row + "\n" for row in rows))
            file.flush()
            return json.loads(self.call("write", table, file.name, *words)[0])

    def dump(self, table, *words):
        return self.call("dump", table, "--sort", *words)

    def stream(self, table, first, *words):
        """What a streaming reader gets from a snapshot on: lines [snapshot, kind, values…]."""
        return self.call("dump", table, "--stream", first, "-", "--with-snapshot", *words)


class Weir(Engine):
    def __init__(self, tool):
        super().__init__("weir", [tool, "batch"])

    def expire(self, table, least, most):
        return json.loads(self.call("expire", table, least, most)[0])["expired"]

    def truncate(self, table):
        self.call("truncate", table)


class Java(Engine):
    def __init__(self, peer, *conf):
        """`conf`: options of the catalog, as "key=value"."""
        # Thousands of short commands: what the quick compiler makes of them is enough.
        flags = os.environ.get("PEER_JAVA_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
        options = [word for each in conf for word in ("--conf", each)]
        super().__init__("java", [peer, "batch", "-", *options], {"PEER_XMX": "1g", "PEER_JAVA_OPTS": flags})

    def expire(self, table, least, most):
        return json.loads(self.call("meta", table, "expire", least, most)[0])["expired"]

    def truncate(self, table):
        self.call("meta", table, "truncate")

    def alter(self, table, changes):
        warehouse, database, name = table.rsplit("/", 2)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(changes, file)
            file.flush()
            self.call("alter", warehouse, database.removesuffix(".db"), name, file.name)
