#!/bin/sh
# Checks that a page of the documentation is what the program makes of the tables in the code.
#
#   tools/check-page.sh build/tools/weir_reference options
set -eu

if "$1" "$2" | diff "docs/$2.md" -; then
    exit 0
fi
echo "docs/$2.md is out of date; make it again: $1 $2 > docs/$2.md"
exit 1
