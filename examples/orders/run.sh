#!/bin/sh
# Runs the orders example on a new warehouse under ./tmp.
#
#   examples/orders/run.sh [folder of the build]
set -eu

cd "$(dirname "$0")/../.."
build=${1:-build}

rm -rf tmp/changes tmp/warehouse
mkdir -p tmp
"$build/weir-orders-generate" tmp/changes
events=$(cat tmp/changes/*/*.json | wc -l)
bytes=$(du -sm tmp/changes | cut -f1)
echo "Change files: $events events in $(ls tmp/changes/*/*.json | wc -l) files, $bytes MB, under tmp/changes"
echo "Script: examples/orders/first.sql"
echo

start=$(date +%s%N)
"$build/weir" run examples/orders/first.sql
end=$(date +%s%N)
millis=$(((end - start) / 1000000))

echo
echo "All of it took $((millis / 1000)).$(printf %03d $((millis % 1000))) s. The lake tables, which Apache Paimon can open as well:"
for table in tmp/warehouse/shop.db/*; do
    snapshots=$(ls "$table/snapshot" | grep -c '^snapshot-')
    files=$(find "$table" -name 'data-*' | wc -l)
    changes=$(find "$table" -name 'changelog-*' | wc -l)
    echo "  $(basename "$table"): $snapshots snapshots, $files data files, $changes changelog files"
done

cat <<END

What to try next:
  $build/weir sql --warehouse tmp/warehouse -e 'SELECT user_id, SUM(amount) FROM shop.ods_orders GROUP BY user_id ORDER BY 2 DESC LIMIT 5'
  $build/weir dump tmp/warehouse/shop.db/ods_orders --columns order_id,status --snapshot 1 | head
  $build/weir dump tmp/warehouse/shop.db/ods_users --stream 1 - | head
  $build/weir sql --warehouse tmp/warehouse   # a shell: SHOW TABLES FROM shop;
END
