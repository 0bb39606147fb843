"""Kafka's topics as tables that are written: formats, keys, upserts, guarantees; pipelines that crash and brokers that
go away."""

import json
import time

from kafka_topics import ALL, Topics

SERVICES = ["kafka"]


def streaming(text, interval="200 ms"):
    return (f"SET 'execution.runtime-mode' = 'streaming';\nSET 'execution.checkpointing.interval' = '{interval}';\n" +
            text)


def end(job):
    job.signal(15)
    return job.finish()


def test_formats_and_keys(scene):
    topics = Topics(scene)
    values = "VALUES (1, 'a', 1.50), (2, CAST(NULL AS STRING), 2.00)"
    columns = "id INT, name STRING, price DECIMAL(10, 2)"
    for format in ("json", "csv", "debezium-json", "canal-json", "maxwell-json"):
        scene.sql(topics.table("t", columns, format, format=format) + f"INSERT INTO t {values};")
        table = topics.table("t", columns, format, format=format, **ALL)
        if format in ("json", "csv"):
            rows = scene.sql(table + "SELECT * FROM t;")
            scene.equal(format, [[1, "a", "1.50"], [2, None if format == "json" else "", "2.00"]], rows)
        else:
            output, _ = scene.run("sql", "--quiet", text=streaming(
                table + f"CREATE TEMPORARY TABLE s ({columns}) WITH ('connector' = 'print');\nINSERT INTO s SELECT * FROM t;"))
            assert output.splitlines() == ["+I[1, a, 1.50]", "+I[2, null, 2.00]"], output
    assert [value for _, _, value in topics.get("csv")] == ["1,a,1.5", "2,,2"]
    scene.sql(topics.table("t", "k BIGINT, v STRING", "keyed", **{
        "key.format": "raw", "key.fields": "k", "value.format": "raw", "value.fields-include": "EXCEPT_KEY"}) +
        "INSERT INTO t VALUES (65, 'x'), (CAST(NULL AS BIGINT), CAST(NULL AS STRING));")
    scene.equal("raw", [[0, "\0\0\0\0\0\0\0A", "x"], [0, None, None]], [list(row) for row in topics.get("keyed")])


def test_metadata_is_written(scene):
    topics = Topics(scene)
    now_ms = int(time.time() * 1000) - 60000  # messages of long ago are removed before long
    columns = ("h MAP<STRING, BYTES> METADATA FROM 'headers', a INT, ts TIMESTAMP_LTZ(6) METADATA FROM 'timestamp', "
               "o BIGINT METADATA FROM 'offset' VIRTUAL, b STRING")
    scene.sql("SET 'table.local-time-zone' = 'UTC';\n" + topics.table("t", columns, format="json") +
              "INSERT INTO t VALUES (MAP['k', CAST('v' AS BYTES), 'l', CAST(NULL AS BYTES)], 1, "
              f"TO_TIMESTAMP_LTZ({now_ms}, 3), 'x'), "
              "(CAST(NULL AS MAP<STRING, BYTES>), 2, CAST(NULL AS TIMESTAMP_LTZ(6)), 'y');")
    text = topics.kcat("-C", "-t", topics.name("t"), "-o", "beginning", "-e", "-f", "%s|%h|%T\n").decode().splitlines()
    assert text[0] == '{"a":1,"b":"x"}|k=v,l=NULL|' + str(now_ms), text
    assert text[1].startswith('{"a":2,"b":"y"}||') and int(text[1].rsplit("|", 1)[1]) > now_ms, text
    message = scene.sql_error(topics.table("t", "a INT, o BIGINT METADATA FROM 'offset'", format="json") +
                              "INSERT INTO t VALUES (1, 2);")
    assert "column 'o' of table 't' is METADATA, which its connector cannot write" in message, message


def test_the_partition_of_a_key_is_that_of_java(scene):
    topics = Topics(scene)
    topics.make("t", 5)
    scene.sql(topics.table("t", "k STRING, v INT", **{"key.format": "raw", "key.fields": "k", "value.format": "json"}) +
              "INSERT INTO t VALUES ('a', 1), ('b', 2), ('some longer key', 3), ('ü', 4);")
    # What org.apache.kafka.clients.producer.internals.BuiltInPartitioner gives: murmur2 of the key's bytes.
    found = {key: partition for partition, key, _ in topics.get("t")}
    assert found == {key: murmur2(key.encode()) % 5 for key in found}, found
    scene.sql(topics.table("t", "v INT", format="json", **{"sink.partitioner": "fixed"}) + "INSERT INTO t VALUES (9), (10);")
    assert [json.loads(value)["v"] for partition, _, value in topics.get("t", "-p", 0) if '"k"' not in value] == [9, 10]


