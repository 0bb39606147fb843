-- Scenario 1: a MySQL table into the lake, as it changes.
--
-- A partial-update table can't delete: at the first DELETE in MySQL the job stops and says so, as with Paimon's own
-- writers. Where rows are deleted, add 'ignore-delete' = 'true' (they stay) or
-- 'partial-update.remove-record-on-delete' = 'true' (they go).

CREATE TABLE mysql_source (
  id BIGINT,
  name STRING,
  email STRING,
  update_time TIMESTAMP(3),
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'mysql-cdc',
  'hostname' = 'localhost',
  'port' = '3306',
  'username' = 'flinkuser',
  'password' = 'flinkpw',
  'database-name' = 'test_db',
  'table-name' = 'users'
);

-- The s3.… options are those of the store; the document's cluster has them in its configuration.
CREATE TABLE paimon_sink (
  id BIGINT,
  name STRING,
  email STRING,
  update_time TIMESTAMP(3),
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'paimon',
  'path' = 's3://my-bucket/paimon/users',
  'auto-create' = 'true',
  's3.endpoint' = 'http://localhost:9000',
  's3.access-key' = 'access',
  's3.secret-key' = 'secret',
  's3.path.style.access' = 'true',
  'merge-engine' = 'partial-update',         -- columns that are given replace those that were
  'changelog-producer' = 'full-compaction',  -- changes come from full compactions
  'full-compaction.delta-commits' = '5',     -- one in five commits makes one
  'bucket' = '4'
);

INSERT INTO paimon_sink SELECT * FROM mysql_source;
