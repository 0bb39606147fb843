# Exit status: 0 done, 1 a statement failed, 2 the command line is wrong.
. tests/cli/lib.sh

status "a statement that runs" 0 "$weir" sql -e "SELECT 1"
status "the version" 0 "$weir" --version
status "a statement that fails" 1 "$weir" sql -e "SELECT nothing"
same "a failure prints no rows" "" "$(cat "$work/out")"
status "a syntax error" 1 "$weir" sql -e "SELEC 1"
contains "an error shows the line and a caret" "  SELEC 1
  ^" "$(cat "$work/err")"
status "a file that is not there" 1 "$weir" run "$work/missing.sql"
status "a table that is not there" 1 "$weir" dump "$work/missing"
contains "the error of dump names the folder" "missing" "$(cat "$work/err")"

status "no command" 2 "$weir"
status "an unknown command" 2 "$weir" dmup
contains "a near command is suggested" "did you mean 'dump'?" "$(cat "$work/err")"
status "an unknown option" 2 "$weir" sql --fromat csv
contains "a near option is suggested" "did you mean '--format'?" "$(cat "$work/err")"
status "an unknown format" 2 "$weir" sql --format xml -e "SELECT 1"
status "an option without its value" 2 "$weir" sql -e
status "a size that is none" 2 "$weir" sql --memory lots -e "SELECT 1"
status "too little memory" 2 "$weir" sql --memory 1MB -e "SELECT 1"
status "run without a file" 2 "$weir" run
status "dump without a table" 2 "$weir" dump
status "changelog and stream together" 2 "$weir" dump x --changelog 1 2 --stream 1 2
status "completion without a shell" 2 "$weir" completion

# A script stops at the first statement that fails; what ran before stays.
cat >"$work/script.sql" <<'SQL'
SELECT 1;
SELECT nothing;
SELECT 3;
SQL
status "a script that fails" 1 "$weir" run "$work/script.sql" --format jsonl
same "rows before the failure" "[1]" "$(cat "$work/out")"
contains "the error names file, line and column" "script.sql: line 2, column 8" "$(cat "$work/err")"
finish
