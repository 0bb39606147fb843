"""Tables of Weir read by programs that share no code with Java Paimon's core API nor with Weir: pypaimon, pypaimon-rust,
ClickHouse (chdb), and by Flink; and tables written by the first two, read by Weir. Started by run.sh with the Python that
has these packages; one that is missing is skipped by name."""

import argparse
import datetime
import decimal
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

from engines import Java
from report import Report

# The tables of examples/seeds with their options, on the local disk, and one with many types.
SCRIPT = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 'lake');
USE CATALOG lake;
CREATE DATABASE db;
USE db;
SET execution.runtime-mode = batch;
CREATE TABLE users (id BIGINT, name STRING, email STRING, update_time TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED)
WITH ('merge-engine' = 'partial-update', 'changelog-producer' = 'full-compaction',
      'full-compaction.delta-commits' = '5', 'bucket' = '4');
INSERT INTO users VALUES (1, 'Ada', 'ada@x', TIMESTAMP '2024-01-01 00:00:00.123'),
  (2, 'Bob', 'bob@x', TIMESTAMP '2024-01-01 00:00:01');
INSERT INTO users VALUES (1, CAST(NULL AS STRING), 'new@x', TIMESTAMP '2024-01-02 00:00:00'),
  (3, 'Käte', CAST(NULL AS STRING), TIMESTAMP '2024-01-02 00:00:01');
CREATE TABLE wide_table (order_id STRING, user_id BIGINT, user_name STRING, order_amount DECIMAL(10, 2),
  province STRING, order_time TIMESTAMP(3), PRIMARY KEY (order_id) NOT ENFORCED)
WITH ('bucket' = '8', 'merge-engine' = 'deduplicate');
INSERT INTO wide_table VALUES ('o1', 1, 'Ada', 9.50, 'Zürich', TIMESTAMP '2024-01-01 10:00:00'),
  ('o2', 2, CAST(NULL AS STRING), 0.01, CAST(NULL AS STRING), TIMESTAMP '2024-01-01 11:00:00');
INSERT INTO wide_table VALUES ('o1', 1, 'Ada', 10.00, 'Bern', TIMESTAMP '2024-01-01 12:00:00');
CREATE TABLE dwd_trade_orders (order_id BIGINT, user_id BIGINT, pay_amount DECIMAL(10, 2), order_status STRING,
  update_time TIMESTAMP(3), PRIMARY KEY (order_id) NOT ENFORCED)
WITH ('bucket' = '8', 'changelog-producer' = 'lookup', 'file.format' = 'parquet', 'snapshot.time-retained' = '24h');
INSERT INTO dwd_trade_orders SELECT id, id, CAST(5 AS DECIMAL(10, 2)), 'new', TIMESTAMP '2024-01-01 00:00:00' FROM users;
INSERT INTO dwd_trade_orders VALUES (2, 2, 7.25, 'paid', TIMESTAMP '2024-01-01 01:00:00');
DELETE FROM dwd_trade_orders WHERE order_id = 3;
CREATE TABLE paimon_log (log_time TIMESTAMP(3), user_id BIGINT, event STRING, dt STRING, hr STRING,
  PRIMARY KEY (dt, hr, user_id) NOT ENFORCED) PARTITIONED BY (dt, hr);
INSERT INTO paimon_log VALUES (TIMESTAMP '2023-12-31 23:10:00', 1, 'login', '2023-12-31', '23'),
  (TIMESTAMP '2024-01-01 08:00:00', 1, 'order', '2024-01-01', '08');
INSERT INTO paimon_log VALUES (TIMESTAMP '2024-01-01 08:30:00', 1, 'paid', '2024-01-01', '08');
CREATE TABLE plain_types (id INT, flag BOOLEAN, tiny TINYINT, small SMALLINT, big BIGINT, f FLOAT, d DOUBLE,
  price DECIMAL(10, 2), wide DECIMAL(30, 5), s STRING, day_of DATE, at_ms TIMESTAMP(3), at_us TIMESTAMP(6),
  numbers ARRAY<INT>);
INSERT INTO plain_types VALUES (1, TRUE, CAST(1 AS TINYINT), CAST(2 AS SMALLINT), 3, CAST(1.5 AS FLOAT), 2.25E0, 12.34,
  CAST(123456789012345678.12345 AS DECIMAL(30, 5)), 'Käse', DATE '2024-02-29', TIMESTAMP '2024-02-29 12:34:56.789',
  TIMESTAMP '2024-02-29 12:34:56.789012', ARRAY[1, 2]);
