# A lookup join whose table another program changes while the job runs, and while it is down.
. tests/cli/lib.sh

batch() { "$weir" sql --quiet --warehouse "$work/lake" -e "SET 'execution.runtime-mode' = 'batch'; $1" 2>&1; }

batch "CREATE TABLE users (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1');
CREATE TABLE wide (n INT, id INT, name STRING);
INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob')"
mkdir "$work/in"
cat >"$work/wide.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TEMPORARY TABLE orders (n INT, id INT, p AS PROCTIME())
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'csv', 'source.monitor-interval' = '5 ms');
INSERT INTO wide SELECT o.n, o.id, u.name FROM orders AS o
LEFT JOIN users FOR SYSTEM_TIME AS OF o.p AS u ON o.id = u.id;
SQL

start() {
    "$weir" run --quiet "$work/wide.sql" 2>"$work/err" &
    process=$!
}
# order N ID: gives one, and waits until it is in the table.
order() {
    echo "$1,$2" >"$work/part"
    mv "$work/part" "$work/in/$1.csv"
    for look in $(seq 200); do
        "$weir" dump "$work/lake/default.db/wide" 2>/dev/null | grep -q "^\[$1," && return
        sleep 0.05
    done
    same "order $1 comes into the table" "" "$(cat "$work/err")it did not"
}

start
order 1 1
batch "INSERT INTO users VALUES (1, 'Eve'), (3, 'Lin')"
order 2 1
order 3 3
batch "DELETE FROM users WHERE id = 2"
order 4 2
batch "CALL sys.compact('default.users')" >/dev/null
order 5 1
kill -KILL $process
wait $process 2>/dev/null
batch "INSERT INTO users VALUES (1, 'Kim'), (2, 'Bea')"
start
order 6 1
order 7 2
kill -TERM $process
wait $process
same "a job that is stopped" 0 "$?"
same "each row met what the table held when it came, also after the table and the job have changed" \
    '[1,1,"Ada"]
[2,1,"Eve"]
[3,3,"Lin"]
[4,2,null]
[5,1,"Eve"]
[6,1,"Kim"]
[7,2,"Bea"]' "$("$weir" dump "$work/lake/default.db/wide" --sort)"
finish
