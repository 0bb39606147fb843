-- A partitioned log table, and what its keeper does: statistics, deletion, time travel, incremental reads, tuning.

CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 'lake');
USE CATALOG lake;
SET execution.runtime-mode = batch;

CREATE TABLE paimon_log (
  log_time TIMESTAMP(3),
  user_id BIGINT,
  event STRING,
  dt STRING,  -- the partition: a column like any other
  hr STRING,
  PRIMARY KEY (dt, hr, user_id) NOT ENFORCED
) PARTITIONED BY (dt, hr) WITH (
  'compaction.min.file-num' = '5',
  'compaction.max.file-num' = '50',       -- of older versions: kept, and a notice says what does its work today
  'target-file-size' = '128 mb',
  'snapshot.time-retained' = '7 d',
  'expire-execution.interval' = '1 h'     -- the same
);

INSERT INTO paimon_log VALUES
  (TIMESTAMP '2023-12-31 23:10:00', 1, 'login', '2023-12-31', '23'),
  (TIMESTAMP '2023-12-31 23:20:00', 2, 'login', '2023-12-31', '23');
INSERT INTO paimon_log VALUES
  (TIMESTAMP '2024-01-01 08:00:00', 1, 'order', '2024-01-01', '08'),
  (TIMESTAMP '2024-01-01 09:00:00', 3, 'login', '2024-01-01', '09');

ANALYZE TABLE paimon_log COMPUTE STATISTICS FOR ALL COLUMNS;

-- The first snapshot, and what came between the two.
SELECT * FROM paimon_log /*+ OPTIONS('scan.snapshot-id' = '1') */ ORDER BY user_id;
SELECT * FROM paimon_log /*+ OPTIONS('incremental-between' = '1,2') */ ORDER BY user_id;

-- Partitions and keys keep most files unread: EXPLAIN tells how many.
EXPLAIN SELECT * FROM paimon_log WHERE dt = '2024-01-01' AND user_id BETWEEN 1 AND 2;
SELECT user_id, event FROM paimon_log WHERE dt = '2024-01-01' AND user_id BETWEEN 1 AND 2;

-- Old days go.
DELETE FROM paimon_log WHERE dt < '2024-01-01';
SELECT dt, COUNT(*) AS events FROM paimon_log GROUP BY dt;
