#!/usr/bin/env bash
# Measures writing, reading and compacting, and prints a table, with Java Paimon and paimon-rust beside Weir in the same
# run where they can be found.
#
#   bench/run.sh BUILD_DIR [--quick]
#
#   --quick             a tenth of the rows, everything once
#   WEIR_SHARED         a folder with peer/peer, which runs Java Paimon, and services/kafka.sh, which runs a broker (default:
#                       ../shared); without it only Weir is measured
#   WEIR_BENCH_PYTHON   a Python that has pypaimon-rust, for peer/rust/bench.py (default: python3); likewise
#   WEIR_BENCH_DIR      where the tables lie (default: tmp/bench); removed at the end
#
# Figures are CPU seconds of the process, all threads: the median of Weir's runs, the last of a peer's. Each becomes a line
# of JSON in tmp/bench.jsonl. Everybody's tables are read by everybody: where a checksum differs, the run fails.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(cd "${1:?"usage: bench/run.sh BUILD_DIR [--quick]"}" && pwd)
peer=${WEIR_SHARED:-../shared}/peer
services=${WEIR_SHARED:-../shared}/services
python=${WEIR_BENCH_PYTHON:-python3}
figures=tmp/bench.jsonl

rows=5000000 commits=50 keys=2000000 runs=3 memory_rows=20000000 plan_files=100000 tpch_scale=0.1
stream_rows=2000000 latency_seconds=20
if [ "${2:-}" = --quick ]; then
    rows=500000 keys=200000 runs=1 memory_rows=2000000 plan_files=10000 tpch_scale=0.01
    stream_rows=200000 latency_seconds=5
fi
size=(--rows "$rows" --commits "$commits" --keys "$keys")

[ -x "$build/weir-bench" ] || { echo "bench: no $build/weir-bench: run make build" >&2; exit 1; }
mkdir -p tmp "${WEIR_BENCH_DIR:-tmp/bench}"
tables=$(cd "${WEIR_BENCH_DIR:-tmp/bench}" && pwd)
db=$tables/db.db
rm -rf "$db"
trap 'rm -rf "$tables"' EXIT
: >"$figures"

# --- figures ----------------------------------------------------------------------------------------------------------

# record PROGRAM WORK: adds the JSON lines of standard input to the figures, and passes them on.
record() { sed "s/^{/{\"program\":\"$1\",\"work\":\"$2\",/" | tee -a "$figures"; }

weir() { local work=$1; shift; "$build/weir-bench" "$@" | record weir "$work"; }
java() { local work=$1; shift; "$peer/peer" bench "$@" | record java "$work"; }
rust() { local work=$1; shift; "$python" "$peer/rust/bench.py" "$@" | record rust "$work"; }

# weir_sql WORK STATEMENTS: the process as a whole; its output goes to $tables/output.
weir_sql() {
    local times TIMEFORMAT='%U %S %R'
    times=$({ time "$build/weir" sql --quiet --format jsonl -e "$2" >"$tables/output"; } 2>&1)
    awk '{ printf "{\"cpuSeconds\":%.3f,\"wallSeconds\":%.3f}\n", $1 + $2, $3 }' <<<"$times" | record weir "$1"
}

# field NAME: its values, a line each, in the JSON lines of standard input.
field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# figure PROGRAM WORK FIELD: Weir's median, a peer's last; nothing where it was not measured.
figure() {
    local values
    values=$(grep "^{\"program\":\"$1\",\"work\":\"$2\"," "$figures" | field "$3" || true)
    if [ "$1" = weir ]; then
        sort -n <<<"$values" | awk '{ value[NR] = $0 } END { print value[int((NR + 1) / 2)] }'
    else
        tail -n 1 <<<"$values"
    fi
}

# --- checksums --------------------------------------------------------------------------------------------------------

checksums=(rows sumK sumC1 sumC2 nullC2 sumC5 bytesC6C7 trueC8 sumC9 sumC10)
expected="" expected_from=""

differ() {
    echo "bench: CHECKSUMS DIFFER: $1 is $2 in $3, but $4 in $expected_from" >&2
    exit 1
}

