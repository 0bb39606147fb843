"""Kafka's topics as tables that are read: formats, keys, metadata, from where to where, bad messages."""

import json
import time

from kafka_topics import ALL, Topics

SERVICES = ["kafka"]

COLUMNS = "id BIGINT, name STRING, price DECIMAL(10, 2), at TIMESTAMP(3)"


def streaming(text):
    return "SET 'execution.runtime-mode' = 'streaming';\n" + text


def printed(scene, text):
    """The lines of a print table that a script fills and that ends."""
    output, _ = scene.run("sql", "--quiet", text=streaming(text))
    return output.splitlines()


def changes_of(scene, topics, format, messages, columns=COLUMNS, **options):
    topics.put("in", messages)
    return printed(scene, topics.table("changes", columns, "in", format=format, **ALL, **options) +
                   f"CREATE TEMPORARY TABLE shown ({columns.split(', PRIMARY')[0]}) WITH ('connector' = 'print');\n"
                   "INSERT INTO shown SELECT * FROM changes;")


def test_json_csv_and_raw(scene):
    topics = Topics(scene)
    rows = [[n, f"näme {n}\n\"q\"", f"{n}.25", f"2024-02-29 12:00:{n % 60:02}.5"] for n in range(3000)]
    topics.put("json", [json.dumps(dict(zip(("id", "name", "price", "at"), row)), indent=1) for row in rows])
    topics.put("csv", ["{};'{}';{};{}".format(*row) for row in rows])
    topics.put("raw", [f"line {n}" for n in range(100)] + ["two\nlines"])
    text = (topics.table("a", COLUMNS, "json", format="json", **ALL) +
            topics.table("b", COLUMNS, "csv", **{"value.format": "csv", "value.csv.field-delimiter": ";",
                                                 "value.csv.quote-character": "''"}, **ALL))
    first = scene.sql(text + "SELECT * FROM a;")
    scene.equal("csv", first, scene.sql(text + "SELECT * FROM b;"))
    assert len(first) == 3000 and first[7] == [7, "näme 7\n\"q\"", "7.25", "2024-02-29 12:00:07.500"], first[7]
    lines = scene.sql(topics.table("c", "line STRING", "raw", format="raw", **ALL) + "SELECT * FROM c;")
    scene.equal("raw", [[f"line {n}"] for n in range(100)] + [["two\nlines"]], lines)


def test_change_events(scene):
    topics = Topics(scene)
    row = {"id": 1, "name": "a", "price": 1.5, "at": "2024-02-29 12:00:00"}
    other = {**row, "price": 2.5}
    expected = ["+I[1, a, 1.50, 2024-02-29T12:00]", "-U[1, a, 1.50, 2024-02-29T12:00]",
                "+U[1, a, 2.50, 2024-02-29T12:00]", "-D[1, a, 2.50, 2024-02-29T12:00]"]
    topics.name = lambda topic, name=topics.name: name(f"debezium.{topic}")
    debezium = [{"before": None, "after": row, "op": "c"}, {"before": row, "after": other, "op": "u"},
                {"before": other, "after": None, "op": "d"}]
    assert changes_of(scene, topics, "debezium-json", [json.dumps(event) for event in debezium]) == expected
    topics = Topics(scene)
    topics.name = lambda topic, name=topics.name: name(f"schema.{topic}")
    fields = [{"field": "id", "type": "int64"}, {"field": "name", "type": "string"},
              {"field": "price", "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal",
               "parameters": {"scale": "2"}},
              {"field": "at", "type": "int64", "name": "io.debezium.time.Timestamp"}]
    schema = {"type": "struct", "fields": [{"field": image, "type": "struct", "fields": fields}
                                           for image in ("before", "after")]}
    encoded = [{**value, "price": price, "at": 1709208000000} if value else None
               for value, price in ((row, "AJY="), (other, "APo="))]
    events = [{"schema": schema, "payload": {"before": before, "after": after, "op": op}}
              for before, after, op in ((None, encoded[0], "c"), (encoded[0], encoded[1], "u"),
                                        (encoded[1], None, "d"))]
    assert changes_of(scene, topics, "debezium-json", [json.dumps(event) for event in events],
                      **{"debezium-json.schema-include": "true"}) == expected
    topics = Topics(scene)
    topics.name = lambda topic, name=topics.name: name(f"canal.{topic}")
    canal = [{"data": [row], "old": None, "type": "INSERT", "database": "d", "table": "t"},
             {"data": [row], "old": None, "type": "INSERT", "database": "d", "table": "other"},
             {"data": [other], "old": [{"price": 1.5}], "type": "UPDATE", "database": "d", "table": "t"},
             {"data": [other], "old": None, "type": "DELETE", "database": "d", "table": "t"},
             {"type": "CREATE", "database": "d", "table": "t", "data": None}]
    assert changes_of(scene, topics, "canal-json", [json.dumps(event) for event in canal],
                      **{"canal-json.table.include": "t"}) == expected
    topics = Topics(scene)
    topics.name = lambda topic, name=topics.name: name(f"maxwell.{topic}")
    maxwell = [{"data": row, "type": "insert"}, {"data": other, "old": {"price": 1.5}, "type": "update"},
               {"data": other, "type": "delete"}]
    assert changes_of(scene, topics, "maxwell-json", [json.dumps(event) for event in maxwell]) == expected


