# Secrets are neither shown nor kept, wherever a key and its value stand.
. tests/cli/lib.sh

mkdir "$work/in" "$work/kept"
echo '{"a": 1}' >"$work/in/a.json"
cat >"$work/script.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/kept/lake', 's3.access-key' = 'me',
  's3.secret-key' -- it's below
    =
  'geheim');
USE CATALOG lake;
SET 'execution.runtime-mode' = 'batch';
SET 'my.password' = 'geheim';
SET;
CREATE TABLE t (a INT) WITH ('s3.secret-key'
  = 'geheim', 'bucket' = '-1');
ALTER TABLE t SET ('s3.secret-key' =
'geheim');
CREATE TEMPORARY TABLE files (a INT) WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'json',
  's3.secret-key' = 'geheim');
INSERT INTO t SELECT * FROM files /*+ OPTIONS('s3.secret-key' =
  'geheim') */;
CREATE TEMPORARY VIEW v AS SELECT * FROM files /*+ OPTIONS('s3.secret-key' = 'geheim') */;
SHOW CREATE CATALOG lake;
DESCRIBE CATALOG EXTENDED lake;
SHOW CREATE TABLE t;
SHOW CREATE TABLE files;
SHOW CREATE VIEW v;
DESCRIBE EXTENDED t;
SELECT * FROM t\$options;
SELECT * FROM t\$schemas;
EXPLAIN SELECT * FROM v;
EXPLAIN INSERT INTO t SELECT * FROM files /*+ OPTIONS('s3.secret-key' = 'geheim') */;
CALL sys.compact(\`table\` => 'default.t');
SELECT * FROM t;
SELECT 1 / CAST(a - 1 AS INT) FROM t /*+ OPTIONS('s3.secret-key'
  = 'geheim') */;
SQL
status "a script with secrets" 1 "$weir" run "$work/script.sql" --state "$work/kept/state"
contains "runs to its end" "division by zero" "$(cat "$work/err")"
contains "tells that none is kept with the table" "'s3.secret-key' says how a store is reached: it is not kept with the table" \
    "$(cat "$work/err")"
contains "stars stand in their place" "******" "$(cat "$work/out")"
same "they are not shown" "" "$(grep -n geheim "$work/out" "$work/err")"
same "they are not kept" "" "$(grep -rl geheim "$work/kept")"
contains "the journal has the statement" "FROM files /*+ OPTIONS('s3.secret-key' =\\n  '******') */" \
    "$(cat "$work"/kept/state/*.jsonl "$work"/kept/state/* 2>/dev/null)"

# Errors, each with the line that they point at.
wrong() {
    printf '%s' "$2" >"$work/wrong.sql"
    status "$1" 1 "$weir" run "$work/wrong.sql"
    same "$1: no secret" "" "$(grep -n geheim "$work/out" "$work/err")"
}
wrong "a value in a line of its own" "CREATE TABLE t (a INT) WITH ('connector' = 'mysql-cdc', 'password' =
  'geheim' 'x' = 'y')"
wrong "a quote inside" "CREATE TABLE t (a INT) WITH ('password' = 'it's geheim', 'connector' = 'print')"
wrong "no quotes" "CREATE TABLE t (a INT) WITH ('password' = geheim, 'connector' = 'print')"
wrong "no equals sign" "CREATE TABLE t (a INT) WITH ('password' 'geheim')"
wrong "an option that there is not" "CREATE TABLE t (a INT) WITH ('connector' = 'print',
  'passwort.secret' =
     'geheim'); SELECT * FROM t"
wrong "double quotes" 'CREATE TABLE t (a INT) WITH ('"'password'"' = "geheim")'
wrong "a string without end" "CREATE TABLE t (a INT) WITH ('password' = 'geheim)"
exit $((failures > 0))
