"""Checks of tables on a store of objects, for every server that speaks S3."""

import json
import subprocess
import time

from faulty_proxy import FAULTS, FaultyProxy


class Store:
    """A server's bucket, as Weir and Java reach it; with a proxy in between where `proxy` is given."""

    def __init__(self, scene, server, proxy=None):
        self.scene, self.env = scene, server.env
        self.endpoint = proxy.url if proxy else self.env["S3_ENDPOINT"]
        self.warehouse = f"s3://{self.env['S3_BUCKET']}/{scene.name}"

    @property
    def options(self):
        return {"s3.endpoint": self.endpoint, "s3.access-key": self.env["S3_ACCESS_KEY"],
                "s3.secret-key": self.env["S3_SECRET_KEY"], "s3.path.style.access": "true",
                "s3.region": self.env["S3_REGION"]}

    def pairs(self, **more):
        return ", ".join(f"'{key}' = '{value}'" for key, value in {**self.options, **more}.items())

    @property
    def use(self):
        """The beginning of a script: the catalog, in batch mode."""
        return (f"SET 'execution.runtime-mode' = 'batch';\n"
                f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{self.warehouse}', {self.pairs()});\n"
                f"USE CATALOG lake;\n")

    def sql(self, text, **others):
        return self.scene.sql(self.use + text, **others)

    def java(self):
        conf = {**self.options, "s3.endpoint.region": self.env["S3_REGION"]}
        del conf["s3.region"]
        return self.scene.java(*(f"{key}={value}" for key, value in conf.items()))

    def path(self, table):
        return f"{self.warehouse}/default.db/{table}"

    def dump(self, table, *words):
        """The rows as `weir dump` prints them."""
        options = [word for key, value in self.options.items() for word in ("--option", f"{key}={value}")]
        return self.scene.run("dump", self.path(table), "--sort", *options, *words)[0].splitlines()


def check_tables(scene, server):
    """What Weir writes Java reads, and the other way round."""
    store = Store(scene, server)
    java = store.java()
    store.sql("""
        CREATE TABLE orders (id BIGINT, name STRING, amount DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED)
            WITH ('bucket' = '2', 'changelog-producer' = 'lookup', 'num-sorted-run.compaction-trigger' = '3');
        CREATE TABLE log (line STRING, `day` STRING) PARTITIONED BY (`day`);
        INSERT INTO orders VALUES (1, 'one', 1.5), (2, 'zwei', 2.25), (3, 'три', NULL);
        INSERT INTO orders VALUES (2, 'two', 2.5), (4, 'four', 4);
        INSERT INTO orders VALUES (5, 'five', 5), (6, 'six', 6);
        DELETE FROM orders WHERE id = 5;
        INSERT INTO log VALUES ('a b', '2026-01-01'), ('c+d', '2026/01/02 10:00'), ('e', NULL), ('f', '50% + 1'),
            ('g', 'é&<日>'), ('h', '2024-01-01 00:00:00'), ('i', 'a=b?c#d');""")
    expected = [[1, "one", "1.50"], [2, "two", "2.50"], [3, "три", None], [4, "four", "4.00"], [6, "six", "6.00"]]
    rows = store.sql("SELECT id, name, CAST(amount AS STRING) FROM orders ORDER BY id;")
    assert rows == expected, rows
    for table in ("orders", "log"):
        scene.equal(f"{table} in Java", java.dump(store.path(table)), store.dump(table))
    scene.equal("changes in Java", java.stream(store.path("orders"), 1), store_stream(store, "orders"))
    java.write(store.path("orders"), ['["+I",7,"seven","7.00"]', '["+U",1,"uno","1.00"]', '["-D",2,"two","2.50"]'])
    scene.equal("what Java wrote", java.dump(store.path("orders")), store.dump("orders"))
    java.create(store.warehouse, "of_java", {"fields": [{"name": "k", "type": "INT NOT NULL"},
                                                        {"name": "v", "type": "STRING"}],
                                             "primaryKeys": ["k"], "partitionKeys": [], "options": {"bucket": "1"}})
    java.write(f"{store.warehouse}/db.db/of_java", ['["+I",1,"x"]', '["+I",2,"y"]'])
    store.sql("INSERT INTO db.of_java VALUES (2, 'z'), (3, 'w');")
    assert store.sql("SELECT * FROM db.of_java ORDER BY k;") == [[1, "x"], [2, "z"], [3, "w"]]
    scene.equal("both wrote", java.dump(f"{store.warehouse}/db.db/of_java"), ['[1,"x"]', '[2,"z"]', '[3,"w"]'])


