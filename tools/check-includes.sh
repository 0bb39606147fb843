#!/bin/sh
# Checks that each room under src/ includes only headers of its own and of the rooms below it, plus weir/weir.h and
# what the system and the libraries offer. Prints the offending lines; exits with 1 when there are any.
#
#   tools/check-includes.sh [folder of the repository]
set -eu

cd "${1:-$(dirname "$0")/..}"

# From the bottom to the top. A room's subfolders belong to it.
rooms="base fs vector format index meta file merge lsm table catalog api connect sql stream session server cli"

export rooms
find src -name '*.[ch]' | sort | xargs -r grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' | awk '
    BEGIN {
        count = split(ENVIRON["rooms"], names, " ")
        for (i = 1; i <= count; i++) {
            rank[names[i]] = i
        }
    }
    {
        split($0, parts, ":")
        split(parts[1], folders, "/")
        room = folders[2]
        header = $0
        sub(/^[^"]*"/, "", header)
        sub(/".*$/, "", header)
        if (header == "weir/weir.h") {
            next
        }
        split(header, components, "/")
        included = components[1]
        if (!(room in rank)) {
            reason = "the folder " room " is not one of the rooms"
        } else if (header !~ /\//) {
            reason = "a header is named with its room: \"" room "/" header "\""
        } else if (!(included in rank)) {
            reason = included " is not a room; headers of the system and of libraries go in <>"
        } else if (rank[included] > rank[room]) {
            reason = room " lies below " included
        } else {
            next
        }
        print $0 "    <- " reason
        failed = 1
    }
    END { exit failed }
'
