"""What Weir writes into Kafka's topics real Flink reads, and the other way round."""

import datetime
import time

from kafka_topics import ALL, Topics

SERVICES = ["kafka"]

COLUMNS = "id INT, name STRING, price DECIMAL(10, 2), made TIMESTAMP(3), b BYTES, PRIMARY KEY (id) NOT ENFORCED"
UPSERT = {"connector": "upsert-kafka", "key.format": "json", "value.format": "json"}
EVENTS = {"key.format": "csv", "key.fields": "id", "value.format": "debezium-json"}
EVENT_COLUMNS = "id INT, v STRING, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'"
COUNTS = {"connector": "upsert-kafka", "key.format": "csv", "value.format": "json", "value.fields-include": "EXCEPT_KEY"}
COUNT_COLUMNS = "id INT, name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED"


def test_topics_are_the_same_for_both(scene):
    topics = Topics(scene)
    now_ms = int(time.time() * 1000)  # messages of long ago are removed before long
    made = datetime.datetime.fromtimestamp(now_ms / 1000, datetime.timezone.utc)
    exact = {"sink.delivery-guarantee": "exactly-once", "sink.transactional-id-prefix": scene.name}
    scene.sql(topics.table("t", COLUMNS, "upserts", **UPSERT, **exact) +
              "INSERT INTO t VALUES (1, 'a', 1.50, TIMESTAMP '2024-01-01 00:00:00.5', X'0102'), "
              "(2, 'ü', 2.00, CAST(NULL AS TIMESTAMP(3)), X''), (1, 'b', 3, TIMESTAMP '2024-01-01 00:00:00', X'00');\n" +
              topics.table("k", EVENT_COLUMNS, "events", **EVENTS) +
              f"INSERT INTO k VALUES (5, 'x', TO_TIMESTAMP_LTZ({now_ms}, 3));")
    bounded = {"scan.bounded.mode": "latest-offset"}
    rows = scene.flink(
        "SET 'execution.runtime-mode' = 'streaming';\nSET 'table.local-time-zone' = 'UTC';\n" +
        topics.table("t", COLUMNS, "upserts", **UPSERT, **bounded, **{"properties.isolation.level": "read_committed"}) +
        "SELECT * FROM t;\n" + topics.table("k", EVENT_COLUMNS, "events", **EVENTS, **ALL) + "SELECT * FROM k;\n" +
        topics.table("o", COUNT_COLUMNS, "counts", **COUNTS) +
        "INSERT INTO o SELECT MAX(id), name, COUNT(*) FROM t GROUP BY name;")
    assert rows == [["+I", 1, "a", "1.50", "2024-01-01 00:00:00.500", "0102"], ["+I", 2, "ü", "2.00", None, ""],
                    ["-U", 1, "a", "1.50", "2024-01-01 00:00:00.500", "0102"],
                    ["+U", 1, "b", "3.00", "2024-01-01 00:00:00.000", "00"],
                    ["+I", 5, "x", f"{made:%Y-%m-%d %H:%M:%S}.{now_ms % 1000:03}Z"]], rows
    output, _ = scene.run("sql", "--quiet", text=(
        "SET 'execution.runtime-mode' = 'streaming';\n" +
        topics.table("o", COUNT_COLUMNS, "counts", **COUNTS, **bounded) +
        "CREATE TEMPORARY TABLE p (id INT, name STRING, n BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO p SELECT * FROM o;"))
    left = [line for line in output.splitlines() if line.startswith(("+I", "+U"))]
    assert set(left) >= {"+I[2, ü, 1]", "+I[1, b, 1]"}, output
    assert "-D[1, a, 1]" in output, output
