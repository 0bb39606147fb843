"""The tables of the ten rounds: their columns, keys, partitions and options."""

import values
from model import Column

STRANGE = ["a/b", "a=b", "é世", "q\"uote\\", "%41 x:y*z?", "[^#]{~}"]


class Scenario:
    def __init__(self, name, columns, keys=(), partitions=(), options=None, session=False, evolves=False,
                 created_by="weir"):
        self.name = name
        self.columns = columns
        self.keys = list(keys)
        self.partitions = list(partitions)
        self.options = dict(options or {})
        self.session = session  # one writer for all rounds, while Java compacts below it
        self.evolves = evolves
        self.created_by = created_by

    @property
    def producer(self):
        return self.options.get("changelog-producer", "none")

    def schema(self):
        return {
            "fields": [{"name": column.name, "type": column.type} for column in self.columns],
            "primaryKeys": self.keys,
            "partitionKeys": self.partitions,
            "options": self.options,
        }


def of_types(types, prefix="c"):
    return [Column(f"{prefix}{i}", text, values.nullable(make)) for i, (text, make) in enumerate(types.items())]


def small_int(most):
    return lambda rng: str(rng.randint(0, most))


def texts_of(texts):
    return lambda rng: values.text_token(rng.choice(texts))


def primary(name="id", most=60):
    return Column(name, "INT NOT NULL", small_int(most))


# Small files and early compactions, so that few rows make many levels.
LIVELY = {"num-sorted-run.compaction-trigger": "3", "target-file-size": "16 kb", "snapshot.num-retained.min": "200",
          "snapshot.num-retained.max": "400"}

MIXED_KEY = [
    Column("v", "DOUBLE", values.nullable(values.choice(values.DOUBLES))),
    Column("day", "DATE NOT NULL", values.choice(['"2024-01-01"', '"1969-12-31"', '"0001-01-01"'])),
    Column("w", "STRING", values.nullable(values.text())),
    Column("tag", "STRING NOT NULL", texts_of(["", "a", "a longer key than eight", "é", "\U0010ffff", "\uffff"])),
    Column("n", "BIGINT NOT NULL", values.choice(["-9223372036854775808", "-1", "0", "1", "9223372036854775807"])),
]

KEYS_OF_TYPES = [
    Column("k1", "DECIMAL(10, 2) NOT NULL", values.choice(['"-1.50"', '"0.00"', '"99999999.99"'])),
    Column("k2", "TIMESTAMP(6) NOT NULL", values.choice(['"1969-12-31 23:59:59.999999"', '"2024-01-01 00:00:00.000000"'])),
    Column("k3", "BOOLEAN NOT NULL", values.boolean),
    Column("k4", "DECIMAL(30, 5) NOT NULL", values.choice(['"-1.50000"', '"1234567890123456789012345.12345"'])),
    Column("k5", "BYTES NOT NULL", values.choice(['""', '"00"', '"ff00ff00ff00ff00ff"'])),
    Column("v", "STRING", values.nullable(values.text())),
]


def evolving():
    return [
        primary(),
        Column("a", "INT", values.nullable(values.integer(32))),
        Column("b", "STRING", values.nullable(values.text())),
        Column("c", "DECIMAL(9, 2)", values.nullable(values.decimal(9, 2))),
        Column("r", "ROW<x INT, y STRING>", values.nullable(values.row(values.integer(32), values.text()))),
        Column("d", "TIMESTAMP(3)", values.nullable(values.timestamp(3))),
    ]


def partitioned(strings):
    return [
        Column("id", "INT NOT NULL", small_int(9)),
        Column("p", "STRING", strings),
        Column("day", "DATE", values.choice(['"2024-02-29"', '"2024-02-29"', '"1969-12-31"'])),
        Column("hour", "INT", values.choice(["0", "0", "0", "-7"])),
        Column("v", "STRING", values.nullable(values.text())),
    ]


