"""Tables of MySQL and MariaDB, followed: every type, changes under load, kills, startup modes, metadata."""

import time

from mysql import Load, Mysql

SERVICES = ["mariadb", "mysql56"]
SECONDS = 240

LAKE = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/lake');
CREATE DATABASE IF NOT EXISTS lake.d;
"""


def both(scene):
    return [Mysql(scene.server(name), f"{scene.name}") for name in ("mariadb", "mysql56")]


def lake(scene):
    return LAKE.format(folder=scene.folder)


def rows_of(scene, table, order="id", columns="*"):
    return scene.sql(lake(scene) + f"SELECT {columns} FROM lake.d.{table} ORDER BY {order};")


# What is declared at the server, what here, and for each value what comes out.
TYPES = [
    ("TINYINT", "TINYINT", {"-128": -128, "127": 127}),
    ("TINYINT UNSIGNED", "SMALLINT", {"255": 255}),
    ("TINYINT(1)", "BOOLEAN", {"1": True, "0": False}),
    ("SMALLINT", "SMALLINT", {"-32768": -32768}),
    ("SMALLINT UNSIGNED", "INT", {"65535": 65535}),
    ("MEDIUMINT", "INT", {"-8388608": -8388608, "8388607": 8388607}),
    ("MEDIUMINT UNSIGNED", "BIGINT", {"16777215": 16777215}),
    ("INT", "INT", {"-2147483648": -2147483648}),
    ("INT UNSIGNED", "BIGINT", {"4294967295": 4294967295}),
    ("BIGINT", "BIGINT", {"-9223372036854775808": -9223372036854775808}),
    ("BIGINT UNSIGNED", "DECIMAL(20, 0)", {"18446744073709551615": "18446744073709551615"}),
    ("FLOAT", "FLOAT", {"1.2345678": 1.2345678, "-0.1": -0.1}),
    ("DOUBLE", "DOUBLE", {"3.141592653589793": 3.141592653589793, "-1e300": -1e300}),
    ("DECIMAL(10, 5)", "DECIMAL(10, 5)", {"-12345.67891": "-12345.67891", "0": "0.00000", "0.00001": "0.00001"}),
    ("DECIMAL(38, 0)", "DECIMAL(38, 0)", {"-" + "9" * 38: "-" + "9" * 38}),
    ("DECIMAL(65, 30)", "STRING", {"-123.5": "-123.5" + "0" * 29, "9" * 35: "9" * 35 + "." + "0" * 30}),
    ("DECIMAL(6, 6)", "DECIMAL(6, 6)", {"-0.000001": "-0.000001"}),
    ("BIT(1)", "BOOLEAN", {"b'1'": True, "b'0'": False}),
    ("BIT(12)", "BYTES", {"b'100000000001'": "0108"}),
    ("YEAR", "INT", {"1901": 1901, "2155": 2155, "0": 0}),
    ("DATE", "DATE", {"'2024-02-29'": "2024-02-29", "'1000-01-01'": "1000-01-01"}),
    ("DATETIME", "TIMESTAMP(0)", {"'2024-02-29 23:59:59'": "2024-02-29 23:59:59"}),
    ("DATETIME(1)", "TIMESTAMP(1)", {"'1969-12-31 23:59:59.9'": "1969-12-31 23:59:59.9"}),
    ("DATETIME(3)", "TIMESTAMP(3)", {"'9999-12-31 23:59:59.123'": "9999-12-31 23:59:59.123"}),
    ("DATETIME(6)", "TIMESTAMP(6)", {"'2024-02-29 23:59:59.000001'": "2024-02-29 23:59:59.000001"}),
    ("TIMESTAMP NULL", "TIMESTAMP(0)", {"'2024-02-29 23:59:59'": "2024-02-29 23:59:59"}),
    ("TIMESTAMP(4) NULL", "TIMESTAMP(4)", {"'2024-02-29 23:59:59.1234'": "2024-02-29 23:59:59.1234"}),
    ("TIMESTAMP(6) NULL", "TIMESTAMP_LTZ(6)", {"'2024-02-29 23:59:59.999999'": "2024-02-29 23:59:59.999999"}),
    ("TIME", "TIME", {"'23:59:59'": "23:59:59.000"}),
    ("TIME(3)", "TIME(3)", {"'00:00:00.123'": "00:00:00.123"}),
    ("TIME(6)", "STRING", {"'-838:59:58.000001'": "-838:59:58.000001", "'-00:00:00.5'": "-00:00:00.500000",
                           "'12:34:56.999999'": "12:34:56.999999"}),
    ("TIME(1)", "STRING", {"'-00:00:01.5'": "-00:00:01.5"}),
    ("CHAR(5)", "STRING", {"'ab'": "ab", "'a''b'": "a'b"}),
    ("CHAR(200)", "STRING", {"'é中😀'": "é中😀"}),
    ("VARCHAR(300)", "STRING", {"REPEAT('x', 300)": "x" * 300, "''": ""}),
    ("VARCHAR(50) CHARACTER SET latin1", "STRING", {"'é€Œ'": "é€Œ"}),
    ("VARCHAR(50) CHARACTER SET gbk", "STRING", {"'中文'": "中文"}),
    ("VARCHAR(50) CHARACTER SET utf16", "STRING", {"'a中😀'": "a中😀"}),
    ("CHAR(20) CHARACTER SET sjis", "STRING", {"'テスト'": "テスト"}),
    ("TINYTEXT", "STRING", {"'t'": "t"}),
    ("TEXT", "STRING", {"REPEAT('é', 1000)": "é" * 1000}),
    ("LONGTEXT CHARACTER SET gbk", "STRING", {"'長い'": "長い"}),
    ("BINARY(4)", "BYTES", {"x'01000000'": "01000000", "x'ff'": "ff000000"}),
    ("VARBINARY(300)", "BYTES", {"x'00ff00'": "00ff00"}),
    ("BLOB", "BYTES", {"x'00'": "00", "''": ""}),
    ("LONGBLOB", "BYTES", {"REPEAT(x'ab', 70000)": "ab" * 70000}),
    ("ENUM('a','b,c','d''e')", "STRING", {"'a'": "a", "'b,c'": "b,c", "'d''e'": "d'e"}),
    ("ENUM('é','ü') CHARACTER SET latin1", "STRING", {"'ü'": "ü"}),
    ("SET('中','文') CHARACTER SET gbk", "STRING", {"'中,文'": "中,文"}),
    ("SET('x','y','z')", "STRING", {"'x,z'": "x,z", "''": ""}),
    ("SET('x','y','z')", "ARRAY<STRING>", {"'z,y'": ["y", "z"], "''": [""]}),
    ("POINT", "STRING", {"ST_GeomFromText('POINT(1 1.5)')": '{"coordinates":[1,1.5],"type":"Point","srid":0}'}),
    ("GEOMETRY", "STRING", {
        "ST_GeomFromText('MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0)),((5 5,7 5,7 7,5 7,5 5)))')":
            '{"coordinates":[[[[0,0],[10,0],[10,10],[0,10],[0,0]]],[[[5,5],[7,5],[7,7],[5,7],[5,5]]]],'
            '"type":"MultiPolygon","srid":0}',
        "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(10 10),LINESTRING(15 15,20 20))')":
            '{"geometries":[{"type":"Point","coordinates":[10,10]},'
            '{"type":"LineString","coordinates":[[15,15],[20,20]]}],"type":"GeometryCollection","srid":0}'}),
    ("INT", "INT", {"-1": -1}),  # behind a YEAR, and texts behind geometries
    ("VARCHAR(50) CHARACTER SET gbk", "STRING", {"'中文'": "中文"}),
]
MARIADB_TYPES = [
    ("VARCHAR(3000) COMPRESSED", "STRING", {"REPEAT('é', 1000)": "é" * 1000, "'a'": "a", "''": ""}),
    ("LONGTEXT COMPRESSED CHARACTER SET latin1", "STRING", {"REPEAT('é', 1000)": "é" * 1000}),
    ("BLOB COMPRESSED", "BYTES", {"REPEAT(x'00ff', 500)": "00ff" * 500, "x'01'": "01"}),
    ("JSON", "STRING", {"'{\"a\": 1}'": '{"a": 1}'}),
    ("UUID", "STRING", {"'0ff9d3a5-9c8d-4d4a-8f5e-123456789abc'": "0ff9d3a5-9c8d-4d4a-8f5e-123456789abc",
                        "'123e4567-e89b-12d3-a456-426614174000'": "123e4567-e89b-12d3-a456-426614174000",
                        "'01890a5d-ac96-774b-bcce-b302099a8057'": "01890a5d-ac96-774b-bcce-b302099a8057"}),
    ("INET6", "STRING", {"'2001:db8::ff00:42:8329'": "2001:db8::ff00:42:8329", "'::'": "::",
                         "'::ffff:192.0.2.1'": "::ffff:192.0.2.1"}),
    ("INET4", "STRING", {"'192.0.2.1'": "192.0.2.1", "'10.0.0.0'": "10.0.0.0"}),
]


def check_types(scene, mysql, types):
    columns = [f"c{i}" for i in range(len(types))]
    depth = max(len(values) for _, _, values in types)
    rows = []
    for number in range(depth):
        values = [list(values.items())[number % len(values)] for _, _, values in types]
        rows.append(([literal for literal, _ in values], [value for _, value in values]))
    rows.append((["NULL"] * len(types), [None] * len(types)))
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY, " +
              ", ".join(f"{name} {kind[0]}" for name, kind in zip(columns, types)) + ")")

    def insert(first):
        for number, (literals, _) in enumerate(rows):
            mysql.run(f"SET NAMES utf8mb4; INSERT INTO t VALUES ({first + number}, {', '.join(literals)})")

    declared = "id INT, " + ", ".join(f"{name} {kind[1]}" for name, kind in zip(columns, types))
    key = ", PRIMARY KEY (id) NOT ENFORCED"
    table = mysql.server.name
    insert(0)
    job = scene.job("SET 'table.local-time-zone' = 'UTC';\n" + mysql.source(declared + key, "t") + lake(scene) +
                    f"CREATE TABLE lake.d.{table} ({declared + key}) WITH ('bucket' = '1');\n"
                    f"INSERT INTO lake.d.{table} SELECT * FROM source;", name=table)
    scene.eventually("the rows of before", lambda: len(rows_of(scene, table, columns="id")) == len(rows))
    insert(100)
    mysql.run("UPDATE t SET id = id + 100 WHERE id >= 100")
    scene.eventually("the rows of the binlog", lambda: job.running() and rows_of(
        scene, table, columns="id")[-1] == [200 + len(rows) - 1])
    job.stop()
    came = scene.sql("SET 'table.local-time-zone' = 'UTC';" + lake(scene) + f"SELECT * FROM lake.d.{table};")
    assert len(came) == 2 * len(rows), len(came)
    for number, *values in came:
        for kind, found, value in zip(types, values, rows[number % 100][1]):
            same = found == value or (isinstance(value, float) and abs(found - value) <= 1e-6 * abs(value))
            text = found.removesuffix("Z") if isinstance(found, str) else found
            assert same or text == value, f"{kind[0]} to {kind[1]}, row {number}: {found!r}, not {value!r}"


def test_every_type_is_the_same_from_the_table_and_from_the_binlog(scene):
    mariadb, mysql = both(scene)
    check_types(scene, mariadb, TYPES + MARIADB_TYPES)
    check_types(scene, mysql, TYPES)


# Tables under load: how they are declared, what a client does in a turn, and how rows are compared.
LOADS = {
    "numbers": ("id BIGINT PRIMARY KEY, v INT, s VARCHAR(100)", "id BIGINT, v INT, s STRING", "id", lambda r: str(r)),
    "texts": ("id VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT, s VARCHAR(100)",
              "id STRING, v INT, s STRING", "id", lambda r: f"'{'kK'[r % 2]}{r}'"),
    "pairs": ("a INT, id DECIMAL(10, 1), v INT, s VARCHAR(100), PRIMARY KEY (a, id)",
              "a INT, id DECIMAL(10, 1), v INT, s STRING", "a, id", lambda r: f"{r}.5"),
}
KEYS = 3000


def fill(mysql, table, kind):
    columns, _, _, key = LOADS[kind]
    mysql.run(f"CREATE TABLE {table} ({columns})")
    for first in range(0, KEYS, 500):
        values = ", ".join(f"({'%d, ' % (i % 7) if kind == 'pairs' else ''}{key(i)}, 0, 'first')"
                           for i in range(first, first + 500, 2))
        mysql.run(f"INSERT INTO {table} VALUES {values}")


def turn_of(scene, table, kind):
    """A transaction of a few changes, some of them of keys."""
    key = LOADS[kind][3]
    random = scene.random

    def statements(client, turn):
        parts = ["BEGIN"]
        for _ in range(random.randrange(1, 12)):
            i, other = random.randrange(KEYS), KEYS * (client + 1) + turn
            where = f"{'a = %d AND ' % (i % 7) if kind == 'pairs' else ''}id = {key(i)}"
            first = "%d, " % (i % 7) if kind == "pairs" else ""
            parts.append(random.choice([
                f"REPLACE INTO {table} VALUES ({first}{key(i)}, {turn}, 'client {client}')",
                f"UPDATE {table} SET v = v + 1 WHERE {where}",
                f"DELETE FROM {table} WHERE {where}",
                f"UPDATE IGNORE {table} SET id = {key(other)} WHERE {where}",
                f"UPDATE {table} SET s = REPEAT('x', {random.randrange(90)}) WHERE v % 97 = {random.randrange(97)}",
            ]))
        return "; ".join(parts + [random.choice(["COMMIT", "COMMIT", "ROLLBACK"])])
    return statements


def at_server(mysql, table):
    return [[int(value) if name == "v" or (name == "id" and value.isdigit()) or name == "a" else value
             for name, value in zip(("a", "id", "v", "s")[-len(row):], row)]
            for row in mysql.run(f"SELECT * FROM {table}")]


def follow(scene, mysql, kind, clients=2, kills=0, cuts=0, restarts=0, crashes=0, between=None, options=None):
    """Follows a table under load through what happens to the job, its connections and the server; `between`: statements
    that are run after each kill, too."""
    name = f"{mysql.server.name}_{kind}"
    _, declared, key, _ = LOADS[kind]
    fill(mysql, kind, kind)
    script = (mysql.source(f"{declared}, PRIMARY KEY ({key}) NOT ENFORCED", kind, **(options or {})) + lake(scene) +
              f"CREATE TABLE IF NOT EXISTS lake.d.{name} ({declared}, PRIMARY KEY ({key}) NOT ENFORCED) "
              "WITH ('bucket' = '2', 'changelog-producer' = 'input');\n"
              "SET 'execution.checkpointing.interval' = '200 ms';\n"
              f"INSERT INTO lake.d.{name} SELECT * FROM source;")
    load = Load(mysql, turn_of(scene, kind, kind), clients)
    try:
        job = scene.job(script, name=name)
        for _ in range(kills):
            time.sleep(scene.random.uniform(0.2, 1.2))
            job.kill()
            if between:
                mysql.run(between)
            job = scene.job(script, name=name)
        for _ in range(cuts):
            time.sleep(scene.random.uniform(0.1, 0.6))
            mysql.kill_connections()
        for _ in range(restarts):
            time.sleep(1)
            mysql.server.restart()
        for _ in range(crashes):
            time.sleep(scene.random.uniform(0.3, 1))
            mysql.server.kill()
            mysql.server.start()
        time.sleep(1)
    finally:
        load.stop()

    def same():
        assert job.running(), job.output()
        scene.equal(name, at_server(mysql, kind), scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};"))
        return True
    scene.eventually("the same rows", same, 60)
    job.stop()


def test_tables_under_load(scene):
    for mysql in both(scene):
        for kind in LOADS:
            follow(scene, mysql, kind, options={"scan.incremental.snapshot.chunk.size": 100})


def test_kills_of_the_job(scene):
    for mysql in both(scene):
        follow(scene, mysql, "numbers", kills=8, options={"scan.incremental.snapshot.chunk.size": 50})


def test_kills_of_connections(scene):
    for mysql in both(scene):
        follow(scene, mysql, "numbers", cuts=10, options={"scan.incremental.snapshot.chunk.size": 50})


def test_a_server_that_comes_again(scene):
    for mysql in both(scene):
        follow(scene, mysql, "pairs", restarts=1)


def test_a_server_that_crashes(scene):
    for mysql in both(scene):
        follow(scene, mysql, "pairs", crashes=3, kills=1, options={"scan.incremental.snapshot.chunk.size": 50})


def test_kills_while_the_table_is_changed(scene):
    """Columns that are not read come and go, before those that are."""
    for mysql in both(scene):
        follow(scene, mysql, "numbers", kills=6, options={"scan.incremental.snapshot.chunk.size": 50},
               between="ALTER TABLE numbers ADD COLUMN x INT INVISIBLE AFTER id; ALTER TABLE numbers DROP COLUMN x; FLUSH LOGS"
               if mysql.is_mariadb else "ALTER TABLE numbers ADD INDEX (v); FLUSH LOGS; ALTER TABLE numbers DROP INDEX v")


def test_sums_of_a_changelog_are_right_after_kills(scene):
    """What comes out is a changelog: sums over it hold only if nothing is lost, doubled, or taken back twice."""
    for mysql in both(scene):
        kind, name = "numbers", mysql.server.name
        _, declared, key, _ = LOADS[kind]
        fill(mysql, kind, kind)
        script = (mysql.source(f"{declared}, PRIMARY KEY ({key}) NOT ENFORCED", kind,
                               **{"scan.incremental.snapshot.chunk.size": 64}) + lake(scene) +
                  f"CREATE TABLE IF NOT EXISTS lake.d.{name} (g BIGINT, n BIGINT, v BIGINT, s BIGINT, "
                  "PRIMARY KEY (g) NOT ENFORCED) WITH ('bucket' = '1');\n"
                  "SET 'execution.checkpointing.interval' = '100 ms';\n"
                  f"INSERT INTO lake.d.{name} SELECT MOD(id, 10), COUNT(*), SUM(v), SUM(CHAR_LENGTH(s)) FROM source "
                  "GROUP BY MOD(id, 10);")
        load = Load(mysql, turn_of(scene, kind, kind))
        try:
            job = scene.job(script, name=name)
            for _ in range(6):
                time.sleep(scene.random.uniform(0.2, 1))
                job.kill()
                job = scene.job(script, name=name)
            time.sleep(1)
        finally:
            load.stop()
        expected = [[int(value) for value in row] for row in mysql.run(
            f"SELECT MOD(id, 10), COUNT(*), SUM(v), SUM(CHAR_LENGTH(s)) FROM {kind} GROUP BY 1")]

        def same():
            assert job.running(), job.output()
            scene.equal(name, expected, scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};"))
            return True
        scene.eventually("the same sums", same, 60)
        job.stop()


# Keys and what a row's is.
KEYS_OF_TYPES = [
    ("ENUM('z','y','x','w')", "n % 4 + 1"),
    ("SET('c','b','a')", "n % 8"),
    ("TIME(1)", "SEC_TO_TIME(n * 37.5 - 40000)"),
    ("FLOAT", "n * 1.1 - 700"),
    ("DOUBLE", "n / 7 - 100"),
    ("BIT(12)", "n * 7 % 4096"),
    ("DECIMAL(50, 5)", "CAST(n - 600 AS DECIMAL(50, 5)) * 100000000000000000000000000000000000000"),
    ("VARBINARY(9)", "UNHEX(LPAD(HEX(n * 7919 % 65536), n % 3 * 2 + 4, '0'))"),
    ("DATETIME(3)", "'2024-01-01' + INTERVAL n * 1.5 SECOND"),
]


def test_keys_of_every_type_are_read_in_chunks(scene):
    for mysql in both(scene):
        for number, (kind, value) in enumerate(KEYS_OF_TYPES):
            table, name = f"k{number}", f"{mysql.server.name}{number}"
            mysql.run(f"CREATE TABLE {table} (k {kind}, n INT, v INT, PRIMARY KEY (k, n)); CREATE TABLE n{number} (n INT); "
                      f"INSERT INTO n{number} VALUES {', '.join(f'({n})' for n in range(1200))}; "
                      f"INSERT INTO {table} SELECT {value}, n, 0 FROM n{number}")
            script = (mysql.source("n INT, v INT", table, **{"scan.incremental.snapshot.chunk.size": 60}) + lake(scene) +
                      f"CREATE TABLE IF NOT EXISTS lake.d.{name} (g INT, c BIGINT, n BIGINT, v BIGINT, "
                      "PRIMARY KEY (g) NOT ENFORCED) WITH ('bucket' = '1');\n"
                      "SET 'execution.checkpointing.interval' = '100 ms';\n"
                      f"INSERT INTO lake.d.{name} SELECT MOD(n, 10), COUNT(*), SUM(n), SUM(v) FROM source GROUP BY MOD(n, 10);")
            load = Load(mysql, lambda client, turn: (
                f"UPDATE {table} SET v = v + 1 WHERE n % 13 = {turn % 13}; "
                f"DELETE FROM {table} WHERE n % 101 = {turn % 101} AND n > 600; "
                f"INSERT IGNORE INTO {table} SELECT {value}, n, 7 FROM n{number} WHERE n % 101 = {turn * 3 % 101}; "
                f"UPDATE IGNORE {table} SET n = n + 2000 WHERE n % 211 = {turn % 211}"), 1)
            try:
                job = scene.job(script, name=name)
                time.sleep(scene.random.uniform(0.3, 0.8))
                job.kill()
                job = scene.job(script, name=name)
                time.sleep(0.5)
            finally:
                load.stop()
            expected = [[int(value) for value in row] for row in mysql.run(
                f"SELECT MOD(n, 10), COUNT(*), SUM(n), SUM(v) FROM {table} GROUP BY 1")]

            def same():
                assert job.running(), job.output()
                scene.equal(kind, expected, scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};"))
                return True
            scene.eventually("the same sums", same, 30)
            job.kill()


def test_larger_tables_with_keys_of_every_type(scene):
    """More rows than are read without an order."""
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE TABLE n (n INT); INSERT INTO n SELECT seq FROM seq_1_to_70000")
    for number, (kind, value) in enumerate(KEYS_OF_TYPES):
        mysql.run(f"CREATE TABLE t{number} (k {kind}, n INT, PRIMARY KEY (k, n)); INSERT IGNORE INTO t{number} SELECT {value}, n FROM n")
        (expected,), = mysql.run(f"SELECT COUNT(*) FROM t{number}")
        came = scene.sql(mysql.source("n INT", f"t{number}", **{"scan.startup.mode": "snapshot"}) +
                         "SET 'execution.runtime-mode' = 'batch'; SELECT COUNT(*), COUNT(DISTINCT n) FROM source;")
        assert came == [[int(expected), int(expected)]], f"{kind}: {came}, not {expected}"


def test_a_large_transaction_is_cut_and_goes_on_within(scene):
    for mysql in both(scene):
        name = mysql.server.name
        mysql.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (0, 0)")
        for step in range(17):
            mysql.run(f"INSERT INTO t SELECT id + {1 << step}, 0 FROM t")
        script = (mysql.source("id INT, v INT, PRIMARY KEY (id) NOT ENFORCED", "t") + lake(scene) +
                  f"CREATE TABLE IF NOT EXISTS lake.d.{name} (g INT, n BIGINT, PRIMARY KEY (g) NOT ENFORCED) "
                  "WITH ('bucket' = '1');\nSET 'execution.checkpointing.interval' = '50 ms';\n"
                  f"INSERT INTO lake.d.{name} SELECT v, COUNT(*) FROM source GROUP BY v;")
        job = scene.job(script, name=name)

        def counts(expected):
            assert job.running(), job.output()
            return scene.sql(lake(scene) + f"SELECT g, n FROM lake.d.{name};") == expected
        scene.eventually("all rows", lambda: counts([[0, 1 << 17]]))
        mysql.run("UPDATE t SET v = 1")
        for _ in range(5):
            time.sleep(0.15)
            job.kill()
            job = scene.job(script, name=name)
        scene.eventually("all rows are other ones", lambda: counts([[1, 1 << 17]]))
        job.kill()


def collect(scene, mysql, columns, table, options=None, seconds=2, script=""):
    """What a job prints of a table until nothing comes any more."""
    text = (mysql.source(columns, table, **(options or {})) + script +
            "CREATE TEMPORARY TABLE shown WITH ('connector' = 'print') LIKE source (EXCLUDING ALL);\n"
            "INSERT INTO shown SELECT * FROM source;")
    path = scene.folder / "collect.sql"
    path.write_text(text)
    output, _ = scene.run("run", path, "--fresh", "--quiet", "--until-idle", seconds)
    return [line for line in output.splitlines() if line[:2] in ("+I", "-U", "+U", "-D")]


def test_startup_modes(scene):
    for mysql in both(scene):
        columns = "id INT, s STRING"
        mysql.run("RESET MASTER; CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10)); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        (file, position, *_), = mysql.run("SHOW MASTER STATUS")
        gtids = (mysql.run(f"SELECT BINLOG_GTID_POS('{file}', {position})") if mysql.is_mariadb
                 else mysql.run("SELECT @@global.gtid_executed"))[0][0].replace("\n", "")
        time.sleep(1.1)
        now_ms = int(time.time() * 1000)
        time.sleep(1.1)
        mysql.run("UPDATE t SET s = 'c' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (3, 'd'), (4, 'e')")
        later = ["-U[1, a]", "+U[1, c]", "-D[2, b]", "+I[3, d]", "+I[4, e]"]
        earlier = ["+I[1, a]", "+I[2, b]"]
        state = ["+I[1, c]", "+I[3, d]", "+I[4, e]"]
        offset = {"scan.startup.mode": "specific-offset"}
        for options, expected in [
                ({}, state),
                ({"scan.startup.mode": "snapshot"}, state),
                ({"scan.startup.mode": "earliest-offset"}, earlier + later),
                ({"scan.startup.mode": "latest-offset"}, []),
                ({"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": now_ms}, later),
                ({**offset, "scan.startup.specific-offset.file": file, "scan.startup.specific-offset.pos": position}, later),
                ({**offset, "scan.startup.specific-offset.gtid-set": gtids}, later),
                ({**offset, "scan.startup.specific-offset.file": file, "scan.startup.specific-offset.pos": position,
                  "scan.startup.specific-offset.skip-rows": 1}, later[2:]),
                ({"scan.startup.mode": "earliest-offset", "scan.read-changelog-as-append-only.enabled": "true"},
                 ["+I" + line[2:] for line in earlier + later])]:
            came = collect(scene, mysql, columns, "t", options)
            assert came == expected, f"{mysql.server.name} {options}: {came}"
        batch = scene.sql(mysql.source(columns, "t", **{"scan.startup.mode": "snapshot"}) +
                          "SET 'execution.runtime-mode' = 'batch'; SELECT * FROM source;")
        assert batch == [[1, "c"], [3, "d"], [4, "e"]], batch


def test_patterns_and_metadata(scene):
    for mysql in both(scene):
        mysql.run("CREATE TABLE orders_1 (id INT PRIMARY KEY, s VARCHAR(10)); CREATE TABLE orders_2 LIKE orders_1; "
                  "CREATE TABLE other LIKE orders_1; INSERT INTO orders_1 VALUES (1, 'a'); "
                  "INSERT INTO orders_2 VALUES (1, 'b'); INSERT INTO other VALUES (1, 'x')")
        columns = ("db STRING METADATA FROM 'database_name' VIRTUAL, tb STRING METADATA FROM 'table_name' VIRTUAL, "
                   "ts TIMESTAMP_LTZ(3) METADATA FROM 'op_ts' VIRTUAL, k STRING METADATA FROM 'row_kind' VIRTUAL, id INT, "
                   "s STRING")
        text = (mysql.source(columns, "orders_[0-9]+", **{"database-name": mysql.database[:-1] + ".*"}) + lake(scene) +
                f"CREATE TABLE lake.d.{mysql.server.name} (db STRING, tb STRING, ts BIGINT, k STRING, id INT, s STRING);\n"
                f"INSERT INTO lake.d.{mysql.server.name} SELECT db, tb, YEAR(ts), k, id, s FROM source;")
        job = scene.job(text.replace("'table-name'", "'scan.read-changelog-as-append-only.enabled' = 'true', 'table-name'"),
                        name=mysql.server.name)

        def rows(count):
            assert job.running(), job.output()
            came = scene.sql(lake(scene) + f"SELECT tb, k, ts > 2000, id, s, db FROM lake.d.{mysql.server.name};")
            return came if len(came) == count else None
        scene.eventually("rows of both", lambda: rows(2))
        mysql.run("CREATE TABLE orders_33 LIKE orders_1; INSERT INTO orders_33 VALUES (7, 'new'); "
                  "UPDATE orders_2 SET s = 'c'; INSERT INTO other VALUES (2, 'y')")
        came = scene.eventually("changes too", lambda: rows(5))
        scene.equal("rows with their tables", [["orders_1", "+I", False, 1, "a"], ["orders_2", "+I", False, 1, "b"],
                                               ["orders_33", "+I", True, 7, "new"], ["orders_2", "-U", True, 1, "b"],
                                               ["orders_2", "+U", True, 1, "c"]], [row[:5] for row in came])
        assert {row[5] for row in came} == {mysql.database}
        job.stop()


def test_tables_without_a_primary_key(scene):
    for mysql in both(scene):
        name = mysql.server.name
        mysql.run("CREATE TABLE t (k INT NOT NULL, v INT, INDEX (k)); INSERT INTO t VALUES " +
                  ", ".join(f"({i % 500}, {i})" for i in range(2000)))
        load = Load(mysql, lambda client, turn: f"INSERT INTO t VALUES ({turn * 7 % 700}, {turn}), (3, 3); "
                    f"DELETE FROM t WHERE k = {turn % 500} LIMIT 1; UPDATE t SET v = v + 1 WHERE k = {turn * 3 % 500}")
        script = (mysql.source("k INT, v INT", "t", **{"scan.incremental.snapshot.chunk.key-column": "k",
                                                      "scan.incremental.snapshot.chunk.size": 100}) + lake(scene) +
                  f"CREATE TABLE lake.d.{name} (g INT, n BIGINT, v BIGINT, PRIMARY KEY (g) NOT ENFORCED) "
                  f"WITH ('bucket' = '1');\nINSERT INTO lake.d.{name} SELECT MOD(k, 10), COUNT(*), SUM(v) FROM source "
                  "GROUP BY MOD(k, 10);")
        try:
            job = scene.job(script, name=name)
            time.sleep(4)
        finally:
            load.stop()
        expected = [[int(value) for value in row]
                    for row in mysql.run("SELECT MOD(k, 10), COUNT(*), SUM(v) FROM t GROUP BY 1")]

        def same():
            assert job.running(), job.output()
            scene.equal(name, expected, scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};"))
            return True
        scene.eventually("the same sums", same, 60)
        job.stop()


def test_many_rows_of_one_value_of_the_chunk_column(scene):
    """They come at once, as one batch."""
    mysql = Mysql(scene.server("mariadb"), scene.name)
    mysql.run("CREATE TABLE t (k INT NOT NULL, v INT, INDEX (k)); INSERT INTO t SELECT seq > 200000, seq FROM seq_1_to_200010")
    options = {"scan.incremental.snapshot.chunk.key-column": "k", "scan.startup.mode": "snapshot"}
    came = scene.sql(mysql.source("k INT, v BIGINT", "t", **options) + "SET 'execution.runtime-mode' = 'batch'; "
                     "SELECT k, COUNT(*), SUM(v) FROM source GROUP BY k;")
    assert sorted(came) == [[0, 200000, 20000100000], [1, 10, 2000055]], came
    mysql.run("CREATE TABLE large (k INT NOT NULL, s LONGTEXT); INSERT INTO large SELECT 1, REPEAT('x', 100000) FROM seq_1_to_2000")
    error = scene.sql_error(mysql.source("k INT, s STRING", "large", **options) + "SET 'execution.runtime-mode' = 'batch'; "
                            "SELECT k, COUNT(*) FROM source GROUP BY k;", "--memory", "128mb")
    assert "have to be read at once" in error and "another column" in error, error
