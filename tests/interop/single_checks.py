"""Checks that need a course of their own: other numbers of buckets, other formats, larger tables, older versions."""

import os
import random

import values
from engines import Failure, Java
from model import Column, Model
from scenarios import Scenario, primary


class SingleChecks:
    def __init__(self, weir, java, warehouse, report, seed):
        self.weir = weir
        self.java = java
        self.warehouse = warehouse
        self.report = report
        self.rng = random.Random(f"{seed}/single")

    def run(self, only):
        for name, function in (
            ("another number of buckets", self.rescale),
            ("overwrite of the partitions that rows are for", self.dynamic_overwrite),
            ("file formats that change", self.mixed_formats),
            ("a larger table", self.large_table),
        ):
            if only in name:
                self.report.check(name, function)

    def create(self, engine, name, columns, keys, partitions, options):
        scenario = Scenario(name, columns, keys, partitions, options)
        return engine.create(self.warehouse, name, scenario.schema()), Model(columns, keys, partitions)

    def both_read(self, when, table, model):
        for side in (self.weir, self.java):
            self.report.equal(f"{when}, {side.name} reads", model.lines(), side.dump(table))

    def rescale(self):
        """Weir adds to no partition that has another number of buckets; overwriting gives it the new one."""
        columns = [primary(most=500), Column("v", "STRING", values.nullable(values.text()))]
        table, model = self.create(self.weir, "rescale", columns, ["id"], [], {"bucket": "2"})
        self.weir.write(table, model.random_changes(self.rng, 100, False))
        self.java.write(table, model.random_changes(self.rng, 100, False), "--compact")
        self.java.alter(table, [{"op": "set", "key": "bucket", "value": "5"}])
        self.both_read("after the option was set", table, model)
        try:
            self.weir.write(table, ['["+I",1,"x"]'])
            raise AssertionError("Weir added rows in 5 buckets to a table of 2")
        except Failure as refusal:
            self.report.holds("the refusal", "INSERT OVERWRITE" not in str(refusal) and str(refusal))
        self.weir.write(table, model.overwrite(self.rng, 60, {}), "--overwrite", "")
        self.both_read("after Weir rescaled", table, model)
        self.java.write(table, model.random_changes(self.rng, 50, False), "--compact")
        self.weir.write(table, model.random_changes(self.rng, 50, False), "--compact")
        self.both_read("after both wrote", table, model)
        self.java.alter(table, [{"op": "set", "key": "bucket", "value": "1"}])
        self.java.write(table, model.overwrite(self.rng, 60, {}), "--overwrite", "")
        self.weir.write(table, model.random_changes(self.rng, 50, False), "--compact")
        self.both_read("after Java rescaled", table, model)

    def dynamic_overwrite(self):
        columns = [Column("p", "INT", values.choice(["1", "2", "3", "4"])), primary(most=20),
                   Column("v", "STRING", values.nullable(values.text()))]
        for side in (self.weir, self.java):
            table, model = self.create(self.java, f"dynamic-{side.name}", columns, ["p", "id"], ["p"], {"bucket": "1"})
            self.weir.write(table, model.random_changes(self.rng, 100, False))
            lines = model.overwrite(self.rng, 3, {"p": "2"}) + model.overwrite(self.rng, 3, {"p": "4"})
            side.write(table, lines, "--overwrite", "")
            self.both_read(f"after {side.name} overwrote two partitions", table, model)
            side.write(table, model.overwrite(self.rng, 4, {}), "--overwrite", "", "--option",
                       "dynamic-partition-overwrite=false")
            self.both_read(f"after {side.name} overwrote everything", table, model)

    def mixed_formats(self):
        columns = [primary(most=80), Column("v", "STRING", values.nullable(values.text())),
                   Column("a", "ARRAY<ROW<x INT, y STRING>>", values.nullable(values.array(
                       values.row(values.nullable(values.integer(32)), values.nullable(values.text())))))]
        options = {"bucket": "1", "num-sorted-run.compaction-trigger": "3", "changelog-producer": "lookup"}
        table, model = self.create(self.weir, "formats", columns, ["id"], [], options)
        for change in ("file.format=avro", "file.compression=snappy", "file.format=parquet", "file.compression=lz4",
                       "file.compression=zstd", "changelog-file.format=avro", "metadata.stats-mode=full",
                       "manifest.compression=null", "parquet.writer.version=v2"):
            key, value = change.split("=")
            self.java.alter(table, [{"op": "set", "key": key, "value": value}])
            for side in (self.weir, self.java):
                side.write(table, model.random_changes(self.rng, 30, False))
                side.write(table, model.random_changes(self.rng, 30, False))
                self.both_read(f"with {change}, after {side.name} wrote", table, model)
        self.report.equal("the changelog", self.java.stream(table, 1, "--sort"), self.weir.stream(table, 1, "--sort"))

    def large_table(self):
        """Several row groups, many pages, rolled files, a buffer that is flushed more than once a commit."""
        columns = [primary(most=60000), Column("n", "BIGINT", values.integer(64)),
                   Column("few", "STRING", values.choice(['"red"', '"green"', '"blue"', "null"])),
                   Column("v", "STRING", values.nullable(values.text())),
                   Column("d", "DECIMAL(20, 3)", values.decimal(20, 3)), Column("t", "TIMESTAMP(6)", values.timestamp(6))]
        options = {"bucket": "2", "target-file-size": "1 mb", "file.block-size": "256 kb", "parquet.page.size": "16384",
                   "write-buffer-size": "2 mb", "num-sorted-run.compaction-trigger": "4"}
        table, model = self.create(self.weir, "large", columns, ["id"], [], options)
        for side in (self.weir, self.java, self.weir):
            side.write(table, model.random_changes(self.rng, 25000, False))
            self.both_read(f"after {side.name} wrote", table, model)
        self.weir.call("compact", table)
        self.both_read("after Weir compacted", table, model)
        return f"{len(model.rows)} rows"


def old_version_reads(weir, peer, version, tables, report):
    """An older Java Paimon opens the tables that Weir and the newest one wrote together."""
    os.environ["PEER_PAIMON"] = version
    try:
        old = Java(peer)
        try:
            for table in tables:
                name = os.path.basename(table)
                report.check(f"Paimon {version} reads {name}", lambda: report.equal(
                    name, old.dump(table), weir.dump(table)))
        finally:
            old.close()
    finally:
        del os.environ["PEER_PAIMON"]
