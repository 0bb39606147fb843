# Jobs of weir run: going on after kill -9 at any moment, a changed query, --fresh, chains ended by --until-idle, signals,
# a second process.
. tests/cli/lib.sh

rows() { "$weir" sql --warehouse "$work/lake" --format csv -e "$1" 2>&1 | tail -n +2; }

# Three jobs in a row over files that are followed, beside INSERTs that end.
mkdir "$work/in"
cat >"$work/chain.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TEMPORARY TABLE arriving (id INT, amount INT) WITH ('connector' = 'filesystem', 'path' = '$work/in',
    'format' = 'csv', 'source.monitor-interval' = '50 ms');
CREATE TABLE done (k INT, n INT);
CREATE TABLE orders (id INT, amount INT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('bucket' = '1', 'changelog-producer' = 'input', 'continuous.discovery-interval' = '50 ms');
CREATE TABLE doubled (id INT, amount INT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('bucket' = '1', 'changelog-producer' = 'input', 'continuous.discovery-interval' = '50 ms');
CREATE TABLE sums (k INT, total BIGINT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');
INSERT INTO done VALUES (1, 1), (1, 2);
INSERT INTO orders SELECT id, amount FROM arriving;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO done SELECT k + 1, n FROM done;
SET 'execution.runtime-mode' = 'streaming';
INSERT INTO doubled SELECT id, amount * 2 FROM orders;
INSERT INTO sums SELECT id / 100, SUM(amount), COUNT(*) FROM doubled GROUP BY id / 100;
SQL
seq 0 99 | sed 's/$/,1/' >"$work/in/first.csv"

# Killed again and again, while files arrive.
for round in 1 2 3 4 5 6 7 8; do
    "$weir" run "$work/chain.sql" >"$work/out" 2>"$work/err" &
    process=$!
    sleep "0.$(((round * 7919 + 13) % 9))$round"
    seq $((round * 100)) $((round * 100 + 99)) | sed 's/$/,1/' >"$work/part"
    mv "$work/part" "$work/in/part-$round.csv"
    sleep 0.1
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
done
status "the run that comes to its end" 0 "$weir" run "$work/chain.sql" --until-idle 0.5
same "rows that were inserted by statements are there once" "1,2;2,2;" \
    "$(rows "SELECT k, COUNT(*) FROM done GROUP BY k ORDER BY k" | tr '\n' ';')"
same "all rows went through the chain, once" "9,1800,900" \
    "$(rows "SELECT COUNT(*), SUM(total), SUM(n) FROM sums")"
contains "a table at the end tells of the jobs" "commits  checkpoints" "$(cat "$work/err")"
contains "the log tells of them, too" "goes on" "$(cat "$work/chain.sql.weir/log/weir.log")"

# After its end statements begin anew, and jobs go on.
seq 900 999 | sed 's/$/,1/' >"$work/in/last.csv"
status "the next run" 0 "$weir" run "$work/chain.sql" --until-idle 0.5
same "jobs have gone on" "10,2000,1000" "$(rows "SELECT COUNT(*), SUM(total), SUM(n) FROM sums")"
same "statements were run again" "12" "$(rows "SELECT COUNT(*) FROM done")"

# A query that has changed.
sed 's/amount \* 2/amount * 3/' "$work/chain.sql" >"$work/changed.sql"
status "a changed query" 1 "$weir" run "$work/changed.sql" --state "$work/chain.sql.weir" --until-idle 0.1
contains "is refused by its job" "can't go on from its state" "$(cat "$work/err")"
contains "with a way out" "--fresh" "$(cat "$work/err")"
contains "and what has changed" "multiply(\$1, 3" "$(cat "$work/err")"

# Files of another folder are not those that were read.
mkdir "$work/in2"
echo 1,1 >"$work/in2/last.csv"
sed "s,'$work/in','$work/in2'," "$work/chain.sql" >"$work/changed.sql"
status "a changed folder" 1 "$weir" run "$work/changed.sql" --state "$work/chain.sql.weir" --until-idle 0.1
contains "is refused by its job" "can't go on from its state" "$(cat "$work/err")"
contains "and named" "$work/in2'" "$(cat "$work/err")"

# A column that a table has got does not concern a job that names the others.
cat >"$work/named.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
CREATE TABLE IF NOT EXISTS named (k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');
INSERT INTO named (k, n) SELECT k, COUNT(*) FROM sums GROUP BY k;
SQL
status "columns by name" 0 "$weir" run "$work/named.sql" --until-idle 0.5
rows "ALTER TABLE named ADD more STRING"
status "with another column in the table" 0 "$weir" run "$work/named.sql" --until-idle 0.5
contains "the job goes on" "goes on" "$(cat "$work/err")"
same "with NULL in the column" "$(rows "SELECT COUNT(*) FROM sums"),0" "$(rows "SELECT COUNT(*), COUNT(more) FROM named")"

# Statements that are done are not to change.
cat >"$work/half.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
INSERT INTO lake.\`default\`.done VALUES (9, 1);
SELECT 1 / (n - n) FROM (VALUES (1)) AS t(n);
SQL
status "a script that fails" 1 "$weir" run "$work/half.sql"
sed 's/1 \/ (n - n)/1/' "$work/half.sql" >"$work/half.sql.new"
sed 's/(9, 1)/(9, 2)/' "$work/half.sql.new" >"$work/half.sql"
status "a statement that was done, changed" 1 "$weir" run "$work/half.sql"
contains "is refused" "another statement stood here" "$(cat "$work/err")"
cp "$work/half.sql.new" "$work/half.sql"
status "the script, repaired" 0 "$weir" run "$work/half.sql"
same "what was done was not done again" "1" "$(rows "SELECT COUNT(*) FROM done WHERE k = 9")"
[ ! -e "$work/half.sql.weir" ] || same "nothing to go on from, no folder" "" "$(find "$work/half.sql.weir")"

# Signals, a timeout, a second process.
cat >"$work/endless.sql" <<SQL
CREATE TEMPORARY TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '200');
CREATE TEMPORARY TABLE hole (n INT) WITH ('connector' = 'blackhole');
INSERT INTO hole SELECT n FROM ticks;
SQL
for signal in TERM INT HUP; do
    : >"$work/err" # or what the last one has said may be found in it
    env --default-signal=HUP "$weir" run "$work/endless.sql" >"$work/out" 2>"$work/err" &
    process=$!
    until grep -q "runs\|goes on" "$work/err" 2>/dev/null; do sleep 0.05; done
    status "a second process over the same state" 1 "$weir" run "$work/endless.sql"
    contains "is told who has it" "process $process runs over the state" "$(cat "$work/err")"
    kill -$signal $process # twice, as timeout(1) does: once to the program, and once to its process group
    sleep 0.02
    kill -$signal $process 2>/dev/null
    wait $process
    same "a job that $signal stops is in good order" 0 "$?"
    contains "and says what it has done" "STOPPED" "$(cat "$work/out" "$work/err")"
done
status "out of time" 124 "$weir" run "$work/endless.sql" --timeout 0.3
status "out of time in a statement" 124 "$weir" sql --timeout 0.3 -e "CREATE TEMPORARY TABLE t (n INT) WITH ('connector' = 'datagen',
    'number-of-rows' = '1000000000000'); SELECT SUM(n) FROM t"
status "anew" 124 "$weir" run "$work/endless.sql" --fresh --timeout 0.2
contains "a job that began anew" "runs" "$(cat "$work/err")"
finish
