#!/usr/bin/env bash
# Measures writing, reading and compacting, beside other programs where they can be found, and prints a table.
#
#   bench/run.sh [folder of the build]
#
#   ROWS=5000000 COMMITS=50   how much
#   WEIR_SHARED=../shared     where the Java peer is (peer/peer bench, the same data and the same figures)
#   PEER=no                   measure without it
#
# Figures are CPU seconds of the process, all threads together, and wall seconds; of scans the last of three counts. The
# tables lie under ./tmp/bench and are removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
rows=${ROWS:-5000000}
commits=${COMMITS:-50}
peer=${WEIR_SHARED:-../shared}/peer/peer
rust=${WEIR_SHARED:-../shared}/peer/rust/bench.py
work=$PWD/tmp/bench
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
rm -rf "${work:?}"/*

# field NAME: of the last JSON line of standard input
field() {
    tail -n 1 | sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"
}

# The compacted table through SQL, in the form of the other lines.
sql_scan() {
    local seconds
    TIMEFORMAT='%R %U %S'
    seconds=$({ time "$build/weir" sql --quiet --format jsonl -e "
        CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '$1');
        SELECT COUNT(*), SUM(k), SUM(CAST(c1 AS BIGINT)), SUM(c2), SUM(c3), SUM(c4), SUM(c5), SUM(CHAR_LENGTH(c6)),
               MAX(c7), COUNT(c8), MAX(c9), MAX(c10) FROM c.b.t" >/dev/null; } 2>&1)
    awk '{ printf "{\"wallSeconds\":%s,\"cpuSeconds\":%.3f}\n", $1, $2 + $3 }' <<<"$seconds"
}

# measure WHO COMMAND...: all steps with one program, their JSON lines in $work/WHO.STEP
measure() {
    local who=$1
    shift
    local plain=$work/$who-plain/b.db/t merged=$work/$who-merged/b.db/t
    local amount=(--rows "$rows" --commits "$commits")
    echo "measuring $who" >&2
    "$@" write "$plain" "${amount[@]}" --option write-only=true >"$work/$who.write-only"
    "$@" scan "$plain" >"$work/$who.scan-runs"
    "$@" compact "$plain" >"$work/$who.compact"
    "$@" scan "$plain" >"$work/$who.scan-compacted"
    if [ "$who" = weir ]; then
        for _ in 1 2 3; do sql_scan "$work/$who-plain"; done >"$work/$who.scan-sql"
    fi
    rm -rf "$work/$who-plain"
    "$@" write "$merged" "${amount[@]}" >"$work/$who.write-default"
    if [ "$who" = weir ]; then "$@" rewrites "$merged" >"$work/$who.rewrites"; fi
    rm -rf "$work/$who-merged"
}

measure_rust() {
    echo "measuring paimon-rust" >&2
    local table=$work/rust/b.db/t
    python3 "$rust" write "$table" --rows "$rows" --commits "$commits" --bucket 1 >"$work/rust.write-only" &&
        python3 "$rust" scan "$table" >"$work/rust.scan-runs"
    rm -rf "$work/rust"
}

# figure WHO STEP FIELD: the figure, or a dash
figure() {
    local value=
    [ -s "$work/$1.$2" ] && value=$(field "$3" <"$work/$1.$2")
    echo "${value:-–}"
}

ratio() {
    awk -v ours="$1" -v theirs="$2" 'BEGIN { if (theirs + 0 > 0 && ours + 0 > 0) printf "%.1f×", theirs / ours; else printf "–" }'
}

# row WORK STEP GOAL: the goals are for 5 million rows in 50 commits
row() {
    local ours theirs megabytes
    ours=$(figure weir "$2" cpuSeconds)
    theirs=$(figure java "$2" cpuSeconds)
    megabytes=$(figure weir "$2" peakRssBytes)
    [ "$megabytes" = – ] || megabytes=$((megabytes / 1000000))
    echo "| $1 | $3 | $ours | $theirs | $(ratio "$ours" "$theirs") | $(figure rust "$2" cpuSeconds) |" \
        "$(figure weir "$2" wallSeconds) | $(figure java "$2" wallSeconds) | $megabytes |"
}

# Both must have read the same rows.
check_sums() {
    local name
    [ -s "$work/java.$1" ] || return 0
    for name in rows sumK sumC1 sumC2 nullC2 sumC5 bytesC6C7 trueC8 sumC9 sumC10; do
        if [ "$(figure weir "$1" "$name")" != "$(figure java "$1" "$name")" ]; then
            echo "$1: $name differs: $(figure weir "$1" "$name") here, $(figure java "$1" "$name") there" >&2
            exit 1
        fi
    done
}

measure weir "$build/weir-bench"
if [ "${PEER:-yes}" != no ] && [ -x "$peer" ]; then
    measure java "$peer" bench
    check_sums scan-runs
    check_sums scan-compacted
fi
if [ "${PEER:-yes}" != no ] && [ -f "$rust" ] && python3 -c 'import pypaimon_rust' 2>/dev/null; then
    measure_rust || echo "paimon-rust: could not be measured" >&2
fi

rewrites=$(awk -v written="$(figure weir rewrites rowsWritten)" -v again="$(figure weir rewrites rowsRewritten)" \
    'BEGIN { if (written + 0 > 0) printf "each row rewritten %.1f times", again / written; else printf "default" }')
echo "$rows rows in $commits commits, 11 columns, one bucket, parquet with zstd; $(nproc) processors"
echo
echo "| work | goal, CPU s | Weir | Java Paimon | Java / Weir | paimon-rust | Weir, wall s | Java, wall s | Weir, MB |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
row "write-only" write-only 4.0
row "write with default compaction ($rewrites)" write-default 9
row "merge-on-read scan of the runs" scan-runs 1.4
row "full compaction of them" compact 3.5
row "scan of the compacted table" scan-compacted 0.25
row "the same through weir sql" scan-sql 0.35
