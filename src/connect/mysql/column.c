#include "connect/mysql/column.h"

#include <stdlib.h>
#include <strings.h>

#include "base/text.h"

/* The type of the word that a definition begins with. */
static weir_mysql_type type_of(const char *definition)
{
    static const struct {
        const char *name;
        weir_mysql_type type;
    } types[] = {
        {"tinyint", WEIR_MYSQL_TINYINT},
        {"smallint", WEIR_MYSQL_SMALLINT},
        {"mediumint", WEIR_MYSQL_MEDIUMINT},
        {"int", WEIR_MYSQL_INT},
        {"bigint", WEIR_MYSQL_BIGINT},
        {"float", WEIR_MYSQL_FLOAT},
        {"double", WEIR_MYSQL_DOUBLE},
        {"decimal", WEIR_MYSQL_DECIMAL},
        {"bit", WEIR_MYSQL_BIT},
        {"year", WEIR_MYSQL_YEAR},
        {"date", WEIR_MYSQL_DATE},
        {"time", WEIR_MYSQL_TIME},
        {"datetime", WEIR_MYSQL_DATETIME},
        {"timestamp", WEIR_MYSQL_TIMESTAMP},
        {"char", WEIR_MYSQL_CHAR},
        {"varchar", WEIR_MYSQL_VARCHAR},
        {"tinytext", WEIR_MYSQL_TEXT},
        {"text", WEIR_MYSQL_TEXT},
        {"mediumtext", WEIR_MYSQL_TEXT},
        {"longtext", WEIR_MYSQL_TEXT},
        {"binary", WEIR_MYSQL_BINARY},
        {"varbinary", WEIR_MYSQL_VARBINARY},
        {"tinyblob", WEIR_MYSQL_BLOB},
        {"blob", WEIR_MYSQL_BLOB},
        {"mediumblob", WEIR_MYSQL_BLOB},
        {"longblob", WEIR_MYSQL_BLOB},
        {"enum", WEIR_MYSQL_ENUM},
        {"set", WEIR_MYSQL_SET},
        {"json", WEIR_MYSQL_JSON},
        {"geometry", WEIR_MYSQL_GEOMETRY},
        {"point", WEIR_MYSQL_GEOMETRY},
        {"linestring", WEIR_MYSQL_GEOMETRY},
        {"polygon", WEIR_MYSQL_GEOMETRY},
        {"multipoint", WEIR_MYSQL_GEOMETRY},
        {"multilinestring", WEIR_MYSQL_GEOMETRY},
        {"multipolygon", WEIR_MYSQL_GEOMETRY},
        {"geometrycollection", WEIR_MYSQL_GEOMETRY},
        {"geomcollection", WEIR_MYSQL_GEOMETRY},
        {"uuid", WEIR_MYSQL_UUID},
        {"inet4", WEIR_MYSQL_INET4},
        {"inet6", WEIR_MYSQL_INET6},
    };
    size_t size = strcspn(definition, "( ");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == size && strncasecmp(types[i].name, definition, size) == 0) {
            return types[i].type;
        }
    }
    return WEIR_MYSQL_OTHER;
}

/* 'a','b' within the brackets of an ENUM or SET; a quote in a label is doubled. */
static void parse_labels(weir_arena *arena, const char *at, weir_mysql_column *out)
{
    size_t capacity = 1;
    for (const char *comma = at; *comma != '\0'; comma++) {
        capacity += *comma == ',';
    }
    out->labels = WEIR_NEW_ARRAY(arena, const char *, capacity);
    weir_buffer label = {0};
    while (*at == '\'' && out->label_count < capacity) {
        weir_buffer_clear(&label);
        for (at++; *at != '\0' && (*at != '\'' || at[1] == '\''); at++) {
            at += *at == '\'';
            weir_buffer_append_byte(&label, (uint8_t)*at);
        }
        at += *at == '\'';
        at += *at == ',';
        out->labels[out->label_count++] = weir_arena_strdup(arena, weir_buffer_text(&label));
    }
    weir_buffer_free(&label);
}

void weir_mysql_column_define(weir_arena *arena, const char *definition, weir_mysql_column *out)
{
    const char *bracket = strchr(definition, '(');
    out->type = type_of(definition);
    out->definition = weir_arena_strdup(arena, definition);
    if (out->type == WEIR_MYSQL_ENUM || out->type == WEIR_MYSQL_SET) {
        parse_labels(arena, bracket == NULL ? "" : bracket + 1, out);
        return;
    }
    out->is_unsigned = strstr(definition, "unsigned") != NULL || strstr(definition, "zerofill") != NULL;
    out->length = bracket == NULL ? 0 : (uint32_t)strtoul(bracket + 1, NULL, 10);
    out->is_boolean = out->type == WEIR_MYSQL_TINYINT && out->length == 1;
}

int32_t weir_mysql_table_find(const weir_mysql_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (weir_text_equal_ignore_case(table->columns[i].name, name)) {
            return (int32_t)i;
        }
    }
    return -1;
}
