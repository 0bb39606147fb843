# What a running program tells Prometheus.
. tests/cli/lib.sh

mkdir "$work/in"
cat >"$work/job.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
CREATE TEMPORARY TABLE events (id BIGINT, name STRING)
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'csv', 'source.monitor-interval' = '5 ms');
CREATE TABLE users (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '2', 'changelog-producer' = 'lookup');
SET 'execution.checkpointing.interval' = '20 ms';
SET 'pipeline.name' = 'load users';
INSERT INTO users SELECT * FROM events;
SQL
printf '1,Ada\n2,Eve\n3,Bob\n' >"$work/in/a"

"$weir" run "$work/job.sql" --metrics-port 127.0.0.1:0 --timeout 120 >"$work/out" 2>"$work/err" &
job=$!
port=
for i in $(seq 600); do
    port=$(sed -n 's|^metrics: port \([0-9]*\), path /metrics$|\1|p' "$work/err")
    [ -n "$port" ] && break
    sleep 0.1
done
fetch() {
    python3 -c 'import sys, urllib.request
print(urllib.request.urlopen("http://127.0.0.1:" + sys.argv[1] + "/metrics", timeout=30).read().decode())' "$port"
}
# sample NAME: the value of the one sample of this name
sample() {
    printf '%s\n' "$page" | sed -n "s/^$1\({[^}]*}\)\{0,1\} //p"
}
for i in $(seq 600); do
    page=$(fetch)
    [ "$(sample weir_job_rows_out_total)" = 3 ] && [ "$(sample paimon_current_snapshot_id)" = 2 ] && break
    sleep 0.1
done
contains "names of jobs and tables" 'job_name="load users"' "$page"
contains "tables" 'paimon_commits_total{table="lake.default.users"} 1' "$page"
same "rows in" 3 "$(sample weir_job_rows_in_total)"
same "rows appended" 3 "$(sample paimon_last_delta_records_appended)"
same "files of rows" 2 "$(sample paimon_last_table_files_appended)"
same "changelog of the compaction" 3 "$(sample paimon_last_changelog_records_commit_compacted)"
same "buckets" 2 "$(sample paimon_last_buckets_written)"
same "partitions" 1 "$(sample paimon_last_partitions_written)"
same "snapshots of the commit" 2 "$(sample paimon_last_generated_snapshots)"
same "live files" 2 "$(sample paimon_live_files)"
same "compactions" 2 "$(sample paimon_compactions_completed_total)"
same "a counter of what has not happened" 0 "$(sample paimon_buffer_preemptions_total)"
same "the job runs" 1 "$(sample weir_job_running)"
same "no metric is described twice" "" "$(printf '%s\n' "$page" | grep '^# TYPE' | sort | uniq -d)"
if command -v promtool >/dev/null; then
    printf '%s\n' "$page" | promtool check metrics >"$work/lint" 2>&1
    same "promtool" "" "$(cat "$work/lint")"
fi
kill -TERM $job
wait $job
same "its end" 0 $?

# A compactor tells of itself as well.
"$weir" sql -q --warehouse "$work/lake" -D execution.runtime-mode=batch -e "
CREATE TABLE left_to_others (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1', 'write-only' = 'true',
    'num-sorted-run.compaction-trigger' = '2');
INSERT INTO left_to_others VALUES (1); INSERT INTO left_to_others VALUES (2); INSERT INTO left_to_others VALUES (3)"
"$weir" compact --warehouse "$work/lake" left_to_others --follow --interval 0.05 --metrics-port 127.0.0.1:0 \
    --timeout 120 >"$work/out" 2>"$work/err" &
job=$!
for i in $(seq 600); do
    port=$(sed -n 's|^metrics: port \([0-9]*\), path /metrics$|\1|p' "$work/err")
    page=$([ -n "$port" ] && fetch)
    [ "$(sample paimon_current_snapshot_id)" = 4 ] && break
    sleep 0.1
done
same "its commits" 1 "$(sample paimon_commits_total)"
same "its compactions" 1 "$(sample paimon_compactions_completed_total)"
same "files that are left" 1 "$(sample paimon_live_files)"
same "files it has replaced and made" 4 "$(sample paimon_last_table_files_commit_compacted)"
kill -TERM $job
wait $job

status "a port that is none" 2 "$weir" run "$work/job.sql" --metrics-port http
contains "it says so" "--metrics-port: 'http' is no address" "$(cat "$work/err")"
finish
