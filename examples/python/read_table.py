#!/usr/bin/env python3
"""Reads a Paimon table through libweir into pyarrow, without a wrapper: ctypes calls the library, and the rows come as
an Arrow C stream, which pyarrow takes over without copying them.

    read_table.py TABLE_PATH [--columns a,b] [--option key=value]... [--library PATH/libweir.so]

Exits with 77 where pyarrow is not installed.
"""
import argparse
import ctypes
import sys

try:
    import pyarrow
except ImportError:
    print("read_table.py: pyarrow is not installed (python3 -m pip install pyarrow)", file=sys.stderr)
    sys.exit(77)


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_int32), ("column", ctypes.c_int32),
                ("message", ctypes.c_char * 1024)]


class Property(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class OpenSettings(ctypes.Structure):
    _fields_ = [("options", ctypes.POINTER(Property)), ("option_count", ctypes.c_int32), ("branch", ctypes.c_char_p),
                ("memory_bytes", ctypes.c_int64), ("threads", ctypes.c_int32), ("for_changes", ctypes.c_bool)]


class ReadRequest(ctypes.Structure):
    _fields_ = [("columns", ctypes.POINTER(ctypes.c_char_p)), ("column_count", ctypes.c_int32),
                ("conditions", ctypes.c_void_p), ("condition_count", ctypes.c_int32), ("with_kinds", ctypes.c_bool),
                ("batch_rows", ctypes.c_int64)]


class ArrowArrayStream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.c_void_p), ("get_next", ctypes.c_void_p), ("get_last_error", ctypes.c_void_p),
                ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


def check(code, error):
    if code != 0:
        raise RuntimeError(error.message.decode())


def read_table(library, path, columns=None, options=()):
    """A pyarrow.RecordBatchReader over the rows of the table."""
    error = Error()
    table = ctypes.c_void_p()
    properties = (Property * len(options))(*[Property(k.encode(), v.encode()) for k, v in options])
    settings = OpenSettings(options=properties, option_count=len(options))
    check(library.weir_lake_table_open(path.encode(), ctypes.byref(settings), ctypes.byref(table),
                                       ctypes.byref(error)), error)
    try:
        request = ReadRequest()
        if columns is not None:
            request.columns = (ctypes.c_char_p * len(columns))(*[name.encode() for name in columns])
            request.column_count = len(columns)
        stream = ArrowArrayStream()
        check(library.weir_lake_table_read(table, ctypes.byref(request), ctypes.byref(stream), ctypes.byref(error)),
              error)
    finally:
        library.weir_lake_table_close(table)  # the stream keeps what it needs
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))


def main():
    parser = argparse.ArgumentParser(description="Reads a Paimon table through libweir into pyarrow.")
    parser.add_argument("path", help="the folder of the table")
    parser.add_argument("--columns", type=lambda text: text.split(","), help="names, separated by commas")
    parser.add_argument("--option", action="append", default=[], type=lambda text: tuple(text.split("=", 1)),
                        metavar="KEY=VALUE", help="such as scan.snapshot-id=2")
    parser.add_argument("--library", default="libweir.so.0", help="the library to load")
    arguments = parser.parse_args()
    library = ctypes.CDLL(arguments.library)
    try:
        table = read_table(library, arguments.path, arguments.columns, arguments.option).read_all()
    except RuntimeError as failure:
        sys.exit(f"read_table.py: {failure}")
    print(table.schema)
    for row in table.to_pylist():
        print(row)


if __name__ == "__main__":
    main()
