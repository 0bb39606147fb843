# Two programs that write rows of one bucket at the same time: the changes that readers see are those of the table.
. tests/cli/lib.sh

for name in a b; do
    mkdir "$work/$name"
    cat >"$work/$name.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
CREATE TEMPORARY TABLE events (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '$work/$name', 'format' = 'debezium-json', 'source.monitor-interval' = '5 ms');
CREATE TABLE IF NOT EXISTS users (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('bucket' = '1', 'changelog-producer' = 'lookup', 'num-sorted-run.compaction-trigger' = '2',
      'snapshot.num-retained.min' = '10000', 'snapshot.num-retained.max' = '10000');
SET 'execution.checkpointing.interval' = '10 ms';
INSERT INTO users SELECT * FROM events;
SQL
done
"$weir" run --quiet --until-idle 0.05 --timeout 60 "$work/a.sql" || failures=1 # makes the table
for name in a b; do
    "$weir" run --quiet --until-idle 1 --timeout 120 "$work/$name.sql" 2>"$work/err.$name" &
done
# Both write the same 23 keys, and each some that the other does not write.
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    for name in a b; do
        awk -v round=$round -v name=$name 'BEGIN {
            for (i = 0; i < 12; i++) {
                key = (round * 7 + i * (name == "a" ? 5 : 3)) % 23 + (i > 9) * (name == "a" ? 100 : 200)
                row = sprintf("{\"id\":%d,\"name\":\"%s%d.%d\"}", key, name, round, i)
                if (i % 5 == 4) printf "{\"before\":%s,\"after\":null,\"op\":\"d\"}\n", row
                else printf "{\"before\":null,\"after\":%s,\"op\":\"c\"}\n", row
            }
        }' >>"$work/$name/changes"
    done
    sleep 0.03
done
wait
same "errors" "" "$(cat "$work/err.a" "$work/err.b")"

strict_changes "$work/lake/default.db/users"
contains "updates were seen" '["+U",' "$(cat "$work/changes")"
finish
