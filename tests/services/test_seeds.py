"""The scripts of examples/seeds as they stand there, on the servers that they name; what they leave is compared row by
row, and read by Java Paimon too. test_seeds_alone.py has those that need no server."""

import decimal
import json
import re

from kafka_topics import Topics
from mysql import Mysql
from object_store import Store
from seeds import replay, script

SERVICES = ["mariadb", "s3", "kafka", "hdfs"]
SECONDS = {"test_mysql_into_the_lake": 300, "test_binlog_topic_into_the_lake": 300}


def on_store(store):
    """What the scripts say of S3, and what is right here."""
    return {"'http://localhost:9000'": f"'{store.endpoint}'", "'access'": f"'{store.env['S3_ACCESS_KEY']}'",
            "'secret'": f"'{store.env['S3_SECRET_KEY']}'", "s3://my-bucket/paimon": store.warehouse}


def test_mysql_into_the_lake(scene):
    store, mysql = Store(scene, scene.server("s3")), Mysql(scene.server("mariadb"), "test_db")
    mysql.run("CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(50), email VARCHAR(50), update_time DATETIME(3));")
    mysql.run("INSERT INTO users VALUES " + ", ".join(
        f"({n}, 'user {n}', NULL, '2024-01-01 00:00:00.{n % 1000:03}')" for n in range(1000)))
    env = mysql.server.env
    text = script("cdc_into_lake.sql", {
        "'localhost'": f"'{env['MYSQL_HOST']}'", "'3306'": f"'{env['MYSQL_PORT']}'",
        "'flinkuser'": f"'{env['MYSQL_REPL_USER']}'", "'flinkpw'": f"'{env['MYSQL_REPL_PASSWORD']}'", **on_store(store)})
    text = "SET 'execution.checkpointing.interval' = '200 ms';\n" + text
    path = f"{store.warehouse}/users"
    sink = text[text.index("CREATE TABLE paimon_sink"):text.index("INSERT INTO")]

    def lake():
        return scene.sql("SET 'execution.runtime-mode' = 'batch';" + sink +
                         "SELECT id, name, email, CAST(update_time AS STRING) FROM paimon_sink")

    def source():
        return [[int(i), name, None if email == "NULL" else email, at]
                for i, name, email, at in mysql.run("SELECT id, name, email, update_time FROM users")]

    def is_there():
        scene.equal("the lake", source(), lake())
        return True

    job = scene.job(text)
    scene.eventually("the snapshot", is_there)
    for turn in range(12):
        mysql.run(f"UPDATE users SET email = CONCAT('{turn}.', id, '@example.org'), update_time = NOW(3) "
                  f"WHERE id % 12 = {turn}; INSERT INTO users VALUES ({1000 + turn}, 'new', NULL, NOW(3));")
        if turn in (3, 8):
            job.kill()
            job = scene.job(text)
    scene.eventually("all changes", is_there)
    store_options = [word for key, value in store.options.items() for word in ("--option", f"{key}={value}")]
    java = store.java()

    def changes_are_whole():
        """Full compactions make the changes: one in five commits does."""
        mysql.run("UPDATE users SET name = CONCAT(name, '.') WHERE id = 7")
        lines = java.stream(path, 1)
        rows = replay(lines)
        scene.equal("Weir's changes and Java's", lines, scene.run("dump", path, "--stream", "1", "-",
                                                              "--with-snapshot", *store_options)[0].splitlines())
        return len(rows) == 1012

    scene.eventually("the changelog", changes_are_whole, 90)
    scene.eventually("all of it", is_there)
    scene.equal("in Java", scene.run("dump", path, *store_options)[0].splitlines(), java.dump(path))
    mysql.run("DELETE FROM users WHERE id = 1")
    output = job.finish(60, status=1)
    assert "ignore-delete" in output and env["MYSQL_REPL_PASSWORD"] + "'" not in output, output


def test_wide_table_while_its_dimension_changes(scene):
    store = Store(scene, scene.server("s3"))
    orders = scene.folder / "orders"
    orders.mkdir()
    text = script("wide_table.sql", {"'path' = 'orders'": f"'path' = '{orders}'", "'1 s'": "'20 ms'", **on_store(store)})
    head = "SET 'execution.runtime-mode' = 'batch';\n" + text[:text.index("CREATE TABLE orders_stream")]
    scene.sql(head + "INSERT INTO user_dim_paimon VALUES (1, 'Ada', 'Kent'), (2, 'Bob', NULL);")

    def order(number, user, amount):
        return json.dumps({"order_id": f"o{number}", "user_id": user, "amount": amount,
                           "order_time": "2024-05-01 10:00:00.000"})

    java, path = store.java(), f"{store.warehouse}/wide_table"
    job = scene.job("SET 'execution.checkpointing.interval' = '200 ms';\n" + text)

    def holds(*rows):
        def check():
            scene.equal("the wide table", rows, java.dump(path))
            return True
        scene.eventually("the wide table", check)

    at = "2024-05-01 10:00:00.000"
    (orders / "a").write_text("\n".join([order(1, 1, 10.5), order(2, 2, 20), order(3, 3, 30)]) + "\n")
    first = [f'["o1",1,"Ada","10.50","Kent","{at}"]', f'["o2",2,"Bob","20.00",null,"{at}"]',
             f'["o3",3,null,"30.00",null,"{at}"]']
    holds(*first)
    scene.sql(head + "INSERT INTO user_dim_paimon VALUES (1, 'Ada', 'Essex'), (3, 'Eve', 'Surrey');")
    (orders / "b").write_text("\n".join([order(4, 1, 1), order(5, 3, 2), order(2, 3, 99)]) + "\n")
    holds(first[0], f'["o2",3,"Eve","99.00","Surrey","{at}"]', first[2], f'["o4",1,"Ada","1.00","Essex","{at}"]',
          f'["o5",3,"Eve","2.00","Surrey","{at}"]')
    job.signal(15)
    job.finish()


