# Windows of time over a primary-key table: its snapshots hold rows in the order of keys and buckets, none of which makes
# another one late; the windows that close are those of a batch query, also when a run goes on from another one.
. tests/cli/lib.sh

catalog="CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '$work/lake'); USE CATALOG lake;"
sql() { "$weir" sql --quiet --format csv -e "$catalog SET 'execution.runtime-mode' = 'batch'; $1" 2>&1; }
# add FROM TO: a row every 7 seconds, by number
add() {
    sql "CREATE TEMPORARY TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '$(($2 - $1 + 1))',
        'fields.n.kind' = 'sequence', 'fields.n.start' = '$1', 'fields.n.end' = '$2');
        INSERT INTO orders SELECT CONCAT('o', CAST(n AS STRING)), n, TIMESTAMPADD(SECOND, CAST(n AS INT) * 7, TIMESTAMP '2024-01-01 00:00:00') FROM numbers"
}
sql "CREATE TABLE orders (id STRING, amount BIGINT, at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '5' SECOND,
    PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '4', 'changelog-producer' = 'input')"
cat >"$work/windows.sql" <<SQL
$catalog
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TEMPORARY TABLE screen (begins TIMESTAMP(3), amount BIGINT) WITH ('connector' = 'print');
INSERT INTO screen SELECT TUMBLE_START(at, INTERVAL '1' MINUTE), SUM(amount) FROM orders GROUP BY TUMBLE(at, INTERVAL '1' MINUTE);
SQL
windows() { "$weir" run --quiet --until-idle 1 --timeout 120 "$work/windows.sql" 2>&1 | LC_ALL=C sort; }
# closed FROM TO: what batch makes of the windows from this minute up to that
closed() {
    sql "SELECT CONCAT('+I[', DATE_FORMAT(b, 'yyyy-MM-dd''T''HH:mm'), ', ', CAST(s AS STRING), ']') AS w FROM (
        SELECT TUMBLE_START(at, INTERVAL '1' MINUTE) AS b, SUM(amount) AS s FROM orders GROUP BY TUMBLE(at, INTERVAL '1' MINUTE))
        WHERE b >= TIMESTAMP '2024-01-01 $1:00' AND b < TIMESTAMP '2024-01-01 $2:00' ORDER BY w" | tail -n +2 | tr -d '"'
}

add 0 299
same "the first snapshot" "$(closed 00:00 00:34)" "$(windows)"
same "so many windows" 34 "$(closed 00:00 00:34 | wc -l)"
add 300 399
add 400 420
same "further snapshots, in another run" "$(closed 00:34 00:48)" "$(windows)"
add 100 100
add 421 430
same "a row of a snapshot before is late" "$(closed 00:48 00:50)" "$(windows)"
finish