# check NAME COMMAND...: every scan gives what the first one gave; a scan that fails ends the run. What a line does not
# tell is not compared; sums of floating-point numbers depend on the order of the rows in their last digits.
check() {
    local lines line sum want got
    lines=$("${@:2}") || { echo "bench: FAILED: $1" >&2; exit 1; }
    [ -n "$(field rows <<<"$lines")" ] || { echo "bench: FAILED: $1: no rows were counted" >&2; exit 1; }
    while read -r line; do
        [ -n "$expected" ] || { expected=$line expected_from=$1; }
        for sum in "${checksums[@]}"; do
            want=$(field "$sum" <<<"$expected") got=$(field "$sum" <<<"$line")
            [ -z "$got" ] || [ "$want" = "$got" ] || differ "$sum" "$got" "$1" "$want"
        done
        for sum in sumC3 sumC4; do
            want=$(field "$sum" <<<"$expected") got=$(field "$sum" <<<"$line")
            awk -v a="$want" -v b="${got:-$want}" 'BEGIN { exit !((a - b) ^ 2 <= a ^ 2 * 1e-14) }' ||
                differ "$sum" "$got" "$1" "$want"
        done
    done <<<"$lines"
    echo "    the same rows: $1" >&2
}

# --- the work ---------------------------------------------------------------------------------------------------------

step() { echo "$*" >&2; }

measure_weir() {
    local i
    step "Weir: writing"
    for ((i = 0; i < runs; i++)); do
        weir write-only write "$db/weir" "${size[@]}" --option write-only=true >/dev/null
        weir write-default write "$db/weir_default" "${size[@]}" >/dev/null
    done
    weir rewrites rewrites "$db/weir_default" >/dev/null
    step "Weir: scanning and compacting"
    check "Weir's runs by Weir" weir scan-runs scan "$db/weir" --repeat $((runs + 2))
    check "Weir's table compacted while written, by Weir" weir scan-default scan "$db/weir_default" --repeat 1
    for ((i = 0; i < runs; i++)); do
        rm -rf "$db/weir_compacted"
        cp -r "$db/weir" "$db/weir_compacted"
        weir compact compact "$db/weir_compacted" >/dev/null
    done
    check "Weir's compacted table by Weir" weir scan-compacted scan "$db/weir_compacted" --repeat $((runs + 2))
}

# Single rows by key: all that have measured find the same rows.
measure_lookups() {
    step "Weir: looking up"
    weir lookup lookup "$db/weir_default" --repeat 2 --keys "$keys" >/dev/null
    weir lookup-64 lookup "$db/weir_default" --repeat 2 --keys "$keys" --readers 64 --rate 20000 --lookups 100000 >/dev/null
    [ ! -x "$peer/peer" ] || java lookup lookup "$db/weir_default" --repeat 2 --keys "$keys" >/dev/null
    # The first run makes the lookup files, the second one finds them: two figures.
    sed -i -E 's/"work":"lookup",(.*"run":([0-9]+))/"work":"lookup-run-\2",\1/' "$figures"
    [ -x "$peer/peer" ] || return 0
    local found
    for found in found sumC1; do
        [ "$(grep '"weir","work":"lookup-run' "$figures" | field "$found")" = "$(grep '"java","work":"lookup-run' "$figures" | field "$found")" ] ||
            differ "$found" "another one in Java's lookups" "" ""
    done
    step "    the same rows: lookups by Weir and Java"
}

measure_sql() {
    local i want=""
    for sum in rows sumK sumC1 sumC2; do want+="$(field "$sum" <<<"$expected"),"; done
    step "Weir: through SQL"
    for ((i = 0; i < runs + 2; i++)); do
        weir_sql select-1 "SELECT 1" >/dev/null
        weir_sql scan-sql "
            CREATE CATALOG bench WITH ('type' = 'paimon', 'warehouse' = '$tables');
            SELECT COUNT(*), SUM(k), SUM(CAST(c1 AS BIGINT)), SUM(c2), SUM(c3), SUM(c4), SUM(c5),
                   SUM(CHAR_LENGTH(c6) + CHAR_LENGTH(c7)), COUNT(c8), MAX(c9), MAX(c10)
            FROM bench.db.weir_compacted" >/dev/null
        grep -qF "[$want" "$tables/output" ||
            differ "the row of sums" "$(cat "$tables/output")" "Weir's compacted table by weir sql" "$want"
    done
    step "    the same rows: Weir's compacted table by weir sql"
}

# TPC-H beside DuckDB: figures of the programs weir and duckdb, tpch-01 to tpch-22; an answer that differs fails the run.
measure_tpch() {
    step "TPC-H at scale $tpch_scale"
    local status=0
    "$(dirname "$0")/tpch/run.sh" "$build" "$tables/tpch" "$tpch_scale" "$runs" >"$tables/figures" || status=$?
    [ "$status" = 77 ] || [ "$status" = 0 ] || exit "$status"
    cat "$tables/figures" >>"$figures"
    rm -rf "$tables/tpch"
}

