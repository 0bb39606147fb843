-- What the pipeline's jobs have made, beside what one batch query makes of the ODS tables.

CREATE CATALOG lake WITH (
  'type' = 'paimon',
  'warehouse' = 'tmp/warehouse'
);
USE CATALOG lake;
SET 'execution.runtime-mode' = 'batch';

SELECT 'ods.orders' AS layer, COUNT(*) AS row_count, SUM(amount) AS amount FROM ods.orders
UNION ALL
SELECT 'dwd.orders', COUNT(*), SUM(pay_amount) FROM dwd.orders
UNION ALL
SELECT 'dws.user_stat', COUNT(*), SUM(pay_amount) FROM dws.user_stat;

CREATE TEMPORARY VIEW by_batch AS
SELECT user_id, CAST(SUM(amount) AS DECIMAL(38, 2)) AS pay_amount, COUNT(*) AS orders
FROM ods.orders
WHERE status <> 'cancelled'
GROUP BY user_id;

SELECT (SELECT COUNT(*) FROM by_batch) AS by_batch,
       (SELECT COUNT(*) FROM dws.user_stat) AS by_stream,
       (SELECT COUNT(*) FROM (SELECT * FROM by_batch EXCEPT SELECT * FROM dws.user_stat)) +
       (SELECT COUNT(*) FROM (SELECT * FROM dws.user_stat EXCEPT SELECT * FROM by_batch)) AS different;
