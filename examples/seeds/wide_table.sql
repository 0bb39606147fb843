-- Scenario 2: a wide table, made as orders come: each gets what its user is at that moment.

CREATE TABLE user_dim_paimon (
  user_id BIGINT,
  user_name STRING,
  province STRING,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'connector' = 'paimon',
  'path' = 's3://my-bucket/paimon/user_dim',
  'auto-create' = 'true',
  's3.endpoint' = 'http://localhost:9000',
  's3.access-key' = 'access',
  's3.secret-key' = 'secret',
  's3.path.style.access' = 'true',
  'bucket' = '2'
);

CREATE TABLE orders_stream (
  order_id STRING,
  user_id BIGINT,
  amount DECIMAL(10,2),
  order_time TIMESTAMP(3),
  proc_time AS PROCTIME()
) WITH (
  'connector' = 'filesystem',
  'path' = 'orders',
  'format' = 'json',
  'source.monitor-interval' = '1 s'
);

CREATE TABLE realtime_wide_table (
  order_id STRING,
  user_id BIGINT,
  user_name STRING,  -- of the dimension
  order_amount DECIMAL(10,2),
  province STRING,   -- of the dimension
  order_time TIMESTAMP(3),
  PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
  'connector' = 'paimon',
  'path' = 's3://my-bucket/paimon/wide_table',
  'auto-create' = 'true',
  's3.endpoint' = 'http://localhost:9000',
  's3.access-key' = 'access',
  's3.secret-key' = 'secret',
  's3.path.style.access' = 'true',
  'bucket' = '8',
  'merge-engine' = 'deduplicate'  -- the newest row of each order stays
);

INSERT INTO realtime_wide_table
SELECT o.order_id, o.user_id, u.user_name, o.amount, u.province, o.order_time
FROM orders_stream AS o
LEFT JOIN user_dim_paimon FOR SYSTEM_TIME AS OF o.proc_time AS u
ON o.user_id = u.user_id;