def test_keys_and_metadata(scene):
    topics = Topics(scene)
    topics.make("in", 2)
    topics.put("in", [('{"id":1}', '{"v":"a"}'), ('{"id":2}', '{"v":"b"}')], partition=1, headers=["h=x", "i=y"])
    topics.put("in", [('{"id":3}', json.dumps({"v": "c"}))])
    rows = scene.sql(topics.table(
        "t", "k_id INT, v STRING, topic STRING NOT NULL METADATA VIRTUAL, p INT METADATA FROM 'partition' VIRTUAL, "
        "o BIGINT METADATA FROM 'offset' VIRTUAL, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, "
        "tt STRING METADATA FROM 'timestamp-type' VIRTUAL, h MAP<STRING, BYTES> METADATA FROM 'headers' VIRTUAL, "
        "wide STRING METADATA FROM 'partition' VIRTUAL", "in",
        **{"key.format": "json", "key.fields": "k_id", "key.fields-prefix": "k_", "value.format": "json",
           "value.fields-include": "EXCEPT_KEY"}, **ALL) +
        "SELECT k_id, v, topic, p, o, tt, CAST(h['h'] AS STRING) h, CAST(h['i'] AS STRING) i, wide, "
        "CAST(ts AS TIMESTAMP(3)) > TIMESTAMP '2020-01-01 00:00:00' AS new FROM t;")
    name = topics.name("in")
    expected = [[1, "a", name, 1, 0, "CreateTime", "x", "y", "1", True],
                [2, "b", name, 1, 1, "CreateTime", "x", "y", "1", True],
                [3, "c", name, 0, 0, "CreateTime", None, None, "0", True]]
    scene.equal("rows", expected, rows)


def test_metadata_of_events(scene):
    topics = Topics(scene)
    event = {"before": None, "after": {"id": 5}, "op": "c", "ts_ms": 1709208000000,
             "source": {"db": "shop", "table": "orders", "ts_ms": 1709207999000}}
    topics.put("in", [json.dumps(event)])
    lines = printed(scene, topics.table(
        "t", "id INT, d STRING METADATA FROM 'value.source.database' VIRTUAL, o BIGINT METADATA FROM 'offset' VIRTUAL, "
        "ts TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL", "in", format="debezium-json", **ALL) +
        "CREATE TEMPORARY TABLE s (id INT, d STRING, o BIGINT, ts TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT * FROM t;")
    assert lines == ["+I[5, shop, 0, 2024-02-29T12:00:00Z]"], lines


def numbers(scene, topics, name="in", **options):
    return sorted(row[0] for row in scene.sql(topics.table("t", "n INT", name, format="json", **options) +
                                                 "SELECT n FROM t;"))


