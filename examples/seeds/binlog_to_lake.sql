— 1. A catalog over a warehouse on HDFS. (The dashes are those of the document: they begin comments here too.)
CREATE CATALOG paimon_catalog WITH (
'type' = 'paimon',
'warehouse' = 'hdfs:///dw_lakehouse/paimon_warehouse'
);

USE CATALOG paimon_catalog;

CREATE DATABASE IF NOT EXISTS dw_prod;
CREATE DATABASE IF NOT EXISTS dw_rt;

— 2. The table of orders, updated by its key within the second.
CREATE TABLE IF NOT EXISTS dw_prod.dwd_trade_orders (
order_id BIGINT,
user_id BIGINT,
pay_amount DECIMAL(10,2),
order_status STRING,
update_time TIMESTAMP(3),
PRIMARY KEY (order_id) NOT ENFORCED — the key: rows are upserted
) WITH (
— buckets: a multiple of the number of writers
'bucket' = '8',

— lookup: exact changes, rows before their update included
'changelog-producer' = 'lookup',

— Parquet, which every engine reads
'file.format' = 'parquet',

— a day of snapshots for those who read changes
'snapshot.time-retained' = '24h'
);

— What the document takes for granted: the topic with the changes of MySQL's table.
CREATE TEMPORARY TABLE dw_rt.kafka_mysql_binlog_source (
order_id BIGINT,
user_id BIGINT,
pay_amount DECIMAL(10,2),
order_status STRING,
update_time TIMESTAMP(3),
PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
'connector' = 'kafka',
'topic' = 'mysql_binlog_trade_orders',
'properties.bootstrap.servers' = 'localhost:9092',
'properties.group.id' = 'dw_rt',
'scan.startup.mode' = 'earliest-offset',
'format' = 'canal-json'
);

— 3. Changes of the business go into the lake.
INSERT INTO dw_prod.dwd_trade_orders
SELECT order_id, user_id, pay_amount, order_status, update_time
FROM dw_rt.kafka_mysql_binlog_source;

— ————————————————————-
— 4. Another job reads the table as a stream, and takes back what has changed.
— ————————————————————-
CREATE TEMPORARY TABLE dw_rt.dws_user_realtime_stat (
user_id BIGINT,
total_gmv DECIMAL(12,2),
PRIMARY KEY (user_id) NOT ENFORCED
) WITH ( 'connector' = 'print' );

INSERT INTO dw_rt.dws_user_realtime_stat
SELECT
user_id,
SUM(pay_amount) AS total_gmv
FROM dw_prod.dwd_trade_orders /*+ OPTIONS('scan.mode'='latest-full') */
GROUP BY user_id;
