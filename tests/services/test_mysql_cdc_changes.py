"""What goes wrong between a server and its reader, what it says then, and statements that change tables."""

import pathlib
import struct
import subprocess
import time

from mysql import Mysql
from test_mysql_cdc import collect

SERVICES = ["mariadb", "mysql56"]
SECONDS = 180
SECRET = "very-secret-7"

LAKE = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/lake');
CREATE DATABASE IF NOT EXISTS lake.d;
"""


def both(scene):
    return [Mysql(scene.server(name), scene.name) for name in ("mariadb", "mysql56")]


def lake(scene):
    return LAKE.format(folder=scene.folder)


def error_of(scene, mysql, columns="id INT", table="t", script="", **options):
    """How a job over a table fails. No message tells the password."""
    path = scene.folder / "error.sql"
    path.write_text(script + mysql.source(columns, table, **{"connect.max-retries": 0, **options}) +
                    "CREATE TEMPORARY TABLE shown WITH ('connector' = 'print') LIKE source (EXCLUDING ALL);\n"
                    "EXPLAIN SELECT * FROM source;\nSHOW JOBS;\nINSERT INTO shown SELECT * FROM source;")
    output, errors = scene.run("run", path, "--fresh", "--timeout", 30, status=1)
    assert SECRET not in output + errors, output + errors
    return errors


def expect(what, error, *words):
    for word in words:
        assert word in error, f"{what}: {error}"


def test_mistakes_are_told(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10), d DATETIME, b BLOB, x INT NULL)")
        port = mysql.env["MYSQL_PORT"]
        say = {"password": SECRET}
        expect("password", error_of(scene, mysql, **say), "Access denied", "check 'username' and 'password'",
               f"127.0.0.1:{port}")
        expect("host", error_of(scene, mysql, hostname="no.such.host.invalid"), "no.such.host.invalid", "check 'hostname'")
        expect("port", error_of(scene, mysql, port=1), "127.0.0.1:1", "check 'hostname' and 'port'")
        expect("table", error_of(scene, mysql, table="nothing"), "no table that matches", "'nothing'")
        expect("column", error_of(scene, mysql, "id INT, nam STRING"), f"table {mysql.database}.t has no column nam",
               "did you mean name?")
        expect("type", error_of(scene, mysql, "id INT, d TIMESTAMP_LTZ(3)"), "column d", "datetime cannot be read as",
               "declare it as TIMESTAMP")
        expect("bytes", error_of(scene, mysql, "id INT, b STRING"), "column b", "debezium.binary.handling.mode")
        expect("chunk column", error_of(scene, mysql, **{"scan.incremental.snapshot.chunk.key-column": "x"}), "NOT NULL")
        expect("missing option", scene.sql_error("CREATE TABLE s (id INT) WITH ('connector' = 'mysql-cdc');"),
               "option 'hostname' is missing")
        expect("wrong option", scene.sql_error(
            "CREATE TABLE s (id INT) WITH ('connector' = 'mysql-cdc', 'hostnam' = 'x');"), "did you mean 'hostname'")
        expect("offset", error_of(scene, mysql, **{"scan.startup.mode": "specific-offset"}), "specific-offset.gtid-set")
        mysql.run("INSERT INTO t (id) VALUES (1000)")
        expect("a value", error_of(scene, mysql, "id TINYINT"), "column id", "1000", "does not fit TINYINT")


def test_missing_privileges_are_told(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY)")
        everywhere = "'127.0.0.1'"

        def user(name, grants):
            mysql.run(f"GRANT {grants} TO {name}@{everywhere} IDENTIFIED BY '{SECRET}'")
            return {"username": name, "password": SECRET}
        monitor = "BINLOG MONITOR" if mysql.is_mariadb else "REPLICATION CLIENT"
        expect("nothing", error_of(scene, mysql, **user("u1", "USAGE ON *.*")), "REPLICATION CLIENT")
        expect("no select", error_of(scene, mysql, **user("u2", f"REPLICATION SLAVE, {monitor} ON *.*")),
               "no table that matches", "may not SELECT")
        expect("no replication", error_of(scene, mysql, **user("u3", f"SELECT, {monitor} ON *.*")), "REPLICATION SLAVE")


def test_settings_of_the_server_are_told(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY)")
        for name, wrong, right in (("binlog_format", "STATEMENT", "ROW"), ("binlog_row_image", "MINIMAL", "FULL")):
            mysql.run(f"SET GLOBAL {name} = {wrong}")
            try:
                expect(name, error_of(scene, mysql), f"has {name} = {wrong}", f"needs {name} = {right}")
            finally:
                mysql.run(f"SET GLOBAL {name} = {right}")


def start(scene, mysql, columns, extra="", **options):
    name = mysql.server.name
    return scene.job(mysql.source(columns + ", PRIMARY KEY (id) NOT ENFORCED", "t", **options) + lake(scene) +
                     f"CREATE TABLE IF NOT EXISTS lake.d.{name} ({columns}, PRIMARY KEY (id) NOT ENFORCED) "
                     "WITH ('bucket' = '1');\nSET 'execution.checkpointing.interval' = '100 ms';\n"
                     f"INSERT INTO lake.d.{name} SELECT * FROM source;", name=name)


def wait_for(scene, mysql, job, expected):
    def same():
        assert job.running(), job.output()
        came = scene.sql(lake(scene) + f"SELECT * FROM lake.d.{mysql.server.name};")
        return sorted(came) == expected
    scene.eventually(f"{expected}", same, 30)


def test_changes_of_a_table_that_fit_are_followed(scene):
    for mysql in both(scene):
        columns = "id INT, v BIGINT, s STRING"
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT, s VARCHAR(5)); INSERT INTO t VALUES (1, 1, 'a')")
        job = start(scene, mysql, columns)
        wait_for(scene, mysql, job, [[1, 1, "a"]])
        mysql.run("ALTER TABLE t ADD COLUMN first INT DEFAULT 7 FIRST, MODIFY v BIGINT, MODIFY s VARCHAR(500)")
        mysql.run("INSERT INTO t (id, v, s) VALUES (2, 5000000000, REPEAT('b', 300)); UPDATE t SET s = 'c' WHERE id = 1")
        wait_for(scene, mysql, job, [[1, 1, "c"], [2, 5000000000, "b" * 300]])
        mysql.run("ALTER TABLE t ADD INDEX (v), DROP COLUMN first; CREATE TABLE u (id INT); TRUNCATE u; DROP TABLE u")
        mysql.run("DELETE FROM t WHERE id = 2")
        wait_for(scene, mysql, job, [[1, 1, "c"]])
        job.stop()


def test_changes_of_a_table_that_do_not_fit_stop_the_job(scene):
    cases = [
        ("TRUNCATE TABLE t", "TRUNCATE of table", {"debezium.skipped.operations": "t"}),
        ("DROP TABLE t; CREATE TABLE t (id INT PRIMARY KEY, v INT)", "DROP of table", {"debezium.skipped.operations": "t"}),
        ("RENAME TABLE t TO old, new TO t", "RENAME of table", {"scan.parse.online.schema.changes.enabled": "true"}),
        ("ALTER TABLE t CHANGE v w INT", "no longer has a column v", None),
    ]
    for mysql in both(scene):
        for statement, words, way_on in cases:
            mysql.run(f"DROP DATABASE {scene.name}; CREATE DATABASE {scene.name}", database="")
            mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1), (2, 2); "
                      "CREATE TABLE new LIKE t; INSERT INTO new VALUES (1, 1)")
            for old in scene.folder.glob("lake/d.db/*"):
                scene.run("sql", "-e", lake(scene) + f"DROP TABLE lake.d.{old.name};")
            for old in scene.folder.glob("*.state"):
                old.rename(old.with_suffix(f".{time.time()}"))
            job = start(scene, mysql, "id INT, v INT")
            wait_for(scene, mysql, job, [[1, 1], [2, 2]])
            mysql.run(statement + "; INSERT INTO t VALUES (3, 3)")
            output = job.finish(30, status=1)
            expect(statement, output, words, "binlog.0")
            if way_on:
                job = start(scene, mysql, "id INT, v INT", **way_on)
                wait_for(scene, mysql, job, [[1, 1], [2, 2], [3, 3]])
                job.stop()


def test_a_binlog_that_is_gone_is_told(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)")
        job = start(scene, mysql, "id INT, v INT")
        wait_for(scene, mysql, job, [[1, 1]])
        job.stop()
        mysql.run("INSERT INTO t VALUES (2, 2); FLUSH LOGS; INSERT INTO t VALUES (3, 3); FLUSH LOGS")
        (last, *_), = mysql.run("SHOW MASTER STATUS")
        mysql.run(f"PURGE BINARY LOGS TO '{last}'")
        job = start(scene, mysql, "id INT, v INT")
        expect("purged", job.finish(30, status=1), "no longer has the binlog", "start over with --fresh")


def test_statements_in_place_of_rows_stop_the_job(scene):
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)")
    job = start(scene, mysql, "id INT, v INT")
    wait_for(scene, mysql, job, [[1, 1]])
    mysql.run("SET SESSION binlog_format = STATEMENT; UPDATE t SET v = 2")
    expect("statement", job.finish(30, status=1), "binlog_format = ROW")


def test_what_other_tables_do_is_not_looked_at(scene):
    """Rows without all columns, XA, statements in place of rows: they stop the job only where they concern it."""
    for mysql in both(scene):
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1); "
                  "CREATE TABLE o (id INT PRIMARY KEY, v INT, w INT); INSERT INTO o VALUES (1, 1, 1)")
        job = start(scene, mysql, "id INT, v INT")
        wait_for(scene, mysql, job, [[1, 1]])
        mysql.run("SET SESSION binlog_row_image = MINIMAL; UPDATE o SET v = 2; DELETE FROM o; "
                  "SET SESSION binlog_format = STATEMENT; INSERT INTO o VALUES (2, 2, 2)")
        mysql.run("XA START 'other'; INSERT INTO o VALUES (3, 3, 3); XA END 'other'; XA PREPARE 'other'; XA ROLLBACK 'other'")
        mysql.run("XA START 'one'; INSERT INTO t VALUES (2, 2); XA END 'one'; XA COMMIT 'one' ONE PHASE")
        mysql.run("UPDATE t SET v = 3 WHERE id = 1")
        wait_for(scene, mysql, job, [[1, 3], [2, 2]])
        mysql.run("SET SESSION binlog_row_image = MINIMAL; UPDATE t SET v = 4")
        expect("minimal", job.finish(30, status=1), "rows without all of their columns", "binlog_row_image = FULL",
               f"table {mysql.database}.t")


def test_an_xa_transaction_stops_the_job_before_its_rows_come(scene):
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)")
    job = start(scene, mysql, "id INT, v INT")
    wait_for(scene, mysql, job, [[1, 1]])
    mysql.run("XA START 'x'; INSERT INTO t VALUES (2, 2); XA END 'x'; XA PREPARE 'x'; XA ROLLBACK 'x'")
    expect("XA", job.finish(30, status=1), "commit without XA")
    assert scene.sql(lake(scene) + "SELECT * FROM lake.d.mariadb;") == [[1, 1]]


def test_prepared_xa_transactions_are_waited_for_at_the_beginning(scene):
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1); "
              "XA START 'x'; INSERT INTO t VALUES (2, 2); XA END 'x'; XA PREPARE 'x'")
    try:
        expect("prepared", error_of(scene, mysql, **{"connect.timeout": "500 ms"}), "1 XA transactions", "XA RECOVER")
        job = start(scene, mysql, "id INT, v INT")
        time.sleep(1)
        assert job.running(), job.output()
    finally:
        mysql.run("XA COMMIT 'x'")
    wait_for(scene, mysql, job, [[1, 1], [2, 2]])
    job.stop()


def test_partitions_that_go_stop_the_job(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), "
                  "PARTITION b VALUES LESS THAN (20)); INSERT INTO t VALUES (1, 1), (11, 1); "
                  "CREATE TABLE u (id INT PRIMARY KEY, v INT)")
        job = start(scene, mysql, "id INT, v INT")
        wait_for(scene, mysql, job, [[1, 1], [11, 1]])
        mysql.run("ALTER TABLE t DROP PARTITION a")
        expect("dropped", job.finish(30, status=1), "partition of table", "'debezium.skipped.operations' = 't'")
        job = start(scene, mysql, "id INT, v INT", **{"debezium.skipped.operations": "t"})
        mysql.run("INSERT INTO t VALUES (12, 1)")
        wait_for(scene, mysql, job, [[1, 1], [11, 1], [12, 1]])
        mysql.run("ALTER TABLE t EXCHANGE PARTITION b WITH TABLE u")
        expect("exchanged", job.finish(30, status=1), "rows came or went without an event", "start over")


def test_statements_of_clients_with_other_character_sets_are_understood(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE `té` (id INT PRIMARY KEY, `größe` INT); INSERT INTO `té` VALUES (1, 1)")
        job = scene.job(mysql.source("id INT, `größe` INT, PRIMARY KEY (id) NOT ENFORCED", "té") + lake(scene) +
                        f"CREATE TABLE lake.d.{mysql.server.name} (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) "
                        f"WITH ('bucket' = '1');\nINSERT INTO lake.d.{mysql.server.name} SELECT * FROM source;",
                        name=mysql.server.name)
        wait_for(scene, mysql, job, [[1, 1]])
        subprocess.run(mysql.command(), input="SET NAMES latin1; TRUNCATE TABLE `té`".encode("latin1"), check=True)
        expect("latin1", job.finish(30, status=1), f"TRUNCATE of table {mysql.database}.té")


def cut_before_last_commit(path):
    """Ends a file of a binlog as a server does that crashes while it writes a transaction."""
    log, at, commit = path.read_bytes(), 4, 0
    while at + 19 <= len(log):
        kind, size = log[at + 4], struct.unpack_from("<I", log, at + 9)[0]
        commit = at if kind == 16 else commit
        at += size
    path.write_bytes(log[:commit])


def test_a_transaction_that_a_crash_cut_off_is_none(scene):
    for mysql in both(scene):
        server = mysql.server
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)")
        (file, position, *_), = mysql.run("SHOW MASTER STATUS")
        mysql.run("INSERT INTO t VALUES (2, 2); INSERT INTO t VALUES (3, 3), (4, 4)")
        server.stop()
        cut_before_last_commit(pathlib.Path(server.folder) / "data" / file)
        server.start()
        mysql.env = server.env
        mysql.run("INSERT INTO t VALUES (5, 5)")
        came = collect(scene, mysql, "id INT, v INT", "t", {
            "scan.startup.mode": "specific-offset", "scan.startup.specific-offset.file": file,
            "scan.startup.specific-offset.pos": position})
        assert came == ["+I[2, 2]", "+I[5, 5]"], came