def murmur2(data):
    """Kafka's hash, as its protocol guide has it, without the sign."""
    m, mask, h = 0x5BD1E995, 0xFFFFFFFF, 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at:at + 4], "little") * m & mask
        h = h * m & mask ^ (k ^ k >> 24) * m & mask
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return (h ^ h >> 15) & 0x7FFFFFFF


def test_upserts(scene):
    topics = Topics(scene)
    columns = "id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED"
    upsert = {"connector": "upsert-kafka", "key.format": "json", "value.format": "json"}
    events = [{"before": None, "after": {"id": 1, "v": "a"}, "op": "c"},
              {"before": {"id": 1, "v": "a"}, "after": {"id": 1, "v": "b"}, "op": "u"},
              {"before": None, "after": {"id": 2, "v": "c"}, "op": "c"},
              {"before": {"id": 1, "v": "b"}, "after": None, "op": "d"}]
    topics.put("in", [json.dumps(event) for event in events])
    source = topics.table("s", columns, "in", format="debezium-json", **ALL)
    scene.sql(streaming(source + topics.table("t", columns, "out", **upsert) + "INSERT INTO t SELECT * FROM s;"))
    assert topics.get("out") == [(0, '{"id":1}', '{"id":1,"v":"a"}'), (0, '{"id":1}', '{"id":1,"v":"b"}'),
                                 (0, '{"id":2}', '{"id":2,"v":"c"}'), (0, '{"id":1}', None)], topics.get("out")
    read = topics.table("t", columns, "out", **upsert, **{"scan.bounded.mode": "latest-offset"})
    output, _ = scene.run("sql", "--quiet", text=streaming(
        read + "CREATE TEMPORARY TABLE p (id INT, v STRING) WITH ('connector' = 'print');\nINSERT INTO p SELECT * FROM t;"))
    assert output.splitlines() == ["+I[1, a]", "-U[1, a]", "+U[1, b]", "+I[2, c]", "-D[1, b]"], output
    scene.sql(streaming(topics.table("t", columns, "out", **upsert, **{"scan.bounded.mode": "latest-offset"}) +
                        f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
                        f"CREATE TABLE lake.`default`.t ({columns}) WITH ('bucket' = '1');\n"
                        "INSERT INTO lake.`default`.t SELECT * FROM t;"))
    rows = scene.sql(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
                     "SELECT * FROM lake.`default`.t;")
    scene.equal("the table", [[2, "c"]], rows)
    # Apart from the value, and with a prefix.
    scene.sql(topics.table("u", "k_id INT, v INT, PRIMARY KEY (k_id) NOT ENFORCED", "apart", **upsert, **{
        "key.fields-prefix": "k_", "value.fields-include": "EXCEPT_KEY"}) + "INSERT INTO u VALUES (1, 2);")
    assert topics.get("apart") == [(0, '{"id":1}', '{"v":2}')], topics.get("apart")


def test_messages_that_the_broker_refuses_fail_the_statement(scene):
    topics = Topics(scene)
    message = scene.sql_error(topics.table("t", "v STRING", format="json", **{"properties.max.request.size": "2000"}) +
                              "INSERT INTO t VALUES (REPEAT('x', 5000));")
    assert "a message cannot be sent" in message and topics.name("t") in message, message
    message = scene.sql_error(topics.table("t", "v STRING", format="json", **{"properties.max.request.size": "3000000"}) +
                              "INSERT INTO t VALUES (REPEAT('x', 2000000));")
    assert "could not be delivered" in message and "size" in message.lower(), message


EXACT = {"sink.delivery-guarantee": "exactly-once", "sink.transactional-id-prefix": "weir-tests"}


def test_transactions_are_seen_when_they_are_committed(scene):
    topics = Topics(scene)
    topics.make("in")
    topics.make("out")
    job = scene.job(streaming(topics.table("s", "n INT", "in", format="json", **{"scan.startup.mode": "earliest-offset"}) +
                              topics.table("t", "n INT", "out", format="json", **EXACT) +
                              "INSERT INTO t SELECT n FROM s WHERE n >= 0;", "2 s"))
    topics.put("in", [f'{{"n":{n}}}' for n in range(1000)])
    expected = [{"n": n} for n in range(1000)]
    scene.eventually("all are there", lambda: topics.values("out") == expected)
    job.kill()
    topics.put("in", ['{"n":1000}'])
    job = scene.job(streaming(topics.table("s", "n INT", "in", format="json", **{"scan.startup.mode": "earliest-offset"}) +
                              topics.table("t", "n INT", "out", format="json", **EXACT) +
                              "INSERT INTO t SELECT n FROM s WHERE n >= 0;", "2 s"))
    scene.eventually("and the last", lambda: topics.values("out") == [*expected, {"n": 1000}])
    end(job)
    # A statement that is no job writes all or nothing.
    scene.sql_error("SET 'execution.runtime-mode' = 'batch';\n" + topics.table("t", "n INT", "batch", format="json", **EXACT) +
                    "INSERT INTO t VALUES (1);\nINSERT INTO t SELECT CAST(x AS INT) FROM (VALUES ('2'), ('y')) v (x);")
    assert topics.values("batch") == [{"n": 1}], topics.values("batch")


