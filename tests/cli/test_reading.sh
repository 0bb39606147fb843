# Reading makes nothing: neither a warehouse whose name is wrong, nor a database that nobody has written to.
. tests/cli/lib.sh

mkdir "$work/empty"
nothing() { same "$1 makes nothing" "" "$(ls -A "$work/empty")"; }

status "compacting in no warehouse" 1 "$weir" compact --warehouse "$work/empty/typo" t
contains "it is named" "warehouse '$work/empty/typo' is not there" "$(cat "$work/err")"
nothing "compact"
status "a database of no warehouse" 1 "$weir" compact --warehouse "$work/empty/typo" --database default
nothing "compact --database"

status "showing" 0 "$weir" sql --warehouse "$work/empty/typo" --format csv -e "SHOW DATABASES; SHOW TABLES"
contains "the default database is there" "default" "$(cat "$work/out")"
nothing "SHOW"
status "querying" 1 "$weir" sql --warehouse "$work/empty/typo" -e "SELECT * FROM t"
contains "the warehouse is named" "its warehouse '$work/empty/typo' is not there (yet)" "$(cat "$work/err")"
status "another database" 1 "$weir" sql --warehouse "$work/empty/typo" -e "SHOW TABLES FROM dwd"
contains "is named, too" "its warehouse '$work/empty/typo' is not there (yet)" "$(cat "$work/err")"
nothing "SELECT"
status "dumping" 1 "$weir" dump "$work/empty/typo/default.db/t"
nothing "dump"

cat >"$work/read.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/empty/typo');
USE CATALOG lake;
USE \`default\`;
SET 'execution.runtime-mode' = 'batch';
SELECT 1;
EXPLAIN SELECT * FROM (VALUES (1)) AS v(a);
SQL
status "a script that reads" 0 "$weir" run "$work/read.sql"
nothing "a script"

touch "$work/file"
status "a file is no warehouse" 1 "$weir" sql --warehouse "$work/file" -e "SHOW TABLES"
contains "and is named" "a warehouse is a folder, and '$work/file' is a file" "$(cat "$work/err")"

status "writing makes it" 0 "$weir" sql --warehouse "$work/empty/lake" -e "CREATE TABLE t (a INT); INSERT INTO t VALUES (1)"
same "with its database" "default.db" "$(ls "$work/empty/lake")"
status "which can be dropped" 0 "$weir" sql --warehouse "$work/empty/lake" --format csv \
    -e "CREATE DATABASE d; USE d; DROP DATABASE \`default\` CASCADE; SHOW DATABASES"
same "and then is gone" "d" "$(tail -1 "$work/out")"
exit $((failures > 0))
