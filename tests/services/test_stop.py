"""Jobs that are told to end while a server of theirs hangs: they end, and when they go on later nothing is lost."""

import contextlib
import signal
import time

from kafka_topics import ALL, Topics
from mysql import Mysql
from object_store import Store

SERVICES = ["kafka", "s3", "hdfs", "mariadb"]
SECONDS = 240
SOON_S = 20  # a loaded machine; waits that are not cut short take minutes
CUT_SHORT = 128 + signal.SIGTERM  # while a statement runs: the numbers have an end
NUMBERS = ("CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '2000', "
           "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000');\n")


def streaming(text):
    return ("SET 'execution.runtime-mode' = 'streaming';\nSET 'execution.checkpointing.interval' = '200 ms';\n" + text)


@contextlib.contextmanager
def hanging(server):
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


def stop_while_it_hangs(server, job, status=CUT_SHORT):
    """Tells the job to end while its server hangs; gives what it printed."""
    with hanging(server):
        time.sleep(1.5)  # so that it waits
        job.signal(signal.SIGTERM)
        output = job.finish(SOON_S, status)
    if status == CUT_SHORT:
        assert "stopped without a last checkpoint: INSERT INTO" in output, output
    return output


def go_on(scene, script, numbers, minimum):
    """The job goes on until `numbers` gives so many, and ends in good order; gives all of them then."""
    job = scene.job(script)
    scene.eventually("more rows", lambda: len(numbers()) >= minimum, 60)
    job.signal(signal.SIGTERM)
    job.finish(status=(0, CUT_SHORT))
    return sorted(numbers())


def check_topic(scene, once, **options):
    topics = Topics(scene)
    topics.make("out")
    script = streaming(NUMBERS + topics.table("o", "n INT", "out", format="json", **options) +
                       "INSERT INTO o SELECT n FROM numbers;")

    written = topics.table("w", "n INT", "out", format="json", **ALL, **{
        "properties.isolation.level": "read_committed"}) + "SELECT n FROM w;"

    def numbers():
        return [n for (n,) in scene.sql(written)]
    job = scene.job(script)
    scene.eventually("rows", lambda: len(numbers()) > 500, 60)
    stop_while_it_hangs(topics.server, job)
    found = go_on(scene, script, numbers, len(numbers()) + 1000)
    expected = list(range(1, found[-1] + 1))
    assert (found if once else sorted(set(found))) == expected, (len(found), len(expected))


def test_a_topic(scene):
    check_topic(scene, False)


def test_a_topic_with_transactions(scene):
    check_topic(scene, True, **{"sink.delivery-guarantee": "exactly-once", "sink.transactional-id-prefix": scene.name})


def test_a_topic_that_is_read(scene):
    """Reading is no reason to miss the last checkpoint."""
    topics = Topics(scene)
    topics.put("in", [f'{{"n":{n}}}' for n in range(1000)])
    script = streaming(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
                       "CREATE TABLE IF NOT EXISTS lake.`default`.t (n INT);\n" +
                       topics.table("s", "n INT", "in", format="json", **{"scan.startup.mode": "earliest-offset"}) +
                       "INSERT INTO lake.`default`.t SELECT n FROM s;")

    def numbers():
        return [n for (n,) in scene.sql(f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = "
                                        f"'{scene.folder}/lake');\nSELECT n FROM lake.`default`.t;")]
    job = scene.job(script)
    scene.eventually("rows", lambda: len(numbers()) == 1000, 60)
    stop_while_it_hangs(topics.server, job, status=0)
    topics.put("in", [f'{{"n":{n}}}' for n in range(1000, 1100)])
    assert go_on(scene, script, numbers, 1100) == list(range(1100))


def check_table(scene, server, catalog, environment=None):
    """A table whose store hangs."""
    script = streaming(catalog + "CREATE TABLE IF NOT EXISTS lake.`default`.t (n INT) WITH ('bucket' = '-1');\n" +
                       NUMBERS + "INSERT INTO lake.`default`.t SELECT n FROM numbers;")

    def numbers():
        return [n for (n,) in scene.sql(catalog + "SELECT n FROM lake.`default`.t;", environment=environment)]
    job = scene.job(script, environment=environment)
    scene.eventually("rows", lambda: len(numbers()) > 500, 60)
    stop_while_it_hangs(server, job)
    found = go_on(scene, script, numbers, len(numbers()) + 1000)
    assert found == list(range(1, found[-1] + 1)), (len(found), found[-1])


def test_a_table_on_s3(scene):
    server = scene.server("s3")
    store = Store(scene, server)
    check_table(scene, server, "CREATE CATALOG lake WITH ('type' = 'paimon', "
                               f"'warehouse' = '{store.warehouse}', {store.pairs()});\n")


def test_a_table_in_hdfs(scene):
    server = scene.server("hdfs")
    uri = f"webhdfs://127.0.0.1:{server.env['HDFS_HTTP_PORT']}/{scene.name}"
    check_table(scene, server, f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{uri}', "
                               f"'hdfs.user' = '{server.env['HDFS_USER']}');\n")


def test_a_captured_table(scene):
    """Both while the table is read at first, and while its changes are."""
    server = scene.server("mariadb")
    mysql = Mysql(server, scene.name)
    mysql.run("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t SELECT seq FROM seq_1_to_200000")
    lake = f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');\n"
    script = streaming(lake + "CREATE TABLE IF NOT EXISTS lake.`default`.t (n INT PRIMARY KEY NOT ENFORCED) "
                       "WITH ('bucket' = '1');\n" + mysql.source("n INT PRIMARY KEY NOT ENFORCED", "t", **{
                           "scan.incremental.snapshot.chunk.size": 1000}) +
                       "INSERT INTO lake.`default`.t SELECT n FROM source;")

    def numbers():
        return [n for (n,) in scene.sql(lake + "SELECT n FROM lake.`default`.t;")]
    job = scene.job(script)
    time.sleep(0.5)
    stop_while_it_hangs(server, job, status=(0, CUT_SHORT))
    job = scene.job(script)
    scene.eventually("all rows", lambda: len(numbers()) == 200000, 60)
    stop_while_it_hangs(server, job, status=0)
    mysql.run("DELETE FROM t WHERE n > 10; INSERT INTO t VALUES (300000)")
    job = scene.job(script)
    scene.eventually("changes", lambda: sorted(numbers()) == [*range(1, 11), 300000], 60)
    job.signal(signal.SIGTERM)
    job.finish()
