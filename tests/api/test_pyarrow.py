#!/usr/bin/env python3
"""Rows of every type go from pyarrow into a table and back, through libweir's Arrow interfaces alone.

    test_pyarrow.py LIBRARY

The seed is printed and taken from WEIR_SEED. Exits with 77 where pyarrow is not installed.
"""
import ctypes
import datetime
import decimal
import os
import random
import sys
import tempfile
import time

try:
    import pyarrow as pa
except ImportError:
    print("skipped: pyarrow is not installed")
    sys.exit(77)


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_int32), ("column", ctypes.c_int32),
                ("message", ctypes.c_char * 1024)]


class Property(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class CreateRequest(ctypes.Structure):
    _fields_ = [("columns", ctypes.c_void_p),
                ("primary_keys", ctypes.POINTER(ctypes.c_char_p)), ("primary_key_count", ctypes.c_int32),
                ("partition_keys", ctypes.POINTER(ctypes.c_char_p)), ("partition_key_count", ctypes.c_int32),
                ("options", ctypes.POINTER(Property)), ("option_count", ctypes.c_int32),
                ("comment", ctypes.c_char_p)]


ARROW_SCHEMA_SIZE = 72
ARROW_STREAM_SIZE = 40

SCHEMA = pa.schema([
    pa.field("id", pa.int64(), nullable=False),
    pa.field("day", pa.date32(), nullable=False),
    pa.field("flag", pa.bool_()),
    pa.field("tiny", pa.int8()),
    pa.field("small", pa.int16()),
    pa.field("whole", pa.int32()),
    pa.field("narrow", pa.float32()),
    pa.field("wide", pa.float64()),
    pa.field("price", pa.decimal128(10, 2)),
    pa.field("exact", pa.decimal128(38, 10)),
    pa.field("text", pa.large_string()),
    pa.field("bytes", pa.binary()),
    pa.field("fixed", pa.binary(3)),
    pa.field("clock", pa.time32("ms")),
    pa.field("millis", pa.timestamp("ms")),
    pa.field("micros", pa.timestamp("us")),
    pa.field("nanos", pa.timestamp("ns")),
    pa.field("zoned", pa.timestamp("us", "UTC")),
    pa.field("list", pa.list_(pa.int32())),
    pa.field("map", pa.map_(pa.string(), pa.int64())),
    pa.field("row", pa.struct([pa.field("x", pa.int32()), pa.field("z", pa.list_(pa.string()))])),
])


def random_row(source, number):
    def maybe(value):
        return None if source.random() < 0.2 else value

    instant = datetime.datetime(2024, 1, 1) + datetime.timedelta(milliseconds=source.randrange(10**11))
    return {
        "id": number, "day": datetime.date(2024, 1, 1 + number % 3), "flag": maybe(number % 2 == 1),
        "tiny": maybe(number % 100), "small": maybe(number), "whole": maybe(-number), "narrow": maybe(number / 4),
        "wide": maybe(number / 7), "price": maybe(decimal.Decimal(number) / 100),
        "exact": maybe(decimal.Decimal(number) / 8), "text": maybe("text %d ü" % number),
        "bytes": maybe(b"\0\xff%d" % number), "fixed": maybe(b"abc"),
        "clock": maybe(datetime.time(number % 24, number % 60)), "millis": maybe(instant),
        "micros": maybe(instant + datetime.timedelta(microseconds=7)), "nanos": maybe(instant),
        "zoned": maybe(instant.replace(tzinfo=datetime.timezone.utc)), "list": maybe([number, None, 3]),
        "map": maybe([("a", number), ("b", None)]), "row": maybe({"x": maybe(number), "z": ["q", None]}),
    }


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.error = Error()

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments, ctypes.byref(self.error)) != 0:
            raise RuntimeError("%s: %s" % (name, self.error.message.decode()))

    def create(self, path):
        columns = (ctypes.c_byte * ARROW_SCHEMA_SIZE)()
        SCHEMA._export_to_c(ctypes.addressof(columns))
        request = CreateRequest(
            ctypes.addressof(columns), (ctypes.c_char_p * 2)(b"id", b"day"), 2, (ctypes.c_char_p * 1)(b"day"), 1,
            (Property * 2)(Property(b"bucket", b"2"), Property(b"changelog-producer", b"lookup")), 2, None)
        self.call("weir_lake_table_create", path, ctypes.byref(request))
        pa.Schema._import_from_c(ctypes.addressof(columns))  # releases it

    def open(self, path):
        table = ctypes.c_void_p()
        self.call("weir_lake_table_open", path, None, ctypes.byref(table))
        return table

    def write(self, writer, batches):
        stream = (ctypes.c_byte * ARROW_STREAM_SIZE)()
        pa.RecordBatchReader.from_batches(SCHEMA, batches)._export_to_c(ctypes.addressof(stream))
        self.call("weir_writer_write_stream", writer, ctypes.byref(stream))

    def commit(self, writer, identifier):
        prepared = ctypes.c_void_p()
        self.call("weir_writer_prepare", writer, True, ctypes.byref(prepared))
        self.call("weir_writer_commit", writer, prepared, ctypes.c_int64(identifier), None)
        self.library.weir_prepared_free(prepared)

    def read(self, table):
        stream = (ctypes.c_byte * ARROW_STREAM_SIZE)()
        self.call("weir_lake_table_read", table, None, ctypes.byref(stream))
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()


def comparable(name, value):
    if name == "narrow" and value is not None:
        return pa.scalar(value, pa.float32()).as_py()
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def main():
    seed = int(os.environ.get("WEIR_SEED", time.time_ns()))
    print("seed: WEIR_SEED=%d" % seed)
    source = random.Random(seed)
    library = Library(sys.argv[1])
    expected = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "types").encode()
        library.create(path)
        table = library.open(path)
        writer = ctypes.c_void_p()
        library.call("weir_writer_open", table, b"pyarrow", False, ctypes.byref(writer))
        for identifier in range(1, 6):
            rows = [random_row(source, source.randrange(300)) for _ in range(100)]
            batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
            cut = source.randrange(100)
            library.write(writer, [batch.slice(0, cut), batch.slice(cut)])  # the second has offsets
            library.commit(writer, identifier)
            expected.update((row["id"], row) for row in rows)
        library.library.weir_writer_close(writer)
        rows = library.read(table)
        library.library.weir_lake_table_close(table)
    rows.validate(full=True)
    found = {row["id"]: row for row in rows.to_pylist()}
    assert rows.num_rows == len(found) == len(expected), (rows.num_rows, len(found), len(expected))
    for number, row in expected.items():
        for name, value in row.items():
            assert comparable(name, value) == comparable(name, found[number][name]), (number, name, value, found[number])
    print("%d rows are equal" % len(found))


if __name__ == "__main__":
    main()