# Continuous queries, beside Flink where the peer is found, and how long rows take to become visible; bench/stream.
measure_streams() {
    step "Streams: the same queries over $stream_rows CSV rows, and upserts"
    python3 bench/stream/throughput.py "$build/weir" --rows "$stream_rows" --repeat "$runs" --peer "$peer/peer" \
        | tee "$tables/figures" >&2
    cat "$tables/figures" >>"$figures"
    step "Streams: from a row in a file to the row in tables, $latency_seconds s"
    python3 bench/stream/latency.py "$build/weir" --seconds "$latency_seconds" | tee "$tables/figures" >&2
    cat "$tables/figures" >>"$figures"
}

# A real broker, where the test data beside the project has one; bench/stream/kafka.py.
measure_kafka() {
    step "Kafka: $stream_rows rows into a topic, and from there into a table with lookup changelog; messages one by one"
    python3 bench/stream/kafka.py "$build/weir" "$services" --rows "$stream_rows" --seconds "$latency_seconds" | tee "$tables/figures" >&2
    cat "$tables/figures" >>"$figures"
}

measure_java() {
    step "Java: writing, scanning and compacting"
    java write-only write "$db/java" "${size[@]}" --option write-only=true >/dev/null
    java write-default write "$db/java_default" "${size[@]}" >/dev/null
    weir java-rewrites rewrites "$db/java_default" >/dev/null
    check "Java's runs by Java" java scan-runs scan "$db/java" --repeat 3
    check "Java's runs by Weir" weir scan-java-runs scan "$db/java" --repeat 1
    check "Weir's runs by Java" java scan-weir-runs scan "$db/weir" --repeat 1
    check "Java's table compacted while written, by Weir" weir scan-java-default scan "$db/java_default" --repeat 1
    check "Weir's table compacted while written, by Java" java scan-weir-default scan "$db/weir_default" --repeat 1
    java compact compact "$db/java" >/dev/null
    check "Java's compacted table by Java" java scan-compacted scan "$db/java" --repeat 3
    check "Java's compacted table by Weir" weir scan-java-compacted scan "$db/java" --repeat 1
    check "Weir's compacted table by Java" java scan-weir-compacted scan "$db/weir_compacted" --repeat 1
}

measure_rust() {
    step "paimon-rust: writing and scanning"
    rust write-only write "$db/rust" "${size[@]}" --bucket 1 >/dev/null
    check "paimon-rust's runs by paimon-rust" rust scan-runs scan "$db/rust" --repeat 3
    check "paimon-rust's runs by Weir" weir scan-rust-runs scan "$db/rust" --repeat 1
    check "Weir's runs by paimon-rust" rust scan-weir-runs scan "$db/weir" --repeat 1
}

measure_limits() {
    step "Weir: $memory_rows rows with --memory 256MB"
    rm -rf "$db"
    local limited=(--rows "$memory_rows" --commits 20 --keys $((memory_rows / 5 * 2)) --memory 256MB)
    weir write-256mb write "$db/memory" "${limited[@]}" >/dev/null
    weir scan-256mb scan "$db/memory" --memory 256MB --repeat 1 >/dev/null
    weir compact-256mb compact "$db/memory" --memory 256MB >/dev/null
    rm -rf "$db"
    step "Weir: planning $plan_files files"
    weir plan plan "$db/plan" --files "$plan_files" --repeat 5 >/dev/null
}

measure_weir
measure_lookups
[ ! -x "$build/weir" ] || measure_sql
[ ! -x "$build/weir" ] || measure_tpch
[ ! -x "$build/weir" ] || measure_streams
if [ -x "$services/kafka.sh" ]; then measure_kafka; else step "Kafka: skipped: no $services/kafka.sh"; fi
if [ ! -x "$peer/peer" ]; then
    step "Java, paimon-rust: skipped: no $peer/peer"
else
    measure_java
    if "$python" -c 'import pypaimon_rust, pyarrow, numpy' 2>/dev/null; then
        measure_rust
    else
        step "paimon-rust: skipped: $python has no pypaimon_rust"
    fi
fi
measure_limits

# --- the table --------------------------------------------------------------------------------------------------------

# row TEXT WORK GOAL: the goals are for the full size
row() {
    awk -v text="$1" -v goal="${3:-}" -v weir="$(figure weir "$2" cpuSeconds)" -v java="$(figure java "$2" cpuSeconds)" \
        -v rust="$(figure rust "$2" cpuSeconds)" -v wall="$(figure weir "$2" wallSeconds)" \
        -v java_wall="$(figure java "$2" wallSeconds)" -v bytes="$(figure weir "$2" peakRssBytes)" '
        function cell(value, format) { return value == "" ? "" : sprintf(format, value) }
        BEGIN {
            if (weir == "") exit
            printf "| %-36s | %4s | %5.2f | %5s | %5s | %5s | %5s | %6.2f | %6s | %5s |\n", text, goal, weir,
                cell(java, "%.1f"), java == "" ? "" : sprintf("%.1f×", java / weir),
                cell(rust, "%.1f"), rust == "" ? "" : sprintf("%.1f×", rust / weir),
                wall, cell(java_wall, "%.1f"), bytes == "" ? "" : sprintf("%.0f", bytes / 1e6)
        }'
}