def test_from_where_to_where(scene):
    topics = Topics(scene)
    topics.make("in", 2)
    for partition in (0, 1):
        topics.put("in", [json.dumps({"n": n * 2 + partition}) for n in range(10)], partition)
    bounded = {"scan.bounded.mode": "latest-offset"}
    group = {"properties.group.id": topics.name("g")}
    assert numbers(scene, topics, **ALL) == list(range(20))
    assert numbers(scene, topics, **{"scan.startup.mode": "latest-offset"}, **bounded) == []
    assert numbers(scene, topics, **{"scan.startup.mode": "specific-offsets",
                                     "scan.startup.specific-offsets": "partition:0,offset:8;partition:1,offset:9"},
                   **bounded) == [16, 18, 19]
    assert numbers(scene, topics, **{"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "specific-offsets",
                                     "scan.bounded.specific-offsets": "partition:0,offset:3"}) == [0, 2, 4]
    assert numbers(scene, topics, **{"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "0"},
                   **bounded) == list(range(20))
    assert numbers(scene, topics, **{"scan.startup.mode": "timestamp",
                                     "scan.startup.timestamp-millis": "99999999999999"}, **bounded) == []
    assert numbers(scene, topics, **{"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "timestamp",
                                     "scan.bounded.timestamp-millis": "0"}) == []
    message = scene.sql_error(topics.table("t", "n INT", "in", format="json", **group, **bounded) + "SELECT * FROM t;")
    assert "has no offset there" in message and "auto.offset.reset" in message, message
    assert numbers(scene, topics, **group, **bounded, **{"properties.auto.offset.reset": "earliest"}) == list(range(20))
    topics.set_group(topics.name("g"), "in", 7, 2)
    assert numbers(scene, topics, **group, **bounded) == [14, 15, 16, 17, 18, 19]
    assert numbers(scene, topics, **group, **{"scan.startup.mode": "earliest-offset",
                                              "scan.bounded.mode": "group-offsets"}) == list(range(14))
    message = scene.sql_error(topics.table("t", "n INT", "in", format="json", **bounded) + "SELECT * FROM t;")
    assert "'properties.group.id' is missing" in message, message


def test_patterns_and_topics_that_come_later(scene):
    topics = Topics(scene)
    topics.put("a.1", ['{"n":1}'])
    topics.put("a.2", ['{"n":2}'])
    topics.put("b.1", ['{"n":3}'])
    pattern = topics.name("a").replace(".", r"\.") + r"\.\d+"
    options = {"topic-pattern": pattern, "format": "json", "scan.startup.mode": "earliest-offset"}
    rows = scene.sql(topics.table("t", "n INT", **options, **{"scan.bounded.mode": "latest-offset"}) + "SELECT * FROM t;")
    scene.equal("topics that match", [[1], [2]], rows)
    script = (topics.table("t", "n INT", **options, **{"scan.topic-partition-discovery.interval": "500 ms"}) +
              "CREATE TEMPORARY TABLE s (n INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT * FROM t;")
    job = scene.job(script)
    scene.eventually("the first", lambda: "+I[2]" in job.output())
    topics.put("a.3", ['{"n":4}'])
    scene.eventually("the later one", lambda: "+I[4]" in job.output())
    assert "+I[3]" not in job.output()
    job.signal(15)
    job.finish()
    topics.put("a.4", ['{"n":5}'])
    topics.put("a.1", ['{"n":6}'])
    job = scene.job(script)
    scene.eventually("what came while it was down", lambda: {"+I[5]", "+I[6]"} <= set(job.output().splitlines()))
    assert "+I[1]" not in job.output() and "+I[4]" not in job.output(), job.output()
    job.signal(15)
    job.finish()


def test_bad_messages(scene):
    topics = Topics(scene)
    topics.put("in", ['{"n":1}', '{"n":2', '{"n":"x"}', '{"n":4}'])
    table = topics.table("t", "n INT", "in", format="json", **ALL)
    message = scene.sql_error(table + "SELECT * FROM t;")
    assert f"topic '{topics.name('in')}', partition 0, offset 1" in message and "'{\"n\":2'" in message, message
    rows = scene.sql(topics.table("t", "n INT", "in", format="json", **ALL, **{"json.ignore-parse-errors": "true"}) +
                     "SELECT * FROM t;")
    scene.equal("what is left", [[1], [None], [4]], rows)
    message = scene.sql_error(topics.table("t", "n INT", "in", format="json", **{
        "scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "partition:0,offset:2",
        "scan.bounded.mode": "latest-offset"}) + "SELECT * FROM t;")
    assert "offset 2" in message and "field 'n': 'x' is no INT" in message, message


def test_what_is_not_there(scene):
    topics = Topics(scene)
    message = scene.sql_error(topics.table("t", "n INT", "nowhere", format="json", **ALL) + "SELECT * FROM t;")
    assert f"has no topic '{topics.name('nowhere')}'" in message, message
    topics.put("in", [f'{{"n":{n}}}' for n in range(10)])
    topics.remove_before("in", 6)
    old = {"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "partition:0,offset:2",
           "scan.bounded.mode": "latest-offset"}
    message = scene.sql_error(topics.table("t", "n INT", "in", format="json", **old) + "SELECT * FROM t;")
    assert "offset 2 is not there any more" in message and "offsets 6 to 10" in message, message
    assert numbers(scene, topics, **old, **{"properties.auto.offset.reset": "earliest"}) == [6, 7, 8, 9]


def test_messages_that_are_removed_while_a_job_is_down(scene):
    topics = Topics(scene)
    topics.put("in", [f'{{"n":{n}}}' for n in range(3)])
    start = {"scan.startup.mode": "earliest-offset"}
    sink = "CREATE TEMPORARY TABLE s (n INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT * FROM t;"
    table = topics.table("t", "n INT", "in", format="json", **start)
    scene.job(table + sink, "--until-idle", "500ms").finish()
    topics.put("in", [f'{{"n":{n}}}' for n in range(3, 6)])
    topics.remove_before("in", 5)
    _, output = scene.run("run", scene.folder / "job.sql", "--state", scene.folder / "job.state", status=1)
    assert "offset 3 is not there any more" in output and "'properties.auto.offset.reset'" in output, output
    table = topics.table("t", "n INT", "in", format="json", **start, **{"properties.auto.offset.reset": "earliest"})
    output = scene.job(table + sink, "--until-idle", "500ms").finish()
    assert [line for line in output.splitlines() if line.startswith("+I")] == ["+I[5]"], output


def test_a_topic_that_is_made_anew(scene):
    """Where the job was is not there any more: an error, or, as the table says, the new topic's beginning."""
    topics = Topics(scene)
    topics.put("in", [f'{{"n":{n}}}' for n in range(10)])

    def script(**options):
        return streaming(
            f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
            "CREATE TABLE IF NOT EXISTS lake.`default`.t (n INT);\n" +
            topics.table("s", "n INT", "in", format="json", **{"scan.startup.mode": "earliest-offset"}, **options) +
            "INSERT INTO lake.`default`.t SELECT n FROM s;")

    def numbers():
        return sorted(n for (n,) in scene.sql(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = "
                                              f"'{scene.folder}/lake');\nSELECT n FROM lake.`default`.t;"))
    scene.job(script(), "--until-idle", "2s").finish()
    topics.drop("in")
    topics.make("in")
    topics.put("in", ['{"n":100}', '{"n":101}'])
    output = scene.job(script(), "--until-idle", "2s").finish(status=1)
    assert "there is no offset 10 yet: was the topic made anew?" in output, output
    resets = {"properties.auto.offset.reset": "earliest"}
    job = scene.job(script(**resets))
    scene.eventually("the new topic", lambda: numbers() == [*range(10), 100, 101], 60)
    topics.drop("in")
    time.sleep(0.5)
    job.signal(15)
    job.finish(status=(0, 1))  # it may have seen that the topic is not there
    topics.make("in")
    topics.put("in", ['{"n":200}'])
    job = scene.job(script(**resets))
    scene.eventually("the topic after it", lambda: numbers() == [*range(10), 100, 101, 200], 60)
    job.signal(15)
    job.finish()


def test_secrets_stay_secret(scene):
    topics = Topics(scene)
    secret = {"properties.security.protocol": "SASL_PLAINTEXT", "properties.sasl.mechanism": "PLAIN",
              "properties.sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required "
                                             "username=\"me\" password=\"top-secret-7\";"}
    table = topics.table("t", "n INT", "in", format="json", **ALL, **secret)
    output, errors = scene.run("sql", text=table + "EXPLAIN SELECT * FROM t;\nSHOW CREATE TABLE t;\nSELECT * FROM t;",
                               status=1)
    assert "top-secret-7" not in output + errors, output + errors
