# The completion scripts: bash takes its own, and it knows commands and options.
. tests/cli/lib.sh

command -v bash >/dev/null || exit 0
"$weir" completion bash >"$work/weir.bash"
status "bash reads it" 0 bash -n "$work/weir.bash"

# complete WORDS...: what is offered for the last word
complete() {
    bash -c '. "$1"; shift; COMP_WORDS=(weir "$@"); COMP_CWORD=$#; _weir; printf "%s\n" "${COMPREPLY[@]}"' _ \
        "$work/weir.bash" "$@"
}
same "commands" "dump" "$(complete du)"
same "options of a command" "--snapshot" "$(complete dump --sn)"
same "formats" "json
jsonl" "$(complete sql --format js)"
same "when to use colours" "always" "$(complete sql --color al)"

# The others, where they are installed.
for shell in zsh fish; do
    "$weir" completion "$shell" >"$work/weir.$shell"
    contains "$shell knows the commands" "dump" "$(cat "$work/weir.$shell")"
    if command -v "$shell" >/dev/null; then
        status "$shell reads it" 0 "$shell" -n "$work/weir.$shell"
    fi
done
status "another shell" 2 "$weir" completion tcsh
finish
