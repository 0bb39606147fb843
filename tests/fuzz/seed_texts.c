/* Seeds that are texts: types with values, options, JSON, CSV, SQL. */
#include <stdio.h>

#include "fuzz/seeds.h"

/* A type, and a value of it on the next line. */
static const char *const types[] = {
    "BOOLEAN\ntrue",
    "TINYINT\n-128",
    "INT NOT NULL\n2147483647",
    "BIGINT\n-9223372036854775808",
    "FLOAT\n1.5e-3",
    "DOUBLE\n-1.7976931348623157E308",
    "DECIMAL(38, 10)\n-12345678901234567890.0123456789",
    "DEC(4,2)\n12.345",
    "CHAR(3)\nabc",
    "VARCHAR(20) NOT NULL\n\xe6\x97\xa5\xe6\x9c\xac",
    "STRING",
    "BINARY(4)\nabcd",
    "BYTES\n",
    "DATE\n2024-02-29",
    "TIME(3)\n23:59:59.999",
    "TIMESTAMP(9)\n1969-12-31 23:59:59.123456789",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE\n2024-01-01T00:00:00.5",
    "TIMESTAMP_LTZ(6)\n0001-01-01 00:00:00",
    "ARRAY<INT NOT NULL>",
    "INT ARRAY NOT NULL",
    "MAP<STRING, ARRAY<BIGINT>>",
    "MULTISET<STRING>",
    "ROW<a INT 'a comment', `b ``c` ROW<x STRING, y DECIMAL(10, 2)> NOT NULL>",
    "ROW(a INT, b VARIANT)",
    "ROW<>",
    "BLOB",
    "NULL",
    NULL,
};

/* O, an option and its value (see fuzz_meta.c). */
static const char *const options[] = {
    "Obucket=4",
    "Obucket-key=id, n",
    "Owrite-buffer-size=256 mb",
    "Osnapshot.time-retained=1 h 30 min",
    "Otarget-file-size=128mb",
    "Ochangelog-producer=lookup",
    "Ofields.v.aggregate-function=sum",
    "Oscan.timestamp-millis=1700000000000",
    "Ocompaction.optimization-interval=P1DT2H",
    "Onum-sorted-run.compaction-triggr=5",
    "Ometadata.stats-mode=truncate(16)",
    NULL,
};

/* Two characters of options (see fuzz_json.c; "0" is JSON rows, "1" Debezium, "2" Canal, "3" Maxwell), then the file.
 */
static const char *const json[] = {
    "0@{\"id\":1,\"name\":\"a\\u00e9\\n\",\"price\":12.34,\"big\":\"-1234567890123456789.5\",\"flag\":true}\n"
    "{\"id\":-2,\"tiny\":127,\"f\":1e-3,\"d\":-0.0,\"day\":\"2024-02-29\",\"t\":\"12:34:56.789\"}\n",
    "00{\"id\":3,\"ts\":\"2024-02-29 12:34:56.789\",\"ts9\":\"1969-12-31 23:59:59.123456789\","
    "\"ltz\":\"2024-01-01 00:00:00Z\",\"b\":\"AQID\",\"a\":[1,null,3],\"m\":{\"k\":1.5,\"l\":null},"
    "\"r\":{\"x\":1,\"y\":[\"p\",\"q\"]}}\r\n\n{\"id\":4,\"other\":{\"deep\":[[{}]]}}",
    "0!{\"id\":5}\n{\"id\":\"x\"}\nnot json\n[{\"id\":6},{\"id\":7}]\nnull\n",
    "0([{\"id\":8,\"ts\":\"2024-02-29T12:34:56.789\"}\n,{\"id\":9}]",
    "1 {\"before\":null,\"after\":{\"id\":1,\"name\":\"n\"},\"source\":{\"ts_ms\":1},\"op\":\"c\",\"ts_ms\":2}\n"
    "{\"before\":{\"id\":1,\"name\":\"n\"},\"after\":{\"id\":1,\"name\":\"m\"},\"op\":\"u\"}\n"
    "{\"before\":{\"id\":1,\"name\":\"m\"},\"after\":null,\"op\":\"d\"}\n",
    "10{\"schema\":{\"type\":\"struct\",\"fields\":[{\"field\":\"after\",\"type\":\"struct\",\"fields\":[{\"type\":"
    "\"int64\","
    "\"optional\":false,\"field\":\"id\"},{\"type\":\"int32\",\"name\":\"io.debezium.time.Date\",\"field\":\"day\"},"
    "{\"type\":\"bytes\",\"name\":\"org.apache.kafka.connect.data.Decimal\",\"parameters\":{\"scale\":\"2\"},"
    "\"field\":\"price\"}]}]},\"payload\":{\"before\":null,\"after\":{\"id\":7,\"day\":19782,\"price\":\"BNI=\"},"
    "\"op\":\"r\"}}\n",
    "2 {\"data\":[{\"id\":\"1\",\"name\":\"n\",\"price\":\"1.50\"}],\"database\":\"shop\",\"table\":\"orders\","
    "\"type\":\"INSERT\",\"old\":null,\"pkNames\":[\"id\"],\"isDdl\":false}\n"
    "{\"data\":[{\"id\":\"1\",\"name\":\"m\"},{\"id\":\"2\",\"name\":\"p\"}],\"old\":[{\"name\":\"n\"},{\"name\":\"o\"}"
    "],"
    "\"type\":\"UPDATE\",\"database\":\"shop\",\"table\":\"users\"}\n{\"type\":\"CREATE\",\"isDdl\":true,\"sql\":\"\"}"
    "\n",
    "2`{\"data\":[{\"id\":\"1\"}],\"type\":\"DELETE\",\"database\":\"ship\",\"table\":\"user\"}",
    "3 {\"database\":\"shop\",\"table\":\"orders\",\"type\":\"insert\",\"ts\":1,\"data\":{\"id\":1,\"name\":\"n\"}}\n"
    "{\"type\":\"update\",\"data\":{\"id\":1,\"name\":\"m\"},\"old\":{\"name\":\"n\"}}\n"
    "{\"type\":\"delete\",\"data\":{\"id\":1,\"name\":\"m\"}}\n{\"type\":\"bootstrap-start\",\"data\":{}}",
    NULL,
};