PIPELINE_COLUMNS = "id INT, v INT, PRIMARY KEY (id) NOT ENFORCED"


def pipeline(scene, topics):
    """Kafka to Paimon, and on to Kafka: two jobs of one script."""
    return streaming(
        f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
        f"CREATE TABLE IF NOT EXISTS lake.`default`.t ({PIPELINE_COLUMNS}) "
        "WITH ('bucket' = '2', 'changelog-producer' = 'lookup');\n" +
        topics.table("s", "id INT, v INT", "in", format="json", **{"scan.startup.mode": "earliest-offset",
                                                                   "properties.group.id": topics.name("group")}) +
        topics.table("o", "id INT, v INT", "out", format="debezium-json", **EXACT) +
        "INSERT INTO lake.`default`.t SELECT id, v FROM s;\nINSERT INTO o SELECT id, v FROM lake.`default`.t;")


def final_rows(messages):
    """What a changelog of debezium-json messages leaves; it has to be a right one."""
    rows = {}
    for _, _, value in messages:
        event = json.loads(value)
        if event["op"] == "d":
            assert rows.pop(event["before"]["id"]) == event["before"]["v"], event
        else:
            assert event["after"]["id"] not in rows, ("twice", event)
            rows[event["after"]["id"]] = event["after"]["v"]
    return rows


def table_rows(scene):
    return dict(scene.sql(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
                          "SELECT * FROM lake.`default`.t;"))


