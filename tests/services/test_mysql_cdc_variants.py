"""Servers with other settings: no global ids, no names in the binlog, no checksums, compressed events, old row events."""

import pathlib
import time

from mysql import Mysql
from test_mysql_cdc import MARIADB_TYPES, TYPES, check_types, collect, follow, lake

SERVICES = [
    ("mariadb", {"MARIADB_ARGS": "--binlog-row-metadata=NO_LOG --log-bin-compress=ON --log-bin-compress-min-len=10 "
                                 "--binlog-checksum=NONE"}),
    ("mysql56", {"MYSQL_ARGS": "--gtid-mode=OFF --enforce-gtid-consistency=OFF --binlog-checksum=NONE "
                               "--log-bin-use-v1-row-events=ON"}),
]
SECONDS = 240


def both(scene):
    return [Mysql(scene.server(name), scene.name) for name in ("mariadb", "mysql56")]


def test_types_by_what_the_server_declares(scene):
    mariadb, mysql = both(scene)
    check_types(scene, mariadb, TYPES + MARIADB_TYPES)
    check_types(scene, mysql, TYPES)


def test_load_and_kills(scene):
    for mysql in both(scene):
        follow(scene, mysql, "numbers", kills=3, cuts=3, restarts=1,
               options={"scan.incremental.snapshot.chunk.size": 100})
        follow(scene, mysql, "texts", kills=2, options={"scan.incremental.snapshot.chunk.size": 100})


def test_columns_that_were_added_while_the_job_was_down(scene):
    for mysql in both(scene):
        name, columns = mysql.server.name, "id INT, s STRING"
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10)); INSERT INTO t VALUES (1, 'a')")
        script = (mysql.source(columns + ", PRIMARY KEY (id) NOT ENFORCED", "t") + lake(scene) +
                  f"CREATE TABLE IF NOT EXISTS lake.d.{name} ({columns}, PRIMARY KEY (id) NOT ENFORCED) "
                  f"WITH ('bucket' = '1');\nINSERT INTO lake.d.{name} SELECT * FROM source;")

        def rows(job, expected):
            assert job.running(), job.output()
            return sorted(scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};")) == expected
        job = scene.job(script, name=name)
        scene.eventually("the row", lambda: rows(job, [[1, "a"]]))
        job.stop()
        mysql.run("INSERT INTO t VALUES (2, 'b'); ALTER TABLE t ADD COLUMN f INT FIRST; INSERT INTO t VALUES (7, 3, 'c')")
        job = scene.job(script, name=name)
        scene.eventually("rows of before and after", lambda: rows(job, [[1, "a"], [2, "b"], [3, "c"]]))
        job.stop()


def test_an_idle_job_stays_near_the_end_of_the_binlog(scene):
    for mysql in both(scene):
        name = mysql.server.name
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1); CREATE TABLE u (id INT PRIMARY KEY)")
        script = (mysql.source("id INT, PRIMARY KEY (id) NOT ENFORCED", "t") + lake(scene) +
                  f"CREATE TABLE IF NOT EXISTS lake.d.{name} (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1');"
                  f"\nINSERT INTO lake.d.{name} SELECT * FROM source;")

        def count(job, expected):
            assert job.running(), job.output()
            return len(scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};")) == expected
        job = scene.job(script, name=name)
        scene.eventually("the row", lambda: count(job, 1))
        mysql.run("INSERT INTO u VALUES (1); FLUSH LOGS; INSERT INTO u VALUES (2); FLUSH LOGS; INSERT INTO u VALUES (3)")
        time.sleep(5)
        job.kill()
        (last, *_), = mysql.run("SHOW MASTER STATUS")
        mysql.run(f"PURGE BINARY LOGS TO '{last}'; INSERT INTO t VALUES (2)")
        job = scene.job(script, name=name)
        scene.eventually("the next row", lambda: count(job, 2))
        job.stop()


def test_a_place_in_files_is_not_looked_for_at_another_server(scene):
    mysql = Mysql(scene.server("mysql56"), scene.name)
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)")
    script = (mysql.source("id INT, PRIMARY KEY (id) NOT ENFORCED", "t") + lake(scene) +
              "CREATE TABLE IF NOT EXISTS lake.d.t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1');"
              "\nINSERT INTO lake.d.t SELECT * FROM source;")
    job = scene.job(script)
    scene.eventually("the row", lambda: scene.sql(lake(scene) + "SELECT * FROM lake.d.t;") == [[1]])
    job.stop()
    mysql.server.stop()
    next(pathlib.Path(mysql.server.folder).glob("data*/auto.cnf")).unlink()  # it is another one to all others then
    mysql.server.start()
    output = scene.job(script).finish(30, status=1)
    assert "is another server" in output and "gtid_mode = ON" in output, output


