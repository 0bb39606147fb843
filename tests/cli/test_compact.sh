# weir compact: once, of some partitions, of a database, and beside a writer while it is killed again and again.
. tests/cli/lib.sh

sql() { "$weir" sql -q --warehouse "$work/lake" "$@"; }
levels() { sql --format csv -e "SELECT \`partition\`, level FROM $1\$files ORDER BY 1, 2" | tail -n +2 | tr '\n' ' '; }

sql -e "CREATE TABLE p (dt STRING, id INT, v STRING, PRIMARY KEY (dt, id) NOT ENFORCED) PARTITIONED BY (dt)
        WITH ('bucket' = '1', 'write-only' = 'true')" \
    -e "INSERT INTO p VALUES ('a', 1, 'x'), ('b', 1, 'x'), ('c', 1, 'x')" \
    -e "INSERT INTO p VALUES ('a', 1, 'y'), ('b', 2, 'y'), ('c', 2, 'y')" || failures=1
same "a write-only table" "{a},0 {a},0 {b},0 {b},0 {c},0 {c},0 " "$(levels p)"
status "some partitions by condition" 0 "$weir" compact -q --warehouse "$work/lake" p --where "dt < 'c' AND dt <> 'a'"
same "only those are compacted" "{a},0 {a},0 {b},5 {c},0 {c},0 " "$(levels p)"
status "some partitions by name" 0 "$weir" compact -q --warehouse "$work/lake" default.p --partitions "dt=a"
same "and only those" "{a},5 {b},5 {c},0 {c},0 " "$(levels p)"
status "a condition on other columns" 1 "$weir" compact -q --warehouse "$work/lake" p --where "id = 1"
contains "says so" "partition columns alone" "$(cat "$work/err")"
status "a database" 0 "$weir" compact -q --warehouse "$work/lake" --database default
same "all of it" "{a},5 {b},5 {c},5 " "$(levels p)"
status "a table that is not there" 1 "$weir" compact -q --warehouse "$work/lake" nope
status "no table" 2 "$weir" compact --warehouse "$work/lake"
status "what does not go together" 2 "$weir" compact --warehouse "$work/lake" p --follow --where "dt = 'a'"

# A writer that leaves compaction to others, and a compactor that never lives long.
sql -e "CREATE TABLE users (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('bucket' = '2', 'write-only' = 'true', 'changelog-producer' = 'lookup',
              'num-sorted-run.compaction-trigger' = '3', 'snapshot.num-retained.min' = '10000',
              'snapshot.num-retained.max' = '10000')" || failures=1
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
    rows=$(awk -v round=$round 'BEGIN {
        for (i = 0; i < 9; i++) printf "%s(%d, \"%d.%d\")", (i > 0 ? ", " : ""), (round * 7 + i * 5) % 23, round, i }' |
        tr '"' "'")
    echo "INSERT INTO users VALUES $rows;"
    [ $((round % 3)) -eq 0 ] && echo "DELETE FROM users WHERE id % 7 = $((round % 7));"
done >"$work/write.sql"
sql -f "$work/write.sql" &
writer=$!
while kill -0 $writer 2>/dev/null; do
    "$weir" compact -q --warehouse "$work/lake" --database default --follow --interval 0.01 2>>"$work/follow.err" &
    compactor=$!
    sleep 0.15
    kill -9 $compactor
    wait $compactor 2>/dev/null
done
wait $writer || failures=1
"$weir" compact -q --warehouse "$work/lake" users --follow --interval 0.01 --timeout 2
same "a timeout ends following" 124 $?
same "errors" "" "$(cat "$work/follow.err")"

strict_changes "$work/lake/default.db/users"
finish
