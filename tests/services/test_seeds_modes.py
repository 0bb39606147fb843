"""Each query of examples/seeds in batch mode and in streaming mode: what it leaves is the same, and what it has to be."""

import datetime
import decimal
import json
import re

from kafka_topics import Topics
from mysql import Mysql
from seeds import script

SERVICES = ["mariadb", "kafka"]
SECONDS = 240

FAST = "SET 'execution.checkpointing.interval' = '50 ms';\n"


def statement(text, begin):
    """The statement of a script that begins so, up to its semicolon."""
    return text[text.index(begin):].split(";")[0] + ";\n"


def both_ways(scene, head, query, columns, wanted, key, name, ends=False):
    """Runs `query` (a SELECT) into a table in each mode; both must come to hold `wanted`, rows as JSON has them. A stream
    ends by itself where its sources do."""
    for mode in ("batch", "streaming"):
        table = f"{name}_{mode}"
        made = (f"CREATE CATALOG results WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/results');"
                f"CREATE TABLE IF NOT EXISTS results.`default`.{table} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) "
                "WITH ('bucket' = '1');\n")
        text = (FAST + made + head + f"SET 'execution.runtime-mode' = '{mode}';\n"
                f"INSERT INTO results.`default`.{table} {query}")

        def holds():
            rows = scene.run("dump", f"{scene.folder}/results/default.db/{table}")[0].splitlines()
            scene.equal(f"{name} in {mode}", wanted, rows)
            return True

        if mode == "batch":
            scene.run("run", "-", text=text)
            holds()
            continue
        job = scene.job(text, name=table)
        if not ends:
            scene.eventually(f"{name} in {mode}", holds)
            job.signal(15)
        job.finish()
        holds()


def line(*values):
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)


def test_a_table_of_mysql(scene):
    """A batch job ends with the snapshot of the table, a streaming job goes on: both hold the same."""
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(50), email VARCHAR(50), update_time DATETIME(3));"
              "INSERT INTO users VALUES " + ", ".join(
                  f"({n}, 'user {n}', {'NULL' if n % 3 == 0 else n}, '2024-01-01 00:00:00.{n:03}')" for n in range(500)))
    env = mysql.env
    text = script("cdc_into_lake.sql", {
        "'localhost'": f"'{env['MYSQL_HOST']}'", "'3306'": f"'{env['MYSQL_PORT']}'", "'test_db'": f"'{scene.name}'",
        "'flinkuser'": f"'{env['MYSQL_REPL_USER']}'", "'flinkpw'": f"'{env['MYSQL_REPL_PASSWORD']}'"})
    wanted = [line(n, f"user {n}", None if n % 3 == 0 else str(n), f"2024-01-01 00:00:00.{n:03}") for n in range(500)]
    source = statement(text, "CREATE TABLE mysql_source")
    insert = statement(text, "INSERT INTO paimon_sink")
    sink = re.sub(r"  's3[^\n]*\n", "", statement(text, "CREATE TABLE paimon_sink"))
    for mode in ("batch", "streaming"):
        path = scene.folder / mode
        here = sink.replace(re.search(r"'path' = '(.*)'", sink).group(1), str(path))
        from_here = source.replace("'users'", "'users', 'scan.startup.mode' = 'snapshot'") if mode == "batch" else source
        job = scene.job(FAST + from_here + here + f"SET execution.runtime-mode = {mode};" + insert, name=mode)

        def holds():
            scene.equal(f"the sink in {mode}", wanted, scene.run("dump", path)[0].splitlines())
            return True

        if mode == "batch":
            job.finish()
            holds()
        else:
            scene.eventually("the sink in streaming", holds)
            job.signal(15)
            job.finish()