INSERT INTO plain_types (id, numbers) VALUES (2, ARRAY[3]);
CREATE TABLE nested_types (id INT, c CHAR(3), raw BYTES, instant TIMESTAMP_LTZ(3), m MAP<STRING, INT>,
  r ROW<a INT, b STRING>);
INSERT INTO nested_types VALUES (1, 'abc', x'00ff', TO_TIMESTAMP_LTZ(1709210096789, 3), MAP['k', 1], ROW(7, 'x'));
INSERT INTO nested_types (id) VALUES (2);
"""
TABLES = ["users", "wide_table", "dwd_trade_orders", "paimon_log", "plain_types", "nested_types"]

# What an engine does not read for reasons of its own: what it says, or how its answer differs. A check fails when the
# engine reads such a table after all, or fails in another way. ClickHouse refuses the same in tables of Java.
EXCEPTIONS = {
    ("clickhouse", "nested_types"): "Map cannot have a key of type Nullable",
}


def value(given, kind):
    """A value of pyarrow as the peer's JSON has it."""
    import pyarrow
    if given is None:
        return None
    if pyarrow.types.is_timestamp(kind):
        digits = {"s": 0, "ms": 3, "us": 6}[kind.unit]
        text = given.strftime("%Y-%m-%d %H:%M:%S") + f".{given.microsecond:06d}"[:digits + 1 if digits else 0]
        return text + ("Z" if kind.tz else "")
    if pyarrow.types.is_list(kind):
        return [value(each, kind.value_type) for each in given]
    if pyarrow.types.is_map(kind):
        return [[value(key, kind.key_type), value(item, kind.item_type)] for key, item in given]
    if pyarrow.types.is_struct(kind):
        return [value(given[field.name], field.type) for field in kind]
    if isinstance(given, bytes):
        return given.hex()
    return str(given) if isinstance(given, (decimal.Decimal, datetime.date)) else given


def lines(rows):
    return sorted(json.dumps(row, ensure_ascii=False) for row in rows)


def arrow_lines(table):
    return lines([value(row[field.name], field.type) for field in table.schema] for row in table.to_pylist())


class PyPaimon:
    name, package = "pypaimon", "pypaimon"

    def __init__(self, warehouse):
        from pypaimon import CatalogFactory
        self.catalog = CatalogFactory.create({"warehouse": warehouse})

    def read(self, table):
        builder = self.catalog.get_table(f"db.{table}").new_read_builder()
        return arrow_lines(builder.new_read().to_arrow(builder.new_scan().plan().splits()))

    def write(self, name, rows, keys):
        from pypaimon import Schema
        schema = Schema.from_pyarrow_schema(rows.schema, primary_keys=keys, options={"bucket": "1"} if keys else {})
        self.catalog.create_table(f"db.{name}", schema, False)
        builder = self.catalog.get_table(f"db.{name}").new_batch_write_builder()
        write, commit = builder.new_write(), builder.new_commit()
        write.write_arrow(rows)
        commit.commit(write.prepare_commit())
        write.close()
        commit.close()


class PyPaimonRust:
    name, package = "pypaimon-rust", "pypaimon_rust"

    def __init__(self, warehouse):
        from pypaimon_rust.datafusion import SQLContext
        self.context = SQLContext()
        self.context.register_catalog("lake", {"warehouse": warehouse})

    def read(self, table):
        import pyarrow
        return arrow_lines(pyarrow.Table.from_batches(self.context.sql(f"SELECT * FROM lake.db.{table}")))

    def write(self, name, rows, keys):
        key = f", PRIMARY KEY ({', '.join(keys)})" if keys else ""
        options = " WITH ('bucket' = '1')" if keys else ""
        self.context.sql(f"CREATE TABLE lake.db.{name} (id INT NOT NULL, name STRING, price DECIMAL(10, 2){key}){options}")
        texts = ["(" + ", ".join("NULL" if each is None else f"'{each}'" if isinstance(each, str) else str(each)
                                 for each in row.values()) + ")" for row in rows.to_pylist()]
        self.context.sql(f"INSERT INTO lake.db.{name} VALUES {', '.join(texts)}")


