"""The statements of the two documents: each stands in a script of examples/seeds, and those of the second, whose page kept
its quotes, run as they stand there. Needs no server."""

import itertools
import json
import pathlib
import re

from scene import Skip
from seeds import SCRIPTS

SERVICES = []

FIRST, SECOND = "000_", "003_"
BEGINNING = r"CREATE TABLE|CREATE CATALOG|USE CATALOG|INSERT INTO|SET execution|SELECT user_id|SELECT TUMBLE_START"
# What stands between words in prose, or under a name that stands for any table.
IN_PROSE = ["SELECT * FROM paimon_orders /*+ OPTIONS(scan.mode latest-full) */", "DELETE FROM paimon_log WHERE dt 2024-01-01",
            "ANALYZE TABLE"]


def document(scene, begin):
    """The text of a document."""
    found = sorted((pathlib.Path(scene.shared) / "seeds").glob(f"{begin}*.txt"))
    if not found:
        raise Skip(f"skipped: no {scene.shared}/seeds/{begin}*.txt")
    return found[0].read_text()


def statements_of(text):
    """From a statement's first words to its semicolon."""
    return [found.group() for found in re.finditer(rf"({BEGINNING})\b.*?;", text, re.S)]


def words_of(statement):
    """Its words without quotes, signs and comments. A page that lost its line breaks ends a comment nowhere: words that touch
    Chinese letters are taken for one."""
    text = re.sub(r"(?<!\S)(?:--|—)[^\n]*\n", "\n", statement) if statement.count("\n") > 2 else statement
    text = re.sub(r"\s*=\s*", " ", text.replace("INTERVAL '1'", "INTERVAL 1"))
    text = re.sub(r"\S*[\u3000-\u9fff\uff00-\uffef]\S*", " ", text)
    return re.findall(r"[A-Za-z0-9_](?:[A-Za-z0-9_.:/-]*[A-Za-z0-9_])?|\*", text.replace("/*", " ").replace("*/", " "))


def stands_in(words, others):
    """Are these words among others, in their order?"""
    rest = iter(word.lower() for word in others)
    return all(word.lower() in rest for word in words)


def statements_of_scripts():
    texts = [re.sub(r"(?m)(?<!\S)(?:--|—).*$", "", path.read_text()) for path in sorted(SCRIPTS.glob("*.sql"))]
    return [words_of(statement) for text in texts for statement in text.split(";")]


def test_every_statement_stands_in_a_script(scene):
    scripts = statements_of_scripts()
    first, second = statements_of(document(scene, FIRST)), statements_of(document(scene, SECOND))
    assert len(first) >= 11 and len(second) == 6, (first, second)
    for statement in itertools.chain(first, second, IN_PROSE):
        words = words_of(statement)
        assert len(words) > 1 and any(stands_in(words, other) for other in scripts), (statement, words)


def test_the_second_document_as_it_stands(scene):
    """Its statements byte for byte, but for the warehouse. It takes two databases and a topic for granted; and Flink's
    catalog of Paimon keeps no table of another connector that is not TEMPORARY: so does this one, and says so."""
    text = document(scene, SECOND)
    text = text[text.index("— 1."):]
    text = text[:text.index("GROUP BY user_id;")] + "GROUP BY user_id;\n"
    text = text.replace("hdfs:///dw_lakehouse/paimon_warehouse", f"{scene.folder}/lake")
    error = scene.run("run", "-", text=text, status=1)[1]
    assert "there is no database 'dw_prod'" in error, error
    assert text.count("USE CATALOG paimon_catalog;") == 1
    taken_for_granted = f"""USE CATALOG paimon_catalog;
        CREATE DATABASE IF NOT EXISTS dw_prod;
        CREATE DATABASE IF NOT EXISTS dw_rt;
        CREATE TEMPORARY TABLE dw_rt.kafka_mysql_binlog_source (order_id BIGINT, user_id BIGINT, pay_amount DECIMAL(10,2),
            order_status STRING, update_time TIMESTAMP(3), PRIMARY KEY (order_id) NOT ENFORCED)
        WITH ('connector' = 'filesystem', 'path' = '{scene.folder}/events', 'format' = 'canal-json',
              'source.monitor-interval' = '20 ms');"""
    text = text.replace("USE CATALOG paimon_catalog;", taken_for_granted)
    (scene.folder / "events").mkdir()
    error = scene.run("run", "-", text=text, status=1)[1]
    assert "must be CREATE TEMPORARY TABLE" in error, error
    text = text.replace("CREATE TABLE dw_rt.dws_user_realtime_stat", "CREATE TEMPORARY TABLE dw_rt.dws_user_realtime_stat")
    text = text.replace("CREATE TABLE dw_prod.", "CREATE TABLE IF NOT EXISTS dw_prod.")
    job = scene.job("SET 'execution.checkpointing.interval' = '50 ms';\n" + text)

    def give(name, kind, row, old=None):
        event = {"database": "shop", "table": "orders", "type": kind, "isDdl": False, "es": 1, "ts": 2,
                 "data": [row], "old": old and [old]}
        (scene.folder / "events" / f".{name}").write_text(json.dumps(event) + "\n")
        (scene.folder / "events" / f".{name}").rename(scene.folder / "events" / name)

    def prints(*lines):
        def check():
            assert re.findall(r"^.*\[.*\]$", job.output(), re.M) == list(lines), job.output()
            return True
        scene.eventually(lines[-1], check)

    def order(number, user, amount):
        return {"order_id": number, "user_id": user, "pay_amount": amount, "order_status": "new",
                "update_time": "2024-03-01 12:00:00.123"}

    give("a", "INSERT", order(1, 7, "10.00"))
    shown = ["+I[7, 10.00]"]
    prints(*shown)
    give("b", "INSERT", order(2, 7, "2.50"))
    shown += ["-U[7, 10.00]", "+U[7, 12.50]"]
    prints(*shown)
    give("c", "UPDATE", order(1, 7, "1.00"), {"pay_amount": "10.00"})
    shown += ["-U[7, 12.50]", "+U[7, 3.50]"]
    prints(*shown)
    give("d", "DELETE", order(2, 7, "2.50"))
    shown += ["-U[7, 3.50]", "+U[7, 1.00]"]
    prints(*shown)
    give("e", "DELETE", order(1, 7, "1.00"))
    prints(*shown, "-D[7, 1.00]")
    job.signal(15)
    job.finish()
