# Help: golden texts, so that a change of them is seen.
. tests/cli/lib.sh

for page in overview run sql dump compact completion; do
    if [ "$page" = overview ]; then
        "$weir" --help >"$work/$page"
    else
        "$weir" "$page" --help >"$work/$page"
        "$weir" help "$page" >"$work/again"
        same_file "weir help $page is weir $page --help" "$work/$page" "$work/again"
    fi
    same_file "help of $page" "tests/cli/help/$page.txt" "$work/$page"
    if LC_ALL=C awk 'length($0) > 118' "$work/$page" | grep -q .; then
        same "no line of the help of $page is wider than 118" "" "$(LC_ALL=C awk 'length($0) > 118' "$work/$page")"
    fi
done
status "help succeeds" 0 "$weir" --help
same "help goes to standard output" "" "$(cat "$work/err")"
finish
