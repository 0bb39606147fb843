# docs/troubleshooting.md is typed in: what stands there as a command runs, and what it names exists.
. tests/cli/lib.sh

root=$PWD
page=docs/troubleshooting.md
cd "$work" || exit 1
PATH=$(dirname "$weir"):$PATH

sql() { weir sql --quiet --warehouse lake "$@"; }
sql -D execution.runtime-mode=batch -e "
    CREATE TABLE orders (dt STRING, id INT, v INT, PRIMARY KEY (dt, id) NOT ENFORCED) PARTITIONED BY (dt)
    WITH ('bucket' = '2', 'changelog-producer' = 'full-compaction', 'consumer.expiration-time' = '1 d');
    INSERT INTO orders VALUES ('2023-12-31', 1, 1), ('2024-01-01', 2, 2), ('2024-01-02', 3, 3);
    INSERT INTO orders VALUES ('2024-01-02', 4, 4);
    CALL sys.create_tag('default.orders', 'old', 1);
    CALL sys.reset_consumer('default.orders', 'gone', 1)" >out 2>&1 || { cat out; failures=1; }

# The commands: indented lines. Statements end with a semicolon; they run while a job does.
sed -n 's/^ \{4,6\}\([^ ].*\)$/\1/p' "$root/$page" >commands
grep '^weir ' commands | sed 's/--follow/& --timeout 1/' >programs
{
    echo "CREATE TEMPORARY TABLE numbers (dt STRING, id INT, v INT) WITH ('connector' = 'datagen', 'rows-per-second' = '10');
    CREATE TABLE other (dt STRING, id INT, v INT); INSERT INTO other SELECT * FROM numbers;
    SET 'execution.runtime-mode' = 'batch';"
    grep -v '^weir ' commands
} >statements.sql
same "statements and programs are found" "19 4" "$(grep -cv '^weir ' commands) $(wc -l <programs)"
same "what is no program is a statement" "" "$(grep -v '^weir ' commands | grep -v ';$')"
status "the statements" 124 sql -f statements.sql --timeout 1

same "their mistakes" "" "$(grep "line [0-9]" err)"
contains "DESCRIBE JOB tells the lag" "lag in ms" "$(cat out)"
while read -r program; do
    sh -c "$program" >out 2>err </dev/null
    code=$?
    case "$program $code" in *--follow*" 124" | *" 0") ;; *) same "$program: exit status" 0 "$code $(cat err)" ;; esac
done <programs

same "what is left" '["2024-01-02",3,3]
["2024-01-02",4,4]' "$(weir dump lake/default.db/orders --sort)"
same "tags and consumers are gone" "" "$(sql --format jsonl -e "SELECT tag_name FROM \`orders\$tags\`; SELECT * FROM \`orders\$consumers\`")"

# Names of metrics, options and settings.
grep -o '`\(weir\|paimon\|process\)_[a-z_]*`' "$root/$page" | sort -u | while read -r metric; do
    grep -qF "| $metric |" "$root/docs/metrics.md" || echo "there is no metric $metric"
done >unknown
grep -o "[\`'][a-z]*[a-z-]*\.[a-z.-]*[\`']" "$root/$page" | tr -d "\`'" | grep -v '\.sql$\|\.orders$' | sort -u | while read -r option; do
    grep -qF "| \`$option\` |" "$root/docs/options.md" || echo "there is no option $option"
done >>unknown
same "names" "there is no option expire-execution.interval" "$(cat unknown)"
finish
