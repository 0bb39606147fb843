"""SQL on the same tables: system tables, procedures and statistics, by `weir sql` and by Flink with Paimon."""

import json
import os
import shutil
import subprocess
import tempfile

# What Flink's connector, which may be older than the newest Paimon, has as well.
SYSTEM_TABLES = {
    "snapshots": "snapshot_id, schema_id, commit_user, commit_identifier, commit_kind, commit_time, base_manifest_list, "
                 "delta_manifest_list, changelog_manifest_list, total_record_count, delta_record_count, "
                 "changelog_record_count, `watermark`",
    "files": "`partition`, bucket, file_path, file_format, schema_id, level, record_count, file_size_in_bytes, min_key, "
             "max_key, null_value_counts, min_value_stats, max_value_stats, min_sequence_number, max_sequence_number, "
             "creation_time",
    "schemas": "*",
    "options": "*",
    "manifests": "file_name, file_size, num_added_files, num_deleted_files, schema_id, min_partition_stats, "
                 "max_partition_stats",
    "partitions": "record_count, file_size_in_bytes, file_count, last_update_time",
    "buckets": "*",
    "tags": "*",
    "branches": "branch_name",
    "consumers": "*",
    "aggregation_fields": "*",
    "statistics": "*",
    "ro": "*",
    "audit_log": "*",
}
TABLES = ("evo-parquet-pk", "flink-procedures", "part-types-pk")


