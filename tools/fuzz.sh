#!/usr/bin/env bash
# Fuzzes every parser of bytes with libFuzzer under AddressSanitizer and UBSan, two at a time, and prints a line each.
#
#   tools/fuzz.sh SECONDS_EACH [TARGET…]      targets: avro, parquet, … (default: all of tests/fuzz)
#
# What is found grows build-fuzz/corpus/<target> from run to run. An input that kills a target is left in
# build-fuzz/found/ and makes the script fail; `build-fuzz/tests/fuzz/fuzz_<target> FILE` shows it again.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: tools/fuzz.sh SECONDS_EACH [TARGET…]}
shift
build=build-fuzz
shared=${WEIR_SHARED:-../shared}

tools/deps.sh --fuzz
cmake --preset fuzz >"$build.log" || { cat "$build.log" >&2; exit 1; }
rm -f "$build.log"
cmake --build "$build" --target tests/fuzz/all

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(find tests/fuzz -name 'fuzz_*.c' -printf '%f\n' | sort | sed 's/^fuzz_//; s/\.c$//')
fi

# Small files of Java's own tables are seeds too, where there are any.
add_golden_seeds() {
    local target=$1 name=$2 folder=$build/golden/$1
    mkdir -p "$folder"
    [ -d "$shared/golden" ] || return 0
    find "$shared/golden" -type f -size -16k -name "$name" | sort | awk 'NR % 5 == 1 && ++count <= 200' |
        while read -r file; do cp "$file" "$folder/$(echo "$file" | md5sum | cut -c1-16)"; done
}
add_golden_seeds parquet '*.parquet'
add_golden_seeds avro 'manifest-*'

fuzz_one() {
    local target=$1 log=$build/fuzz-$1.log state=clean
    mkdir -p "$build/corpus/$target" "$build/golden/$target" "$build/found"
    "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -malloc_limit_mb=512 \
        -print_final_stats=1 -artifact_prefix="$build/found/$target-" \
        "$build/corpus/$target" "$build/tests/fuzz/seeds/$target" "$build/golden/$target" >"$log" 2>&1 || state=FOUND
    printf '%-12s %s: %s inputs, coverage %s, corpus %s  %s\n' "$target" "$state" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -c6-)" "$(find "$build/corpus/$target" -type f | wc -l)" \
        "$([ $state = clean ] || grep -m1 -E 'ERROR|runtime error|SUMMARY|deadly signal' "$log")"
    [ $state = clean ]
}
export -f fuzz_one
export build seconds

printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'fuzz_one {}' ||
    { echo "inputs that kill a target are in $build/found" >&2; exit 1; }
