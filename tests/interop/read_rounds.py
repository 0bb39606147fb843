"""Every way to read a table with a history, by Weir and by Java: earlier snapshots by id, tag and time, changes between
two of them in each scan mode, and streams from each place where they may start. The tables are random ones (step_tables.py),
written by both sides in turn; that they hold the right rows is for step_rounds.py to say."""

import json
import random

from engines import Failure
from step_tables import RandomTable

TABLES = 10
STEPS = 10
SCAN_MODES = ["auto", "delta", "changelog", "diff"]
STATE_MODES = ["latest-full", "full", "default", "compacted-full", "from-snapshot-full"]


class ReadRounds:
    def __init__(self, seed, weir, java, warehouse, report):
        self.rng = random.Random(seed)
        self.report = report
        self.sides = self.weir, self.java = weir, java
        self.random_table = RandomTable(self.rng, f"reads-{seed}".replace("/", "-"))
        self.table = weir.create(warehouse, self.random_table.scenario.name, self.random_table.scenario.schema())

    def write(self):
        for identifier in range(STEPS):
            side = self.rng.choice(self.sides)
            side.write(self.table, self.random_table.rows(self.rng.choice([2, 5, 12])), "--commit-user", "job", "--commit-id",
                       identifier, *self.rng.choice([[], [], ["--compact"], ["--option", "write-only=true"]]))
            if self.rng.random() < 0.3:
                side.call("compact", self.table, *self.rng.choice([[], ["--minor"]]))
        self.java.call("compact", self.table)
        self.snapshots = [json.loads(line) for line in self.java.call("snapshots", self.table)]

    def run(self):
        self.write()
        self.tag()
        for words in self.reads():
            self.compare(words)
        return f"{self.random_table.engine} with {self.random_table.producer}, {len(self.snapshots)} snapshots"

    def tag(self):
        """Two tags; the snapshots before the first are gone."""
        middle = self.snapshots[len(self.snapshots) // 3]["id"]
        self.java.call("meta", self.table, "tag", "early", middle)
        self.java.call("meta", self.table, "tag", "late", self.snapshots[-2]["id"])
        if self.rng.random() < 0.5:
            least = len(self.snapshots) * 3 // 4
            self.java.expire(self.table, least, least)
            self.snapshots = self.snapshots[-least:]

    def reads(self):
        """The words of all reads."""
        ids = [snapshot["id"] for snapshot in self.snapshots]
        times = [snapshot["timeMillis"] for snapshot in self.snapshots]
        for identifier in ids:
            yield ["--snapshot", identifier]
        for name in ("early", "late"):
            yield ["--tag", name]
        some = self.rng.sample(range(len(ids)), min(4, len(ids)))
        for position in some:
            yield ["--option", f"scan.timestamp-millis={times[position]}"]
            yield ["--option", f"scan.timestamp-millis={times[position] - 1}"]
            yield ["--option", f"scan.version={ids[position]}"]
        for mode in SCAN_MODES:
            for _ in range(3):
                first, last = sorted(self.rng.sample(ids, 2))
                yield ["--changelog", first, last, "--option", f"incremental-between-scan-mode={mode}"]
            yield ["--changelog", "early", "late", "--option", f"incremental-between-scan-mode={mode}"]
        yield from self.streams(ids, times, some)

    def streams(self, ids, times, some):
        def stream(*options):
            return ["--stream", "-", ids[-1], "--with-snapshot", *[word for option in options for word in ("--option", option)]]
        for mode in ("latest-full", "latest", "compacted-full", "default", "full"):
            yield stream(f"scan.mode={mode}")
        for position in some:
            yield stream("scan.mode=from-snapshot", f"scan.snapshot-id={ids[position]}")
            yield stream("scan.mode=from-snapshot-full", f"scan.snapshot-id={ids[position]}")
            yield stream("scan.mode=from-timestamp", f"scan.timestamp-millis={times[position]}")
            yield stream("scan.mode=from-timestamp", f"scan.timestamp-millis={times[position] + 1}")
            yield stream(f"scan.snapshot-id={ids[position]}")
            yield stream(f"scan.timestamp-millis={times[position]}")
        yield stream("scan.mode=from-snapshot", f"scan.snapshot-id={max(1, ids[0] - 1)}")
        yield stream("scan.tag-name=early")

    def compare(self, words):
        weir, java = results = [self.read(side, words) for side in self.sides]
        what = f"dump {' '.join(map(str, words))} of {self.random_table.words()}"
        if None in results:
            # Whether it is refused is compared, not with which words.
            self.report.holds(what, results != [None, None] and f"only {self.sides[results.index(None)].name} refuses it: "
                              f"{self.refusal}")
        elif "--changelog" in words and ("early" in words or words[-1].endswith("diff")) and (
                "sequence.field" in self.random_table.options or self.random_table.expires):
            # Java merges the two states as rows by their sequence, and tells of no change where the newer state has the
            # older row: one that came back when another expired, or whose delete was compacted away.
            self.report.holds(what, [line for line in java if line not in weir])
        else:
            self.report.equal(what, java, weir)

    def read(self, side, words):
        try:
            lines = side.call("dump", self.table, "--sort", *words)
        except Failure as refusal:
            self.refusal = refusal
            return None
        return sorted(self.permitted(lines, words)) if "--stream" in words else sorted(lines)

    def permitted(self, lines, words):
        """The lines of a stream without what may differ: rows of the state with which it begins, and all of first-row,
        are +I here, and in Java of the kind with which they were written."""
        changes = [json.loads(line) for line in lines]
        begins_with_state = any(word.removeprefix("scan.mode=") in STATE_MODES for word in words if isinstance(word, str))
        first = min((snapshot for snapshot, *_ in changes), default=0) if begins_with_state else 0
        for snapshot, kind, *values in changes:
            if kind == "+U" and (self.random_table.engine == "first-row" or snapshot == first):
                kind = "+I"
            yield json.dumps([snapshot, kind, *values])


def run_read_rounds(weir, java, warehouse, report, seed, only, tables=TABLES):
    for number in range(tables):
        label = f"ways to read, table {number}."
        if only in label:
            report.check(label, lambda: ReadRounds(f"{seed}/{number}", weir, java, warehouse, report).run())
