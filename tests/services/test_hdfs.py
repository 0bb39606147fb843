"""Tables in HDFS: Weir alone, beside Java Paimon at the same time, through crashes and restarts."""

import json
import os
import pathlib
import random
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

# Data nodes otherwise wait 0.4 s at the end of most small files.
SERVICES = [("hdfs", {"HDFS_CONF": "dfs.client.block.write.locateFollowingBlock.initial.delay.ms=20 "
                                   "dfs.namenode.delegation.token.always-use=true"})]
SECONDS = {"test_a_job_is_killed_beside_java": 400, "test_java_compacts_what_weir_writes": 400,
           "test_java_and_weir_write_one_table": 400, "test_the_name_node_is_restarted": 400}


class Cluster:
    """The cluster as clients see it: its configuration, and WebHDFS for what tests look at or set."""

    def __init__(self, scene):
        self.server = scene.server("hdfs")
        self.env = self.server.env
        self.uri = f"hdfs://127.0.0.1:{self.env['HDFS_RPC_PORT']}"
        self.folder = scene.folder / "hadoop"
        self.folder.mkdir()
        self.write_site("core-site.xml", {"fs.defaultFS": self.uri})
        self.write_site("hdfs-site.xml", {"dfs.namenode.http-address": f"0.0.0.0:{self.env['HDFS_HTTP_PORT']}"})

    def write_site(self, name, properties):
        lines = [f"<property><name>{key}</name><value>{value}</value></property>" for key, value in properties.items()]
        (self.folder / name).write_text(f"<?xml version='1.0'?>\n<configuration>{''.join(lines)}</configuration>\n")

    @property
    def options(self):
        return f"'hdfs.webhdfs.address' = '127.0.0.1:{self.env['HDFS_HTTP_PORT']}'"

    @property
    def environment(self):
        return {"HADOOP_CONF_DIR": str(self.folder)}

    def call(self, method, path, operation, user=None, **parameters):
        query = urllib.parse.urlencode({"op": operation, "user.name": user or self.env["HDFS_USER"], **parameters})
        request = urllib.request.Request(f"{self.env['WEBHDFS_URL']}{path}?{query}", method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def owner(self, path):
        return self.call("GET", path, "GETFILESTATUS")["FileStatus"]["owner"]

    def names(self, path):
        """What a folder holds; nothing when it is missing."""
        try:
            statuses = self.call("GET", path, "LISTSTATUS")["FileStatuses"]["FileStatus"]
        except urllib.error.HTTPError:
            return []
        return [each["pathSuffix"] for each in statuses]


# ---- the file system ----

def test_the_file_system_keeps_its_promises(scene):
    cluster = Cluster(scene)
    program = pathlib.Path(scene.weir).parent / "tests" / "fs_test_fs"
    done = subprocess.run([program, f"{cluster.uri}/{scene.name}",
                           f"hdfs.webhdfs.address=127.0.0.1:{cluster.env['HDFS_HTTP_PORT']}"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- SQL ----

ORDERS = """
CREATE CATALOG paimon_catalog WITH (
'type' = 'paimon',
'warehouse' = 'hdfs:///dw_lakehouse/paimon_warehouse'
);
USE CATALOG paimon_catalog;
CREATE DATABASE IF NOT EXISTS dw_prod;
CREATE TABLE dw_prod.dwd_trade_orders (
order_id BIGINT,
user_id BIGINT,
pay_amount DECIMAL(10,2),
order_status STRING,
update_time TIMESTAMP(3),
PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
'bucket' = '8',
'changelog-producer' = 'lookup',
'file.format' = 'parquet',
'snapshot.time-retained' = '24h'
);
"""


def test_a_catalog_without_a_host_is_the_default_one(scene):
    cluster = Cluster(scene)
    environment = cluster.environment
    use = "".join(ORDERS.partition("USE CATALOG paimon_catalog;")[:2])
    scene.sql(ORDERS + """
        INSERT INTO dw_prod.dwd_trade_orders VALUES
            (1, 7, CAST(10.50 AS DECIMAL(10, 2)), 'NEW', TIMESTAMP '2024-01-01 00:00:00'),
            (2, 7, CAST(3 AS DECIMAL(10, 2)), 'NEW', TIMESTAMP '2024-01-01 00:00:01'),
            (3, 8, CAST(1 AS DECIMAL(10, 2)), 'NEW', TIMESTAMP '2024-01-01 00:00:02');
        INSERT INTO dw_prod.dwd_trade_orders VALUES
            (1, 7, CAST(11.25 AS DECIMAL(10, 2)), 'PAID', TIMESTAMP '2024-01-01 00:00:03');
        DELETE FROM dw_prod.dwd_trade_orders WHERE order_id = 3;
        """, environment=environment)
    table = f"{cluster.uri}/dw_lakehouse/paimon_warehouse/dw_prod.db/dwd_trade_orders"
    rows = [[1, 7, "11.25", "PAID", "2024-01-01 00:00:03.000"], [2, 7, "3.00", "NEW", "2024-01-01 00:00:01.000"]]
    java = scene.java()
    scene.equal("Java reads what Weir wrote", rows, java.dump(table))
    java.write(table, ['["+I",4,8,"5.00","PAID","2024-01-01 00:00:04.000"]'])
    rows.append([4, 8, "5.00", "PAID", "2024-01-01 00:00:04.000"])
    read = f"{use} SELECT * FROM dw_prod.dwd_trade_orders;"
    scene.equal("Weir reads what Java wrote", rows, scene.sql(read, environment=environment))
    scene.equal("the changes", java.stream(table, 1),
                scene.run("dump", table, "--stream", "1", "-", "--with-snapshot", environment=environment)[0].splitlines())
    scene.sql(f"{use} DROP DATABASE dw_prod CASCADE;", environment=environment)
    assert cluster.names("/dw_lakehouse/paimon_warehouse") == []


def test_files_are_read_and_written(scene):
    cluster = Cluster(scene)
    rows = [[number, "x" * 150 + str(number)] for number in range(40_000)]  # more than is written by one request
    for format_name in ("csv", "json", "parquet"):
        scene.sql(f"""
            CREATE TEMPORARY TABLE files (id INT, name STRING)
            WITH ('connector' = 'filesystem', 'path' = '{cluster.uri}/{scene.name}/{format_name}',
                  'format' = '{format_name}', {cluster.options});
            CREATE TEMPORARY TABLE numbers (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '40000',
                'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '39999');
            INSERT INTO files SELECT id, REPEAT('x', 150) || CAST(id AS STRING) FROM numbers;
            """)
        read = scene.sql(f"""
            CREATE TEMPORARY TABLE files (id INT, name STRING)
            WITH ('connector' = 'filesystem', 'path' = '{cluster.uri}/{scene.name}/{format_name}',
                  'format' = '{format_name}', {cluster.options});
            SELECT * FROM files;""")
        scene.equal(f"rows of {format_name}", rows, read)


# ---- errors ----

def catalog(uri, options):
    return f"CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '{uri}', {options}); USE CATALOG c;"


def first_database(uri, options):  # a catalog alone makes nothing
    return catalog(uri, options) + "CREATE DATABASE d;"


def test_errors_say_who_was_refused_and_where(scene):
    cluster = Cluster(scene)
    folder = f"/{scene.name}"
    cluster.call("PUT", folder, "MKDIRS", permission="755")
    uri = cluster.uri + folder
    refused = scene.sql_error(first_database(uri + "/lake", cluster.options + ", 'hdfs.user' = 'bob'"))
    assert "Permission denied: user=bob, access=WRITE" in refused and folder in refused, refused
    cluster.call("PUT", folder + "/small", "MKDIRS")
    cluster.call("PUT", folder + "/small", "SETQUOTA", namespacequota="1")
    refused = scene.sql_error(first_database(uri + "/small/lake", cluster.options))
    assert "quota of names" in refused and folder in refused, refused
    cluster.call("PUT", folder + "/full", "MKDIRS")
    cluster.call("PUT", folder + "/full", "SETQUOTA", storagespacequota="1000000")
    for rows in (1, 1_000_000):  # in one request, and sent while they are written
        refused = scene.sql_error(f"""
            CREATE TEMPORARY TABLE files (id INT, name STRING) WITH ('connector' = 'filesystem', 'format' = 'csv',
                'path' = '{uri}/full/{rows}', {cluster.options});
            CREATE TEMPORARY TABLE numbers (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}',
                'rows-per-second' = '100000000');
            INSERT INTO files SELECT id, REPEAT('x', 50) FROM numbers;""")
        assert "quota of space" in refused and folder in refused, refused
    refused = scene.sql_error(first_database(uri, "'hdfs.webhdfs.address' = '127.0.0.1:1'"))
    assert "127.0.0.1:1" in refused and "hdfs.webhdfs.address" in refused, refused
    refused = scene.sql_error(first_database(uri, "'hdfs.webhdfs.address' = 'no-such-host.invalid:9870'"))
    assert "no-such-host.invalid" in refused, refused
    refused = scene.sql_error(first_database("hdfs:///lake", "'default-database' = 'd'"))
    assert "fs.defaultFS" in refused and "HADOOP_CONF_DIR" in refused, refused


def test_a_token_is_taken_and_not_shown(scene):
    """Without Kerberos HDFS looks at no token, and everybody without a name is the same person."""
    cluster = Cluster(scene)
    token = cluster.call("GET", "/", "GETDELEGATIONTOKEN", user="alice", renewer="alice")["Token"]["urlString"]
    lake = catalog(f"{cluster.uri}/{scene.name}", f"{cluster.options}, 'hdfs.delegation-token' = '{token}'")
    shown = scene.sql(lake + "CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2); SHOW CREATE CATALOG c; SELECT * FROM t;")
    assert token not in json.dumps(shown) and "******" in json.dumps(shown), shown
    scene.equal("rows", [[1], [2]], shown[-2:])
    assert cluster.owner(f"/{scene.name}/default.db/t") == "dr.who"


def test_the_second_name_node_of_a_list_is_asked(scene):
    cluster = Cluster(scene)
    cluster.write_site("core-site.xml", {"fs.defaultFS": "hdfs://lake"})
    cluster.write_site("hdfs-site.xml", {
        "dfs.nameservices": "lake", "dfs.ha.namenodes.lake": "gone,there",
        "dfs.namenode.http-address.lake.gone": "127.0.0.1:1",
        "dfs.namenode.http-address.lake.there": f"127.0.0.1:{cluster.env['HDFS_HTTP_PORT']}"})
    rows = scene.sql(f"""CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = 'hdfs://lake/{scene.name}');
        USE CATALOG c; CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT * FROM t;""",
                     environment=cluster.environment)
    scene.equal("rows", [[1]], rows)


# ---- Weir and Java at the same time ----

JOB = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{uri}', {options});
USE CATALOG lake;
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '200 ms';
CREATE TEMPORARY TABLE changes (id INT, v BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{folder}/input', 'format' = 'debezium-json',
      'source.monitor-interval' = '50 ms');
CREATE TABLE IF NOT EXISTS t (id INT, v BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '2', 'num-sorted-run.compaction-trigger' = '3', 'snapshot.num-retained.min' = '100000'{table});
INSERT INTO t SELECT * FROM changes;
"""

SUMS = """
CREATE TABLE IF NOT EXISTS sums (note STRING, total BIGINT, n BIGINT, PRIMARY KEY (note) NOT ENFORCED)
WITH ('bucket' = '1');
INSERT INTO sums SELECT note, SUM(v), COUNT(*)
FROM t /*+ OPTIONS('scan.mode' = 'latest-full', 'consumer-id' = 'sums') */ GROUP BY note;
"""


class SharedTable:
    """A table that a job of Weir fills while Java does something to it; and a model of what is to be in it."""

    """`with_sums`: a second job keeps sums of it, by its changelog."""

    def __init__(self, scene, table_options="", with_sums=False):
        self.scene, self.cluster = scene, Cluster(scene)
        self.random = random.Random(f"{scene.seed}/{scene.name}")
        self.rows, self.files, self.java_commits = {}, 0, 0
        self.input = scene.folder / "input"
        self.input.mkdir()
        self.path = f"{self.cluster.uri}/{scene.name}/default.db/t"
        self.script = JOB.format(uri=f"{self.cluster.uri}/{scene.name}", options=self.cluster.options,
                                 folder=scene.folder, table=table_options) + (SUMS if with_sums else "")
        self.with_sums = with_sums
        self.java = scene.java()
        self.job = None

    def start(self, *words):
        self.job = self.scene.job(self.script, *words)
        return self.job

    def change(self, count, numbers):
        for _ in range(count):
            number = self.random.choice(numbers)
            before = self.rows.get(number)
            after = None if before is not None and self.random.random() < 0.25 else [
                number, self.random.choice([None, 1, -3, 2**40]), self.random.choice(["", "x", "Käse"])]
            if after is None:
                del self.rows[number]
            else:
                self.rows[number] = after
            yield before, after

    def feed(self, count=40):
        """A file of changes for the job."""
        def named(row):
            return None if row is None else dict(zip(("id", "v", "note"), row))
        lines = [json.dumps({"before": named(before), "after": named(after),
                             "op": "d" if after is None else "c" if before is None else "u"})
                 for before, after in self.change(count, range(100))]
        hidden = self.input / f".{self.files}"
        hidden.write_text("\n".join(lines) + "\n")
        os.rename(hidden, self.input / f"{self.files:06d}.json")
        self.files += 1

    def java_writes(self, count=10):
        rows = [json.dumps(["-D" if after is None else "+I", *(before if after is None else after)], ensure_ascii=False)
                for before, after in self.change(count, range(100, 150))]
        self.java_commits += 1
        self.java.write(self.path, rows, "--commit-user", "java-writer", "--commit-id", str(self.java_commits),
                        "--option", "write-only=true")

    def java_compacts(self, *words):
        self.java_commits += 1
        try:
            self.java.call("compact", self.path, "--commit-user", "java-compactor", "--commit-id",
                           str(self.java_commits), "--option", "write-only=false", *words)
        except Exception as problem:  # it lost against a compaction of Weir: nothing has happened
            if "conflict" not in str(problem).lower():
                raise
            return False
        return True

    def wait_for_table(self):
        self.scene.eventually("the table's first snapshot", lambda: "LATEST" in self.cluster.names(
            f"/{self.scene.name}/default.db/t/snapshot"), 60)

    def finish(self):
        """Ends the job after all its input, and checks that both sides see each change once."""
        if self.job.running():
            self.scene.eventually("the job runs", lambda: "job 1 " in self.job.output())
            self.job.stop()
        self.start("--until-idle", "0.5", "--timeout", "150").finish(180)
        rows = list(self.rows.values())
        self.scene.equal("Java reads", rows, self.java.dump(self.path))
        read = self.scene.sql(f"""CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' =
            '{self.cluster.uri}/{self.scene.name}', {self.cluster.options}); SELECT * FROM lake.`default`.t;""")
        self.scene.equal("Weir reads", rows, read)
        if self.with_sums:
            self.check_changes()
            self.check_sums()
        return self.check_snapshots()

    def check_changes(self):
        """The changelog tells of each change once, and leads to the rows."""
        now = {}
        for snapshot, kind, *row in map(json.loads, self.java.stream(self.path, 1)):
            known = now.get(row[0])
            if kind in ("-U", "-D"):
                assert known == row, f"snapshot {snapshot}: {kind} {row}, but there was {known}"
                del now[row[0]]
            else:
                assert known is None, f"snapshot {snapshot}: {kind} {row}, but there was {known}"
                now[row[0]] = row
        self.scene.equal("what the changelog leads to", list(self.rows.values()), list(now.values()))

    def check_sums(self):
        groups = {}
        for _, value, note in self.rows.values():
            groups.setdefault(note, []).append(value)
        sums = []
        for note, values in groups.items():
            known = [value for value in values if value is not None]
            sums.append([note, sum(known) if known else None, len(values)])
        self.scene.equal("sums", sums, self.java.dump(self.path.removesuffix("/t") + "/sums"))

    def check_snapshots(self):
        """Each snapshot has one winner, and each commit is there once."""
        snapshots = [json.loads(line) for line in self.java.call("snapshots", self.path)]
        ids = [snapshot["id"] for snapshot in snapshots]
        assert ids == list(range(1, len(ids) + 1)), ids
        commits = [(each["commitUser"], each["commitIdentifier"], each["commitKind"]) for each in snapshots]
        # Compactions of files that others left may be told under the number of the last commit.
        written = [commit for commit in commits if commit[2] == "APPEND"]
        assert len(set(written)) == len(written), commits
        by_java = [commit for commit in commits if commit[0].startswith("java")]
        print(f"{len(commits)} snapshots, {len(by_java)} of them Java's")
        return commits


def test_java_and_weir_write_one_table(scene):
    table = SharedTable(scene)
    table.feed()
    table.start()
    table.wait_for_table()
    for _ in range(25):
        table.feed()
        table.java_writes()
    commits = table.finish()
    assert sum(commit[0] == "java-writer" for commit in commits) == 25, commits
    assert sum(commit[0] != "java-writer" and commit[2] == "APPEND" for commit in commits) > 5, commits


def test_java_compacts_what_weir_writes(scene):
    table = SharedTable(scene, ", 'write-only' = 'true', 'changelog-producer' = 'lookup'", with_sums=True)
    table.feed()
    table.start()
    table.wait_for_table()
    for number in range(20):
        table.feed()
        assert table.java_compacts(*(["--minor"] if number % 2 else [])), "nobody else compacts"
    table.job.stop()
    table.java_compacts()  # whose changelog tells of the last rows, too
    commits = table.finish()
    assert all(commit[0] == "java-compactor" for commit in commits if commit[2] == "COMPACT"), commits
    assert sum(commit[2] == "COMPACT" for commit in commits) >= 10, commits


def test_a_job_is_killed_beside_java(scene):
    """Both compact, both write, and Weir's process ends at any moment."""
    table = SharedTable(scene, ", 'changelog-producer' = 'lookup'", with_sums=True)
    table.feed()
    table.start()
    table.wait_for_table()
    for _ in range(12):
        for _ in range(3):
            table.feed()
            word = table.random.choice(["compacts", "writes", "waits"])
            if word == "compacts":
                table.java_compacts()
            elif word == "writes":
                table.java_writes()
            else:
                time.sleep(table.random.random() * 0.5)
        table.job.kill()
        table.start()
    table.finish()


def test_the_name_node_is_restarted(scene):
    table = SharedTable(scene)
    table.feed()
    table.start()
    table.wait_for_table()
    for again in (table.cluster.server.restart,
                  lambda: (table.cluster.server.kill(), table.cluster.server.start())):
        table.feed()
        again()
        table.feed()
        time.sleep(1)
        assert table.job.running(), table.job.output()[-2000:]
    table.finish()