def test_the_wide_table(scene):
    """The dimension does not change meanwhile; where it does, a stream's rows are those of their moment."""
    (scene.folder / "orders").mkdir()
    (scene.folder / "orders" / "a").write_text("".join(
        json.dumps({"order_id": f"o{n % 70}", "user_id": n % 5, "amount": n / 4, "order_time": f"2024-05-01 10:00:{n % 60:02}"})
        + "\n" for n in range(100)))
    text = script("wide_table.sql", {"'path' = 'orders'": f"'path' = '{scene.folder}/orders'",
                                     "  'source.monitor-interval' = '1 s'\n": "", "'format' = 'json',": "'format' = 'json'",
                                     "s3://my-bucket/paimon/user_dim": f"{scene.folder}/dim"})
    text = re.sub(r"  's3\.[^\n]*\n", "", text)
    head = statement(text, "CREATE TABLE user_dim_paimon") + statement(text, "CREATE TABLE orders_stream")
    users = {1: ("Ada", "Kent"), 2: ("Bob", None), 3: ("Eve", "Surrey")}
    scene.sql("SET 'execution.runtime-mode' = 'batch';" + head +
              "INSERT INTO user_dim_paimon VALUES (1, 'Ada', 'Kent'), (2, 'Bob', NULL), (3, 'Eve', 'Surrey');")
    newest = {f"o{n % 70}": n for n in range(100)}
    wanted = [line(order, n % 5, users.get(n % 5, (None, None))[0], f"{n / 4:.2f}", users.get(n % 5, (None, None))[1],
                   f"2024-05-01 10:00:{n % 60:02}.000") for order, n in newest.items()]
    query = statement(text, "INSERT INTO realtime_wide_table").replace("INSERT INTO realtime_wide_table\n", "")
    both_ways(scene, head, query, "order_id STRING, user_id BIGINT, user_name STRING, order_amount DECIMAL(10, 2), "
              "province STRING, order_time TIMESTAMP(3)", wanted, "order_id", "wide", ends=True)


def test_totals_and_sums_a_minute(scene):
    text = script("batch_and_stream.sql", {"'warehouse' = 'lake'": f"'warehouse' = '{scene.folder}/lake'"})
    made = text[:text.index("SET execution.runtime-mode")]
    begin, rows = datetime.datetime(2024, 1, 1), {}
    for turn in range(6):  # orders change their user, their amount and their minute
        for n in range(turn * 7, turn * 7 + 30):
            rows[n] = (scene.random.randrange(5), decimal.Decimal(scene.random.randrange(1, 10000)) / 100,
                       begin + datetime.timedelta(seconds=n * 9))
        values = ", ".join(f"('o{n}', {rows[n][0]}, {rows[n][1]}, 'paid', TIMESTAMP '{rows[n][2]}')"
                           for n in range(turn * 7, turn * 7 + 30))
        producer = made if turn else made.replace("'input'", "'lookup'")  # which knows the row before
        scene.sql("SET 'execution.runtime-mode' = 'batch';" + producer + f"INSERT INTO paimon_orders VALUES {values};")
    totals, minutes = {}, {}
    for user, amount, at in rows.values():
        totals[user] = totals.get(user, 0) + amount
        minute = at.replace(second=0)
        minutes[minute] = minutes.get(minute, 0) + amount
    both_ways(scene, made, statement(text, "SELECT user_id, SUM(amount)"), "user_id BIGINT, total_amount DECIMAL(38, 2)",
              [line(user, f"{total:.2f}") for user, total in totals.items()], "user_id", "totals")
    # A stream tells a window's sum when the window closes: one more order, far away, closes all of them but its own.
    scene.sql("SET 'execution.runtime-mode' = 'batch';" + made +
              "INSERT INTO paimon_orders VALUES ('end', 0, 1.00, 'paid', TIMESTAMP '2025-01-01 00:00:00');")
    query = text[text.index("SELECT TUMBLE_START"):].rstrip().rstrip(";")
    query = f"SELECT * FROM ({query}) WHERE win_start < TIMESTAMP '2025-01-01 00:00:00';"
    both_ways(scene, made, query, "win_start TIMESTAMP(3), minute_amount DECIMAL(38, 2)",
              [line(f"{minute}.000", f"{total:.2f}") for minute, total in minutes.items()], "win_start", "minutes")


