#!/usr/bin/env bash
# TPC-H by Weir beside DuckDB: DuckDB's generator makes the rows, Weir writes them into Paimon tables with primary keys,
# and both answer the 22 queries, Weir in Flink's dialect (queries/), DuckDB the standard ones on its own Parquet files.
#
#   bench/tpch/run.sh BUILD_DIR FOLDER [SCALE [RUNS]]
#
#   FOLDER  where data and tables go; made, and left to the caller to remove
#   SCALE   1 is a gigabyte of text (default 0.1)
#   RUNS    of each query; the median counts (default 3). 0: only the answers are compared
#
# Prints a line of JSON for each query and program (CPU and wall seconds of the process), and fails where an answer is
# not DuckDB's. Exits with 77 where DuckDB's archives lack its generator.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?"usage: bench/tpch/run.sh BUILD_DIR FOLDER [SCALE [RUNS]]"}" && pwd)
mkdir -p "${2:?"a folder for the data"}"
folder=$(cd "$2" && pwd)
scale=${3:-0.1} runs=${4:-3}

rm -rf "$folder/warehouse"
[ -x "$build/duckdb-tpch" ] || { echo "tpch: skipped: DuckDB's archives lack the generator" >&2; exit 77; }
use="CREATE CATALOG tpch WITH ('type' = 'paimon', 'warehouse' = '$folder/warehouse');
USE CATALOG tpch;
SET 'execution.runtime-mode' = 'batch';"

# --- the data ---------------------------------------------------------------------------------------------------------

"$build/duckdb-tpch" generate "$folder" "$scale"
{
    echo "$use"
    cat "$here/tables.sql"
    awk -v folder="$folder" '
        /^CREATE TABLE/ { name = $3; columns = ""; next }
        /PRIMARY KEY/ {
            sub(/,[ \n]*$/, "", columns)
            printf "CREATE TEMPORARY TABLE %s_rows (%s) WITH (\n", name, columns
            printf "    \047connector\047 = \047filesystem\047, \047path\047 = \047%s/csv/%s.csv\047,\n", folder, name
            printf "    \047format\047 = \047csv\047, \047csv.field-delimiter\047 = \047|\047);\n"
            printf "INSERT INTO %s SELECT * FROM %s_rows;\n", name, name
            next
        }
        /^    / { columns = columns $0 "\n" }' "$here/tables.sql"
} >"$folder/load.sql"
"$build/weir" sql --quiet -f "$folder/load.sql" >/dev/null
rm -r "$folder/csv"

# --- the answers ------------------------------------------------------------------------------------------------------

weir() { "$build/weir" sql --quiet --format jsonl -e "$use $(cat "$here/queries/q$1.sql")"; }
duckdb() { "$build/duckdb-tpch" query "$folder" "$1"; }

# Numbers may differ in what Flink's types round away: AVG and quotients of decimals have six digits, DuckDB's are floats.
same_answer() { # QUERY FILE FILE
    awk -F , -v number="$1" '
        function is_number(text) { return text ~ /^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/ }
        function differ(why) { printf "tpch: query %s: %s\n  Weir   %s\n  DuckDB %s\n", number, why, mine, theirs > "/dev/stderr"; exit 1 }
        { gsub(/^\[|\]$/, ""); gsub(/"/, "") }
        NR == FNR { rows[NR] = $0; next }
        {
            mine = $0; theirs = rows[FNR]
            if (split(theirs, other, ",") != NF) differ("another number of columns")
            for (i = 1; i <= NF; i++) {
                gap = $i - other[i]
                close_to = is_number($i) && is_number(other[i]) && gap ^ 2 <= (1e-6 + (other[i] * 1e-9) ^ 2 ^ 0.5) ^ 2
                if ($i "" != other[i] "" && !close_to) differ("column " i " differs in row " FNR)
            }
        }' "$3" "$2"
}

for i in $(seq -w 1 22); do
    weir "$i" >"$folder/weir-$i.txt"
    duckdb "$i" >"$folder/duckdb-$i.txt"
    [ "$(wc -l <"$folder/weir-$i.txt")" = "$(wc -l <"$folder/duckdb-$i.txt")" ] ||
        { echo "tpch: query $i: another number of rows than DuckDB's" >&2; exit 1; }
    same_answer "$i" "$folder/weir-$i.txt" "$folder/duckdb-$i.txt"
done
echo "    the same answers: 22 queries of TPC-H at scale $scale" >&2

# --- the time ---------------------------------------------------------------------------------------------------------

# measure PROGRAM QUERY: the median of its runs
measure() {
    local TIMEFORMAT='%U %S %R' i
    for ((i = 0; i < runs; i++)); do
        { time "$1" "$2" >/dev/null; } 2>&1
    done | awk '{ print $1 + $2, $3 }' | sort -n | awk -v program="$1" -v query="$2" '
        { cpu[NR] = $1; wall[NR] = $2 }
        END {
            middle = int((NR + 1) / 2)
            printf "{\"program\":\"%s\",\"work\":\"tpch-%s\",\"cpuSeconds\":%.3f,\"wallSeconds\":%.3f}\n",
                program, query, cpu[middle], wall[middle]
        }'
}

[ "$runs" -gt 0 ] || exit 0
for i in $(seq -w 1 22); do
    measure weir "$i"
    measure duckdb "$i"
done
