"""Tables of MySQL and MariaDB, followed: every type, changes under load, kills, startup modes, metadata."""

import signal
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


def stop(job):
    job.signal(signal.SIGINT)
    return job.finish(60)


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
]
MARIADB_TYPES = [
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
    stop(job)
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


def follow(scene, mysql, kind, clients=2, kills=0, cuts=0, restarts=0, options=None):
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
            job = scene.job(script, name=name)
        for _ in range(cuts):
            time.sleep(scene.random.uniform(0.1, 0.6))
            mysql.kill_connections()
        for _ in range(restarts):
            time.sleep(1)
            mysql.server.restart()
        time.sleep(1)
    finally:
        load.stop()

    def same():
        assert job.running(), job.output()
        scene.equal(name, at_server(mysql, kind), scene.sql(lake(scene) + f"SELECT * FROM lake.d.{name};"))
        return True
    scene.eventually("the same rows", same, 60)
    stop(job)


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