def canal(kind, rows, old=None):
    return json.dumps({"database": "shop", "table": "trade_orders", "type": kind, "isDdl": False, "data": rows,
                       "old": old, "es": 1, "ts": 2})


def debezium(op, before, after):
    return json.dumps({"before": before, "after": after, "op": op, "ts_ms": 1,
                       "source": {"db": "shop", "table": "trade_orders"}})


def random_changes(random, count):
    """Changes of orders, as pairs of the row before and the row after; and what is left of them."""
    rows, changes = {}, []
    for _ in range(count):
        key = random.randrange(200)
        before = rows.get(key)
        after = None if before and random.random() < 0.2 else {
            "order_id": key, "user_id": random.randrange(10), "pay_amount": f"{random.randrange(100000) / 100:.2f}",
            "order_status": random.choice(["new", "paid", "sent"]), "update_time": "2024-03-01 12:00:00.123"}
        changes.append((before, after))
        rows.pop(key, None)
        if after:
            rows[key] = after
    return changes, rows


def message_of(change, form):
    before, after = change
    if form == "debezium-json":
        return debezium("c" if before is None else "d" if after is None else "u", before, after)
    if before is None:
        return canal("INSERT", [after])
    if after is None:
        return canal("DELETE", [before])
    return canal("UPDATE", [after], [{k: v for k, v in before.items() if after[k] != v}])


def test_binlog_topic_into_the_lake(scene):
    topics, hdfs = Topics(scene), scene.server("hdfs")
    conf = scene.folder / "hadoop"
    conf.mkdir()
    (conf / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name>"
        f"<value>hdfs://127.0.0.1:{hdfs.env['HDFS_RPC_PORT']}</value></property></configuration>")
    (conf / "hdfs-site.xml").write_text(
        "<configuration><property><name>dfs.namenode.http-address</name>"
        f"<value>127.0.0.1:{hdfs.env['HDFS_HTTP_PORT']}</value></property></configuration>")
    environment = {"HADOOP_CONF_DIR": str(conf), "HADOOP_USER_NAME": hdfs.env["HDFS_USER"]}
    java = scene.java()
    for form in ("canal-json", "debezium-json"):
        warehouse = f"/{scene.name}/{form}"
        text = script("binlog_to_lake.sql", {
            "hdfs:///dw_lakehouse/paimon_warehouse": f"hdfs://{warehouse}", "localhost:9092": topics.brokers,
            "mysql_binlog_trade_orders": topics.name(form), "'canal-json'": f"'{form}'"})
        changes, rows = random_changes(scene.random, 1500)
        topics.make(form)
        messages = [message_of(change, form) for change in changes]
        job = scene.job("SET 'execution.checkpointing.interval' = '200 ms';\n" + text, name=form,
                        environment=environment)
        for at in range(0, len(messages), 100):
            topics.put(form, messages[at:at + 100])
        sums = {}
        for row in rows.values():
            sums[row["user_id"]] = sums.get(row["user_id"], 0) + decimal.Decimal(row["pay_amount"])

        def shown():
            found = {}
            for kind, user, total in re.findall(r"^(..)\[(\d+), (\S+)\]$", job.output(), re.M):
                if kind in ("+I", "+U"):
                    assert kind == "+U" or user not in found, (kind, user)
                    found[user] = total
                else:
                    assert found.pop(user) == total, (kind, user, total)
            scene.equal("sums", [[str(u), f"{s:.2f}"] for u, s in sums.items()], [list(pair) for pair in found.items()])
            return True

        scene.eventually("running sums on the screen", shown, 90)
        expected = [json.dumps([row[name] for name in row], separators=(",", ":")) for row in rows.values()]
        path = f"hdfs://127.0.0.1:{hdfs.env['HDFS_RPC_PORT']}{warehouse}/dw_prod.db/dwd_trade_orders"
        scene.equal("what Java reads", expected, java.dump(path))
        replayed = replay(java.stream(path, 1))
        assert len(replayed) == len(rows)
        job.signal(15)
        job.finish()
