# Scripts from files: a lake from nothing, messages apart from rows, print sinks.
. tests/cli/lib.sh

cat >"$work/first.sql" <<SQL
-- A lake in a folder.
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
CREATE TABLE users (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1');
INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob');
CREATE TEMPORARY TABLE screen (id BIGINT, name STRING) WITH ('connector' = 'print');
SET 'execution.runtime-mode' = 'batch';
INSERT INTO screen SELECT * FROM users;
SELECT COUNT(*) AS n FROM users;
SQL
status "the script" 0 "$weir" run "$work/first.sql" --format jsonl
same "with jsonl, only rows go to standard output" "[2]" "$(cat "$work/out")"
contains "an INSERT tells what it wrote" "2 rows in 1 commit, snapshot 1, 1 file" "$(cat "$work/err")"
contains "print goes to standard error" "+I[1, Ada]" "$(cat "$work/err")"

cat >"$work/second.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
CREATE TEMPORARY TABLE screen (id BIGINT, name STRING) WITH ('connector' = 'print');
SET 'execution.runtime-mode' = 'batch';
INSERT INTO screen SELECT * FROM lake.\`default\`.users WHERE id = 2;
SQL
same "otherwise print goes to standard output" "+I[2, Bob]" "$("$weir" run --quiet "$work/second.sql" 2>"$work/err")"
same "quiet says nothing" "" "$(cat "$work/err")"

printf 'SELECT 1;\n\nSELECT 2,\n  1 / CAST(0 AS INT);\n' >"$work/third.sql"
status "what fails at run time" 1 "$weir" run "$work/third.sql"
contains "tells its statement" "third.sql: the statement at line 3: division by zero" "$(cat "$work/err")"

status "a small memory is enough for a small job" 0 "$weir" sql --memory 64MB --warehouse "$work/lake" \
    -e "SELECT name, COUNT(*) FROM users GROUP BY name"
mkdir "$work/it's"
same "a folder for temporary files may have any name" "1" \
    "$(TMPDIR="$work/it's" "$weir" sql --format csv -e "SELECT MAX(a) FROM (VALUES (1), (0)) AS t(a)" 2>&1 | tail -1)"

status "options of earlier versions are kept" 0 "$weir" sql --warehouse "$work/lake" \
    -e "CREATE TABLE old (a INT) WITH ('compaction.max.file-num' = '50'); ALTER TABLE old SET ('expire-execution.interval' = '1 h')"
same "a notice each" 2 "$(grep -c 'is an option of earlier versions' "$work/err")"
contains "what does its work today" "'compaction.max.file-num' is an option of earlier versions: it is kept and has no effect; today compactions begin at" \
    "$(cat "$work/err")"
contains "and of the other" "today old snapshots expire after each commit, as 'snapshot.time-retained'" "$(cat "$work/err")"
contains "the table has them" "compaction.max.file-num" \
    "$("$weir" sql --warehouse "$work/lake" --format csv -e "SHOW CREATE TABLE old")"

# Change events that move a row to another key: the old key's row goes, in batch as in streaming; also where a filter lets
# only the row before through.
mkdir "$work/moves"
cat >"$work/moves/a.json" <<EOT
{"op":"c","before":null,"after":{"k":3,"v":"a"}}
{"op":"c","before":null,"after":{"k":5,"v":"x"}}
{"op":"c","before":null,"after":{"k":6,"v":"x"}}
{"op":"u","before":{"k":3,"v":"a"},"after":{"k":4,"v":"b"}}
{"op":"u","before":{"k":5,"v":"x"},"after":{"k":5,"v":"y"}}
{"op":"u","before":{"k":6,"v":"x"},"after":{"k":6,"v":"gone"}}
EOT
for mode in batch streaming; do
    status "moving rows, $mode" 0 "$weir" sql --until-idle 0 --warehouse "$work/moved" -e "
        SET 'execution.runtime-mode' = '$mode';
        CREATE TABLE t_$mode (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '2');
        CREATE TEMPORARY TABLE s (k INT, v STRING) WITH ('connector' = 'filesystem', 'path' = '$work/moves', 'format' = 'debezium-json');
        INSERT INTO t_$mode SELECT * FROM s WHERE v <> 'gone'"
    same "moved rows, $mode" '[4,"b"]
[5,"y"]' "$("$weir" dump "$work/moved/default.db/t_$mode" --sort)"
done

# Texts of other encodings, as editors and shells of Windows write them: told, rather than run as noise.
for encoding in UTF-16 UTF-16LE UTF-16BE UTF-32 UTF-32LE; do
    echo "SELECT 1;" | iconv -f UTF-8 -t $encoding >"$work/encoded.sql"
    status "a script in $encoding" 1 "$weir" run "$work/encoded.sql"
    same "of $encoding is told" "weir: $work/encoded.sql: the text is ${encoding%[BL]E}; save it as UTF-8" "$(cat "$work/err")"
done
printf '\357\273\277SELECT 1;\r\nSELECT 2 -- two\r\n;' >"$work/windows.sql"
status "a script with a mark of UTF-8 and ends of lines of Windows" 0 "$weir" run "$work/windows.sql" --format jsonl
same "it ran whole" "[1]
[2]" "$(cat "$work/out")"
printf 'SELECT 1; -- one\rSELECT 2;\r' >"$work/mac.sql"
status "a script whose lines end in carriage returns" 0 "$weir" run "$work/mac.sql" --format jsonl
same "nothing of it is lost behind a comment" "[1]
[2]" "$(cat "$work/out")"

# What is kept of an earlier run, damaged: told where, and what helps.
cat >"$work/half.sql" <<SQL
CREATE CATALOG kept WITH ('type' = 'paimon', 'warehouse' = '$work/kept');
USE CATALOG kept;
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
SELECT nothing FROM t;
SQL
status "a script that fails in its middle" 1 "$weir" run "$work/half.sql"
sed -i '2s/^/x/' "$work/half.sql.weir/journal.jsonl"
status "a damaged journal" 1 "$weir" run "$work/half.sql"
contains "the line is told, and what to do" "journal.jsonl: line 2 is damaged; --fresh starts over without it" \
    "$(cat "$work/err")"
finish