def feed(scene, topics, rows, sent):
    """Puts updates of some keys into the topic's partitions, each key always into the same."""
    for partition in (0, 1):
        messages = []
        for _ in range(rows // 2):
            key = scene.random.randrange(100) * 2 + partition
            sent[key] = sent.get(key, 0) + 1
            messages.append(json.dumps({"id": key, "v": sent[key]}))
        topics.put("in", messages, partition)


def test_nothing_is_lost_or_doubled_by_crashes(scene):
    topics = Topics(scene)
    topics.make("in", 2)
    topics.make("out")
    script, sent = pipeline(scene, topics), {}
    feed(scene, topics, 2000, sent)
    for _ in range(30):
        job = scene.job(script)
        feed(scene, topics, 400, sent)
        time.sleep(0.3 + scene.random.random() * 1.2)
        assert job.running(), job.output()
        job.kill()
    job = scene.job(script)
    scene.eventually("the table", lambda: table_rows(scene) == sent, 120)
    scene.eventually("the topic", lambda: final_rows(topics.get("out")) == sent, 120)
    end(job)


def test_brokers_may_go_away(scene):
    topics = Topics(scene)
    topics.make("in", 2)
    topics.make("out")
    script, sent = pipeline(scene, topics), {}
    job = scene.job(script)
    for round in range(10):
        feed(scene, topics, 1000, sent)
        time.sleep(scene.random.random())
        if round % 2 == 0:
            topics.crash()
        else:
            topics.server.restart()
        assert job.running(), job.output()
    feed(scene, topics, 100, sent)
    scene.eventually("the table", lambda: table_rows(scene) == sent, 120)
    scene.eventually("the topic", lambda: final_rows(topics.get("out")) == sent, 120)
    end(job)


def test_the_groups_offsets_follow_the_checkpoints(scene):
    topics = Topics(scene)
    topics.put("in", [f'{{"n":{n}}}' for n in range(10)])
    group = {"properties.group.id": topics.name("g")}
    sink = "CREATE TEMPORARY TABLE o (n INT) WITH ('connector' = 'blackhole');\n"
    job = scene.job(streaming(topics.table("s", "n INT", "in", format="json", **group,
                                           **{"scan.startup.mode": "earliest-offset"}) + sink +
                              "INSERT INTO o SELECT * FROM s;"), "--until-idle", "2s")
    job.finish()
    topics.put("in", ['{"n":10}'])
    rows = scene.sql(topics.table("s", "n INT", "in", format="json", **group, **{"scan.bounded.mode": "latest-offset"}) +
                     "SELECT * FROM s;")
    scene.equal("what the group has not read", [[10]], rows)


def test_the_orders_pipeline(scene):
    """The binlog of a MySQL in a topic, into a table with lookup changelog, and sums of it as it changes."""
    topics = Topics(scene)
    columns = ("order_id BIGINT, user_id BIGINT, pay_amount DECIMAL(10, 2), order_status STRING, "
               "update_time TIMESTAMP(3), PRIMARY KEY (order_id) NOT ENFORCED")

    def row(order, user, amount, status):
        return {"order_id": order, "user_id": user, "pay_amount": amount, "order_status": status,
                "update_time": "2024-01-01 00:00:00.123"}

    def event(format, old, new):
        if format == "debezium-json":
            return {"before": old, "after": new, "op": "c" if old is None else "d" if new is None else "u"}
        changed = {key: old[key] for key in old if new[key] != old[key]} if old and new else None
        return {"data": [new or old], "old": [changed] if changed else None,
                "type": "INSERT" if old is None else "DELETE" if new is None else "UPDATE",
                "database": "shop", "table": "orders"}

    for format in ("debezium-json", "canal-json"):
        topic = f"binlog-{format}"
        topics.make(topic)
        lake = scene.folder / format
        script = (
            f"CREATE CATALOG paimon_catalog WITH ('type' = 'paimon', 'warehouse' = '{lake}');\nUSE CATALOG paimon_catalog;\n"
            "CREATE DATABASE IF NOT EXISTS dw_prod;\nCREATE DATABASE IF NOT EXISTS dw_rt;\n"
            f"CREATE TABLE IF NOT EXISTS dw_prod.dwd_trade_orders ({columns}) WITH ('bucket' = '8', "
            "'changelog-producer' = 'lookup', 'snapshot.time-retained' = '24 h');\n" +
            topics.table("dw_rt.kafka_mysql_binlog_source", columns, topic, format=format,
                         **{"scan.startup.mode": "earliest-offset"}) +
            "CREATE TEMPORARY TABLE dw_rt.dws_user_realtime_stat (user_id BIGINT, total_gmv DECIMAL(12, 2), "
            "PRIMARY KEY (user_id) NOT ENFORCED) WITH ('connector' = 'print');\n"
            "INSERT INTO dw_prod.dwd_trade_orders SELECT order_id, user_id, pay_amount, order_status, update_time "
            "FROM dw_rt.kafka_mysql_binlog_source;\n"
            "INSERT INTO dw_rt.dws_user_realtime_stat SELECT user_id, SUM(pay_amount) AS total_gmv "
            "FROM dw_prod.dwd_trade_orders /*+ OPTIONS('scan.mode'='latest-full') */ GROUP BY user_id;")
        job = scene.job(streaming(script), name=format)

        def comes(events, lines, job=job, topic=topic, format=format):
            topics.put(topic, [json.dumps(event(format, old, new)) for old, new in events])
            scene.eventually(f"{format}: {lines}", lambda: all(line in job.output().splitlines() for line in lines), 30)

        comes([(None, row(1, 7, 10.5, "new")), (None, row(2, 8, 3, "new"))], ["+I[7, 10.50]", "+I[8, 3.00]"])
        comes([(row(1, 7, 10.5, "new"), row(1, 7, 20, "paid"))], ["-U[7, 10.50]", "+U[7, 20.00]"])
        comes([(None, row(3, 7, 5.25, "new"))], ["-U[7, 20.00]", "+U[7, 25.25]"])
        comes([(row(1, 7, 20, "paid"), row(1, 8, 20, "moved"))], ["-U[7, 25.25]", "+U[7, 5.25]", "-U[8, 3.00]", "+U[8, 23.00]"])
        comes([(row(3, 7, 5.25, "new"), None)], ["-D[7, 5.25]"])
        end(job)
        printed = [line for line in job.output().splitlines() if line[:1] in "+-" and line[2:3] == "["]
        assert printed == ["+I[7, 10.50]", "+I[8, 3.00]", *printed[2:]] or printed[:2] == ["+I[8, 3.00]", "+I[7, 10.50]"]
        rows = scene.sql(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{lake}');\n"
                         "SELECT order_id, user_id, pay_amount, order_status FROM lake.dw_prod.dwd_trade_orders;")
        scene.equal(format, [[1, 8, "20.00", "moved"], [2, 8, "3.00", "new"]], rows)
