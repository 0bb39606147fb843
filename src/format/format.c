/* The formats of data files: one table of the kinds there are. */
#include "format/format.h"

#include "base/text.h"
#include "format/avro/avro.h"
#include "format/orc/orc.h"
#include "format/parquet/parquet.h"

typedef struct format_kind {
    const char *name;
    int (*open_reader)(weir_file *file, const weir_field *fields, int32_t field_count,
                       const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                       weir_error *err);
    int (*open_writer)(weir_output *output, const weir_field *fields, int32_t field_count,
                       const weir_format_write_options *options, weir_format_writer **out,
                       weir_error *err); /* NULL: only read */
} format_kind;

static const format_kind kinds[] = {
    {"parquet", weir_parquet_open_reader, weir_parquet_open_writer},
    {"avro", weir_avro_open_reader, weir_avro_open_writer},
    {"orc", weir_orc_open_reader, NULL},
};

/* The kind of a format that is read, or also written; an error names those there are. */
static int find_kind(const char *format, bool is_written, const char *path, const format_kind **out, weir_error *err)
{
    weir_buffer names = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (is_written && kinds[i].open_writer == NULL) {
            continue;
        }
        if (weir_text_equal_ignore_case(kinds[i].name, format)) {
            *out = &kinds[i];
            weir_buffer_free(&names);
            return WEIR_OK;
        }
        weir_buffer_append_text(&names, names.size == 0 ? "" : ", ");
        weir_buffer_append_text(&names, kinds[i].name);
    }
    int code = weir_fail(err, WEIR_UNSUPPORTED, "%s: data files of format '%s' are not %s; there are %s", path, format,
                         is_written ? "written by this version" : "offered", weir_buffer_text(&names));
    weir_buffer_free(&names);
    return code;
}

int weir_format_open_reader(const char *format, weir_file *file, const weir_field *fields, int32_t field_count,
                            const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                            weir_error *err)
{
    const format_kind *kind;
    WEIR_TRY(find_kind(format, false, file->path, &kind, err));
    return kind->open_reader(file, fields, field_count, options, budget, out, err);
}

int weir_format_open_writer(const char *format, weir_output *output, const weir_field *fields, int32_t field_count,
                            const weir_format_write_options *options, weir_format_writer **out, weir_error *err)
{
    const format_kind *kind;
    WEIR_TRY(find_kind(format, true, output->path, &kind, err));
    return kind->open_writer(output, fields, field_count, options, out, err);
}
