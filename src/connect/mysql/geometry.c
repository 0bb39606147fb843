/* Well-known binary: | 1: little-endian: 1 | kind: 4 | what belongs to the kind |. */
#include "connect/mysql/geometry.h"

#include <math.h>

#include "base/byte_reader.h"
#include "connect/mysql/json_text.h"

#define MOST_DEPTH  32
#define HEADER_SIZE 5

enum { POINT = 1, LINE = 2, POLYGON = 3, MULTI_POINT = 4, MULTI_LINE = 5, MULTI_POLYGON = 6, COLLECTION = 7 };

static const char *const kind_names[] = {[POINT] = "Point",
                                         [LINE] = "LineString",
                                         [POLYGON] = "Polygon",
                                         [MULTI_POINT] = "MultiPoint",
                                         [MULTI_LINE] = "MultiLineString",
                                         [MULTI_POLYGON] = "MultiPolygon",
                                         [COLLECTION] = "GeometryCollection"};

static void write_number(weir_byte_reader *reader, weir_buffer *out)
{
    uint64_t bits = weir_take_u64(reader);
    double number;
    memcpy(&number, &bits, sizeof number);
    if (isfinite(number) && fabs(number) < 1e15 && number == floor(number)) {
        weir_buffer_append_format(out, "%.0f", number + 0.0);
    } else {
        weir_mysql_real_format(number, out);
    }
}

static void write_point(weir_byte_reader *reader, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    write_number(reader, out);
    weir_buffer_append_byte(out, ',');
    write_number(reader, out);
    weir_buffer_append_byte(out, ']');
}

/* 0, and failed, when it is none of these. */
static uint32_t take_kind(weir_byte_reader *reader)
{
    uint8_t order = weir_take_u8(reader);
    uint32_t kind = weir_take_u32(reader);
    if (reader->failed || order != 1 || kind < POINT || kind > COLLECTION) {
        weir_byte_reader_fail(reader);
        return 0;
    }
    return kind;
}

static void write_coordinates(weir_byte_reader *reader, uint32_t kind, weir_buffer *out);

/* A list: of points, of lists of them, or of whole geometries, each with its header. */
static void write_list(weir_byte_reader *reader, uint32_t kind, weir_buffer *out)
{
    size_t least = kind == LINE ? 16 : kind == POLYGON ? 4 : HEADER_SIZE;
    uint32_t count = weir_take_count(reader, least);
    weir_buffer_append_byte(out, '[');
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ",");
        if (kind == LINE) {
            write_point(reader, out);
        } else if (kind == POLYGON) {
            write_list(reader, LINE, out);
        } else {
            uint32_t inner = take_kind(reader);
            reader->failed = reader->failed || inner + 3 != kind;
            write_coordinates(reader, inner, out);
        }
    }
    weir_buffer_append_byte(out, ']');
}

static void write_coordinates(weir_byte_reader *reader, uint32_t kind, weir_buffer *out)
{
    if (reader->failed) {
        return;
    }
    if (kind == POINT) {
        write_point(reader, out);
    } else {
        write_list(reader, kind, out);
    }
}

/* The geometry without its closing brace, so that more may be said of it. */
static void write_geometry(weir_byte_reader *reader, int depth, weir_buffer *out)
{
    uint32_t kind = take_kind(reader);
    if (reader->failed || depth > MOST_DEPTH) {
        weir_byte_reader_fail(reader);
        return;
    }
    if (kind != COLLECTION) {
        weir_buffer_append_text(out, depth == 0 ? "{\"coordinates\":" : "{\"type\":");
        if (depth > 0) {
            weir_buffer_append_format(out, "\"%s\",\"coordinates\":", kind_names[kind]);
            write_coordinates(reader, kind, out);
            return;
        }
        write_coordinates(reader, kind, out);
        weir_buffer_append_format(out, ",\"type\":\"%s\"", kind_names[kind]);
        return;
    }
    weir_buffer_append_text(out,
                            depth == 0 ? "{\"geometries\":[" : "{\"type\":\"GeometryCollection\",\"geometries\":[");
    uint32_t count = weir_take_count(reader, HEADER_SIZE);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ",");
        write_geometry(reader, depth + 1, out);
        weir_buffer_append_byte(out, '}');
    }
    weir_buffer_append_text(out, depth == 0 ? "],\"type\":\"GeometryCollection\"" : "]");
}

int weir_mysql_geometry_format(weir_slice value, weir_buffer *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(value);
    uint32_t srid = weir_take_u32(&reader);
    write_geometry(&reader, 0, out);
    weir_buffer_append_format(out, ",\"srid\":%u}", srid);
    return reader.failed ? weir_fail(err, WEIR_CORRUPT, "a geometry of %zu bytes is damaged", value.size) : WEIR_OK;
}
