"""Ten rounds on one table: Weir writes, both read; Java writes and compacts, both read; Weir goes on.

Compared after every turn: the latest rows and those of every new snapshot with the model, what a streaming reader gets,
the data files, and the snapshot files as each side sees them."""

import json
import random

import values
from engines import Failure
from model import Column, Model, replay

ROUNDS = 10
USER = "job"


class Rounds:
    def __init__(self, scenario, weir, java, warehouse, report, seed):
        self.scenario = scenario
        self.weir = weir
        self.java = java
        self.report = report
        self.rng = random.Random(f"{seed}/{scenario.name}")
        self.model = Model(scenario.columns, scenario.keys, scenario.partitions)
        # Writers of append tables without buckets do not compact.
        self.compacting = [] if scenario.options["bucket"] == "-1" and not scenario.keys else ["--compact"]
        self.replayed = {}
        self.identifier = 0
        self.latest = 0    # snapshot, as far as the model has seen
        self.compared = 0  # snapshot, as far as both sides were compared
        creator = weir if scenario.created_by == "weir" else java
        self.table = creator.create(warehouse, scenario.name, scenario.schema())

    def run(self):
        for number in range(1, ROUNDS + 1):
            if not self.report.check(f"{self.scenario.name} round {number}", lambda: self.round(number)):
                return
        self.report.check(f"{self.scenario.name} at the end", self.finish)

    def round(self, number):
        first = self.latest + 1
        if self.scenario.evolves:
            self.evolve(number)
        self.weir_turn(number)
        self.compare("after Weir")
        self.java_turn(number)
        self.compare("after Java")
        self.tend(number)
        return f"snapshots {first} to {self.latest}, {len(self.model.rows)} rows"

    # Writing.

    def commit(self, engine, lines, *words):
        """One commit of the job that both sides take turns at."""
        self.identifier += 1
        result = engine.write(self.table, lines, "--commit-user", USER, "--commit-id", self.identifier, *words)
        self.settle(result["latestSnapshot"])
        return result

    def settle(self, latest):
        self.model.remember(self.latest + 1, latest)
        self.latest = latest

    def changes(self):
        count = self.rng.choice([1, 5, 20, 60])
        return self.model.random_changes(self.rng, count, self.scenario.producer == "input")

    def weir_turn(self, number):
        session = ["--session", self.scenario.name] if self.scenario.session else []
        self.commit(self.weir, self.changes(), *session)
        self.commit(self.weir, self.changes(), *session, *self.rng.choice([[], self.compacting, ["--no-wait"]]))
        plain = ["--option", "write-only=true"] if not session and self.rng.random() < 0.4 else []
        self.commit(self.weir, self.changes(), *session, *plain)
        if not session and number % 3 == 0:
            self.compact(self.weir, self.rng.random() < 0.5)
        if number == 2 and not session:
            self.repeat_the_last_commit()

    def java_turn(self, number):
        if not self.scenario.session:
            self.commit(self.java, self.changes(), *self.rng.choice([[], self.compacting]))
            self.commit(self.java, self.changes(), *self.rng.choice([[], ["--option", "write-only=true"]]))
        if number % 2 == 0:
            self.compact(self.java, self.rng.random() < 0.7)

    def end_session(self):
        if self.scenario.session:
            self.weir.call("close", self.scenario.name)

    def compact(self, engine, full):
        try:
            result = engine.call("compact", self.table, *([] if full else ["--minor"]))
        except Failure as failure:
            if "EndOfScanException" in str(failure):
                return  # so Java says of an append table that there is nothing to compact
            raise
        self.settle(json.loads(result[0])["latestSnapshot"])

    def repeat_the_last_commit(self):
        """A replay of a commit that stands changes nothing, whoever made it and whoever repeats it."""
        for engine in (self.java, self.weir):
            before = self.latest
            rows = [self.model.line(row, "+I") for row in list(self.model.rows.values())[:3]]
            result = engine.write(self.table, rows, "--commit-user", USER, "--commit-id", self.identifier,
                                  "--filter-committed")
            self.report.equal(f"{engine.name} repeats commit {self.identifier}", [before], [result["latestSnapshot"]])

    # What happens between the rounds.

    def tend(self, number):
        engine = self.weir if number % 2 else self.java
        if number in (4, 7):
            self.overwrite(engine)
        if number == 5:
            self.java.call("meta", self.table, "tag", "kept", self.latest - 3)
            self.tagged = (self.latest - 3, list(self.model.history[self.latest - 3]))
        if number in (6, 9):
            self.expire(engine)

    def catch_up(self):
        """Brings the changelog to the latest state: it comes with compactions."""
        if self.scenario.producer in ("lookup", "full-compaction"):
            self.compact(self.rng.choice([self.weir, self.java]), True)
            self.compare("after a compaction")

    def overwrite(self, engine):
        self.end_session()  # nobody overwrites below a running job
        self.catch_up()
        partition = {}
        if self.scenario.partitions:
            rows = [row for row in self.model.rows.values() if all(
                row[name] not in ("null", '""', '" "') and "," not in row[name] and "=" not in row[name]
                for name in self.scenario.partitions)]
            chosen = self.rng.choice(rows)
            partition = {name: chosen[name] for name in self.scenario.partitions}
        words = ",".join(f"{name}={json.loads(value)}" for name, value in partition.items())
        lines = self.model.overwrite(self.rng, 7, partition)
        self.commit(engine, lines, "--overwrite", words)
        self.reset_replay()
        self.compare(f"after {engine.name} overwrote {words or 'all'}")

    def expire(self, engine):
        """Old snapshots go; the tagged one stays readable."""
        engine.expire(self.table, 5, 5)
        earliest = self.latest - 4
        self.report.equal("snapshots left", list(range(earliest, self.latest + 1)),
                          [json.loads(line)["id"] for line in self.weir.call("snapshots", self.table)])
        self.compare_at(range(earliest, self.latest + 1))
        for side in (self.weir, self.java):
            self.report.equal(f"{side.name} reads the tag after {engine.name} expired", self.tagged[1],
                              side.dump(self.table, "--tag", "kept"))

    def evolve(self, number):
        """Java alters the table; Weir goes on with the new schema."""
        changes = {
            2: ([{"op": "add", "name": "e", "type": "STRING"}], lambda: self.model.add_column(
                Column("e", "STRING", values.nullable(values.text())), len(self.model.columns))),
            3: ([{"op": "add", "name": "f", "type": "BIGINT", "first": True}], lambda: self.model.add_column(
                Column("f", "BIGINT", values.nullable(values.integer(64))), 0)),
            5: ([{"op": "rename", "name": "e", "to": "g"}], lambda: self.model.rename_column("e", "g")),
            6: ([{"op": "drop", "name": "f"}], lambda: self.model.drop_column("f")),
            8: ([{"op": "add", "name": "f", "type": "INT"}], lambda: self.model.add_column(
                Column("f", "INT", values.nullable(values.integer(32))), len(self.model.columns))),
            9: ([{"op": "move", "name": "g", "after": "id"}], self.move_behind_id),
        }
        if number in changes:
            self.catch_up()
            alteration, apply = changes[number]
            self.java.alter(self.table, alteration)
            apply()
            self.reset_replay()
            for side in (self.weir, self.java):
                self.report.equal(f"{side.name} after {alteration}", self.model.lines(), side.dump(self.table))

    def move_behind_id(self):
        columns = self.model.columns
        moved = next(column for column in columns if column.name == "g")
        columns.remove(moved)
        columns.insert(next(i for i, column in enumerate(columns) if column.name == "id") + 1, moved)

    # Comparing.

    def compare(self, when):
        first = self.compared + 1
        for side in (self.weir, self.java):
            self.report.equal(f"{when}, {side.name} reads the latest rows", self.model.lines(), side.dump(self.table))
        self.compare_at(range(first, self.latest + 1))
        self.report.equal(f"{when}, stream from {first}", self.java.stream(self.table, first, "--sort"),
                          self.weir.stream(self.table, first, "--sort"))
        self.compare_files(when)
        self.compared = self.latest
        if self.scenario.producer != "none":
            changes = self.weir.stream(self.table, first)
            self.report.holds(f"{when}, changelog from {first}", replay(changes, self.key_positions(), self.replayed))

    def compare_at(self, snapshots):
        for snapshot in snapshots:
            for side in (self.weir, self.java):
                self.report.equal(f"{side.name} reads snapshot {snapshot}", self.model.history[snapshot],
                                  side.dump(self.table, "--snapshot", snapshot))

    def compare_files(self, when):
        sides = []
        for side in (self.weir, self.java):
            files = [json.loads(line) for line in side.call("files", self.table)]
            for file in files:
                file["bucketPath"] = file["bucketPath"][len(self.table):]
            snapshots = [json.loads(line) for line in side.call("snapshots", self.table)]
            sides.append(sorted(json.dumps(entry, sort_keys=True) for entry in files + snapshots))
        self.report.equal(f"{when}, files and snapshots as Java and Weir see them", sides[1], sides[0])

    def key_positions(self):
        names = [column.name for column in self.model.columns]
        return [names.index(name) for name in self.scenario.keys]

    def reset_replay(self):
        """Overwrites are no changes to a stream, and altered rows look otherwise: the replay starts from the state."""
        positions = self.key_positions()
        self.replayed = {}
        for line in self.model.lines():
            row = json.loads(line)
            self.replayed[json.dumps([row[position] for position in positions])] = json.dumps(row)

    def finish(self):
        """Everything compacted by one side, then by the other; the changelog has caught up with the table."""
        self.end_session()
        for engine in (self.weir, self.java):
            self.compact(engine, True)
            self.compare(f"after {engine.name} compacted")
        if self.scenario.producer != "none":
            self.report.equal("the changelog's rows", sorted(
                json.dumps(json.loads(line)) for line in self.model.lines()), sorted(self.replayed.values()))
