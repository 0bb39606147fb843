# A folder that is followed, a table, and the changes of the table: run after run, killed and not.
. tests/cli/lib.sh

mkdir "$work/in"
cat >"$work/follow.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
CREATE TEMPORARY TABLE events (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'debezium-json', 'source.monitor-interval' = '5 ms');
CREATE TABLE IF NOT EXISTS users (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '1', 'changelog-producer' = 'lookup');
CREATE TEMPORARY TABLE screen (id BIGINT, name STRING) WITH ('connector' = 'print');
CREATE TABLE IF NOT EXISTS names (id BIGINT, name STRING);
CREATE TEMPORARY TABLE files (id BIGINT, name STRING)
WITH ('connector' = 'filesystem', 'path' = '$work/files', 'format' = 'csv');
SET 'execution.checkpointing.interval' = '20 ms';
INSERT INTO users SELECT * FROM events;
INSERT INTO screen SELECT * FROM users /*+ OPTIONS('consumer-id' = 'screen') */;
INSERT INTO names VALUES (7, 'Eve');
INSERT INTO files SELECT * FROM names;
SQL
follow() {
    "$weir" run --quiet --until-idle 1 --timeout 120 "$work/follow.sql" 2>"$work/err"
}

printf '{"before":null,"after":{"id":1,"name":"Ada"},"op":"c"}\n' >"$work/in/a"
same "a new file" "+I[1, Ada]" "$(follow)"
same "errors" "" "$(cat "$work/err")"
same "a table of inserts goes into files" "7,Eve" "$(cat "$work"/files/part-*)"

printf '{"before":{"id":1,"name":"Ada"},"after":{"id":1,"name":"Eve"},"op":"u"}\n' >>"$work/in/a"
printf '{"before":null,"after":{"id":2,"name":"Bob"},"op":"c"}\n' >"$work/in/b"
same "a line that was added, and another file" "-U[1, Ada]
+U[1, Eve]
+I[2, Bob]" "$(follow | LC_ALL=C sort -t, -k1.4,1.4n -s)"
contains "the table knows its reader" "nextSnapshot" "$(cat "$work"/lake/default.db/users/consumer/consumer-screen)"

# A last line without its end is read although the time without news is shorter than what its writer is given.
printf '{"before":null,"after":{"id":3,"name":"Lin"},"op":"c"}' >"$work/in/last"
same "a last line without an end" "+I[3, Lin]" \
    "$("$weir" run --quiet --until-idle 0.2 --timeout 120 "$work/follow.sql" 2>"$work/err")"

# Killed in the midst of it: what was committed is not read again.
"$weir" run --quiet "$work/follow.sql" >"$work/out" 2>"$work/err" &
job=$!
for i in 1 2 3 4 5 6 7 8 9; do
    printf '{"before":null,"after":{"id":%d,"name":"n"},"op":"c"}\n' $((i + 10)) >>"$work/in/c"
    sleep 0.05
done
kill -9 $job
wait $job 2>/dev/null
follow >>"$work/out"
same "all rows are in the table once" "12" \
    "$("$weir" sql --format csv -e "SET 'execution.runtime-mode' = 'batch'; CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake'); SELECT COUNT(*) FROM lake.\`default\`.users" 2>/dev/null | tail -1)"
same "and their inserts were shown" "9" "$(grep -c '+I\[1[0-9]' "$work/out" | awk '{ print ($1 >= 9 ? 9 : $1) }')"
same "each beginning of the script wrote its row to a file, going on did not" "7,Eve
7,Eve
7,Eve
7,Eve" "$(cat "$work"/files/part-*)"
finish
