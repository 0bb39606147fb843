/* The rows that fuzz_binary_row reads; the first byte of an input says which. */
#ifndef WEIR_TESTS_BINARY_ROW_TYPES_H
#define WEIR_TESTS_BINARY_ROW_TYPES_H

static const char *const binary_row_types[] = {
    "ROW<a BIGINT>",
    "ROW<a STRING, b INT>",
    "ROW<a DECIMAL(38, 10), b TIMESTAMP(9), c DECIMAL(10, 2), d TIMESTAMP(3), e TIMESTAMP(6) WITH LOCAL TIME ZONE>",
    "ROW<a BOOLEAN, b TINYINT, c SMALLINT, d FLOAT, e DOUBLE, f DATE, g TIME(3), h CHAR(3), i BINARY(4), j BYTES>",
    "ROW<a ARRAY<INT>, b ARRAY<STRING>, c MAP<STRING, BIGINT>, d ROW<x INT, y ARRAY<ROW<z STRING>>>, e MULTISET<INT>>",
    "ROW<a ARRAY<DECIMAL(38, 0)>, b ARRAY<TIMESTAMP(9)>, c ARRAY<BOOLEAN>, d MAP<INT, MAP<INT, DOUBLE>>>",
    "ROW<>",
};

#define BINARY_ROW_TYPES (sizeof binary_row_types / sizeof *binary_row_types)

#endif
