# Exit status: 0 done, 1 a statement failed, 2 the command line is wrong.
. tests/cli/lib.sh

status "a statement that runs" 0 "$weir" sql -e "SELECT 1"
status "the version" 0 "$weir" --version
status "a statement that fails" 1 "$weir" sql -e "SELECT nothing"
same "a failure prints no rows" "" "$(cat "$work/out")"
status "a syntax error" 1 "$weir" sql -e "SELEC 1"
contains "an error shows the line and a caret" "  SELEC 1
  ^" "$(cat "$work/err")"
status "a file that is not there" 1 "$weir" run "$work/missing.sql"
status "a table that is not there" 1 "$weir" dump "$work/missing"
contains "the error of dump names the folder" "missing" "$(cat "$work/err")"

# A broker that is not there is told at once, though it is tried for longer.
status "a broker that does not answer" 124 "$weir" sql --timeout 3s -e "
CREATE TEMPORARY TABLE k (a INT) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json',
    'properties.bootstrap.servers' = '127.0.0.1:1', 'scan.startup.mode' = 'earliest-offset',
    'scan.bounded.mode' = 'latest-offset');
SELECT * FROM k"
contains "it is told" "Kafka at 127.0.0.1:1: " "$(cat "$work/err")"
contains "and that it is tried again" "; trying again" "$(cat "$work/err")"

status "no command" 2 "$weir"
status "an unknown command" 2 "$weir" dmup
contains "a near command is suggested" "did you mean 'dump'?" "$(cat "$work/err")"
status "an unknown option" 2 "$weir" sql --fromat csv
contains "a near option is suggested" "did you mean '--format'?" "$(cat "$work/err")"
status "an unknown format" 2 "$weir" sql --format xml -e "SELECT 1"
contains "near formats are suggested" "did you mean 'vertical'?" \
    "$("$weir" sql --format vertica -e "SELECT 1" 2>&1)"
status "an unknown choice of colours" 2 "$weir" sql --color often -e "SELECT 1"
status "a file of results that can't be made" 1 "$weir" sql --output "$work/missing/results" -e "SELECT 1"
same "it is told once" "weir sql: $work/missing/results: writing the results: No such file or directory" \
    "$(cat "$work/err")"
echo "no folder" >"$work/file"
status "a warehouse that the machine does not let us use" 1 "$weir" sql --warehouse "$work/file/lake" -e "SELECT 1"
status "a warehouse that can be none" 2 "$weir" sql --warehouse s3:// -e "SELECT 1"
status "help of a command" 0 "$weir" help run
status "help of a command that is not there" 2 "$weir" help rnu
contains "a near command is suggested there, too" "did you mean 'run'?" "$(cat "$work/err")"
same "help that cannot be written" 1 "$("$weir" --help 2>"$work/err" >/dev/full; echo $?)"
contains "why help can't be written is told" "No space left on device" "$(cat "$work/err")"
status "no threads" 2 "$weir" sql --threads 0 -e "SELECT 1"
status "too many threads" 2 "$weir" sql --threads 1025 -e "SELECT 1"
status "a setting" 0 "$weir" sql -Dexecution.runtime-mode=batch --set table.local-time-zone=UTC -e "SELECT 1"
status "a setting that does not exist" 2 "$weir" sql --set execution.runtime-mod=batch -e "SELECT 1"
contains "a near setting is suggested" "execution.runtime-mode" "$(cat "$work/err")"
status "an option without its value" 2 "$weir" sql -e
status "a size that is none" 2 "$weir" sql --memory lots -e "SELECT 1"
status "too little memory" 2 "$weir" sql --memory 1MB -e "SELECT 1"
status "run without a file" 2 "$weir" run
status "dump without a table" 2 "$weir" dump
status "changelog and stream together" 2 "$weir" dump x --changelog 1 2 --stream 1 2
status "a snapshot and a tag together" 2 "$weir" dump x --snapshot 1 --tag t
status "a snapshot and a stream together" 2 "$weir" dump x --snapshot 1 --stream 1 2
status "columns of changes" 2 "$weir" dump x --columns a --changelog 1 2
status "numbers of snapshots without a stream" 2 "$weir" dump x --with-snapshot
status "compact without a warehouse" 2 "$weir" compact t
contains "it is told where tables are named" "--warehouse DIR" "$(cat "$work/err")"
status "compact of tables and a database" 2 "$weir" compact t --database d --warehouse "$work/lake"
contains "which of both goes is up to people" "leave it out, or 't'" "$(cat "$work/err")"
status "an interval of a compaction that is done once" 2 "$weir" compact t --interval 3 --warehouse "$work/lake"
status "completion without a shell" 2 "$weir" completion

# Paths with a slip in them.
"$weir" sql --warehouse "$work/lake" -e "CREATE DATABASE shop; CREATE TABLE shop.t (a INT); INSERT INTO shop.t VALUES (1)" \
    2>"$work/err"