def test_rows_that_were_written_between_two_changes_of_a_table(scene):
    """The definition that the server gives is not theirs, and the binlog tells no names."""
    for mysql in both(scene):
        name, columns = mysql.server.name, "id INT, a INT, b INT"
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); INSERT INTO t VALUES (1, 10, 20)")
        script = (mysql.source(columns + ", PRIMARY KEY (id) NOT ENFORCED", "t") + lake(scene) +
                  f"CREATE TABLE IF NOT EXISTS lake.d.{name} ({columns}, PRIMARY KEY (id) NOT ENFORCED) "
                  f"WITH ('bucket' = '1');\nINSERT INTO lake.d.{name} SELECT * FROM source;")

        def rows(job, expected):
            assert job is None or job.running(), job.output()
            return sorted(scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};")) == expected
        job = scene.job(script, name=name)
        expected = [[1, 10, 20]]
        scene.eventually("the row", lambda: rows(job, expected))
        job.stop()
        mysql.run("INSERT INTO t VALUES (2, 11, 21); ALTER TABLE t ADD COLUMN x INT; INSERT INTO t VALUES (3, 12, 22, 0); "
                  "ALTER TABLE t ADD COLUMN y INT, ADD INDEX (y); INSERT INTO t VALUES (4, 13, 23, 0, 0)")
        job = scene.job(script, name=name)
        expected += [[2, 11, 21], [3, 12, 22], [4, 13, 23]]
        scene.eventually("columns at the end", lambda: rows(job, expected))
        job.stop()
        mysql.run("ALTER TABLE t ADD COLUMN v INT AFTER id; INSERT INTO t VALUES (5, 0, 14, 24, 0, 0)")
        job = scene.job(script, name=name)
        expected += [[5, 14, 24]]
        scene.eventually("one change", lambda: rows(job, expected))
        job.stop()
        mysql.run("ALTER TABLE t ADD COLUMN w INT AFTER id; INSERT INTO t VALUES (6, 0, 0, 15, 25, 0, 0); "
                  "ALTER TABLE t ADD COLUMN z INT AFTER id; INSERT INTO t VALUES (7, 0, 0, 0, 16, 26, 0, 0)")
        output = scene.job(script, name=name).finish(30, status=1)
        assert "was changed again" in output and "binlog_row_metadata = FULL" in output, output
        assert rows(None, expected)
        came = collect(scene, mysql, columns, "t", seconds=3)
        assert sorted(came) == [f"+I[{i}, {i + 9}, {i + 19}]" for i in range(1, 8)], came


def test_a_table_that_is_changed_while_others_are_read(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE t_1 (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE t_2 LIKE t_1; "
                  "INSERT INTO t_1 VALUES (1, 0, 0); INSERT INTO t_2 VALUES (1, 0, 0)")
        for step in range(13):
            mysql.run(f"INSERT INTO t_1 SELECT id + {1 << step}, 0, 0 FROM t_1")
        script = (mysql.source("table_name STRING METADATA, id INT, a INT, b INT", "t_[12]",
                               **{"scan.incremental.snapshot.chunk.size": 50}) + lake(scene) +
                  f"CREATE TABLE lake.d.{mysql.server.name} (t STRING, n BIGINT, a BIGINT, b BIGINT, "
                  "PRIMARY KEY (t) NOT ENFORCED) WITH ('bucket' = '1');\n"
                  f"INSERT INTO lake.d.{mysql.server.name} SELECT table_name, COUNT(*), SUM(a), SUM(b) FROM source "
                  "GROUP BY table_name;")
        job = scene.job(script, name=mysql.server.name)
        for turn in range(4):
            mysql.run(f"UPDATE t_2 SET b = b + 1, a = a + 10; INSERT INTO t_2 (id, a, b) VALUES ({turn} + 10, 100, 1); "
                      f"ALTER TABLE t_2 ADD COLUMN x{turn} INT DEFAULT 7 AFTER id; UPDATE t_2 SET b = b + 1")
        expected = [["t_1", 1 << 13, 0, 0], ["t_2", *map(int, mysql.run("SELECT COUNT(*), SUM(a), SUM(b) FROM t_2")[0])]]

        def same():
            assert job.running(), job.output()
            return sorted(scene.sql(lake(scene) + f"SELECT * FROM lake.d.{mysql.server.name};")) == expected
        scene.eventually(f"{expected}", same, 40)
        job.stop()
