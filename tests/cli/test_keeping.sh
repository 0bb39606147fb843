# A writer runs, `weir compact --follow` compacts and expires beside it, the writer's commits expire too: what a tag and a
# consumer need stays, and goes when they do.
. tests/cli/lib.sh

table=$work/lake/default.db/users
sql() { "$weir" sql -q --warehouse "$work/lake" --format csv -D execution.runtime-mode=batch "$@"; }
value() { sql -e "$1" | tail -n +2; }
latest() { value "SELECT MAX(snapshot_id) FROM users\$snapshots"; }

sql -e "CREATE TABLE users (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('bucket' = '2', 'write-only' = 'true', 'changelog-producer' = 'input',
              'num-sorted-run.compaction-trigger' = '3', 'snapshot.num-retained.min' = '2',
              'snapshot.num-retained.max' = '4', 'snapshot.time-retained' = '1 ms')" || failures=1
mkdir "$work/in"
cat >"$work/job.sql" <<SQL
SET 'execution.checkpointing.interval' = '10 ms';
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
CREATE TEMPORARY TABLE events (id INT, v STRING)
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'csv', 'source.monitor-interval' = '5 ms');
INSERT INTO lake.\`default\`.users SELECT * FROM events;
SQL
"$weir" run -q "$work/job.sql" --timeout 250 2>"$work/job.err" &
job=$!
"$weir" compact -q --warehouse "$work/lake" users --follow --interval 0.02 2>"$work/compact.err" &
compactor=$!

# feed FIRST LAST: a file of changes each, that are waited for.
feed() {
    for n in $(seq "$1" "$2"); do
        printf '%s,a%s\n%s,b%s\n' $((n % 17)) "$n" $((n % 5 + 100)) "$n" >"$work/part"
        mv "$work/part" "$work/in/$n.csv"
        for look in $(seq 500); do
            case $("$weir" dump "$table" 2>/dev/null) in *"\"b$n\""*) break ;; esac
            sleep 0.02
        done
    done
}
feed 1 8
sql -e "CALL sys.create_tag('default.users', 'kept')" >/dev/null
tagged=$("$weir" dump "$table" --option scan.tag-name=kept --sort)
consumed=$(value "SELECT snapshot_id FROM users\$tags")
sql -e "CALL sys.reset_consumer('default.users', 'slow', $((consumed + 1)))" >/dev/null
feed 9 30
contains "a row of the tag" '"b8"' "$tagged"
same "snapshots from the consumer's on" "$(($(latest) - consumed))" \
    "$(value "SELECT COUNT(*) FROM users\$snapshots WHERE snapshot_id > $consumed")"
same "what is before has gone" "$((consumed + 1))" "$(value "SELECT MIN(snapshot_id) FROM users\$snapshots")"
[ "$((consumed + 22))" -le "$(latest)" ] || same "many snapshots" "$((consumed + 22)) or more" "$(latest)"
contains "compactions among them" "COMPACT" "$(value "SELECT DISTINCT commit_kind FROM users\$snapshots")"

same "the tag's rows" "$tagged" "$("$weir" dump "$table" --option scan.tag-name=kept --sort)"
"$weir" dump "$table" --stream $((consumed + 1)) - >"$work/changes" || failures=1
same "the tag's rows with the changes since are the table" "$("$weir" dump "$table" --sort)" \
    "$({ printf '%s\n' "$tagged" | sed 's/^\[/["+I",/'; cat "$work/changes"; } | awk '{
        row = substr($0, 7); key = row; sub(/,.*/, "", key); rows[key] = row
    } END { for (key in rows) print "[" rows[key] }' | LC_ALL=C sort)"

# They go: so does what they held.
sql -e "CALL sys.reset_consumer('default.users', 'slow'); CALL sys.delete_tag('default.users', 'kept')" >/dev/null
feed 31 34
for look in $(seq 300); do
    [ "$(value "SELECT COUNT(*) FROM users\$snapshots")" -le 4 ] && break
    sleep 0.05
done
[ "$(value "SELECT COUNT(*) FROM users\$snapshots")" -le 4 ] ||
    same "snapshots that stay" "4 at most" "$(value "SELECT COUNT(*) FROM users\$snapshots")"
kill -TERM $job $compactor
wait $job
same "the writer's end" 0 $?
wait $compactor
same "the writer's errors" "" "$(cat "$work/job.err")"
same "the compactor's errors" "" "$(cat "$work/compact.err")"
sleep 1
same "files that nobody needs" 0 "$(value "SET 'table.local-time-zone' = 'UTC';
    CALL sys.remove_orphan_files('default.users', '$(date -u '+%F %T')', true)" | head -1)"
same "rows" 22 "$("$weir" dump "$table" | wc -l)"
finish
