"""`weir dump` prints exactly what the Java peer's `dump` prints for the same arguments."""

import json
import subprocess


def compare_dumps(program, java, table, report):
    snapshots = [json.loads(line)["id"] for line in java.call("snapshots", table)]
    first, last = snapshots[0], snapshots[-1]
    columns = [field["name"] for field in latest_schema(table)["fields"]]
    for words in (
        ["--sort"],
        ["--sort", "--snapshot", first],
        ["--sort", "--tag", "kept"],
        ["--sort", "--columns", ",".join(reversed(columns[:3]))],
        ["--sort", "--stream", first, "-"],
        ["--sort", "--stream", first, last, "--with-snapshot"],
        ["--sort", "--changelog", first, last],
        ["--sort", "--option", f"scan.snapshot-id={first}"],
    ):
        words = [str(word) for word in words]
        done = subprocess.run([program, "dump", table, *words], capture_output=True, text=True, check=False)
        report.holds(f"weir dump {' '.join(words)}", done.returncode != 0 and done.stderr)
        report.equal(f"weir dump {' '.join(words)}", java.call("dump", table, *words), done.stdout.split("\n")[:-1])


def latest_schema(table):
    identifier = 0
    while True:
        try:
            with open(f"{table}/schema/schema-{identifier}", encoding="utf-8") as file:
                schema = json.load(file)
        except FileNotFoundError:
            return schema
        identifier += 1