class ClickHouse:
    """Append tables only: of a compacted table with a key it gives too few rows, of Java's tables as well."""
    name, package = "clickhouse", "chdb"

    def __init__(self, warehouse):
        self.warehouse = warehouse

    def read(self, table):
        import chdb
        settings = "output_format_json_quote_64bit_integers = 0, output_format_json_quote_decimals = 1, " \
            "output_format_decimal_trailing_zeros = 1"
        answer = chdb.query(f"SELECT * FROM paimonLocal('{self.warehouse}/db.db/{table}') SETTINGS {settings}",
                            "JSONCompactEachRow")
        return lines(json.loads(line) for line in str(answer).splitlines())

    @staticmethod
    def expects(rows):
        """Its BOOLEANs of Paimon are numbers."""
        return lines([int(each) if isinstance(each, bool) else each for each in json.loads(row)] for row in rows)


def dump(weir, table):
    done = subprocess.run([weir, "dump", table, "--sort"], capture_output=True, text=True, check=False, timeout=30)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return lines(json.loads(line) for line in done.stdout.splitlines())


def check_reading(engine, table, expected, report):
    refusal = EXCEPTIONS.get((engine.name, table))
    try:
        came = engine.read(table)
    except Exception as problem:  # each engine has its own
        if refusal is None or refusal not in str(problem):
            raise
        return f"refused as known: {refusal}"
    report.holds("the list of exceptions", refusal and f"{engine.name} reads {table} now: take it from the list")
    if hasattr(engine, "expects"):
        expected = engine.expects(expected)
    report.equal(f"{engine.name} reads {table}", expected, came)
    return f"{len(came)} rows"


def check_writing(engine, kind, keys, weir, java, warehouse, report):
    import pyarrow
    rows = pyarrow.table({"id": [1, 2, 3], "name": ["Ada", None, "Käte"],
                          "price": [decimal.Decimal("1.50"), decimal.Decimal("-0.01"), None]},
                         schema=pyarrow.schema([pyarrow.field("id", pyarrow.int32(), nullable=False),
                                                ("name", pyarrow.string()), ("price", pyarrow.decimal128(10, 2))]))
    name = f"{engine.package}_{kind}"
    engine.write(name, rows, keys)
    table = f"{warehouse}/db.db/{name}"
    report.equal(f"Weir reads {name}", arrow_lines(rows), dump(weir, table))
    report.equal(f"Java reads {name}", arrow_lines(rows), lines(json.loads(line) for line in java.dump(table)))


def flink_lines(peer, warehouse, folder):
    """What Flink reads of each table, in one start."""
    script = f"{folder}/flink.sql"
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{warehouse}'); USE CATALOG lake; USE db;\n")
        for table in TABLES:
            file.write(f"SELECT '{table}', * FROM {table};\n")
    done = subprocess.run([peer, "sql", script], capture_output=True, text=True, check=False, timeout=80)
    if done.returncode != 0:
        raise AssertionError(done.stderr[-1000:])
    found = {table: [] for table in TABLES}
    for line in done.stdout.splitlines():
        table, *row = json.loads(line)
        found[table].append(row)
    return {table: lines(rows) for table, rows in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir", required=True)
    parser.add_argument("--peer", required=True)
    arguments = parser.parse_args()
    weir, peer = os.path.abspath(arguments.weir), os.path.abspath(arguments.peer)
    report, java = Report(), Java(peer)
    with tempfile.TemporaryDirectory(prefix="weir-engines-") as folder:
        warehouse = f"{folder}/lake"
        os.chdir(folder)  # ClickHouse reads only below the working folder
        with open(f"{folder}/tables.sql", "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        subprocess.run([weir, "run", "tables.sql"], check=True, capture_output=True, timeout=60)
        expected = {table: lines(json.loads(line) for line in java.dump(f"{warehouse}/db.db/{table}")) for table in TABLES}
        for table in TABLES:
            report.check(f"weir dump of {table}", lambda: report.equal(
                table, expected[table], dump(weir, f"{warehouse}/db.db/{table}")))
        report.check("flink reads the tables", lambda: report.equal(
            "all tables", sorted(expected.items()), sorted(flink_lines(peer, warehouse, folder).items())))
        for kind in (PyPaimon, PyPaimonRust, ClickHouse):
            if importlib.util.find_spec(kind.package) is None:
                print(f"skipped: {kind.name}: its package {kind.package} is not installed")
                continue
            engine = kind(warehouse)
            for table in TABLES:
                if kind is not ClickHouse or table.endswith("_types"):
                    report.check(f"{engine.name} reads {table}",
                                 lambda: check_reading(engine, table, expected[table], report))
            if kind is not ClickHouse:
                for shape, keys in (("append", []), ("keyed", ["id"])):
                    report.check(f"{engine.name} writes {shape}", lambda: check_writing(
                        engine, shape, keys, weir, java, warehouse, report))
        os.chdir("/")
    java.close()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
