# A lookup join with a table that is too large to be taken in whole: its rows are fetched as they are asked for, as they
# are at the moment, also after another process has changed them.
. tests/cli/lib.sh

catalog="CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake'); USE CATALOG lake;"
sql() { "$weir" sql --quiet --format csv -e "$catalog SET 'execution.runtime-mode' = 'batch'; $1" 2>&1; }

same "a large dimension" "" "$(sql "
CREATE TEMPORARY TABLE numbers (k BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '210000',
    'fields.k.kind' = 'sequence', 'fields.k.start' = '1', 'fields.k.end' = '210000');
CREATE TABLE users (region STRING, id BIGINT, name STRING, v BIGINT, PRIMARY KEY (region, id) NOT ENFORCED)
PARTITIONED BY (region) WITH ('bucket' = '2');
INSERT INTO users SELECT CASE MOD(k, 2) WHEN 0 THEN 'even' ELSE 'odd' END, k, CONCAT('user ', CAST(k AS STRING)), k * 3 FROM numbers")"

mkdir "$work/in" "$work/temporary"
TMPDIR=$work/temporary
export TMPDIR
cat >"$work/join.sql" <<SQL
$catalog
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TEMPORARY TABLE orders (oid INT, region STRING, uid BIGINT, at AS PROCTIME())
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'csv', 'csv.null-literal' = '', 'source.monitor-interval' = '5 ms');
CREATE TABLE IF NOT EXISTS wide (oid INT, name STRING, v BIGINT) WITH ('bucket' = '-1');
INSERT INTO wide SELECT o.oid, u.name, u.v FROM orders AS o
LEFT JOIN users FOR SYSTEM_TIME AS OF o.at AS u ON o.uid = u.id AND o.region = u.region AND u.v > 30;
SQL
printf '1,even,20\n2,odd,20\n3,odd,209999\n4,even,4\n5,even,1000000\n6,,20\n7,even,\n8,nowhere,1\n' >"$work/in/a"
"$weir" run --quiet --timeout 300 "$work/join.sql" >"$work/out" 2>"$work/err" &
job=$!
# rows COUNT: waits until so many are in the table
rows() {
    for i in $(seq 600); do
        [ "$(sql "SELECT COUNT(*) FROM wide" | tail -1)" = "$1" ] && return
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    same "rows in the table" "$1" "$(sql "SELECT COUNT(*) FROM wide")"
}
rows 8
same "what the table held" 'oid,name,v
1,user 20,60
2,,
3,user 209999,629997
4,,
5,,
6,,
7,,
8,,' "$(sql "SELECT * FROM wide ORDER BY oid")"
same "somebody changes it" "" "$(sql "INSERT INTO users VALUES ('even', 20, 'Ada', 99), ('odd', 1000001, 'Eve', 77); DELETE FROM users WHERE region = 'odd' AND id = 209999")"
printf '11,even,20\n12,odd,1000001\n13,odd,209999\n14,even,22\n' >"$work/in/b"
rows 12
same "what it holds now" 'oid,name,v
11,Ada,99
12,Eve,77
13,,
14,user 22,66' "$(sql "SELECT * FROM wide WHERE oid > 10 ORDER BY oid")"
# Its local files have no name: they go with the process, however that ends.
contains "files of the lookup" "(deleted)" "$(grep " $work/temporary/.*(deleted)" "/proc/$job/maps")"
same "with names" "" "$(find "$work/temporary" -name 'lookup-*')"
kill -KILL $job
wait $job 2>/dev/null
same "left by a kill" "" "$(find "$work/temporary" -name 'lookup-*')"
printf '21,even,20\n' >"$work/in/c"
"$weir" run --quiet --timeout 300 "$work/join.sql" >>"$work/out" 2>>"$work/err" &
job=$!
rows 13
same "and the job goes on" '21,Ada,99' "$(sql "SELECT * FROM wide WHERE oid = 21" | tail -1)"
kill -TERM $job
wait $job
same "its end" 0 $?
same "errors" "" "$(cat "$work/err")"
finish