class SqlChecks:
    def __init__(self, program, peer, java, warehouse, golden, report):
        self.program = program
        self.peer = peer
        self.java = java
        self.warehouse = warehouse
        self.golden = golden
        self.report = report

    def run(self, only):
        for name, function in (
            ("system tables in SQL", self.system_tables),
            ("procedures in SQL", self.procedures),
            ("statistics in SQL", self.statistics),
            ("dynamic buckets in SQL", self.dynamic_buckets),
            ("postponed buckets in SQL", self.postponed_buckets),
        ):
            if only in name:
                self.report.check(name, function)

    def weir_sql(self, text):
        """The result rows of a script as JSON lines."""
        done = subprocess.run([self.program, "sql", "--warehouse", self.warehouse, "--format", "jsonl", "-e", text],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"weir sql: {done.stderr.strip()}")
        return [line for line in done.stdout.split("\n") if line]

    def java_sql(self, text):
        text = (f"CREATE CATALOG lake WITH ('type'='paimon', 'warehouse'='{self.warehouse}'); USE CATALOG lake;\n" + text)
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([self.peer, "sql", file.name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"peer sql: {done.stderr.strip().splitlines()[-1:]}")
        return [line for line in done.stdout.split("\n") if line]

    def system_tables(self):
        if not self.golden or not os.path.isdir(self.golden):
            return "skipped: no golden tables"
        asked = []
        for table in TABLES:
            folder = f"{self.warehouse}/db.db/sys-{table}"
            shutil.copytree(f"{self.golden}/{table}/table", folder, dirs_exist_ok=True)
            for name, columns in SYSTEM_TABLES.items():
                asked.append(f"SELECT {columns} FROM db.`sys-{table}${name}`")
        # A row of its own parts the results.
        script = "".join(f"{query}; SELECT 'end of {number}';\n" for number, query in enumerate(asked))
        java, weir = self.parts(self.java_sql(script)), self.parts(self.weir_sql(script))
        for number, query in enumerate(asked):
            self.report.equal(query, sorted(java[number]), sorted(weir[number]))
        return f"{len(asked)} queries"

    @staticmethod
    def parts(lines):
        parts = [[]]
        for line in lines:
            if line.startswith('["end of '):
                parts.append([])
            else:
                parts[-1].append(normal(line))
        return parts

    def dump(self, table, *words):
        return self.java.dump(table, *words)

    def procedures(self):
        """Each side makes tags and branches, rolls back, compacts and expires; the other reads and goes on."""
        self.weir_sql("CREATE DATABASE IF NOT EXISTS db; CREATE TABLE db.calls (k INT, v STRING, PRIMARY KEY (k) NOT "
                      "ENFORCED) WITH ('bucket' = '1'); INSERT INTO db.calls VALUES (1, 'a'), (2, 'b'); "
                      "INSERT INTO db.calls VALUES (2, 'c'); CALL sys.create_tag('db.calls', 'weir', 1, '1 d'); "
                      "CALL sys.create_branch('db.calls', 'b', 'weir'); INSERT INTO db.calls$branch_b VALUES (9, 'of b')")
        table = f"{self.warehouse}/db.db/calls"
        self.report.equal("Weir's tag", ['[1,"a"]', '[2,"b"]'], self.dump(table, "--tag", "weir"))
        self.report.equal("Weir's branch", ['[1,"a"]', '[2,"b"]', '[9,"of b"]'], self.dump(table, "--branch", "b"))
        self.java.write(table, ['["+I",3,"d"]'])
        self.java.call("meta", table, "tag", "java", "2")
        self.java.write(table, ['["+I",4,"lost"]'])
        self.report.equal("Java's tag", ['[1,"a"]', '[2,"c"]'], sorted(self.weir_sql(
            "SELECT * FROM db.calls /*+ OPTIONS('scan.tag-name' = 'java') */")))
        self.weir_sql("CALL sys.rollback_to(`table` => 'db.calls', snapshot_id => 3)")
        expected = ['[1,"a"]', '[2,"c"]', '[3,"d"]']
        self.report.equal("after Weir rolled back", expected, self.dump(table))
        self.java.write(table, ['["+I",5,"e"]'])
        self.weir_sql("CALL sys.compact('db.calls'); CALL sys.expire_snapshots(`table` => 'db.calls', retain_max => 1, "
                      "retain_min => 1)")
        expected.append('[5,"e"]')
        self.report.equal("after Weir compacted and expired", expected, self.dump(table))
        self.report.equal("Weir's tag then", ['[1,"a"]', '[2,"b"]'], self.dump(table, "--tag", "weir"))
        self.report.equal("orphans", ['["0"]', '["0"]'], self.weir_sql("CALL sys.remove_orphan_files('db.calls')"))
        self.weir_sql("CALL sys.delete_tag('db.calls', 'java'); CALL sys.rollback_to('db.calls', 'weir')")
        self.report.equal("after Weir went back to its tag", ['[1,"a"]', '[2,"b"]'], self.dump(table))
        self.java.call("meta", table, "fast-forward", "b")
        self.report.equal("after Java went forward", ['[1,"a"]', '[2,"b"]', '[9,"of b"]'],
                          sorted(self.weir_sql("SELECT * FROM db.calls")))
        self.java.write(table, ['["+I",10,"on"]'])
        self.report.equal("after Java went on", self.dump(table), sorted(self.weir_sql("SELECT * FROM db.calls")))

    def dynamic_buckets(self):
        """Both write by turns to tables whose keys are told apart by an index: of hashes in files, which the other has
        to read, and of places that each makes of the table."""
        keys = {"dyn_part": "city, id", "dyn_move": "id"}
        self.weir_sql("CREATE DATABASE IF NOT EXISTS db; " + "".join(
            f"CREATE TABLE db.{table} (id INT, city STRING, v STRING, PRIMARY KEY ({key}) NOT ENFORCED) "
            "PARTITIONED BY (city) WITH ('dynamic-bucket.target-row-num' = '3'); " for table, key in keys.items()))
        rows = {table: {} for table in keys}
        for turn, write in enumerate((self.weir_sql, self.java_sql, self.weir_sql, self.java_sql)):
            script = ""
            for table in keys:
                changes = [(number, f"c{(number + turn) % 3}", f"turn {turn}") for number in range(turn * 2, 14 - turn)]
                script += f"INSERT INTO db.{table} VALUES " + ", ".join(map(str, changes)) + "; "
                for number, city, value in changes:
                    rows[table][(number, city) if table == "dyn_part" else number] = [number, city, value]
            mode = "SET 'execution.runtime-mode' = 'batch'; " if write == self.weir_sql else ""
            write(mode + script)
            for table in keys:
                expected = sorted(json.dumps(row, separators=(",", ":")) for row in rows[table].values())
                path = f"{self.warehouse}/db.db/{table}"
                ours = subprocess.run([self.program, "dump", path, "--sort"], capture_output=True, text=True, check=True)
                self.report.equal(f"weir reads {table} after turn {turn}", expected, ours.stdout.split("\n")[:-1])
                self.report.equal(f"Java reads {table} after turn {turn}", expected,
                                  self.java.call("dump", path, "--sort"))
        return "4 turns"

    def postponed_buckets(self):
        """Rows that wait for their bucket: each gives buckets to what the other one has written."""
        self.weir_sql("CREATE DATABASE IF NOT EXISTS db; CREATE TABLE db.waiting (id INT, city STRING, v STRING, "
                      "PRIMARY KEY (city, id) NOT ENFORCED) PARTITIONED BY (city) WITH ('bucket' = '-2', "
                      "'postpone.default-bucket-num' = '2', 'postpone.batch-write-fixed-bucket' = 'false')")
        rows = {}
        path = f"{self.warehouse}/db.db/waiting"
        engines = (self.weir_sql, self.java_sql)
        for turn in range(4):
            write, compact = engines[turn % 2], engines[(turn + 1) % 2]
            changes = [(number, f"c{number % 3}", f"turn {turn}") for number in range(turn, 12 - turn)]
            rows.update({number: [number, city, value] for number, city, value in changes})
            mode = "SET 'execution.runtime-mode' = 'batch'; "
            write((mode if write == self.weir_sql else "") +
                  "INSERT INTO db.waiting VALUES " + ", ".join(map(str, changes)))
            wait = "; SET 'peer.sleep' = '8'" if compact == self.java_sql else ""  # its job runs on after the call
            compact("CALL sys.compact(`table` => 'db.waiting')" + wait)
            expected = sorted(json.dumps(row, separators=(",", ":")) for row in rows.values())
            ours = subprocess.run([self.program, "dump", path, "--sort"], capture_output=True, text=True, check=True)
            self.report.equal(f"weir reads after turn {turn}", expected, ours.stdout.split("\n")[:-1])
            self.report.equal(f"Java reads after turn {turn}", expected, self.java.call("dump", path, "--sort"))
        return "4 turns"

    def statistics(self):
        self.weir_sql("CREATE DATABASE IF NOT EXISTS db; CREATE TABLE db.counted (k INT, s STRING, d DATE, n DOUBLE, "
                      "PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1'); INSERT INTO db.counted VALUES "
                      "(1, 'a', DATE '2024-01-01', 1.5), (2, 'bb', NULL, -2), (3, NULL, DATE '1969-12-31', NULL); "
                      "ANALYZE TABLE db.counted COMPUTE STATISTICS FOR ALL COLUMNS")
        query = "SELECT snapshot_id, schema_id, mergedRecordCount, colstat FROM db.`counted$statistics`;"
        weir = self.weir_sql(query)
        java = self.java_sql(query + " ANALYZE TABLE db.counted COMPUTE STATISTICS FOR ALL COLUMNS; " + query)
        self.report.equal("Weir's statistics", weir, java[:1])
        self.report.equal("Java's statistics", [columns_of(java[1])], [columns_of(self.weir_sql(query)[0])])
        self.report.equal("both found the same", [columns_of(weir[0])], [columns_of(java[1])])


def columns_of(line):
    """The statistics of columns, in the order of their names."""
    return json.dumps(json.loads(json.loads(line)[3]), sort_keys=True)


def normal(line):
    """Members of options come in any order."""
    values = json.loads(line)
    return json.dumps([json.dumps(json.loads(value), sort_keys=True)
                       if isinstance(value, str) and value.startswith("{\"") else value for value in values],
                      ensure_ascii=False)
