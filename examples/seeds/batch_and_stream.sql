-- Scenario 3: one table, read whole by a batch query and as it changes by a streaming one.

CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 'lake');
USE CATALOG lake;

-- The document's table has no watermark, without which no window of event time ever closes; the second INSERT would
-- be refused, and the error shows this line.
CREATE TABLE IF NOT EXISTS paimon_orders (
  order_id STRING,
  user_id BIGINT,
  amount DECIMAL(10, 2),
  order_status STRING,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND,
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'changelog-producer' = 'input',
  'bucket' = '4'
);

-- All-time totals: a batch query. The name under which the document asks for them stands for the same table.
CREATE TEMPORARY VIEW paimon_orders_history_snapshot AS SELECT * FROM paimon_orders;

SET execution.runtime-mode = batch;
SELECT user_id, SUM(amount) AS total_amount FROM paimon_orders_history_snapshot GROUP BY user_id;

-- Sums a minute: a job that goes on.
SET execution.runtime-mode = streaming;

CREATE TEMPORARY TABLE minute_sales (
  win_start TIMESTAMP(3),
  minute_amount DECIMAL(38, 2)
) WITH ('connector' = 'print');

INSERT INTO minute_sales
SELECT TUMBLE_START(order_time, INTERVAL '1' MINUTE) AS win_start, SUM(amount) AS minute_amount
FROM paimon_orders
GROUP BY TUMBLE(order_time, INTERVAL '1' MINUTE);
