# The disk that state lies on becomes full: the job says so, and goes on where it was when there is room again.
# Arguments: the program, the library of full_disk.c.
. tests/cli/lib.sh
full_disk=$2

mkdir "$work/in"
cat >"$work/sums.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TEMPORARY TABLE arriving (k INT, v BIGINT)
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'csv', 'source.monitor-interval' = '5 ms');
CREATE TABLE IF NOT EXISTS sums (k INT, total BIGINT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('bucket' = '1', 'changelog-producer' = 'lookup');
INSERT INTO sums SELECT k, SUM(v), COUNT(*) FROM arriving GROUP BY k;
SQL
run() { env "$@" timeout 120 "$weir" run --quiet "$work/sums.sql" --state "$work/state" --until-idle 0.3 2>"$work/err"; }

awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 97 "," i }' >"$work/in/first.csv"
run
same "the first run" 0 "$?"
# Room for nothing, for a little, and for some checkpoints more; files come all the time.
for bytes in 0 100 5000 20000; do
    (for i in 1 2 3 4 5 6 7 8 9 10; do
        awk -v i=$i -v b=$bytes 'BEGIN { for (j = 0; j < 300; j++) print (j * 7 + i) % 113 "," b + j }' >"$work/part-$bytes"
        mv "$work/part-$bytes" "$work/in/part-$bytes-$i.csv"
        sleep 0.04
    done) &
    reason="the disk is full; make room and start again"
    [ $bytes -ge 5000 ] || reason="No space left on device" # before there is any state to open
    run LD_PRELOAD=$full_disk FULL_DISK_ROOT=$work/state FULL_DISK_BYTES=$bytes
    same "with room for $bytes bytes: exit status" 1 "$?"
    contains "with room for $bytes bytes: the reason" "$reason" "$(cat "$work/err")"
    contains "with room for $bytes bytes: the place" "$work/state" "$(cat "$work/err")"
    wait
done
run
same "with room again" 0 "$?"
same "its errors" "" "$(cat "$work/err")"
cat "$work"/in/*.csv | awk -F, '{ total[$1] += $2; n[$1]++ } END { for (k in n) printf "[%d,%d,%d]\n", k, total[k], n[k] }' |
    LC_ALL=C sort >"$work/expected"
"$weir" dump "$work/lake/default.db/sums" | LC_ALL=C sort >"$work/rows"
same_file "all rows, once" "$work/expected" "$work/rows"
finish