def store_stream(store, table):
    return store.dump(table, "--stream", "1", "-", "--with-snapshot")


def check_names(scene, server):
    """Databases, tables and tags are made, listed, renamed and dropped; nothing stays of them."""
    store = Store(scene, server)
    store.sql("""
        CREATE DATABASE shop;
        CREATE TABLE shop.a (x INT) WITH ('bucket' = '-1');
        INSERT INTO shop.a VALUES (1), (2);
        CALL sys.create_tag(`table` => 'shop.a', tag => 'first');
        CALL sys.rename_tag(`table` => 'shop.a', tagName => 'first', targetTagName => 'second');
        INSERT INTO shop.a VALUES (3);
        ALTER TABLE shop.a RENAME TO b;""")
    assert store.sql("SHOW DATABASES;") == [["default"], ["shop"]]
    assert store.sql("SHOW TABLES FROM shop;") == [["b"]]
    assert store.sql("SELECT x FROM shop.b ORDER BY x;") == [[1], [2], [3]]
    assert store.sql("SELECT x FROM shop.b /*+ OPTIONS('scan.tag-name' = 'second') */ ORDER BY x;") == [[1], [2]]
    scene.sql_error(store.use + "CREATE TABLE shop.b (x INT);")
    scene.sql_error(store.use + "SELECT * FROM shop.a;")
    store.sql("DROP TABLE shop.b; DROP DATABASE shop;")
    assert store.sql("SHOW DATABASES;") == [["default"]]


def check_expiry(scene, server):
    """Snapshots go with the files that only they need."""
    store = Store(scene, server)
    java = store.java()
    store.sql("CREATE TABLE t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');")
    for i in range(6):
        store.sql(f"INSERT INTO t VALUES ({i % 3}, {i});")
    store.sql("CALL sys.compact(`table` => 'default.t'); CALL sys.expire_snapshots(`table` => 'default.t', retain_max => 1, retain_min => 1);")
    assert len(store.sql("SELECT snapshot_id FROM t$snapshots;")) == 1
    rows = ["[0,3]", "[1,4]", "[2,5]"]
    scene.equal("after expiry", rows, store.dump("t"))
    scene.equal("after expiry, in Java", rows, java.dump(store.path("t")))
    store.sql("INSERT INTO t VALUES (9, 9);")
    scene.equal("after one more", rows + ["[9,9]"], java.dump(store.path("t")))


def check_two_writers(scene, server):
    """Many programs commit at once: every row is there, and every snapshot has one author."""
    store = Store(scene, server)
    store.sql("CREATE TABLE t (w INT, i INT) WITH ('bucket' = '-1');")
    writers, inserts = 4, 6
    texts = [store.use + "".join(f"INSERT INTO t VALUES ({w}, {i});" for i in range(inserts)) for w in range(writers)]
    processes = [subprocess.Popen([scene.weir, "sql", "--quiet", "-e", text], stderr=subprocess.PIPE, text=True)
                 for text in texts]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    rows = store.sql("SELECT w, i FROM t;")
    scene.equal("all rows", [[w, i] for w in range(writers) for i in range(inserts)], rows)
    assert store.sql("SELECT COUNT(*), MAX(snapshot_id) FROM t$snapshots;") == [[writers * inserts] * 2]
    scene.equal("all rows in Java", [json.dumps(row, separators=(",", ":")) for row in rows],
                store.java().dump(store.path("t")))


