/* The numbers of the Parquet format (parquet.thrift), shared by the reader and the writer. */
#ifndef WEIR_FORMAT_PARQUET_FORMAT_ENUMS_H
#define WEIR_FORMAT_PARQUET_FORMAT_ENUMS_H

typedef enum weir_parquet_physical {
    WEIR_PARQUET_BOOLEAN = 0,
    WEIR_PARQUET_INT32 = 1,
    WEIR_PARQUET_INT64 = 2,
    WEIR_PARQUET_INT96 = 3,
    WEIR_PARQUET_FLOAT = 4,
    WEIR_PARQUET_DOUBLE = 5,
    WEIR_PARQUET_BYTE_ARRAY = 6,
    WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY = 7
} weir_parquet_physical;

/* The older annotation of a column; LogicalType (below) replaces it, writers give both where both can say it. */
typedef enum weir_parquet_converted {
    WEIR_PARQUET_CONVERTED_NONE = -1,
    WEIR_PARQUET_UTF8 = 0,
    WEIR_PARQUET_MAP = 1,
    WEIR_PARQUET_MAP_KEY_VALUE = 2,
    WEIR_PARQUET_LIST = 3,
    WEIR_PARQUET_ENUM = 4,
    WEIR_PARQUET_DECIMAL = 5,
    WEIR_PARQUET_DATE = 6,
    WEIR_PARQUET_TIME_MILLIS = 7,
    WEIR_PARQUET_TIME_MICROS = 8,
    WEIR_PARQUET_TIMESTAMP_MILLIS = 9,
    WEIR_PARQUET_TIMESTAMP_MICROS = 10,
    WEIR_PARQUET_UINT_8 = 11,
    WEIR_PARQUET_UINT_16 = 12,
    WEIR_PARQUET_UINT_32 = 13,
    WEIR_PARQUET_UINT_64 = 14,
    WEIR_PARQUET_INT_8 = 15,
    WEIR_PARQUET_INT_16 = 16,
    WEIR_PARQUET_CONVERTED_INT_32 = 17,
    WEIR_PARQUET_CONVERTED_INT_64 = 18,
    WEIR_PARQUET_JSON = 19,
    WEIR_PARQUET_BSON = 20,
    WEIR_PARQUET_INTERVAL = 21
} weir_parquet_converted;

/* Field numbers of the union LogicalType. */
typedef enum weir_parquet_logical {
    WEIR_PARQUET_LOGICAL_NONE = 0,
    WEIR_PARQUET_LOGICAL_STRING = 1,
    WEIR_PARQUET_LOGICAL_MAP = 2,
    WEIR_PARQUET_LOGICAL_LIST = 3,
    WEIR_PARQUET_LOGICAL_ENUM = 4,
    WEIR_PARQUET_LOGICAL_DECIMAL = 5,
    WEIR_PARQUET_LOGICAL_DATE = 6,
    WEIR_PARQUET_LOGICAL_TIME = 7,
    WEIR_PARQUET_LOGICAL_TIMESTAMP = 8,
    WEIR_PARQUET_LOGICAL_INTEGER = 10,
    WEIR_PARQUET_LOGICAL_UNKNOWN = 11,
    WEIR_PARQUET_LOGICAL_JSON = 12,
    WEIR_PARQUET_LOGICAL_BSON = 13,
    WEIR_PARQUET_LOGICAL_UUID = 14,
    WEIR_PARQUET_LOGICAL_FLOAT16 = 15,
    WEIR_PARQUET_LOGICAL_VARIANT = 16
} weir_parquet_logical;

/* Field numbers of the union TimeUnit. */
typedef enum weir_parquet_unit {
    WEIR_PARQUET_MILLIS = 1,
    WEIR_PARQUET_MICROS = 2,
    WEIR_PARQUET_NANOS = 3
} weir_parquet_unit;

typedef enum weir_parquet_repetition {
    WEIR_PARQUET_REQUIRED = 0,
    WEIR_PARQUET_OPTIONAL = 1,
    WEIR_PARQUET_REPEATED = 2
} weir_parquet_repetition;

typedef enum weir_parquet_encoding {
    WEIR_PARQUET_PLAIN = 0,
    WEIR_PARQUET_PLAIN_DICTIONARY = 2, /* old name of RLE_DICTIONARY in data pages, of PLAIN in dictionary pages */
    WEIR_PARQUET_RLE = 3,
    WEIR_PARQUET_BIT_PACKED = 4, /* levels of very old writers, most significant bit first */
    WEIR_PARQUET_DELTA_BINARY_PACKED = 5,
    WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
    WEIR_PARQUET_DELTA_BYTE_ARRAY = 7,
    WEIR_PARQUET_RLE_DICTIONARY = 8,
    WEIR_PARQUET_BYTE_STREAM_SPLIT = 9
} weir_parquet_encoding;

typedef enum weir_parquet_codec {
    WEIR_PARQUET_UNCOMPRESSED = 0,
    WEIR_PARQUET_SNAPPY = 1,
    WEIR_PARQUET_GZIP = 2,
    WEIR_PARQUET_LZO = 3,
    WEIR_PARQUET_BROTLI = 4,
    WEIR_PARQUET_LZ4 = 5, /* Hadoop's framing; some writers put raw blocks under this number */
    WEIR_PARQUET_ZSTD = 6,
    WEIR_PARQUET_LZ4_RAW = 7
} weir_parquet_codec;

typedef enum weir_parquet_page {
    WEIR_PARQUET_DATA_PAGE = 0,
    WEIR_PARQUET_INDEX_PAGE = 1,
    WEIR_PARQUET_DICTIONARY_PAGE = 2,
    WEIR_PARQUET_DATA_PAGE_V2 = 3
} weir_parquet_page;

typedef enum weir_parquet_boundary_order {
    WEIR_PARQUET_UNORDERED = 0,
    WEIR_PARQUET_ASCENDING = 1,
    WEIR_PARQUET_DESCENDING = 2
} weir_parquet_boundary_order;

/* Types of the thrift compact protocol. */
typedef enum weir_thrift_type {
    WEIR_THRIFT_STOP = 0,
    WEIR_THRIFT_TRUE = 1, /* a boolean field's value is its type */
    WEIR_THRIFT_FALSE = 2,
    WEIR_THRIFT_BYTE = 3,
    WEIR_THRIFT_I16 = 4,
    WEIR_THRIFT_I32 = 5,
    WEIR_THRIFT_I64 = 6,
    WEIR_THRIFT_DOUBLE = 7,
    WEIR_THRIFT_BINARY = 8,
    WEIR_THRIFT_LIST = 9,
    WEIR_THRIFT_SET = 10,
    WEIR_THRIFT_MAP = 11,
    WEIR_THRIFT_STRUCT = 12,
    WEIR_THRIFT_UUID = 13
} weir_thrift_type;

#endif
