-- A warehouse that follows its sources: changes of a shop's database -> ODS -> DWD -> DWS, each arrow a continuous job.
-- The same script runs on Apache Flink with Apache Paimon.

CREATE CATALOG lake WITH (
  'type' = 'paimon',
  'warehouse' = 'tmp/warehouse'
);
USE CATALOG lake;
CREATE DATABASE IF NOT EXISTS ods;
CREATE DATABASE IF NOT EXISTS dwd;
CREATE DATABASE IF NOT EXISTS dws;

SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '100ms';

-- Where the changes are: files of Debezium's and of Canal's events. The folders are watched for new ones.

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
  'format' = 'debezium-json',
  'source.monitor-interval' = '10ms'
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
  'format' = 'canal-json',
  'source.monitor-interval' = '10ms'
);

-- ODS: the shop's tables as they are there. Both can be followed as streams of changes: `lookup` works changes out
-- from what the table held before, `input` keeps them as they came.

CREATE TABLE ods.orders (
  order_id   BIGINT,
  user_id    BIGINT,
  product    STRING,
  quantity   INT,
  amount     DECIMAL(10, 2),
  status     STRING COMMENT 'placed, paid, shipped, done or cancelled',
  order_time TIMESTAMP(3),
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'bucket' = '2',
  'changelog-producer' = 'lookup',
  'consumer.expiration-time' = '1 d' -- a reader that stays away for so long no longer keeps snapshots
);

CREATE TABLE ods.users (
  user_id    BIGINT,
  name       STRING,
  city       STRING,
  level      INT,
  registered DATE,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'bucket' = '1',
  'changelog-producer' = 'input'
);

INSERT INTO ods.users SELECT * FROM user_changes;
INSERT INTO ods.orders SELECT * FROM order_changes;

-- DWD: each order with what is known of its user when the order changes. Cancelled orders are left out.

CREATE TABLE dwd.orders (
  order_id   BIGINT,
  user_id    BIGINT,
  user_name  STRING,
  city       STRING,
  product    STRING,
  pay_amount DECIMAL(10, 2),
  status     STRING,
  order_time TIMESTAMP(3),
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'bucket' = '2',
  'changelog-producer' = 'lookup'
);

INSERT INTO dwd.orders
SELECT o.order_id, o.user_id, u.name, u.city, o.product, o.amount, o.status, o.order_time
FROM (
  SELECT *, PROCTIME() AS proc_time
  FROM ods.orders /*+ OPTIONS('scan.mode' = 'latest-full', 'consumer-id' = 'dwd-orders') */
  WHERE status <> 'cancelled'
) AS o
LEFT JOIN ods.users FOR SYSTEM_TIME AS OF o.proc_time AS u ON o.user_id = u.user_id;

-- DWS: what each user pays. One job writes the table, and prints each change of one user's row.

CREATE TABLE dws.user_stat (
  user_id    BIGINT,
  pay_amount DECIMAL(38, 2),
  orders     BIGINT,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'bucket' = '1'
);

CREATE TEMPORARY TABLE user_7 (
  user_id    BIGINT,
  pay_amount DECIMAL(38, 2),
  orders     BIGINT,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'connector' = 'print'
);

EXECUTE STATEMENT SET BEGIN
  INSERT INTO dws.user_stat
  SELECT user_id, SUM(pay_amount), COUNT(*)
  FROM dwd.orders /*+ OPTIONS('scan.mode' = 'latest-full') */
  GROUP BY user_id;

  INSERT INTO user_7
  SELECT user_id, SUM(pay_amount), COUNT(*)
  FROM dwd.orders /*+ OPTIONS('scan.mode' = 'latest-full') */
  WHERE user_id = 7
  GROUP BY user_id;
END;
