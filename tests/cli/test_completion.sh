# The completion script: bash takes it, and it knows commands and options.
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
finish
