"""The first script of examples/seeds: a MySQL table into a table on S3 while it is written to, through kills of the job, of
connections and of the server, and faults of S3; then every row is compared, and read by Java."""

import json
import os
import pathlib
import time

from faulty_proxy import FaultyProxy
from mysql import Load, Mysql
from object_store import Store

SERVICES = ["mariadb", "s3"]
SECONDS = 400
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples" / "seeds" / "cdc_into_lake.sql"


def adapted(scene, mysql, store):
    """The script with the hosts, ports and names of here."""
    env, text = mysql.env, SCRIPT.read_text()
    for old, new in [("'hostname' = 'localhost'", f"'hostname' = '{env['MYSQL_HOST']}'"),
                     ("'port' = '3306'", f"'port' = '{env['MYSQL_PORT']}'"),
                     ("test_db", mysql.database), ("http://localhost:9000", store.options["s3.endpoint"]),
                     ("'s3.access-key' = 'access'", f"'s3.access-key' = '{store.options['s3.access-key']}'"),
                     ("'s3.secret-key' = 'secret'", f"'s3.secret-key' = '{store.options['s3.secret-key']}'"),
                     ("s3://my-bucket/paimon/users", f"{store.warehouse}/users")]:
        assert old in text, old
        text = text.replace(old, new)
    return "SET 'execution.checkpointing.interval' = '300 ms';\n" + text


def changes_of(scene):
    """No deletes: the table does not take them over."""
    def statements(client, turn):
        first = scene.random.randrange(3000)
        return (f"BEGIN; REPLACE INTO users VALUES ({first}, 'n{turn}', 'e{client}', '2024-01-01 00:00:{turn % 60:02}.123'); "
                f"UPDATE users SET email = CONCAT('m', {turn}) WHERE id BETWEEN {first} AND {first + 20}; "
                f"INSERT INTO users VALUES ({10000 + client * 100000 + turn}, NULL, 'é😀', NULL); COMMIT")
    return statements


def test_seed_users_into_the_lake_through_kills(scene):
    os.environ["TZ"] = "UTC"  # the script does not say the server's zone
    proxy = FaultyProxy(scene.server("s3").env["S3_ENDPOINT"], scene.seed,
                        {"503": 0.02, "reset": 0.02, "lost": 0.02, "cut": 0.01, "slow": 0.02})
    store = Store(scene, scene.server("s3"), proxy)
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE USER IF NOT EXISTS flinkuser@'127.0.0.1' IDENTIFIED BY 'flinkpw'; "
              "GRANT SELECT, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO flinkuser@'127.0.0.1'; "
              "CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(50), email VARCHAR(100), update_time TIMESTAMP(3) NULL)")
    mysql.run("INSERT INTO users VALUES " + ", ".join(
        f"({i}, 'name {i}', 'user{i}@example.com', '2024-02-29 12:34:56.789')" for i in range(3000)))
    script = adapted(scene, mysql, store)
    load = Load(mysql, changes_of(scene))
    try:
        job = scene.job(script)
        for turn in range(30):
            time.sleep(scene.random.uniform(0.3, 1.5))
            assert job.running(), job.output()
            if turn % 3 == 1:
                mysql.kill_connections("flinkuser")
                time.sleep(0.5)
            job.kill()
            if turn == 15:
                mysql.server.restart()
            job = scene.job(script)
        time.sleep(1)
    finally:
        load.stop()
    expected = [[int(number), *(None if value == "NULL" else value for value in rest)] for number, *rest in mysql.run(
        "SET time_zone = '+00:00'; SELECT id, name, email, update_time FROM users")]
    read = script.split("INSERT INTO paimon_sink")[0] + "SET 'execution.runtime-mode' = 'batch'; SELECT * FROM paimon_sink;"

    def same():
        assert job.running(), job.output()
        scene.equal("users", expected, scene.sql(read))
        return True
    scene.eventually("the same rows", same, 90)
    job.stop()
    assert {fault for *_, fault in proxy.requests() if fault} >= {"503", "reset", "lost"}
    proxy.close()
    java = Store(scene, scene.server("s3")).java()
    scene.equal("users in Java", [[*row] for row in expected],
                [json.loads(line) for line in java.dump(f"{store.warehouse}/users")])
