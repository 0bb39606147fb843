/* duckdb-tpch: DuckDB beside Weir on TPC-H: the data by its generator, and the standard queries on its own Parquet files.
 *
 *   duckdb-tpch generate FOLDER SCALE   the eight tables as FOLDER/csv/T.csv and FOLDER/parquet/T.parquet
 *   duckdb-tpch query FOLDER N          rows of query N over FOLDER/parquet, a JSON-like line a row, values unquoted
 *
 * The generator is an extension of DuckDB's that its archives hold without linking it. An extension is a shared library
 * with a description at its end; this program makes one of the library that was built beside it, and loads that. */
#include <duckdb.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static duckdb_database database;
static duckdb_connection connection;

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "duckdb-tpch: %s: %s\n", what, why == NULL ? "failed" : why);
    exit(1);
}

static void run(const char *sql, duckdb_result *out)
{
    duckdb_result ignored;
    duckdb_result *result = out == NULL ? &ignored : out;
    if (duckdb_query(connection, sql, result) != DuckDBSuccess) {
        die(sql, duckdb_result_error(result));
    }
    if (out == NULL) {
        duckdb_destroy_result(result);
    }
}

/* --- the extension ----------------------------------------------------------------------------------------------- */

#define FIELD_BYTES     32
#define SIGNATURE_BYTES 256

static void copy_library(const char *from, FILE *to)
{
    char bytes[65536];
    size_t size;
    FILE *library = fopen(from, "rb");
    if (library == NULL) {
        die(from, "can't be read");
    }
    while ((size = fread(bytes, 1, sizeof bytes, library)) > 0) {
        fwrite(bytes, 1, size, to);
    }
    fclose(library);
}

/* Eight fields, the last first: magic, platform, DuckDB's version, its own version, the kind of interface; then room for
 * a signature, which an unsigned extension leaves empty. */
static void append_description(FILE *to)
{
    duckdb_result platform;
    run("PRAGMA platform", &platform);
    char *name = duckdb_value_varchar(&platform, 0, 0);
    const char *const fields[] = {"", "", "", "CPP", duckdb_library_version(), duckdb_library_version(), name, "4"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char field[FIELD_BYTES] = {0};
        memcpy(field, fields[i], strlen(fields[i]) < FIELD_BYTES ? strlen(fields[i]) : FIELD_BYTES);
        fwrite(field, 1, FIELD_BYTES, to);
    }
    char signature[SIGNATURE_BYTES] = {0};
    fwrite(signature, 1, SIGNATURE_BYTES, to);
    duckdb_free(name);
    duckdb_destroy_result(&platform);
}

static void load_extension(void)
{
    char program[PATH_MAX] = {0}, library[PATH_MAX + 32], extension[] = "/tmp/tpch-XXXXXX", path[64], sql[128];
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 || mkdtemp(extension) == NULL) {
        die("the extension", "can't be made");
    }
    snprintf(library, sizeof library, "%s/libduckdb-tpch.so", dirname(program));
    snprintf(path, sizeof path, "%s/tpch.duckdb_extension", extension);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        die(path, "can't be written");
    }
    copy_library(library, file);
    append_description(file);
    fclose(file);
    snprintf(sql, sizeof sql, "LOAD '%s'", path);
    run(sql, NULL);
    remove(path);
    rmdir(extension);
}

/* --- commands ---------------------------------------------------------------------------------------------------- */

static const char *const tables[] = {"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"};

enum { TABLE_COUNT = sizeof tables / sizeof *tables };

static void generate(const char *folder, const char *scale)
{
    char sql[PATH_MAX * 2];
    load_extension();
    snprintf(sql, sizeof sql, "CALL dbgen(sf = %s)", scale);
    run(sql, NULL);
    snprintf(sql, sizeof sql, "%s/csv", folder);
    mkdir(sql, 0777);
    snprintf(sql, sizeof sql, "%s/parquet", folder);
    mkdir(sql, 0777);
    for (int i = 0; i < TABLE_COUNT; i++) {
        snprintf(sql, sizeof sql, "COPY %s TO '%s/csv/%s.csv' (DELIMITER '|', HEADER false)", tables[i], folder,
                 tables[i]);
        run(sql, NULL);
        snprintf(sql, sizeof sql, "COPY %s TO '%s/parquet/%s.parquet' (FORMAT parquet)", tables[i], folder, tables[i]);
        run(sql, NULL);
    }
}

static void print_rows(duckdb_result *result)
{
    for (idx_t row = 0; row < duckdb_row_count(result); row++) {
        putchar('[');
        for (idx_t column = 0; column < duckdb_column_count(result); column++) {
            char *text = duckdb_value_varchar(result, column, row);
            printf("%s%s", column > 0 ? "," : "", text == NULL ? "null" : text);
            duckdb_free(text);
        }
        puts("]");
    }
}

/* The text of a query is the extension's, which is loaded for it only where FOLDER/queries lacks it. */
static void query(const char *folder, const char *number)
{
    char sql[PATH_MAX * 2], text[8192] = {0};
    duckdb_result result;
    snprintf(sql, sizeof sql, "%s/query-%s.sql", folder, number);
    FILE *file = fopen(sql, "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) {
        die(sql, "can't be read; run generate");
    }
    fclose(file);
    for (int i = 0; i < TABLE_COUNT; i++) {
        snprintf(sql, sizeof sql, "CREATE VIEW %s AS FROM '%s/parquet/%s.parquet'", tables[i], folder, tables[i]);
        run(sql, NULL);
    }
    run(text, &result);
    print_rows(&result);
    duckdb_destroy_result(&result);
}

/* The standard queries as files, so that measuring one does not load the extension. */
static void write_queries(const char *folder)
{
    char path[PATH_MAX];
    duckdb_result result;
    run("SELECT query FROM tpch_queries() ORDER BY query_nr", &result);
    for (idx_t i = 0; i < duckdb_row_count(&result); i++) {
        char *text = duckdb_value_varchar(&result, 0, i);
        snprintf(path, sizeof path, "%s/query-%02d.sql", folder, (int)i + 1);
        FILE *file = fopen(path, "w");
        if (file == NULL) {
            die(path, "can't be written");
        }
        fputs(text, file);
        fclose(file);
        duckdb_free(text);
    }
    duckdb_destroy_result(&result);
}

int main(int count, char **words)
{
    bool generates = count == 4 && strcmp(words[1], "generate") == 0;
    if (!generates && (count != 4 || strcmp(words[1], "query") != 0)) {
        fputs("duckdb-tpch generate FOLDER SCALE\nduckdb-tpch query FOLDER NN\n", stderr);
        return 2;
    }
    duckdb_config config;
    char *message = NULL;
    duckdb_create_config(&config);
    duckdb_set_config(config, "allow_unsigned_extensions", "true");
    if (duckdb_open_ext(NULL, &database, config, &message) != DuckDBSuccess) {
        die("DuckDB", message);
    }
    duckdb_connect(database, &connection);
    if (generates) {
        generate(words[2], words[3]);
        write_queries(words[2]);
    } else {
        query(words[2], words[3]);
    }
    duckdb_disconnect(&connection);
    duckdb_close(&database);
    duckdb_destroy_config(&config);
    return 0;
}
