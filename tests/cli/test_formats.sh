# Formats of results, each to the last byte.
. tests/cli/lib.sh

query="SELECT * FROM (VALUES (1, 'Ada', CAST(1.50 AS DECIMAL(6, 2)), TRUE), (22, CAST(NULL AS STRING), CAST(NULL AS DECIMAL(6, 2)), FALSE), (333, 'Bob \"x\", y', 0.25, TRUE)) AS t (id, \`the name\`, d, b) ORDER BY id"

"$weir" sql -e "$query" >"$work/table" 2>"$work/err"
cat >"$work/expected" <<'TEXT'
┌─────┬────────────┬────────┬───────┐
│  id │ the name   │      d │ b     │
├─────┼────────────┼────────┼───────┤
│   1 │ Ada        │   1.50 │ TRUE  │
│  22 │ <NULL>     │ <NULL> │ FALSE │
│ 333 │ Bob "x", y │   0.25 │ TRUE  │
└─────┴────────────┴────────┴───────┘
TEXT
same_file "table" "$work/expected" "$work/table"
same "a query says nothing on standard error when that is no terminal" "" "$(cat "$work/err")"

"$weir" sql --format csv -e "$query" >"$work/csv"
cat >"$work/expected" <<'TEXT'
id,the name,d,b
1,Ada,1.50,TRUE
22,,,FALSE
333,"Bob ""x"", y",0.25,TRUE
TEXT
same_file "csv" "$work/expected" "$work/csv"

"$weir" sql --format json -e "$query" >"$work/json"
cat >"$work/expected" <<'TEXT'
[
{"id":1,"the name":"Ada","d":"1.50","b":true},
{"id":22,"the name":null,"d":null,"b":false},
{"id":333,"the name":"Bob \"x\", y","d":"0.25","b":true}
]
TEXT
same_file "json" "$work/expected" "$work/json"
same "json of no rows" "[]" "$("$weir" sql --format json -e "SELECT 1 WHERE 1 = 2")"

"$weir" sql --format jsonl -e "$query" >"$work/jsonl"
cat >"$work/expected" <<'TEXT'
[1,"Ada","1.50",true]
[22,null,null,false]
[333,"Bob \"x\", y","0.25",true]
TEXT
same_file "jsonl" "$work/expected" "$work/jsonl"

same "vertical" "── row 1 ──
id: 1
 n: Ada
── row 2 ──
id: 22
 n: <NULL>" "$("$weir" sql --format vertical \
    -e "SELECT * FROM (VALUES (1, 'Ada'), (22, CAST(NULL AS STRING))) AS t (id, n)")"

same "what would control a terminal is shown" "│ a\\x1b[31mb\\x9b\\u202e │" \
    "$("$weir" sql -e "SELECT U&'a\\001b[31mb\\009b\\202e' AS x" | grep a)"

same "wide characters keep the columns straight" "┌──────┐
│ w    │
├──────┤
│ 湖仓 │
│ a\\nb │
└──────┘" "$("$weir" sql -e "SELECT * FROM (VALUES ('湖仓'), ('a
b')) AS t (w)")"

same "several statements, from standard input" "[1]
[2]" "$(echo 'SELECT 1; SELECT 2;' | "$weir" sql --format jsonl)"
same "several -e" "[1]
[2]" "$("$weir" sql --format=jsonl -e 'SELECT 1' -e 'SELECT 2')"

# Results to a file.
"$weir" sql --format csv --output "$work/results" -e 'SELECT 1 AS a' -e 'SELECT 2 AS a' >"$work/out"
same "nothing on standard output" "" "$(cat "$work/out")"
same "all in the file" "a
1
a
2" "$(cat "$work/results")"

# The zone of the session is for people; jsonl is always UTC.
zoned="SET 'table.local-time-zone' = 'Asia/Shanghai'; SELECT CAST(TIMESTAMP '2024-01-01 08:00:00.5' AS TIMESTAMP_LTZ(1)) AS t"
same "a zoned time in csv" "t
2024-01-01 08:00:00.5" "$("$weir" sql --format csv -e "$zoned")"
same "a zoned time in jsonl" '["2024-01-01 00:00:00.5Z"]' "$("$weir" sql --format jsonl -e "$zoned")"

# A value of several lines is a value, and rows follow it; a plan is a page of lines, in both layouts.
"$weir" sql --warehouse "$work/pages" -e "CREATE TABLE texts (x STRING)" -e "INSERT INTO texts VALUES ('a
b')" -e "INSERT INTO texts VALUES ('c')" 2>"$work/err"
"$weir" sql --warehouse "$work/pages" --threads 1 -e "SELECT * FROM texts" >"$work/lines"
same "all rows are there after one of several lines" "│ a\\nb │
│ c    │" "$(grep '[abc] ' "$work/lines" | sort)"
for format in table vertical; do
    same "a plan in $format" "== Plan ==
Values of 1 row" "$("$weir" sql --format $format -e "EXPLAIN SELECT 1")"
done

# Widths of columns are those of the first rows; what comes later is wider then, and not cut in a file.
"$weir" sql -e "CREATE TEMPORARY TABLE numbers (i INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1200',
    'fields.i.kind' = 'sequence', 'fields.i.start' = '1', 'fields.i.end' = '1200');
SELECT i, CASE WHEN i = 1150 THEN 'a text that nobody may cut' ELSE 'x' END FROM numbers" >"$work/long"
same "a wide value after many rows" "│ 1150 │ a text that nobody may cut │" "$(grep ' 1150 ' "$work/long")"

# What print sinks print stands among rows for people, and not among those for programs.
printing="CREATE TEMPORARY TABLE screen (a INT) WITH ('connector' = 'print')"
for format in table vertical csv json jsonl; do
    "$weir" sql --format $format -e "$printing; INSERT INTO screen VALUES (7)" >"$work/out" 2>"$work/err"
    case $format in table | vertical) place="$work/out" ;; *) place="$work/err" ;; esac
    same "a printed row with $format" 1 "$(grep -c '+I\[7\]' "$place")"
    same "once, with $format" 1 "$(cat "$work/out" "$work/err" | grep -c '+I\[7\]')"
done
finish
