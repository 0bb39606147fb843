#!/usr/bin/env bash
# Weir and real Java Paimon on the same tables: each reads, continues and compacts what the other wrote.
#
#   run.sh BUILD_DIR [--only PART_OF_A_NAME]
#
# The Java side is the peer of the test data beside the project (WEIR_SHARED, by default ../shared); without them there
# is nothing to do. Installs a JDK, Maven and Python where they are missing. WEIR_SEED chooses the random rows;
# WEIR_OLD_PAIMON=0.9.0 has that version read the tables as well.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${1:?usage: run.sh BUILD_DIR [--only PART_OF_A_NAME]}
shift
shared=${WEIR_SHARED:-../shared}

if [ ! -x "$shared/peer/peer" ]; then
    echo "skipped: no $shared/peer"
    exit 0
fi

. tests/support/install.sh
install_java_and_python
sh "$shared/peer/build.sh"
cmake --build "$build" --target weir_table_tool > "$build/weir_table_tool.log" 2>&1 || { cat "$build/weir_table_tool.log"; exit 1; }

optional=()
[ -x "$build/weir" ] && optional+=(--weir "$build/weir")
# The oldest version that must open what Weir writes is 0.9.0; asked for, it reads the same tables once more.
if [ -n "${WEIR_OLD_PAIMON:-}" ]; then
    PEER_PAIMON=$WEIR_OLD_PAIMON sh "$shared/peer/build.sh" && optional+=(--old-version "$WEIR_OLD_PAIMON")
fi
status=0
python3 -B tests/interop/interop.py --tool "$build/tests/interop/weir_table_tool" --peer "$shared/peer/peer" \
    --golden "$shared/golden" "${optional[@]}" "$@" || status=1

# Without words of its own: --only is for the checks above.
if [ $# -eq 0 ] && [ -x "$build/weir" ]; then
    install_engines .cache/engines
    "$engines_python" -B tests/interop/other_engines.py --weir "$build/weir" --peer "$shared/peer/peer" || status=1
fi
exit "$status"
