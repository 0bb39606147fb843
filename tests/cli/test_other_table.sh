# A job goes on from the table that it has read, and from no other of its name.
. tests/cli/lib.sh

rows() { "$weir" sql --warehouse "$work/lake" --format csv -e "SET 'execution.runtime-mode' = 'batch'; $1" 2>&1 | tail -n +2; }

refused() {
    status "$1" 1 "$weir" run "$2" --state "$work/state" --until-idle 0.1
    contains "$1: is refused" "can't go on from its state" "$(cat "$work/err")"
    contains "$1: with the difference" "$3" "$(cat "$work/err")"
    contains "$1: and a way out" "--fresh" "$(cat "$work/err")"
}

cat >"$work/sums.sql" <<SQL
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake');
USE CATALOG lake;
CREATE TABLE IF NOT EXISTS orders (id INT, amount INT, place ROW<city STRING, zip INT>, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('bucket' = '1', 'changelog-producer' = 'input');
CREATE TABLE IF NOT EXISTS sums (zip INT, total BIGINT, PRIMARY KEY (zip) NOT ENFORCED) WITH ('bucket' = '1');
INSERT INTO sums SELECT place.zip, SUM(amount) FROM orders GROUP BY place.zip;
SQL
go_on() { status "$1" 0 "$weir" run "$work/sums.sql" --state "$work/state" --until-idle 0.1 $2; }

go_on "the first run" ""
rows "INSERT INTO orders VALUES (1, 10, ROW('x', 7))"
go_on "rows" ""
same "are summed up" "7,10" "$(rows "SELECT * FROM sums")"
rows "ALTER TABLE orders ADD note STRING"
rows "INSERT INTO orders VALUES (2, 5, ROW('x', 7), 'n')"
go_on "a column that the job does not read" ""
contains "does not concern it" "goes on" "$(cat "$work/err")"
same "the job has gone on" "7,15" "$(rows "SELECT * FROM sums")"

rows "ALTER TABLE orders DROP amount"
rows "ALTER TABLE orders ADD amount INT"
refused "another column of a name" "$work/sums.sql" "amount INT #"
go_on "begun anew" --fresh

sed "s,$work/lake,$work/copy," "$work/sums.sql" >"$work/moved.sql"
cp -r "$work/lake" "$work/copy"
refused "another warehouse under the name" "$work/moved.sql" "$work/copy/default.db/orders'"

rows "DROP TABLE orders"
rows "CREATE TABLE orders (id INT, amount INT, place ROW<city STRING, zip INT>, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('bucket' = '1', 'changelog-producer' = 'input')"
refused "a table that was made anew" "$work/sums.sql" "made 20"
finish
