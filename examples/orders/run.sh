#!/bin/sh
# Runs the orders pipeline on a new warehouse under ./tmp, while its sources go on changing, and compares what it made
# with what a batch query makes.
#
#   examples/orders/run.sh [folder of the build]
set -eu

cd "$(dirname "$0")/../.."
build=${1:-build}
later=20

rm -rf tmp/changes tmp/warehouse tmp/state
mkdir -p tmp
"$build/weir-orders-generate" tmp/changes $later
events=$(cat tmp/changes/*/*.json | wc -l)
echo "Change files: $events events under tmp/changes, a third of them still to come"
echo "Script: examples/orders/pipeline.sql"
echo

# The shop goes on: every 0.2 s the next file of each table appears, whole, under its final name.
shop() {
    number=0
    while [ $number -lt $later ]; do
        sleep 0.2
        for table in orders users; do
            file=$(printf '%s-%03d.json' $table $number)
            if [ -f tmp/changes/later/"$file" ]; then
                cp tmp/changes/later/"$file" tmp/changes/$table/."$file"
                mv tmp/changes/$table/."$file" tmp/changes/$table/later-"$file"
            fi
        done
        number=$((number + 1))
    done
}
shop &
shop=$!
trap 'kill $shop 2>/dev/null || true' EXIT

"$build/weir" run examples/orders/pipeline.sql --state tmp/state --until-idle 2

echo
"$build/weir" run examples/orders/check.sql | tee tmp/check.txt
if ! tail -n 2 tmp/check.txt | grep -q ' 0 │$'; then # the last column of the last row: how many differ
    echo "DWS is NOT what the batch query over ODS gives."
    exit 1
fi
echo
echo "DWS, made change by change, is row for row what the batch query over ODS gives."
for table in tmp/warehouse/*.db/*; do
    snapshots=$(ls "$table/snapshot" | grep -c '^snapshot-')
    files=$(find "$table" -name 'data-*' | wc -l)
    changes=$(find "$table" -name 'changelog-*' | wc -l)
    echo "  ${table#tmp/warehouse/}: $snapshots snapshots, $files data files, $changes changelog files"
done

cat <<END

What to try next:
  $build/weir run examples/orders/pipeline.sql --state tmp/state   # goes on where it stopped; Ctrl-C stops it
  $build/weir sql --warehouse tmp/warehouse -e 'SELECT city, COUNT(*), SUM(pay_amount) FROM dwd.orders GROUP BY city'
  $build/weir dump tmp/warehouse/dwd.db/orders --stream 1 - | head
  $build/weir sql --warehouse tmp/warehouse   # a shell: SHOW TABLES FROM dwd;
END
