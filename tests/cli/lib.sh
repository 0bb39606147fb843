# What the tests of the program share. A test sources it with the program as its first argument:
#
#   . tests/cli/lib.sh
#
# $weir is the program, $work an empty folder that goes away with the test.
set -u
weir=$1
[ -x "$weir" ] || { echo "$weir: no such program"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# same WHAT EXPECTED FOUND
same() {
    if [ "$2" != "$3" ]; then
        printf 'FAILED: %s\n--- expected\n%s\n--- found\n%s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

# same_file WHAT EXPECTED_FILE FOUND_FILE
same_file() {
    if ! diff -u "$2" "$3"; then
        printf 'FAILED: %s\n' "$1"
        failures=$((failures + 1))
    fi
}

# contains WHAT PART FOUND
contains() {
    case $3 in
    *"$2"*) ;;
    *)
        printf 'FAILED: %s\n--- expected to contain\n%s\n--- found\n%s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
        ;;
    esac
}

# status WHAT EXPECTED COMMAND...: the exit status of a command whose output goes to $work/out and $work/err
status() {
    what=$1
    expected=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err" </dev/null
    same "$what: exit status" "$expected" "$?"
}

# strict_changes TABLE: its changes, in $work/changes, replay and give the table. Each -U and -D takes back a row that is
# there, each +I and +U puts one where there is none.
strict_changes() {
    "$weir" dump "$1" --stream 1 - >"$work/changes"
    awk '{
        kind = substr($0, 3, 2); row = substr($0, 7); key = row; sub(/,.*/, "", key)
        if (kind == "-U" || kind == "-D") {
            if (rows[key] != row) print NR ": " $0 " takes back what is not there: " rows[key]
            delete rows[key]
        } else {
            if (key in rows) print NR ": " $0 " is put where there is " rows[key]
            rows[key] = row
        }
    } END { for (key in rows) print "[" rows[key] >"/dev/stderr" }' "$work/changes" >"$work/complaints" 2>"$work/rows"
    same "complaints of a strict reader" "" "$(head -5 "$work/complaints")"
    same "what the changes give is the table" "$("$weir" dump "$1" --sort)" "$(LC_ALL=C sort "$work/rows")"
}

finish() {
    [ "$failures" = 0 ] && exit 0
    echo "$failures failed"
    exit 1
}
