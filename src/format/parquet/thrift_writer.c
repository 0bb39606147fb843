/* The thrift compact protocol, writing side.
 *
 *   field   | delta to the last field << 4 | type: 1 |   or   | type: 1 | field number, zigzag varint |
 *   list    | count << 4 | type: 1 |                     or   | 0xF0 | type: 1 | count, varint |
 *   struct  fields, then a zero byte
 *   numbers zigzag varints; binary: its length as a varint, then its bytes */
#include "format/parquet/thrift_writer.h"

static void write_varint(weir_buffer *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    while (value >= 0x80) {
        bytes[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = (uint8_t)value;
    weir_buffer_append(out, bytes, size);
}

static void write_zigzag(weir_buffer *out, int64_t value)
{
    write_varint(out, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static void write_field(weir_thrift_writer *writer, int16_t field, weir_thrift_type type)
{
    int delta = field - writer->last_field[writer->depth];
    if (delta >= 1 && delta <= 15) {
        weir_buffer_append_byte(writer->out, (uint8_t)(delta << 4 | (int)type));
    } else {
        weir_buffer_append_byte(writer->out, (uint8_t)type);
        write_zigzag(writer->out, field);
    }
    writer->last_field[writer->depth] = field;
}

void weir_thrift_writer_init(weir_thrift_writer *writer, weir_buffer *out)
{
    writer->out = out;
    writer->depth = 0;
    writer->last_field[0] = 0;
}

void weir_thrift_write_bool(weir_thrift_writer *writer, int16_t field, bool value)
{
    write_field(writer, field, value ? WEIR_THRIFT_TRUE : WEIR_THRIFT_FALSE);
}

void weir_thrift_write_byte(weir_thrift_writer *writer, int16_t field, int8_t value)
{
    write_field(writer, field, WEIR_THRIFT_BYTE);
    weir_buffer_append_byte(writer->out, (uint8_t)value);
}

void weir_thrift_write_i16(weir_thrift_writer *writer, int16_t field, int16_t value)
{
    write_field(writer, field, WEIR_THRIFT_I16);
    write_zigzag(writer->out, value);
}

void weir_thrift_write_i32(weir_thrift_writer *writer, int16_t field, int32_t value)
{
    write_field(writer, field, WEIR_THRIFT_I32);
    write_zigzag(writer->out, value);
}

void weir_thrift_write_i64(weir_thrift_writer *writer, int16_t field, int64_t value)
{
    write_field(writer, field, WEIR_THRIFT_I64);
    write_zigzag(writer->out, value);
}

void weir_thrift_write_binary(weir_thrift_writer *writer, int16_t field, weir_slice value)
{
    write_field(writer, field, WEIR_THRIFT_BINARY);
    weir_thrift_write_binary_element(writer, value);
}

void weir_thrift_write_begin(weir_thrift_writer *writer, int16_t field)
{
    write_field(writer, field, WEIR_THRIFT_STRUCT);
    weir_thrift_write_begin_element(writer);
}

void weir_thrift_write_begin_element(weir_thrift_writer *writer) { writer->last_field[++writer->depth] = 0; }

void weir_thrift_write_end(weir_thrift_writer *writer)
{
    weir_buffer_append_byte(writer->out, WEIR_THRIFT_STOP);
    writer->depth--;
}

void weir_thrift_write_empty(weir_thrift_writer *writer, int16_t field)
{
    weir_thrift_write_begin(writer, field);
    weir_thrift_write_end(writer);
}

void weir_thrift_write_list(weir_thrift_writer *writer, int16_t field, weir_thrift_type element, size_t count)
{
    write_field(writer, field, WEIR_THRIFT_LIST);
    if (count < 15) {
        weir_buffer_append_byte(writer->out, (uint8_t)(count << 4 | (size_t)element));
    } else {
        weir_buffer_append_byte(writer->out, (uint8_t)(0xF0 | (int)element));
        write_varint(writer->out, count);
    }
}

void weir_thrift_write_bool_element(weir_thrift_writer *writer, bool value)
{
    weir_buffer_append_byte(writer->out, value ? WEIR_THRIFT_TRUE : WEIR_THRIFT_FALSE);
}

void weir_thrift_write_i32_element(weir_thrift_writer *writer, int32_t value) { write_zigzag(writer->out, value); }

void weir_thrift_write_i64_element(weir_thrift_writer *writer, int64_t value) { write_zigzag(writer->out, value); }

void weir_thrift_write_binary_element(weir_thrift_writer *writer, weir_slice value)
{
    write_varint(writer->out, value.size);
    weir_buffer_append(writer->out, value.data, value.size);
}
