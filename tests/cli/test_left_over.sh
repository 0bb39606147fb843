# What a run that was killed has left is gone after the next one.
. tests/cli/lib.sh

# A file sink whose first runs die before any checkpoint.
mkdir "$work/in"
cat >"$work/copy.sql" <<SQL
SET 'execution.checkpointing.interval' = '1 h';
CREATE TEMPORARY TABLE arriving (id INT, p STRING)
WITH ('connector' = 'filesystem', 'path' = '$work/in', 'format' = 'csv', 'source.monitor-interval' = '5 ms');
CREATE TEMPORARY TABLE files (id INT, p STRING) PARTITIONED BY (p)
WITH ('connector' = 'filesystem', 'path' = '$work/files', 'format' = 'csv');
INSERT INTO files SELECT * FROM arriving;
SQL
hidden() { find "$work/files" -name '.part-*' 2>/dev/null | wc -l; }

printf '1,x\n2,y\n' >"$work/in/a"
for round in 1 2 3; do
    "$weir" run --quiet "$work/copy.sql" 2>"$work/err" &
    process=$!
    for look in $(seq 200); do
        [ "$(hidden)" -ge 2 ] && break
        sleep 0.05
    done
    sleep 0.1
    kill -KILL $process
    wait $process 2>/dev/null
done
same "each run has removed what the one before it left" 2 "$(hidden)"
status "a run that comes to its end" 0 "$weir" run --quiet "$work/copy.sql" --until-idle 0.2
same "leaves nothing hidden" 0 "$(hidden)"
same "and all rows, once" "1 2" "$(cat "$work"/files/p=*/part-* | sort | tr '\n' ' ' | sed 's/ $//')"
finish