status "a table's path in place of that of the warehouse" 2 "$weir" sql --warehouse "$work/lake/shop.db/t" -e "SHOW TABLES"
contains "it is told which the warehouse is" "this is a table; the warehouse is the folder of the folder of its database: \
$work/lake
" "$(cat "$work/err")
"
same "nothing was made there" "" "$(find "$work/lake/shop.db/t" -name 'default.db')"
status "a warehouse that is new by mistake" 1 "$weir" sql --warehouse "$work/laek" -e "SELECT * FROM shop.t"
contains "it is told that it is not there" \
    "there is no database 'shop' in catalog 'paimon'; its warehouse '$work/laek' is not there (yet)" "$(cat "$work/err")"
status "its default database, neither" 1 "$weir" sql --warehouse "$work/laek" -e "SELECT * FROM t"
contains "it is told there, too" "there is no table 't' in paimon.default; its warehouse '$work/laek' is not there (yet)" \
    "$(cat "$work/err")"
status "a tilde that no shell has replaced" 2 "$weir" sql --warehouse "~/lake" -e "SHOW TABLES"
contains "it is told who knows it" "only shells know ~" "$(cat "$work/err")"
status "a relative path in a URI" 2 "$weir" sql --warehouse "file:lake" -e "SHOW TABLES"
contains "it is told how it is written" "expected file:///path, or the path alone" "$(cat "$work/err")"

# Statements of -i run first; a failure there is one of the whole.
echo "CREATE TEMPORARY TABLE made_before (n INT) WITH ('connector' = 'blackhole')" >"$work/init.sql"
status "an init file" 0 "$weir" sql --init "$work/init.sql" --format jsonl -e "SHOW TABLES"
same "it ran first" '["made_before"]' "$(cat "$work/out")"
echo "SELECT nothing" >"$work/init.sql"
status "an init file that fails" 1 "$weir" sql -i "$work/init.sql" -e "SELECT 1"
same "nothing runs after it" "" "$(cat "$work/out")"

# Ctrl-C while a statement runs.
"$weir" sql -e "CREATE TEMPORARY TABLE many (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000000000000');
SELECT SUM(n) FROM many" >"$work/out" 2>"$work/err" &
process=$!
# The signal is blocked in all threads once the program is ready to take it.
until grep -q 'SigBlk:.*[2367abef]$' "/proc/$process/status" 2>/dev/null; do sleep 0.05; done
kill -INT $process
wait $process
same "an interrupted program" 130 "$?"

# Rows that come slowly fill the disk later; the reason is told then, too.
same "a disk that fills while rows come" 1 "$("$weir" sql -e "CREATE TEMPORARY TABLE many (n INT)
    WITH ('connector' = 'datagen', 'number-of-rows' = '100000'); SELECT * FROM many" 2>"$work/err" >/dev/full; echo $?)"
contains "why it could not be written is told" "No space left on device" "$(cat "$work/err")"

# A limit on the size of files is told as a full disk is.
status "a file over the limit" 1 sh -c 'ulimit -f 40; exec "$@"' sh "$weir" sql --warehouse "$work/limited" -e "
    CREATE TEMPORARY TABLE noise (t STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '5000');
    CREATE TABLE kept (t STRING); INSERT INTO kept SELECT * FROM noise"
contains "it is told" "File too large" "$(cat "$work/err")"

# A script stops at the first statement that fails; what ran before stays.
cat >"$work/script.sql" <<'SQL'
SELECT 1;
SELECT nothing;
SELECT 3;
SQL
status "a script that fails" 1 "$weir" run "$work/script.sql" --format jsonl
same "rows before the failure" "[1]" "$(cat "$work/out")"
contains "the error names file, line and column" "script.sql: line 2, column 8" "$(cat "$work/err")"
# Results that cannot be written: a full disk, a closed standard output.
for format in table vertical csv json jsonl; do
    same "$format to a full disk" 1 "$("$weir" sql --format $format -e "SELECT 1" 2>"$work/err" >/dev/full; echo $?)"
    contains "the full disk is told" "No space left on device" "$(cat "$work/err")"
    same "$format to a full file" 1 "$("$weir" sql --format $format -o /dev/full -e "SELECT 1" 2>/dev/null; echo $?)"
done
"$weir" sql --warehouse "$work/full" -e "CREATE TABLE t (a INT); INSERT INTO t VALUES (1)" 2>/dev/null
same "dump to a full disk" 1 "$("$weir" dump "$work/full/default.db/t" 2>"$work/err" >/dev/full; echo $?)"
contains "the full disk is told" "No space left on device" "$(cat "$work/err")"
same "a closed standard output" 1 "$("$weir" sql -e "SELECT 1" 2>"$work/err" >&-; echo $?)"
contains "the closed output is told" "Bad file descriptor" "$(cat "$work/err")"
finish