def all_scenarios():
    return [
        Scenario("types-parquet", [primary()] + of_types(values.PRIMITIVES), ["id"],
                 options={**LIVELY, "bucket": "2"}),
        Scenario("types-avro-input", [primary()] + of_types(values.AVRO_PRIMITIVES), ["id"], created_by="java",
                 options={**LIVELY, "bucket": "2", "file.format": "avro", "changelog-producer": "input"}),
        Scenario("nested-parquet-lookup", [primary()] + of_types(values.NESTED), ["id"],
                 options={**LIVELY, "bucket": "2", "changelog-producer": "lookup"}),
        Scenario("nested-avro", [primary()] + of_types(values.NESTED), ["id"],
                 options={**LIVELY, "bucket": "1", "file.format": "avro"}),
        Scenario("partitions-input", partitioned(texts_of(STRANGE)), ["p", "day", "hour", "id"], ["p", "day", "hour"],
                 options={**LIVELY, "bucket": "1", "changelog-producer": "input"}, created_by="java"),
        # Java's lookup makes file names of partition values, so that a slash fails.
        Scenario("partitions-lookup", partitioned(texts_of([text for text in STRANGE if "/" not in text])),
                 ["p", "day", "hour", "id"], ["p", "day", "hour"],
                 options={**LIVELY, "bucket": "1", "changelog-producer": "lookup"}),
        Scenario("composite-key-lookup", MIXED_KEY, ["tag", "n", "day"],
                 options={**LIVELY, "bucket": "4", "changelog-producer": "lookup"}),
        Scenario("typed-keys-input", KEYS_OF_TYPES, ["k3", "k1", "k2", "k4", "k5"], created_by="java",
                 options={**LIVELY, "bucket": "3", "bucket-key": "k2,k4", "changelog-producer": "input"}),
        Scenario("thin-evolving-lookup", evolving(), ["id"], evolves=True,
                 options={**LIVELY, "bucket": "2", "data-file.thin-mode": "true", "changelog-producer": "lookup"}),
        Scenario("evolving-avro", evolving(), ["id"], evolves=True, created_by="java",
                 options={**LIVELY, "bucket": "1", "file.format": "avro"}),
        Scenario("types-full-compaction", [primary()] + of_types(values.PRIMITIVES), ["id"], created_by="java",
                 options={**LIVELY, "bucket": "2", "changelog-producer": "full-compaction"}),
        Scenario("partitions-full-compaction", partitioned(texts_of(STRANGE)), ["p", "day", "hour", "id"],
                 ["p", "day", "hour"],
                 options={**LIVELY, "bucket": "1", "changelog-producer": "full-compaction",
                          "changelog-producer.row-deduplicate": "true"}),
        Scenario("long-job-lookup", [primary(most=200), Column("v", "STRING", values.nullable(values.text()))], ["id"],
                 session=True, options={**LIVELY, "bucket": "2", "changelog-producer": "lookup"}),
        Scenario("dynamic-buckets-lookup", [primary()] + of_types(values.PRIMITIVES), ["id"],
                 options={**LIVELY, "bucket": "-1", "dynamic-bucket.target-row-num": "9",
                          "changelog-producer": "lookup"}),
        # Without partitions: the Java side hashes the whole primary key, as Paimon does in no writer of its own.
        Scenario("dynamic-buckets-most", evolving(), ["id"], evolves=True, created_by="java",
                 options={**LIVELY, "bucket": "-1", "dynamic-bucket.target-row-num": "3",
                          "dynamic-bucket.initial-buckets": "2", "dynamic-bucket.max-buckets": "4"}),
        Scenario("append-types", of_types(values.PRIMITIVES) + of_types(values.NESTED, "n"),
                 options={**LIVELY, "bucket": "-1"}),
        Scenario("append-avro-buckets", [primary("k", 1000)] + of_types(values.AVRO_PRIMITIVES), created_by="java",
                 options={**LIVELY, "bucket": "3", "bucket-key": "k", "file.format": "avro"}),
        Scenario("append-partitions-evolving", partitioned(values.choice(["null", '""', '" "', '"x"', '"a/b"'])),
                 partitions=["p", "day", "hour"],
                 options={**LIVELY, "bucket": "-1", "partition.legacy-name": "false"}),
    ]
