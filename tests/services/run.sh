#!/usr/bin/env bash
# Tests against real servers: databases, message queues, object stores, HDFS.
#
#   run.sh BUILD_DIR [FILE_OR_TEST...] [--list] [--keep]
#
#   run.sh build                                  all of them
#   run.sh build test_hdfs                        those of one file
#   run.sh build test_hdfs.two_writers            those whose name begins so
#
# The servers are those of the test data beside the project (WEIR_SHARED, by default ../shared); without them there is
# nothing to do. Each file test_*.py names the servers it needs; one is installed and started when the first test needs
# it, is shared by the tests after that, and ends with the run. Installs a JDK, Maven and Python where they are missing.
# WEIR_SEED chooses the random rows.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${1:?usage: run.sh BUILD_DIR [FILE_OR_TEST...] [--list] [--keep]}
shift
shared=${WEIR_SHARED:-../shared}

if [ ! -f "$shared/services/lib.sh" ]; then
    echo "skipped: no $shared/services"
    exit 0
fi
if [ ! -x "$build/weir" ]; then
    echo "$build/weir is not built; run 'make build'" >&2
    exit 1
fi

. tests/support/install.sh
install_java_and_python
[ -x "$shared/peer/peer" ] && sh "$shared/peer/build.sh"
exec python3 -B tests/services/runner.py --weir "$build/weir" --shared "$shared" "$@"
