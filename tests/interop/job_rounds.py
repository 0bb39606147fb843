"""Jobs of Weir that are stopped or killed, and Java that compacts, writes and expires the same tables while they are
down: each round both sides must see the same, and the job must go on."""

import json
import os
import pathlib
import random
import signal
import subprocess
import time

SCRIPT = """
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{folder}/warehouse');
USE CATALOG lake;
CREATE DATABASE IF NOT EXISTS db;
USE db;
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '50 ms';
CREATE TEMPORARY TABLE changes (id INT, k INT, v BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{folder}/input', 'format' = 'debezium-json',
      'source.monitor-interval' = '10 ms');
CREATE TABLE ods (id INT, k INT, v BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '2', 'changelog-producer' = 'lookup', 'num-sorted-run.compaction-trigger' = '3',
      'consumer.expiration-time' = '1 d');
CREATE TABLE dws (k INT, total BIGINT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');
INSERT INTO ods SELECT * FROM changes;
INSERT INTO dws SELECT k, SUM(v), COUNT(*) FROM ods /*+ OPTIONS('scan.mode' = 'latest-full'{consumer}) */ GROUP BY k;
"""


class JobRounds:
    def __init__(self, java, program, folder, report, seed, with_consumer=True):
        self.java, self.program, self.report = java, program, report
        self.folder = pathlib.Path(folder)
        self.rng = random.Random(f"{seed}/jobs/{with_consumer}")
        self.rows = {}  # by id
        self.files = 0
        (self.folder / "input").mkdir(parents=True)
        consumer = ", 'consumer-id' = 'dws'" if with_consumer else ""
        self.script = self.folder / "job.sql"
        self.script.write_text(SCRIPT.format(folder=self.folder, consumer=consumer))
        self.ods, self.dws = (str(self.folder / "warehouse/db.db" / name) for name in ("ods", "dws"))

    # ---- what changes ----

    def new_row(self, number):
        return {"id": number, "k": self.rng.randint(0, 5), "v": self.rng.choice([None, 1, 7, -3, 2**40]),
                "note": self.rng.choice(["", "x", "Käse"])}

    def change_some(self, count, numbers):
        """Changes of rows with these ids, as (before, after). Each side has its own: what a file says may come to the
        table after what Java writes later."""
        for _ in range(count):
            number = self.rng.choice(numbers)
            before = self.rows.get(number)
            after = None if before is not None and self.rng.random() < 0.3 else self.new_row(number)
            if after is None:
                del self.rows[number]
            else:
                self.rows[number] = after
            yield before, after

    def feed(self):
        lines = [json.dumps({"before": before, "after": after,
                             "op": "d" if after is None else "c" if before is None else "u"})
                 for before, after in self.change_some(30, range(60))]
        hidden = self.folder / "input" / f".{self.files}"
        hidden.write_text("\n".join(lines) + "\n")
        os.rename(hidden, self.folder / "input" / f"{self.files:06d}.json")
        self.files += 1

    def java_writes(self):
        rows = []
        for before, after in self.change_some(10, range(60, 90)):
            row = before if after is None else after
            rows.append(json.dumps(["-D" if after is None else "+I", *row.values()], ensure_ascii=False))
        self.java.write(self.ods, rows)

    # ---- the job ----

    def start(self, *words):
        return subprocess.Popen([self.program, "run", self.script, "--state", self.folder / "state", *words],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run_and_kill(self):
        job = self.start()
        time.sleep(self.rng.choice([0.05, 0.15, 0.3]))
        job.send_signal(signal.SIGKILL)
        job.communicate()

    def run(self):
        job = self.start("--until-idle", "0.3", "--timeout", "120")
        output, _ = job.communicate()
        if job.returncode != 0:
            raise AssertionError(output[-2000:])

    # ---- what both sides see ----

    def check(self, when):
        rows = sorted(json.dumps(list(row.values()), ensure_ascii=False, separators=(",", ":"))
                      for row in self.rows.values())
        groups = {}
        for row in self.rows.values():
            groups.setdefault(row["k"], []).append(row["v"])
        sums = []
        for k, values in groups.items():
            known = [value for value in values if value is not None]
            sums.append(json.dumps([k, sum(known) if known else None, len(values)], separators=(",", ":")))
        self.report.equal(f"{when}, Java reads ods", rows, self.java_dump(self.ods))
        self.report.equal(f"{when}, Java reads dws", sorted(sums), self.java_dump(self.dws))

    def java_dump(self, table):
        return sorted(json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
                      for line in self.java.dump(table))

    def between(self):
        """What Java does while the job is down."""
        word = self.rng.choice(["compacts", "compacts a little", "writes", "expires", "does nothing"])
        if word == "compacts":
            self.java.call("compact", self.ods)
            self.java.call("compact", self.dws)
        elif word == "compacts a little":
            self.java.call("compact", self.ods, "--minor")
        elif word == "writes":
            self.java_writes()
        elif word == "expires":
            self.java.expire(self.ods, 1, 1)
        return word

    def turns(self, rounds):
        self.feed()
        self.run()
        self.check("after the first run")
        done = []
        for number in range(rounds):
            words = [self.between()]
            self.feed()
            for _ in range(self.rng.randint(0, 2)):
                self.run_and_kill()
                words += ["Weir is killed", self.between()]
            done.append(f"round {number}: Java {', '.join(words)}")
            self.run()
            self.check(done[-1])
        return f"{rounds} rounds"

    def expired_while_down(self):
        """Without a consumer, what the job has not read may be gone: it must say so, and lose nothing silently."""
        self.feed()
        self.run()
        for _ in range(3):
            self.java_writes()
        self.java.expire(self.ods, 1, 1)
        job = self.start("--until-idle", "0.3", "--timeout", "120")
        output, _ = job.communicate()
        self.report.equal("exit status", ["1"], [str(job.returncode)])
        self.report.holds("the error names the way out", None if "consumer-id" in output else output[-500:])
        return "said so"


def run_job_rounds(java, program, warehouse, report, seed):
    report.check("jobs and Java by turns",
                 lambda: JobRounds(java, program, f"{warehouse}/job-turns", report, seed).turns(12))
    report.check("snapshots that a job needs have expired",
                 lambda: JobRounds(java, program, f"{warehouse}/job-expired", report, seed, False).expired_while_down())
