#!/usr/bin/env python3
"""Kills the orders pipeline again and again, and compares what it makes in the end with an undisturbed run.

    kill_pipeline.py WEIR GENERATE [--kills 100] [--lost-writes LIBRARY] [--seed N]

The same change files reach both runs. The disturbed one is ended by SIGKILL at random moments and started again by the
same command; with --lost-writes it is ended as in a power cut, with the loss of everything that was not synced (see
lost_writes.c). At last it runs until it is idle. Then the ODS and DWS tables must be equal to the undisturbed ones, the
DWD table in the columns that don't come from the lookup, and the changes of every table, applied strictly, must give
its rows. Prints the seed."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TABLES = {
    # table: columns that are compared, key columns, whether all its changes are kept
    "ods.db/orders": (None, 1, True),
    "ods.db/users": (None, 1, True),
    "dwd.db/orders": ([0, 1, 4, 5, 6, 7], 1, True),
    "dws.db/user_stat": (None, 1, False),
}
LATER_FILES = 40
LONGEST_RUN = 600  # seconds, of one start


class Failure(Exception):
    pass


class Pipeline:
    """One folder with change files, warehouse and state."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.kept = folder.parent / (folder.name + "-kept")
        self.kept.mkdir()
        (folder / "tmp").mkdir(parents=True)
        subprocess.run([options.generate, folder / "tmp/changes", str(LATER_FILES)], check=True)
        self.changes = folder / "tmp/changes"
        self.next_later = 0
        self.starts = 0

    def feed(self, count):
        """The next files of both tables appear, whole."""
        for number in range(self.next_later, min(self.next_later + count, LATER_FILES)):
            for table in ("orders", "users"):
                name = f"{table}-{number:03d}.json"
                source = self.changes / "later" / name
                if source.exists():
                    hidden = self.changes / table / ("." + name)
                    shutil.copyfile(source, hidden)
                    with open(hidden, "rb") as file:  # the source's files are not what is cut off
                        os.fsync(file.fileno())
                    os.rename(hidden, self.changes / table / ("later-" + name))
            self.next_later = number + 1

    def start(self, *arguments, lost_writes_seed=None):
        environment = dict(os.environ)
        if lost_writes_seed is not None:
            environment.update(
                LD_PRELOAD=str(self.options.lost_writes),
                LOST_WRITES_ROOT=str(self.folder / "tmp"),
                LOST_WRITES_KEEP=str(self.kept),
                LOST_WRITES_SEED=str(lost_writes_seed),
            )
        self.starts += 1
        self.log = open(self.folder / f"run-{self.starts}.log", "wb")
        return subprocess.Popen(
            [self.options.weir, "run", self.options.script, "--state", "tmp/state", *arguments],
            cwd=self.folder, env=environment, stdout=self.log, stderr=subprocess.STDOUT)

    def check_ended_well(self, process):
        try:
            code = process.wait(LONGEST_RUN)
        except subprocess.TimeoutExpired:
            process.kill()
            code = "none: it ran longer than it may"
        if code != 0:
            text = (self.folder / f"run-{self.starts}.log").read_text(errors="replace")
            raise Failure(f"start {self.starts} in {self.folder}: exit status {code}\n{text[-3000:]}")

    def dump(self, table, *arguments):
        path = self.folder / "tmp/warehouse" / table
        done = subprocess.run([self.options.weir, "dump", path, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"weir dump {path} {' '.join(arguments)}: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]


def replay(table, changes, key_columns):
    """The rows that changes give, each of which must fit what was there before."""
    rows = {}
    for number, (kind, *values) in enumerate(changes):
        key = tuple(map(str, values[:key_columns]))
        if kind in ("-U", "-D"):
            if rows.pop(key, None) != values:
                raise Failure(f"{table}: change {number}, {kind} {values}, takes back a row that is not there")
        elif rows.setdefault(key, values) is not values:
            raise Failure(f"{table}: change {number}, {kind} {values}: {rows[key]} is there already")
    return rows


def compare(calm, wild):
    for table, (columns, key_columns, keeps_changes) in TABLES.items():
        def chosen(rows):
            return sorted(json.dumps(row if columns is None else [row[i] for i in columns]) for row in rows)

        rows = wild.dump(table)
        expected, found = chosen(calm.dump(table)), chosen(rows)
        if expected != found:
            missing = [row for row in expected if row not in set(found)]
            extra = [row for row in found if row not in set(expected)]
            raise Failure(f"{table}: {len(found)} rows, expected {len(expected)}; "
                          f"missing {missing[:5]}, not expected {extra[:5]}")
        if keeps_changes:
            changes = wild.dump(table, "--stream", "1", "-")
            replayed = replay(table, changes, key_columns)
            if chosen(replayed.values()) != chosen(rows):
                raise Failure(f"{table}: its {len(changes)} changes give other rows than the table has")
            print(f"  {table}: {len(rows)} rows, {len(changes)} changes that fit")
        else:
            print(f"  {table}: {len(rows)} rows")


def disturb(pipeline, generator):
    """Starts and kills; files go on appearing."""
    options = pipeline.options
    for number in range(options.kills):
        seed = generator.randrange(1 << 30) if options.lost_writes else None
        process = pipeline.start(lost_writes_seed=seed)
        end = time.monotonic() + generator.choice([0.02, 0.1, 0.3, 0.6]) * (0.5 + generator.random())
        while time.monotonic() < end:
            if generator.random() < LATER_FILES / options.kills / 3:
                pipeline.feed(1)
            time.sleep(min(0.05, max(0.0, end - time.monotonic())))
            if process.poll() is not None:
                pipeline.check_ended_well(process)  # it has no reason to end
                raise Failure(f"start {pipeline.starts} ended by itself")
        process.send_signal(signal.SIGUSR2 if options.lost_writes else signal.SIGKILL)
        process.wait(60)
        if number % 20 == 19:
            print(f"  {number + 1} kills, {pipeline.next_later} of {LATER_FILES} later files", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("generate", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--lost-writes", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WEIR_SEED", random.randrange(1 << 30))))
    options = parser.parse_args()
    options.script = pathlib.Path("examples/orders/pipeline.sql").resolve()
    print(f"seed {options.seed}, {options.kills} kills" + (", unsynced writes lost" if options.lost_writes else ""))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-kill-"))
    try:
        calm = Pipeline(options, folder / "calm")
        calm.feed(LATER_FILES)
        calm.check_ended_well(calm.start("--until-idle", "1"))
        wild = Pipeline(options, folder / "wild")
        disturb(wild, random.Random(options.seed))
        wild.feed(LATER_FILES)
        wild.check_ended_well(wild.start("--until-idle", "1"))
        compare(calm, wild)
    except Failure as failure:
        print(f"FAILED: {failure}\nleft for a look: {folder}")
        sys.exit(1)
    shutil.rmtree(folder)
    print("passed")


main()