# rewritten WORK TEXT
rewritten() {
    awk -v text="$2" -v again="$(figure weir "$1" rowsRewritten)" -v written="$(figure weir "$1" rowsWritten)" \
        -v compactions="$(figure weir "$1" compactions)" 'BEGIN {
            if (written + 0 > 0) printf "%s rewrote each row %.1f times, in %d compactions\n", text, again / written, compactions
        }'
}

megabytes() { awk -v bytes="$(figure weir "$1" peakRssBytes)" 'BEGIN { printf "%.0f MB", bytes / 1e6 }'; }
milliseconds() { awk -v seconds="$(figure weir "$1" wallSeconds)" 'BEGIN { printf "%.0f ms", seconds * 1e3 }'; }

cat <<EOT

$rows rows in $commits commits, 11 columns, $keys keys, one bucket, Parquet with zstd. CPU seconds of the process.
$(nproc) processors ($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)), load $(cut -d ' ' -f 1-3 /proc/loadavg)

| work                                 | goal |  Weir |  Java | ratio |  rust | ratio | wall s | Java's |    MB |
| ------------------------------------ | ---- | ----- | ----- | ----- | ----- | ----- | ------ | ------ | ----- |
EOT
row "write-only: $commits runs in level 0" write-only 4.0
row "scan of the runs, merged" scan-runs 1.4
row "full compaction of the runs" compact 3.5
row "scan of the compacted table" scan-compacted 0.25
row "the same through weir sql" scan-sql 0.35
row "write with compaction as by default" write-default 9.0
row "200 000 lookups, files made first" lookup-run-1 1.5
row "200 000 lookups, files there" lookup-run-2
cat <<EOT

Writing with compaction as by default: $(awk -v rows="$rows" -v seconds="$(figure weir write-default wallSeconds)" \
    'BEGIN { printf "%.2f", rows / seconds / 1e6 }') million rows a second of wall time (goal 1)
EOT
rewritten rewrites "  Weir"
rewritten java-rewrites "  Java"
cat <<EOT
$memory_rows rows with --memory 256MB: $(figure weir write-256mb cpuSeconds) CPU seconds, at most $(megabytes write-256mb) resident (goal 450);
  scanned with $(megabytes scan-256mb), compacted fully with $(megabytes compact-256mb)
Planning one partition of $plan_files files: $(milliseconds plan) (goal 100)
EOT
echo "64 readers, 20 000 lookups a second together: 99 % within $(grep '"lookup-64"' "$figures" | field p99Micros | tail -n 1) microseconds when warm (goal 1000)"
[ ! -x "$build/weir" ] || echo "weir sql -e 'SELECT 1': $(milliseconds select-1) (goal 60)"
# The sum over all queries, and each query.
awk -F '[:,"]+' '/"tpch-/ { seconds[$3, $5] = $7; sum[$3] += $7; queries[$5] = 1 }
    END {
        if (sum["duckdb"] == 0) exit
        printf "\nTPC-H, 22 queries: %.2f CPU seconds, DuckDB on its own Parquet files %.2f: %.2f× (goal 1.3)\n",
            sum["weir"], sum["duckdb"], sum["weir"] / sum["duckdb"]
        for (i = 1; i <= 22; i++) {
            query = sprintf("tpch-%02d", i)
            printf "  %s %.3f %.3f\n", query, seconds["weir", query], seconds["duckdb", query]
        }
    }' "$figures"
# Streams: what throughput.py and latency.py have written.
python3 - "$figures" <<'EOT'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
print()
for line in lines:
    if "rowsPerCpuSecond" in line:
        print(f"{line['program']} {line['work']}: {line['rowsPerCpuSecond']:,} rows per CPU second, {line['rowsPerSecond']:,} per second")
    elif "weirOverFlink" in line:
        print(f"  Weir over Flink, {line['ratio']}: {line['weirOverFlink']} ×")
    elif line.get("work", "").startswith("latency-"):
        print(f"{line['work']}: median {line['p50Ms']} ms, 99 % {line['p99Ms']} ms, checkpoints every {line['checkpointInterval']}")
EOT
echo
echo "All checksums are the same. Every figure is in $figures."
