-- Changes from two databases' logs into lake tables, and what can then be asked of them.
-- The same script runs on Apache Flink with Apache Paimon.

CREATE CATALOG lake WITH (
  'type' = 'paimon',
  'warehouse' = 'tmp/warehouse'
);
USE CATALOG lake;
CREATE DATABASE IF NOT EXISTS shop;
USE shop;

-- Where the changes are: files of Debezium's and of Canal's events.

CREATE TEMPORARY TABLE order_changes (
  order_id   BIGINT,
  user_id    BIGINT,
  product    STRING,
  quantity   INT,
  amount     DECIMAL(10, 2),
  status     STRING,
  order_time TIMESTAMP(3),
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'tmp/changes/orders',
  'format' = 'debezium-json'
);

CREATE TEMPORARY TABLE user_changes (
  user_id    BIGINT,
  name       STRING,
  city       STRING,
  level      INT,
  registered DATE,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'tmp/changes/users',
  'format' = 'canal-json'
);

-- Where they go. Both tables can be followed as streams of changes: `input` keeps the changes as they came, `lookup`
-- works them out from what the table held before.

CREATE TABLE ods_orders (
  order_id   BIGINT,
  user_id    BIGINT,
  product    STRING,
  quantity   INT,
  amount     DECIMAL(10, 2),
  status     STRING COMMENT 'placed, paid, shipped, done or cancelled',
  order_time TIMESTAMP(3),
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'bucket' = '4',
  'changelog-producer' = 'lookup'
);

CREATE TABLE ods_users (
  user_id    BIGINT,
  name       STRING,
  city       STRING,
  level      INT,
  registered DATE,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'bucket' = '4',
  'changelog-producer' = 'input'
);

-- A commit after every 10 000 rows; Flink commits by time, at its checkpoints.

SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '10s';
SET 'weir.commit-rows' = '10000';

INSERT INTO ods_orders SELECT * FROM order_changes;
INSERT INTO ods_users SELECT * FROM user_changes;

-- What the tables hold now.

SET 'execution.runtime-mode' = 'batch';

SELECT * FROM ods_orders WHERE user_id = 7 ORDER BY order_id;

SELECT status, COUNT(*) AS orders, SUM(quantity) AS pieces, SUM(amount) AS amount
FROM ods_orders
GROUP BY status
ORDER BY status;

SELECT city, COUNT(*) AS users, MIN(level) AS lowest, MAX(level) AS highest
FROM ods_users
GROUP BY city
ORDER BY users DESC, city;

-- What they held earlier: the second snapshot.

SELECT status, COUNT(*) AS orders, SUM(amount) AS amount
FROM ods_orders /*+ OPTIONS('scan.snapshot-id' = '2') */
GROUP BY status
ORDER BY status;

-- What happened between two snapshots to the orders that were there before, change by change.

SELECT rowkind, order_id, product, status, amount
FROM ods_orders$audit_log /*+ OPTIONS('incremental-between' = '2,4') */
WHERE rowkind <> '+I'
ORDER BY order_id, rowkind DESC
LIMIT 12;
