# weir dump: rows, earlier snapshots, changes and streams.
. tests/cli/lib.sh

"$weir" sql --quiet --warehouse "$work/lake" -e "
SET 'execution.runtime-mode' = 'batch';
CREATE TABLE t (k INT, v STRING, d DECIMAL(5, 2), PRIMARY KEY (k) NOT ENFORCED)
WITH ('bucket' = '1', 'changelog-producer' = 'input', 'write-only' = 'true');
INSERT INTO t VALUES (2, 'b', 2), (1, 'a', 1.5);
INSERT INTO t VALUES (2, 'B', CAST(NULL AS DECIMAL(5, 2)));
DELETE FROM t WHERE k = 1" || failures=1
table=$work/lake/default.db/t

same "the latest rows" '[2,"B",null]' "$("$weir" dump "$table")"
same "an earlier snapshot, sorted" '[1,"a","1.50"]
[2,"b","2.00"]' "$("$weir" dump "$table" --snapshot 1 --sort)"
same "columns, in the order asked for" '["B",2]' "$("$weir" dump "$table" --columns v,k)"
same "the changes between two snapshots" '["+I",2,"B",null]
["-D",1,"a","1.50"]' "$("$weir" dump "$table" --changelog 1 3 --sort)"
same "a stream with snapshots" '[1,"+I",1,"a","1.50"]
[1,"+I",2,"b","2.00"]
[2,"+I",2,"B",null]
[3,"-D",1,"a","1.50"]' "$("$weir" dump "$table" --stream 1 - --with-snapshot --sort)"
same "an option" '[1,"a","1.50"]
[2,"b","2.00"]' "$("$weir" dump "$table" --option scan.snapshot-id=1 --sort)"
status "a column that is not there" 1 "$weir" dump "$table" --columns nope
contains "it is named" "no column 'nope'" "$(cat "$work/err")"
status "a warehouse is no table" 1 "$weir" dump "$work/lake"
contains "its databases are named" "$work/lake: no table here, but below it: default.db/TABLE" "$(cat "$work/err")"
status "a database is no table" 1 "$weir" dump "$work/lake/default.db"
contains "its tables are named" "no table here, but below it: t" "$(cat "$work/err")"
status "an unknown option of the table" 1 "$weir" dump "$table" --option scan.snapshot-ld=1
contains "a near one is suggested" "scan.snapshot-id" "$(cat "$work/err")"

# Tables that another implementation wrote.
golden=${WEIR_SHARED:-../shared}/golden
if [ -d "$golden" ]; then
    for name in pk-b4-full-l0 types-parquet-pk nested-avro-append evo-parquet-pk tags; do
        "$weir" dump "$golden/$name/table" --sort >"$work/rows"
        same_file "rows of $name" "$golden/$name/expected.jsonl" "$work/rows"
    done
    "$weir" dump "$golden/cl-lookup/table" --stream 1 - --with-snapshot --sort >"$work/rows"
    same_file "the stream of cl-lookup" "$golden/cl-lookup/changelog.jsonl" "$work/rows"
else
    echo "skipped: no $golden"
fi
finish
