"""What a job over Kafka tells of itself: lag, checkpoints, state; and Paimon's and Flink's names for it."""

import json
import re
import socket
import urllib.request

from kafka_topics import Topics

SERVICES = ["kafka"]

# Of Paimon's documentation: commits, compactions and buffers; of Flink's: rows, checkpoints, lag. HELP names them.
PAIMON = """lastCommitDuration commitDuration lastCommitAttempts lastTableFilesAdded lastTableFilesDeleted
    lastTableFilesAppended lastTableFilesCommitCompacted lastChangelogFilesAppended lastChangelogFilesCommitCompacted
    lastGeneratedSnapshots lastDeltaRecordsAppended lastChangelogRecordsAppended lastDeltaRecordsCommitCompacted
    lastChangelogRecordsCommitCompacted lastPartitionsWritten lastBucketsWritten lastCompactionInputFileSize
    lastCompactionOutputFileSize lastCommittedSnapshotId compactionThreadBusy avgCompactionTime compactionCompletedCount
    avgCompactionInputSize avgCompactionOutputSize numWriters bufferPreemptCount usedWriteBufferSizeByte
    totalWriteBufferSizeByte currentSnapshotId fileCount
    numRecordsIn numRecordsOut lastCheckpointDuration currentFetchEventTimeLag""".split()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def page_of(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return answer.read().decode()


def sample(page, name):
    """The value of the one sample of this name; None: there is none."""
    found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.M)
    assert len(found) < 2, found
    return float(found[0]) if found else None


def test_a_job_tells_lag_checkpoints_and_state(scene):
    topics, port = Topics(scene), free_port()
    topics.make("events")
    source = topics.table("events", "k INT, v INT", "events", format="json",
                          **{"scan.startup.mode": "earliest-offset", "properties.group.id": scene.name})
    topics.put("events", [json.dumps({"k": n % 50, "v": n}) for n in range(5000)])
    text = source + f"""
        CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');
        CREATE TABLE IF NOT EXISTS lake.`default`.sums (k INT, v BIGINT, PRIMARY KEY (k) NOT ENFORCED)
        WITH ('bucket' = '2', 'changelog-producer' = 'lookup', 'num-sorted-run.compaction-trigger' = '2');
        SET 'execution.checkpointing.interval' = '100 ms';
        INSERT INTO lake.`default`.sums SELECT k, SUM(v) FROM events GROUP BY k;
        """
    job = scene.job(text, "--metrics-port", str(port))

    def caught_up(rows):
        def check():
            try:
                page = page_of(port)
            except OSError:
                return False
            assert sample(page, "weir_job_rows_in_total") == rows and sample(page, "weir_job_lag_seconds") == 0, page
            assert sample(page, "weir_job_last_checkpoint_age_seconds") < 60, page
            return sample(page, "paimon_current_snapshot_id") is not None and page
        return scene.eventually("the job has caught up", check)

    page = caught_up(5000)
    checkpoints = sample(page, "weir_job_checkpoints_total")
    assert checkpoints > 0 and sample(page, "weir_job_last_checkpoint_duration_seconds") > 0, page
    assert sample(page, "weir_job_state_memory_bytes") > 0 and sample(page, "weir_job_state_disk_bytes") is not None, page
    assert sample(page, "weir_job_rows_out_total") >= 50, page
    topics.put("events", [json.dumps({"k": n % 50, "v": n}) for n in range(100)])
    page = caught_up(5100)
    first = sample(page, "paimon_current_snapshot_id")
    told = set(re.findall(r"^# HELP (?:paimon|weir)_\w+ (\w+): ", page, re.M))
    missing = [name for name in PAIMON if name not in told]
    assert not missing, (missing, told)
    scene.eventually("another snapshot", lambda: topics.put("events", ['{"k": 1, "v": 1}']) or
                     sample(page_of(port), "paimon_current_snapshot_id") > first)
    assert len(scene.run("dump", f"{scene.folder}/lake/default.db/sums")[0].splitlines()) == 50
    job.signal(15)
    job.finish()