static const char *const site_files[] = {
    "<?xml version=\"1.0\"?>\n<!-- words --><configuration>\n<property><name>fs.defaultFS</name>\n"
    "<value> hdfs://nn:8020 </value><final>true</final></property></configuration>",
    "<configuration><property name='a' value=\"&lt;1&#65;&#x4E2D;\"/><property><value><![CDATA[x]]></value><name>b</name>"
    "</property></configuration>",
    NULL,
};

/* A character of options (see fuzz_csv.c), then the file. */
static const char *const csv[] = {
    "@id,name,price,flag\n1,\"a \"\"quoted\"\"\nname\",12.34,true,1e5,2024-02-29,2024-02-29 "
    "12:34:56.789,AQID,1;2;3,1;x\n",
    "\xa0"
    "1,n/a,,false\r\n2,x,9.99\r\nnot,enough\r\n3,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a\r\n",
    "\x1b"
    "1;'it''s';2.5;true;1;;;;;\n# comment\n2;a\\;b;3.5;false;1.5;2024-01-01;2024-01-01 00:00:00;;1|2;3|y",
    "\x04"
    "1,\"no quotes,2.50,,,,,,,\n",
    NULL,
};

static const char *const statements[] = {
    "SELECT a, COUNT(*), SUM(c) FROM t WHERE b LIKE 'x%' AND d > TIMESTAMP '2024-01-01 00:00:00' GROUP BY a HAVING "
    "COUNT(*) > 1 ORDER BY a DESC NULLS LAST LIMIT 10 OFFSET 2;",
    "WITH q AS (SELECT * FROM `t` /*+ OPTIONS('scan.snapshot-id'='2') */) SELECT q.a, e.x FROM q JOIN t AS r ON q.a = "
    "r.a "
    "LEFT JOIN LATERAL TABLE(f(r.a)) ON TRUE UNION ALL SELECT 1, 2 EXCEPT (VALUES (1, 2), (3, 4));",
    "CREATE TABLE IF NOT EXISTS c.d.x (id BIGINT NOT NULL COMMENT 'it''s', v DECIMAL(10, 2), ts AS CAST(v AS STRING), "
    "m STRING METADATA FROM 'k' VIRTUAL, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED) "
    "COMMENT 'c' PARTITIONED BY (v) WITH ('connector' = 'paimon', 'bucket' = '4') LIKE y (EXCLUDING ALL);",
    "INSERT OVERWRITE t PARTITION (a = 1) SELECT b, CASE WHEN h THEN 1 ELSE CAST(NULL AS INT) END, g[1], e.y FROM t;\n"
    "DELETE FROM t WHERE a IN (1, 2, 3) OR b IS NOT NULL; UPDATE t SET b = 'x' || b WHERE a BETWEEN 1 AND 2;",
    "-- a comment\nSET 'execution.runtime-mode' = 'batch'; USE CATALOG c; SHOW CREATE TABLE t; DESCRIBE t; EXPLAIN "
    "SELECT 1;",
    "SELECT 1.5E10, X'0aff', U&'\\00e9', ARRAY[1, 2], MAP['a', 1], ROW(1, 'x'), DATE '2024-02-29', INTERVAL '1-2' YEAR "
    "TO "
    "MONTH, EXTRACT(DAY FROM d), TRIM(BOTH 'x' FROM b), a + -b * (c / 2) % 3 <> 4, NOT h, EXISTS (SELECT 1) FROM t;",
    "CALL sys.compact(`table` => 'd.t', options => 'a=b'); ALTER TABLE t SET ('k' = 'v'); DROP TABLE IF EXISTS a.b;",
    NULL,
};

static void add_texts(const char *target, const char *const *texts)
{
    for (int i = 0; texts[i] != NULL; i++) {
        char name[32];
        snprintf(name, sizeof name, "text-%02d", i);
        add_seed(target, name, weir_slice_text(texts[i]));
    }
}

void add_text_seeds(void)
{
    add_texts("type", types);
    add_texts("meta", options);
    add_texts("json", json);
    add_texts("csv", csv);
    add_texts("site_file", site_files);
    add_texts("parser", statements);
}
