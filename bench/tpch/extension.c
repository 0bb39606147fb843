/* Nothing but the library that this file is built into: all of it is DuckDB's own archive. */
typedef int weir_tpch_extension_is_an_archive;