def test_a_topic_of_changes_and_the_sums_of_its_table(scene):
    topics = Topics(scene)
    topics.make("orders")
    rows, messages = {}, []
    for n in range(300):
        key = scene.random.randrange(60)
        row = {"order_id": key, "user_id": scene.random.randrange(6), "order_status": "new",
               "pay_amount": f"{scene.random.randrange(100000) / 100:.2f}", "update_time": "2024-03-01 12:00:00.123"}
        event = {"database": "shop", "table": "orders", "isDdl": False, "es": 1, "ts": 2}
        if key not in rows:
            event |= {"type": "INSERT", "data": [row]}
            rows[key] = row
        elif n % 5 == 0:
            event |= {"type": "DELETE", "data": [rows.pop(key)]}
        else:
            event |= {"type": "UPDATE", "data": [row], "old": [rows[key]]}
            rows[key] = row
        messages.append(json.dumps(event))
    topics.put("orders", messages)
    text = script("binlog_to_lake.sql", {
        "hdfs:///dw_lakehouse/paimon_warehouse": f"{scene.folder}/lake", "localhost:9092": topics.brokers,
        "mysql_binlog_trade_orders": topics.name("orders"), "'format' = 'canal-json'":
        "'format' = 'canal-json', 'scan.bounded.mode' = 'latest-offset'"})
    head = text[:text.index("— 3.")]
    query = statement(text, "SELECT order_id")
    wanted = [line(*(row[name] for name in ("order_id", "user_id", "pay_amount", "order_status", "update_time")))
              for row in rows.values()]
    both_ways(scene, head, query, "order_id BIGINT, user_id BIGINT, pay_amount DECIMAL(10, 2), order_status STRING, "
              "update_time TIMESTAMP(3)", wanted, "order_id", "orders", ends=True)
    scene.run("run", "-", text="SET 'execution.runtime-mode' = 'batch';\n" + head +
              f"INSERT INTO dw_prod.dwd_trade_orders {query}")
    sums = {}
    for row in rows.values():
        sums[row["user_id"]] = sums.get(row["user_id"], 0) + decimal.Decimal(row["pay_amount"])
    both_ways(scene, head, statement(text, "SELECT\nuser_id"), "user_id BIGINT, total_gmv DECIMAL(12, 2)",
              [line(user, f"{total:.2f}") for user, total in sums.items()], "user_id", "sums")


def test_a_table_from_its_newest_state_on(scene):
    """A batch query gives the table; a stream the same first, and then what has changed."""
    text = script("upserts_and_changes.sql", {"'warehouse' = 'lake'": f"'warehouse' = '{scene.folder}/lake'"})
    job = scene.job(text, "--format", "jsonl")
    profile = ['[1,"ada","2024-01-01 09:00:00.000"]', '[2,"bob","2024-01-01 08:30:00.000"]']
    orders = ['"o1",1,"10.50","new"]', '"o2",2,"20.00","new"]']
    head = text[:text.index("-- A batch job fills them")] + "SET execution.runtime-mode = batch;"

    def prints(*lines):
        def check():
            scene.equal("the stream", [*profile, *lines], re.findall(r"^\[.*\]$", job.output(), re.M))
            return True
        scene.eventually("the stream", check)

    changes = [f'["+I",{order}' for order in orders]
    prints(*changes)
    batch = scene.sql(head + statement(text, "SELECT * FROM paimon_orders"))
    scene.equal("in batch", [f"[{order}" for order in orders], [line(*row) for row in batch])
    scene.sql(head + "INSERT INTO paimon_orders VALUES ('o3', 3, 1, 'new'); DELETE FROM paimon_orders WHERE order_id = 'o1';")
    prints(*changes, '["+I","o3",3,"1.00","new"]', '["-D","o1",1,"10.50","new"]')
    job.signal(15)
    job.finish(status=(0, 130, 143))
