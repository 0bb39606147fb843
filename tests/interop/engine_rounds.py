"""Merge engines by turns: Weir and Java write rows of the same keys to one table and compact what the other has written.
Both must read the same rows and changes after every turn; where a producer promises every change, the changes replayed
are the table."""

import json
import random

from model import replay

ROUNDS = 6
KEYS = 15
COLUMNS = [("k", "INT NOT NULL"), ("a", "INT"), ("b", "STRING"), ("t", "INT")]
LIVELY = {"bucket": "1", "num-sorted-run.compaction-trigger": "3", "snapshot.num-retained.min": "200",
          "snapshot.num-retained.max": "400"}
ENGINES = {
    "sequence": {"sequence.field": "t"},
    "partial-update": {"merge-engine": "partial-update", "ignore-delete": "true"},
    "partial-update-groups": {"merge-engine": "partial-update", "fields.t.sequence-group": "a",
                              "fields.a.aggregate-function": "sum"},
    "aggregation": {"merge-engine": "aggregation", "fields.a.aggregate-function": "sum",
                    "fields.b.aggregate-function": "last_non_null_value", "fields.b.ignore-retract": "true",
                    "fields.t.aggregate-function": "max", "fields.t.ignore-retract": "true"},
    "first-row": {"merge-engine": "first-row", "ignore-delete": "true"},
}
PRODUCERS = ["none", "lookup", "full-compaction"]


class EngineRounds:
    def __init__(self, name, producer, weir, java, warehouse, report, seed):
        self.sides = (weir, java)
        self.report = report
        self.rng = random.Random(f"{seed}/{name}/{producer}")
        self.engine = name
        self.producer = producer
        self.identifier = 0
        self.known = set()
        self.next_snapshot = 1
        options = {**LIVELY, **ENGINES[name], "changelog-producer": producer}
        self.table = self.rng.choice(self.sides).create(warehouse, f"engine-{name}-{producer}", {
            "fields": [{"name": column, "type": kind} for column, kind in COLUMNS],
            "primaryKeys": ["k"], "partitionKeys": [], "options": options})

    def row(self):
        key = self.rng.randrange(KEYS)
        deletes = self.engine == "aggregation" and key in self.known and self.rng.random() < 0.2
        self.known.add(key)
        values = [self.rng.choice([None, self.rng.randrange(100)]), self.rng.choice([None, self.rng.choice("xyz")]),
                  self.rng.randrange(50)]
        return json.dumps(["-D" if deletes else "+I", key, *values])

    def turn(self, side):
        for _ in range(self.rng.choice([1, 2])):
            self.identifier += 1
            rows = [self.row() for _ in range(self.rng.choice([1, 4, 12]))]
            side.write(self.table, rows, "--commit-user", "job", "--commit-id", self.identifier,
                       *self.rng.choice([[], ["--compact"], ["--option", "write-only=true"]]))
        if self.rng.random() < 0.3:
            side.call("compact", self.table, *self.rng.choice([[], ["--minor"]]))

    def compare(self, when):
        weir, java = self.sides
        self.report.equal(f"{when}, rows", java.dump(self.table, "--sort"), weir.dump(self.table, "--sort"))
        changes = weir.stream(self.table, self.next_snapshot, "--sort")
        self.report.equal(f"{when}, changes", java.stream(self.table, self.next_snapshot, "--sort"), changes)
        self.next_snapshot = json.loads(weir.call("snapshots", self.table)[-1])["id"] + 1
        if self.producer != "none":
            self.report.holds(f"{when}, changelog", replay(weir.stream(self.table, 1), [0], {}))

    def run(self):
        for number in range(ROUNDS):
            side = self.sides[number % 2]
            self.turn(side)
            self.compare(f"after {side.name} wrote")
        self.rng.choice(self.sides).call("compact", self.table)
        self.compare("at the end")
        if self.producer != "none":
            rows = {}
            replay(self.sides[0].stream(self.table, 1), [0], rows)
            self.report.equal("the changelog's rows", sorted(rows.values()), sorted(
                json.dumps(json.loads(line)) for line in self.sides[1].dump(self.table)))
        return f"{self.next_snapshot - 1} snapshots"


def run_engine_rounds(weir, java, warehouse, report, seed, only):
    for name in ENGINES:
        for producer in PRODUCERS:
            label = f"engine {name} with {producer}"
            if only in label and not (name == "first-row" and producer == "full-compaction"):
                report.check(label, EngineRounds(name, producer, weir, java, warehouse, report, seed).run)
