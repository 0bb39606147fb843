#!/bin/sh
# Checks that ARCHITECTURE.md names what is there: each path that it names exists, and each room under src/ and each
# folder of a room is named. Prints what is wrong; exits with 1 when there is anything.
#
#   tools/check-architecture.sh [folder of the repository]
set -eu

cd "${1:-$(dirname "$0")/..}"

# What the page names, a line each: the row of the table of rooms that it stands in or -, and the name. Names stand in
# `…`, and those of a road's files first in their lines.
names=$(awk '
    /^    [a-z_]+\/[a-z_0-9\/.]+ / {
        print "- " $1
    }
    {
        count = split($0, parts, "`")
        room = $0 ~ /^\| `[a-z]+` \|/ ? parts[2] : "-"
        for (i = 2; i <= count; i += 2) {
            if (parts[i] ~ /^[a-z][a-zA-Z_0-9.\/-]*$/ && (parts[i] ~ /\// || parts[i] ~ /\.[ch]$/)) {
                print room " " parts[i]
            }
        }
    }' ARCHITECTURE.md)

# A name is a path from the top, from src/ or from its room, or that of a file or folder somewhere ("… there").
is_there() {
    [ -e "$2" ] || [ -e "src/$2" ] || [ -e "src/$1/$2" ] || [ -n "$(find src -path "src/*/${2%/}" -print -quit)" ]
}

status=0
while read -r room name; do
    case $name in
        [a-z]*/*-*) continue ;; # files of a table: snapshot/snapshot-<id>
    esac
    if ! is_there "$room" "$name"; then
        echo "ARCHITECTURE.md names $name, which is not there"
        status=1
    fi
done <<END
$names
END

for folder in src/*/ src/*/*/; do
    folder=${folder#src/}
    room=${folder%%/*}
    inner=${folder#*/}
    if [ -z "$inner" ] && ! grep -q "^| \`$room\` |" ARCHITECTURE.md; then
        echo "ARCHITECTURE.md has no row for the room src/$room"
        status=1
    elif [ -n "$inner" ] && ! grep "^| \`$room\` |" ARCHITECTURE.md | grep -qF "\`$inner\`"; then
        echo "ARCHITECTURE.md does not name the folder $inner in the row of $room"
        status=1
    fi
done
exit $status
