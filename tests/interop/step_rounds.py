"""Random tables, step by step: each write or compaction is done twice from the same files, by Weir and by Java, each on a
copy of the table. Both must read both copies alike, rows and changes; then one copy goes on. So every step is compared,
whatever files the steps before it left, and one side goes on with what the other made."""

import json
import os
import random
import shutil
import time

from engines import Failure
from step_tables import RandomTable

TABLES = 16  # a few seconds each; WEIR_SEED chooses others
STEPS = 12


class StepRounds:
    def __init__(self, seed, weir, java, warehouse, report):
        self.rng = random.Random(seed)
        self.report = report
        self.warehouse = warehouse
        self.sides = (weir, java)
        self.identifier = 0
        self.next_snapshot = 1
        self.name = f"steps-{seed}".replace("/", "-")
        self.random_table = RandomTable(self.rng, self.name)
        self.table = self.rng.choice(self.sides).create(warehouse, self.name, self.random_table.scenario.schema())
        # The Java peer compacts the buckets of all rows that it is given, also of those that are ignored.
        ignores = any(option.startswith("ignore-") for option in self.random_table.options)
        self.compacting = [] if ignores else ["--compact"]
        self.copies = {"weir": self.table, "java": f"{self.table}-twin"}

    def step(self):
        """Words of a step, and the function that does it by a side on a table."""
        chosen = self.rng.random()
        if chosen < 0.25 and self.identifier > 1:
            words = self.rng.choice([[], ["--minor"]])
            return f"compact {words}", lambda side, table: side.call("compact", table, *words)
        self.identifier += 1
        rows = self.random_table.rows(self.rng.choice([1, 3, 6, 15]))
        words = ["--commit-user", "job", "--commit-id", self.identifier,
                 *self.rng.choice([[], [], self.compacting, ["--option", "write-only=true"]])]
        return f"write {rows} {words[4:]}", lambda side, table: side.write(table, rows, *words)

    def run(self):
        for number in range(STEPS):
            self.told = self.last_rows(self.sides[0], self.table, 1) if self.identifier > 0 else []
            words, step = self.step()
            when = f"step {number}, {words} of {self.random_table.words()}"
            shutil.copytree(self.copies["weir"], self.copies["java"])
            for side in self.sides:
                step(side, self.copies[side.name])
            self.compare(when)
            self.keep(self.rng.choice(["weir", "java"]))
        return f"{self.random_table.engine}, {self.next_snapshot - 1} snapshots"

    def keep(self, name):
        """The copy that goes on becomes the table."""
        other = self.copies["java"]
        if name == "java":
            shutil.rmtree(self.table)
            os.rename(other, self.table)
        else:
            shutil.rmtree(other)
        snapshots = self.sides[0].call("snapshots", self.table)
        self.next_snapshot = json.loads(snapshots[-1])["id"] + 1 if snapshots else 1

    def compare(self, when):
        if not self.sides[0].call("snapshots", self.table):
            return  # every row was ignored
        for name, table in self.copies.items():
            self.report.equal(f"{when}, rows of {name}'s", *[side.dump(table) for side in self.sides])
        if self.levels("weir") == self.levels("java"):
            self.compare_rows(when)
            self.compare_changes(when, sorted)
            return
        # How soon files reach the last level depends on their sizes, and on that, when records expire and when a full
        # compaction tells of changes. Once all is compacted, all of that has happened.
        if self.random_table.engine == "sequence-groups" and self.random_table.producer == "lookup":
            return  # and whether rows without a version keep their values: those of files that move do
        if not self.random_table.expires:
            self.compare_rows(when)
        if self.random_table.producer != "full-compaction":
            self.compare_changes(when, sorted)
        if self.random_table.expires or self.random_table.producer == "full-compaction":
            for side in self.sides:
                side.call("compact", self.copies[side.name])
            self.compare_rows(f"{when}, then compacted")
            self.compare_changes(f"{when}, then compacted", self.net)

    def compare_all(self, when, read):
        """What `read` makes of each copy by each side must be what Java reads of its own."""
        weir, java = self.sides
        wanted = read(java, self.copies["java"])
        for reader, writer in ((java, weir), (weir, java), (weir, weir)):
            self.report.equal(f"{when}, {reader.name} of {writer.name}'s", wanted,
                              read(reader, self.copies[writer.name]))

    def compare_rows(self, when):
        self.compare_all(f"{when}, rows", lambda side, table: side.dump(table))

    def compare_changes(self, when, arrange):
        def read(side, table):
            changes = [json.loads(line)[1:] for line in side.stream(table, self.next_snapshot, "--sort")]
            return arrange(json.dumps(change) for change in self.permitted(changes))
        try:
            self.compare_all(f"{when}, changes", read)
        except AssertionError:
            if not self.java_contradicts_itself():
                raise

    def permitted(self, changes):
        """The changes without what may differ."""
        if self.random_table.engine == "first-row":
            # Java's changelog has a row's own kind, +U too, although the stream is of inserts alone; here all are +I.
            return [["+I", *values] for _, *values in changes]
        if self.random_table.engine == "aggregation" and self.random_table.producer == "full-compaction":
            # A -D that came before its row waits for it in the last level here. Java never leaves one there, and takes it
            # for a row that there was.
            told = {self.random_table.key_of(row) for row in self.told}
            changes = [["+I" if kind == "+U" and self.random_table.key_of(values) not in told else kind, *values]
                       for kind, *values in changes if kind != "-U" or self.random_table.key_of(values) in told]
        if "merge_map" in self.random_table.options.values():
            # row-deduplicate takes NULLs in a map for unequal in Java.
            older = [values for kind, *values in changes if kind == "-U"]
            newer = [values for kind, *values in changes if kind == "+U"]
            same = [values for values in older if values in newer]
            return [change for change in changes if change[1:] not in same]
        return changes

    def java_contradicts_itself(self):
        """Whether Java's changelog is not that of its rows, while Weir's is: a level-0 file that moves to the last level
        as it is keeps the values of sequence groups without a version, which Java's changelog leaves out."""
        if self.random_table.producer != "lookup" or self.random_table.engine != "sequence-groups":
            return False
        last = {side.name: self.last_rows(side, self.copies[side.name], self.next_snapshot) for side in self.sides}
        rows = {side.name: [json.loads(line) for line in side.dump(self.copies[side.name])] for side in self.sides}
        return (all(row in rows["weir"] for row in last["weir"]) and
                not all(row in rows["java"] for row in last["java"]))

    def last_rows(self, side, table, first):
        """Of each key that changed from snapshot `first` on, the row that it has in the end."""
        last = {}
        for line in side.stream(table, first):
            _, kind, *values = json.loads(line)
            last[self.random_table.key_of(values)] = values if kind in ("+I", "+U") else None
        return [row for row in last.values() if row is not None]

    def levels(self, name):
        """Of each bucket, how many files lie in which level."""
        files = [json.loads(line) for line in self.sides[0].call("files", self.copies[name])]
        return sorted((file["bucketPath"][len(self.copies[name]):], file["level"]) for file in files)

    def net(self, changes):
        """Of each key, the row before all changes and the row after them."""
        first, last = {}, {}
        for kind, *values in map(json.loads, changes):
            key = self.random_table.key_of(values)
            if kind in ("-U", "-D"):
                first.setdefault(key, values)
                last[key] = None
            else:
                first.setdefault(key, None)
                last[key] = values
        return sorted(f"{first[key]} {last[key]}" for key in first if first[key] != last[key])


