-- Tables with a key: rows are updated by it, and whoever reads the table as a stream gets each change.

CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 'lake');
USE CATALOG lake;

-- A table that takes updates.
CREATE TABLE IF NOT EXISTS paimon_user_profile (
  user_id BIGINT,
  username STRING,
  last_login_time TIMESTAMP(3),
  PRIMARY KEY (user_id) NOT ENFORCED  -- the key
) WITH (
  'bucket' = '4',
  'bucket-key' = 'user_id'
);

-- A table that gives its changes.
CREATE TABLE IF NOT EXISTS paimon_orders (
  order_id STRING,
  user_id BIGINT,
  amount DECIMAL(10,2),
  order_status STRING,
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'changelog-producer' = 'input',  -- what is written are changes already
  'bucket' = '4'
);

-- A batch job fills them; the second row of a user takes the place of the first.
SET execution.runtime-mode = batch;
INSERT INTO paimon_user_profile VALUES
  (1, 'ada', TIMESTAMP '2024-01-01 08:00:00'),
  (2, 'bob', TIMESTAMP '2024-01-01 08:30:00');
INSERT INTO paimon_user_profile VALUES (1, 'ada', TIMESTAMP '2024-01-01 09:00:00');
SELECT * FROM paimon_user_profile ORDER BY user_id;

INSERT INTO paimon_orders VALUES ('o1', 1, 10.50, 'new'), ('o2', 2, 20.00, 'new');

-- A stream begins with all of the table, and goes on with its changes until it is stopped.
SET execution.runtime-mode = streaming;
SELECT * FROM paimon_orders /*+ OPTIONS('scan.mode' = 'latest-full') */;