def check_faults(scene, server):
    """Requests fail in passing, in every way; results are as ever."""
    proxy = FaultyProxy(server.env["S3_ENDPOINT"], scene.seed, FAULTS)
    store = Store(scene, server, proxy)
    store.sql("""
        CREATE TEMPORARY TABLE numbers (x BIGINT, payload STRING) WITH ('connector' = 'datagen',
            'number-of-rows' = '60000', 'fields.x.kind' = 'sequence', 'fields.x.start' = '1', 'fields.x.end' = '60000',
            'fields.payload.length' = '300');
        CREATE TABLE large (x BIGINT, payload STRING, PRIMARY KEY (x) NOT ENFORCED) WITH ('bucket' = '1');
        INSERT INTO large SELECT * FROM numbers;""")
    assert store.sql("SELECT COUNT(*), SUM(x), SUM(CHAR_LENGTH(payload)) FROM large;") == \
        [[60000, 60000 * 60001 // 2, 60000 * 300]]
    store.sql("CREATE TABLE t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '2');")
    for i in range(12):
        store.sql(f"INSERT INTO t VALUES ({i % 5}, {i}), ({i + 100}, {i});")
    store.sql("CALL sys.compact(`table` => 'default.t'); CALL sys.expire_snapshots(`table` => 'default.t', retain_max => 2, retain_min => 1);"
              "DELETE FROM t WHERE k = 100;")
    rows = sorted([[k, k + 5 if k + 10 > 11 else k + 10] for k in range(5)] + [[i + 100, i] for i in range(1, 12)])
    assert store.sql("SELECT * FROM t ORDER BY k;") == rows
    assert store.sql("SELECT COUNT(*) FROM t$snapshots;")[0][0] >= 2
    faults = [fault for _, _, _, fault in proxy.requests() if fault]
    assert set(faults) == set(FAULTS), faults
    proxy.close()
    scene.equal("without faults", [json.dumps(row, separators=(",", ":")) for row in rows], Store(scene, server).dump("t"))


def check_killed(scene, server, rounds):
    """A job is killed again and again, also in the middle of its commits: nothing is lost, nothing doubled."""
    proxy = FaultyProxy(server.env["S3_ENDPOINT"], scene.seed, {"slow": 0.05, "lost": 0.03})
    store = Store(scene, server, proxy)
    count = 40000
    store.sql("CREATE TABLE sums (g BIGINT, n BIGINT, s BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH ('bucket' = '1');"
              "CREATE TABLE rows_of (x BIGINT) WITH ('bucket' = '-1');")
    script = store.use.replace("'batch'", "'streaming'") + f"""
        SET 'execution.checkpointing.interval' = '200 ms';
        CREATE TEMPORARY TABLE numbers (x BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '{count // 8}',
            'number-of-rows' = '{count}', 'fields.x.kind' = 'sequence', 'fields.x.start' = '1', 'fields.x.end' = '{count}');
        INSERT INTO rows_of SELECT x FROM numbers;"""
    killed = 0
    while killed < rounds:
        job = scene.job(script)
        time.sleep(scene.random.uniform(0.3, 1.2))
        if not job.running():
            break
        job.kill()
        killed += 1
    scene.job(script).finish(120)
    assert killed > rounds // 2, f"killed {killed} times only"
    proxy.close()
    rows = Store(scene, server).sql("SELECT COUNT(*), COUNT(DISTINCT x), MIN(x), MAX(x) FROM rows_of;")
    assert rows == [[count, count, 1, count]], rows


def check_without_conditions(scene, server):
    """A store that passes If-None-Match over is found out before anything is committed."""
    proxy = FaultyProxy(server.env["S3_ENDPOINT"], stripped=["if-none-match"])
    store = Store(scene, server, proxy)
    message = scene.sql_error(store.use + "CREATE TABLE t (a INT);")
    assert "does not honour If-None-Match" in message and "'single-writer'" in message, message
    alone = store.use.replace("'s3.region'", "'s3.conditional-writes' = 'single-writer', 's3.region'")
    assert scene.sql(alone + "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT a FROM t;") == [[1]]
    proxy.close()


def check_files(scene, server):
    """The filesystem connector and tables outside of a catalog, with the store said in their own options."""
    store = Store(scene, server)
    files = f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{store.warehouse}/files', {store.pairs()}"
    table = f"'connector' = 'paimon', 'path' = '{store.warehouse}/outside', 'auto-create' = 'true', {store.pairs()}"
    head = (f"SET 'execution.runtime-mode' = 'batch';"
            f"CREATE TEMPORARY TABLE f (a INT, b STRING, p STRING) PARTITIONED BY (p) WITH ({files});"
            f"CREATE TEMPORARY TABLE o (a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ({table}, 'bucket' = '1');")
    rows = [[1, "x y", "p/1"], [2, "ü", "p 2"], [3, "z", "p/1"]]
    scene.sql(head + "INSERT INTO f VALUES (1, 'x y', 'p/1'), (2, 'ü', 'p 2'), (3, 'z', 'p/1');"
                     "INSERT INTO o SELECT a, b FROM f;")
    scene.equal("files", rows, scene.sql(head + "SELECT * FROM f;"))
    scene.sql(head + "INSERT OVERWRITE f VALUES (4, 'new', 'p/1');")
    scene.equal("files after overwriting", [[2, "ü", "p 2"], [4, "new", "p/1"]], scene.sql(head + "SELECT * FROM f;"))
    scene.equal("table", [row[:2] for row in rows], scene.sql(head + "SELECT * FROM o;"))
    shown, _ = scene.run("sql", text=head + "SHOW CREATE TABLE o;")
    assert "******" in shown and server.env["S3_SECRET_KEY"] not in shown, shown
    schema = json.dumps(scene.sql(f"CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '{store.warehouse}', {store.pairs()});"
                                  f"SHOW CREATE CATALOG c;"))
    assert server.env["S3_SECRET_KEY"] not in schema


def check_errors(scene, server):
    """Wrong keys, regions and buckets are told apart, and secrets are not told."""
    store = Store(scene, server)
    wrong_secret = scene.sql_error(store.use.replace(f"'{server.env['S3_SECRET_KEY']}'", "'geheim-falsch'"))
    assert "SignatureDoesNotMatch" in wrong_secret or "s3.secret-key" in wrong_secret, wrong_secret
    assert "geheim" not in wrong_secret, wrong_secret
    no_bucket = scene.sql_error(store.use.replace(f"s3://{server.env['S3_BUCKET']}/", "s3://no-such-bucket/"))
    assert "no-such-bucket" in no_bucket, no_bucket
    nobody = scene.sql_error(store.use.replace(store.endpoint, "http://127.0.0.1:1"))
    assert "127.0.0.1:1" in nobody, nobody


def check_few_requests(scene, server):
    """What a commit and a small query ask for, counted."""
    proxy = FaultyProxy(server.env["S3_ENDPOINT"])
    store = Store(scene, server, proxy)
    store.sql("CREATE TABLE t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');"
              "INSERT INTO t VALUES (1, 1);")
    proxy.requests()
    store.sql("")
    opening = proxy.requests()
    store.sql("INSERT INTO t VALUES (2, 2);")
    writing = proxy.requests()
    store.sql("INSERT INTO t VALUES (3, 3); INSERT INTO t VALUES (4, 4);")
    two = proxy.requests()
    store.sql("SELECT * FROM t WHERE k = 2;")
    reading = proxy.requests()
    for what, log in (("a catalog", opening), ("a commit with its process", writing), ("two", two), ("a query", reading)):
        print(f"{what}: {len(log)} requests")
        for method, path, status, _ in log:
            print(f"    {method} {path} {status}")
    assert len(opening) <= 1, len(opening)
    assert len(writing) - len(opening) <= 32, len(writing)  # the first commit of a process, with the probe
    assert len(two) - len(writing) <= 26, len(two)
    assert len(reading) - len(opening) <= 14, len(reading)
    proxy.close()