class RoundsAlone(StepRounds):
    """The same steps by each side on a table of its own from beginning to end. That ends alike where nothing but the
    steps says when files are compacted: an older row that comes after its delete was compacted away stays, and sizes of
    files would say when that is."""

    def choose(self, table):
        table.options["num-sorted-run.compaction-trigger"] = "40"
        table.options.pop("compaction.force-up-level-0", None)
        return (table.producer != "lookup" and table.engine != "first-row" and not table.expires and
                # A -D that came before its row waits for it through full compactions here, but not in Java.
                not (table.engine == "aggregation" and any(kind in table.kinds for kind in ("-D", "-U"))))

    def run(self):
        if not self.choose(self.random_table):
            return "skipped: compactions come of themselves"
        shutil.rmtree(self.table)
        for side in self.sides:
            name = f"{self.name}-{side.name}"
            self.copies[side.name] = side.create(self.warehouse, name, self.random_table.scenario.schema())
        for number in range(STEPS):
            words, step = self.step()
            for side in self.sides:
                step(side, self.copies[side.name])
            if self.sides[0].call("snapshots", self.copies["weir"]):
                self.compare_rows(f"step {number}, {words} of {self.random_table.words()}")
                self.compare_changes(f"step {number}, {words} of {self.random_table.words()}", self.net)
        return self.random_table.engine


def run_step_rounds(weir, java, warehouse, report, seed, only, tables=TABLES):
    for number in range(tables // 2):
        label = f"each side alone, table {number}."
        if only in label:
            report.check(label, lambda: RoundsAlone(f"alone-{seed}/{number}", weir, java, warehouse, report).run())
    for number in range(tables):
        label = f"step by step, table {number}."
        if only in label:
            report.check(label, lambda: StepRounds(f"{seed}/{number}", weir, java, warehouse, report).run())
