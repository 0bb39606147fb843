/* Reading XML, by expat, and writing what little of it is sent. */
#include "fs/s3/xml.h"

#include <expat.h>
#include <stdlib.h>

#include "base/alloc.h"

#define MOST_DEEP 16 /* elements in each other; S3's answers have 5 */

typedef struct xml_reader {
    XML_Parser parser;
    weir_xml_element end;
    weir_xml_begin begin;
    void *context;
    int depth;
    weir_buffer path;
    size_t path_sizes[MOST_DEEP]; /* before each open element */
    weir_buffer text;
} xml_reader;

static void XMLCALL take_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    (void)attributes;
    xml_reader *reader = context;
    if (reader->depth == MOST_DEEP) {
        XML_StopParser(reader->parser, XML_FALSE);
        return;
    }
    const char *colon = strrchr(name, ':');
    reader->path_sizes[reader->depth++] = reader->path.size;
    weir_buffer_append_format(&reader->path, "%s%s", reader->path.size > 0 ? "/" : "", colon == NULL ? name : colon + 1);
    weir_buffer_clear(&reader->text);
    if (reader->begin != NULL) {
        reader->begin(reader->context, weir_buffer_text(&reader->path));
    }
}

static void XMLCALL take_text(void *context, const XML_Char *text, int size)
{
    xml_reader *reader = context;
    weir_buffer_append(&reader->text, text, (size_t)size);
}

static void XMLCALL take_end(void *context, const XML_Char *name)
{
    (void)name;
    xml_reader *reader = context;
    reader->end(reader->context, weir_buffer_text(&reader->path), weir_buffer_slice(&reader->text));
    reader->path.size = reader->path_sizes[--reader->depth];
    weir_buffer_clear(&reader->text);
}

/* Answers have no document type; entities, which one could declare, can make much of little. */
static void XMLCALL refuse_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *id,
                                   int has_subset)
{
    (void)name;
    (void)system;
    (void)id;
    (void)has_subset;
    XML_StopParser(((xml_reader *)context)->parser, XML_FALSE);
}

int weir_xml_read(weir_slice bytes, weir_xml_element end, weir_xml_begin begin, void *context, weir_error *err)
{
    xml_reader reader = {.end = end, .begin = begin, .context = context};
    int code = WEIR_OK;
    reader.parser = XML_ParserCreate(NULL);
    if (reader.parser == NULL || bytes.size > INT32_MAX) {
        WEIR_GO(weir_fail(err, WEIR_NO_MEMORY, "an answer of %zu bytes of XML is too large", bytes.size));
    }
    XML_SetUserData(reader.parser, &reader);
    XML_SetStartDoctypeDeclHandler(reader.parser, refuse_doctype);
    XML_SetElementHandler(reader.parser, take_start, take_end);
    XML_SetCharacterDataHandler(reader.parser, take_text);
    if (XML_Parse(reader.parser, (const char *)bytes.data, (int)bytes.size, 1) != XML_STATUS_OK) {
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "the answer is no XML that is understood: %s in line %lu",
                          XML_ErrorString(XML_GetErrorCode(reader.parser)),
                          (unsigned long)XML_GetCurrentLineNumber(reader.parser)));
    }
done:
    if (reader.parser != NULL) {
        XML_ParserFree(reader.parser);
    }
    weir_buffer_free(&reader.path);
    weir_buffer_free(&reader.text);
    return code;
}

void weir_xml_append_escaped(const char *text, weir_buffer *out)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            weir_buffer_append_text(out, "&amp;");
            break;
        case '<':
            weir_buffer_append_text(out, "&lt;");
            break;
        case '>':
            weir_buffer_append_text(out, "&gt;");
            break;
        default:
            if ((unsigned char)*text < 0x20) {
                weir_buffer_append_format(out, "&#%d;", *text);
            } else {
                weir_buffer_append_byte(out, (uint8_t)*text);
            }
        }
    }
}
