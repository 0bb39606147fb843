"""What queries by the primary key read from a store: counted by a proxy, in requests and bytes, against the whole table."""

from faulty_proxy import FaultyProxy
from object_store import Store

SERVICES = ["s3"]

ROWS = 200_000


class Meter:
    """A table on a store, and what reading it costs."""

    def __init__(self, scene):
        self.proxy = FaultyProxy(scene.server("s3").env["S3_ENDPOINT"])
        self.store = Store(scene, scene.server("s3"), self.proxy)

    def read(self, query):
        """The rows; how many data files were read, with how many requests and bytes."""
        self.proxy.traffic()
        rows = self.store.sql(query)
        parts = [(path, size) for method, path, size in self.proxy.traffic() if method == "GET" and "/data-" in path]
        return rows, len({path.split("?")[0] for path, _ in parts}), len(parts), sum(size for _, size in parts)


def test_keys_are_found_in_few_pages(scene):
    meter = Meter(scene)
    payload = "MD5(CAST(x AS STRING)) || MD5(CAST(-x AS STRING)) || MD5(CAST(x * 7 AS STRING))"
    meter.store.sql(f"""
        CREATE TEMPORARY TABLE numbers (x BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '{ROWS}',
            'rows-per-second' = '{ROWS}', 'fields.x.kind' = 'sequence', 'fields.x.start' = '1', 'fields.x.end' = '{ROWS}');
        CREATE TABLE orders (id BIGINT, amount BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1');
        INSERT INTO orders SELECT x, x * 3, {payload} FROM numbers;
        CALL sys.compact(`table` => 'default.orders');
        INSERT INTO orders SELECT x, -x, {payload} FROM numbers WHERE MOD(x, 1000) = 0;""")
    files = meter.store.sql("SELECT level, COUNT(*), SUM(file_size_in_bytes) FROM `orders$files` GROUP BY level;")
    assert sorted((level, count) for level, count, _ in files) == [(0, 1), (5, 1)], files
    whole = sum(size for _, _, size in files)
    rows, _, _, size = meter.read("SELECT COUNT(DISTINCT note), SUM(amount) FROM orders;")
    changed = sum(range(1000, ROWS + 1, 1000))
    assert rows == [[ROWS, 3 * ROWS * (ROWS + 1) // 2 - 4 * changed]] and size > 0.9 * whole, (rows, size, whole)

    def costs(query, expected, most_files, part):
        found, of_files, requests, size = meter.read(query)
        print(f"{query}\n    {of_files} files, {requests} requests, {size} bytes of {whole}")
        scene.equal(query, expected, found)
        assert of_files <= most_files and size < part * whole, (query, of_files, requests, size, whole)
        assert requests <= 8 * of_files, (query, requests)

    costs("SELECT id, amount FROM orders WHERE id = 4711;", [[4711, 14133]], 2, 0.02)
    costs("SELECT id, amount FROM orders WHERE id = 5000;", [[5000, -5000]], 2, 0.02)
    costs("SELECT id, amount, CHAR_LENGTH(note) FROM orders WHERE id IN (17, 199000);",
          [[17, 51, 96], [199000, -199000, 96]], 2, 0.15)
    costs("SELECT id, amount, CHAR_LENGTH(note) FROM orders WHERE id BETWEEN 41990 AND 42010;",
          [[n, -n if n % 1000 == 0 else 3 * n, 96] for n in range(41990, 42011)], 2, 0.1)
    costs(f"SELECT id FROM orders WHERE id > {ROWS};", [], 0, 0.001)
    meter.proxy.close()
