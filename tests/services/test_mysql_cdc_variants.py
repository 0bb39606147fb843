"""Servers with other settings: no global ids, no names in the binlog, no checksums, compressed events, old row events."""

import pathlib
import time

from mysql import Mysql
from test_mysql_cdc import MARIADB_TYPES, TYPES, check_types, follow, lake

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
