#!/bin/sh
# Checks that a shared library shows exactly the functions that the public header declares.
#
#   tests/api/exports.sh build/libweir.so include/weir/weir.h
set -eu

declared=$(sed -n '/^WEIR_API /{s/^WEIR_API [^(]*[ *]\(weir_[a-z_]*\)(.*/\1/p}' "$2" | sort)
exported=$(nm -D --defined-only "$1" | awk '{ print $NF }' | sed 's/@.*//' | sort)
if [ "$declared" != "$exported" ]; then
    echo "$1 and $2 differ ('<': only declared, '>': only exported):"
    scratch=$(mktemp -d)
    echo "$declared" > "$scratch/declared"
    echo "$exported" > "$scratch/exported"
    diff "$scratch/declared" "$scratch/exported" || true
    rm -r "$scratch"
    exit 1
fi
echo "$(echo "$exported" | wc -l) functions"
