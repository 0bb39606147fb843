/* Hadoop's configuration files.
 *
 *   <configuration>
 *     <property><name>fs.defaultFS</name><value>hdfs://nn:8020</value><final>true</final></property>
 *     <property name="dfs.replication" value="1"/>
 *   </configuration>
 *
 * The part of XML that such files need: elements, attributes, comments, CDATA, the five entities and numbers of
 * characters. Names of elements at the end of one are not compared with those at its start. */
#include "fs/hdfs/site_file.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct xml_reader {
    const char *path;
    const char *start;
    const char *at;
    const char *end;
} xml_reader;

typedef enum xml_kind { XML_START, XML_END, XML_TEXT, XML_DONE } xml_kind;

typedef struct xml_token {
    xml_kind kind;
    const char *data; /* START: name and attributes; END: name; TEXT: characters with entities unless `is_literal` */
    size_t size;
    bool is_empty;   /* START: "<a/>" */
    bool is_literal; /* TEXT: of a CDATA section */
} xml_token;

static int malformed(const xml_reader *reader, const char *at, const char *what, weir_error *err)
{
    int line = 1;
    for (const char *each = reader->start; each < at; each++) {
        line += *each == '\n';
    }
    return weir_fail(err, WEIR_INVALID, "%s: line %d: %s; Hadoop's configuration files are XML", reader->path, line,
                     what);
}

/* ---- tokens ---- */

static bool begins_with(const xml_reader *reader, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(reader->end - reader->at) >= size && memcmp(reader->at, word, size) == 0;
}

/* Moves behind the next `word` and gives what lies before it. */
static int take_until(xml_reader *reader, const char *word, xml_token *out, weir_error *err)
{
    size_t size = strlen(word);
    const char *found = memmem(reader->at, (size_t)(reader->end - reader->at), word, size);
    if (found == NULL) {
        return malformed(reader, reader->at, "something that begins here does not end", err);
    }
    out->data = reader->at;
    out->size = (size_t)(found - reader->at);
    reader->at = found + size;
    return WEIR_OK;
}

/* The end of a tag: a '>' outside of quotes. */
static int take_tag(xml_reader *reader, xml_token *out, weir_error *err)
{
    const char *begin = reader->at;
    char quote = 0;
    for (; reader->at < reader->end && (quote || *reader->at != '>'); reader->at++) {
        char character = *reader->at;
        if (quote) {
            quote = character == quote ? 0 : quote;
        } else if (character == '"' || character == '\'') {
            quote = character;
        }
    }
    if (reader->at == reader->end) {
        return malformed(reader, begin, "a tag that begins here does not end", err);
    }
    out->is_empty = reader->at > begin && reader->at[-1] == '/';
    out->data = begin;
    out->size = (size_t)(reader->at - begin) - out->is_empty;
    reader->at++;
    return WEIR_OK;
}

/* The next start, end or text. */
static int next_token(xml_reader *reader, xml_token *out, weir_error *err)
{
    for (;;) {
        *out = (xml_token){.kind = XML_TEXT};
        if (reader->at == reader->end) {
            out->kind = XML_DONE;
            return WEIR_OK;
        }
        if (*reader->at != '<') {
            const char *next = memchr(reader->at, '<', (size_t)(reader->end - reader->at));
            out->data = reader->at;
            out->size = (size_t)((next != NULL ? next : reader->end) - reader->at);
            reader->at += out->size;
            return WEIR_OK;
        }
        if (begins_with(reader, "<![CDATA[")) {
            reader->at += 9;
            out->is_literal = true;
            return take_until(reader, "]]>", out, err);
        }
        if (begins_with(reader, "<!--")) {
            reader->at += 4;
            WEIR_TRY(take_until(reader, "-->", out, err));
        } else if (begins_with(reader, "<?")) {
            WEIR_TRY(take_until(reader, "?>", out, err));
        } else if (begins_with(reader, "<!")) {
            WEIR_TRY(take_tag(reader, out, err));
        } else {
            bool is_end = begins_with(reader, "</");
            out->kind = is_end ? XML_END : XML_START;
            reader->at += is_end ? 2 : 1;
            return take_tag(reader, out, err);
        }
    }
}

/* ---- text ---- */

static void append_utf8(uint32_t character, weir_buffer *out)
{
    if (character < 0x80) {
        weir_buffer_append_byte(out, (uint8_t)character);
        return;
    }
    int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    weir_buffer_append_byte(out, (uint8_t)((0xFF00 >> (more + 1)) | (character >> (6 * more))));
    while (more-- > 0) {
        weir_buffer_append_byte(out, (uint8_t)(0x80 | ((character >> (6 * more)) & 0x3F)));
    }
}

/* Appends what "&name;" stands for and gives its size in the text; 0: nothing that XML knows. */
static size_t append_entity(const char *text, size_t size, weir_buffer *out)
{
    static const struct {
        const char *name;
        char character;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].name);
        if (size >= length && memcmp(text, known[i].name, length) == 0) {
            weir_buffer_append_byte(out, (uint8_t)known[i].character);
            return length;
        }
    }
    const char *semicolon = memchr(text, ';', size < 12 ? size : 12);
    if (size > 3 && text[1] == '#' && semicolon != NULL) {
        bool is_hex = text[2] == 'x';
        char *end;
        unsigned long character = strtoul(text + (is_hex ? 3 : 2), &end, is_hex ? 16 : 10);
        bool is_character = character > 0 && character <= 0x10FFFF && (character & ~0x7FFUL) != 0xD800;
        if (end == semicolon && is_character) {
            append_utf8((uint32_t)character, out);
            return (size_t)(semicolon + 1 - text);
        }
    }
    return 0;
}

static void append_text(const char *text, size_t size, bool is_literal, weir_buffer *out)
{
    for (size_t i = 0; i < size;) {
        size_t entity = !is_literal && text[i] == '&' ? append_entity(text + i, size - i, out) : 0;
        if (entity == 0) {
            weir_buffer_append_byte(out, (uint8_t)text[i]);
        }
        i += entity > 0 ? entity : 1;
    }
}

static size_t name_size(const xml_token *tag)
{
    size_t size = 0;
    while (size < tag->size && !isspace((unsigned char)tag->data[size])) {
        size++;
    }
    return size;
}

static bool is_named(const xml_token *tag, const char *name)
{
    return name_size(tag) == strlen(name) && memcmp(tag->data, name, strlen(name)) == 0;
}

/* Puts the value of an attribute in place of what `out` holds, if the tag has it. */
static void read_attribute(const xml_token *tag, const char *name, weir_buffer *out)
{
    const char *at = tag->data + name_size(tag), *end = tag->data + tag->size;
    while (at < end) {
        while (at < end && isspace((unsigned char)*at)) {
            at++;
        }
        const char *key = at;
        while (at < end && *at != '=' && !isspace((unsigned char)*at)) {
            at++;
        }
        size_t key_size = (size_t)(at - key);
        while (at < end && *at != '"' && *at != '\'') {
            at++;
        }
        if (at == end) {
            return;
        }
        const char *value = at + 1, *closing = memchr(value, *at, (size_t)(end - value));
        if (closing == NULL) {
            return;
        }
        if (key_size == strlen(name) && memcmp(key, name, key_size) == 0) {
            weir_buffer_clear(out);
            append_text(value, (size_t)(closing - value), false, out);
        }
        at = closing + 1;
    }
}

/* ---- properties ---- */

typedef struct open_property {
    bool is_open;
    weir_buffer name;
    weir_buffer value;
    weir_buffer *current; /* which of the two the text belongs to; NULL: neither */
} open_property;

static const char *trimmed(weir_buffer *buffer)
{
    while (buffer->size > 0 && isspace(buffer->data[buffer->size - 1])) {
        buffer->size--;
    }
    const char *text = weir_buffer_text(buffer);
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text;
}

static void finish_property(open_property *property, weir_property_function function, void *argument)
{
    const char *name = trimmed(&property->name), *value = trimmed(&property->value);
    if (property->is_open && *name && *value) {
        function(argument, name, value);
    }
    property->is_open = false;
    property->current = NULL;
}

static void begin_element(const xml_token *tag, open_property *property)
{
    if (is_named(tag, "property")) {
        property->is_open = true;
        property->current = NULL;
        weir_buffer_clear(&property->name);
        weir_buffer_clear(&property->value);
        read_attribute(tag, "name", &property->name);
        read_attribute(tag, "value", &property->value);
        return;
    }
    property->current = !property->is_open || tag->is_empty ? NULL
                        : is_named(tag, "name")             ? &property->name
                        : is_named(tag, "value")            ? &property->value
                                                            : NULL;
    if (property->current != NULL) {
        weir_buffer_clear(property->current);
    }
}

int weir_site_file_read(weir_slice text, const char *path, weir_property_function function, void *argument,
                        weir_error *err)
{
    const char *start = text.size > 0 ? (const char *)text.data : "";
    xml_reader reader = {path, start, start, start + text.size};
    open_property property = {0};
    bool any = false;
    int code = WEIR_OK;
    for (xml_token token;;) {
        WEIR_GO(next_token(&reader, &token, err));
        if (token.kind == XML_DONE) {
            break;
        }
        if (token.kind == XML_TEXT) {
            if (property.current != NULL) {
                append_text(token.data, token.size, token.is_literal, property.current);
            }
            continue;
        }
        any = true;
        if (token.kind == XML_START) {
            begin_element(&token, &property);
        }
        if ((token.kind == XML_END || token.is_empty) && is_named(&token, "property")) {
            finish_property(&property, function, argument);
        } else if (token.kind == XML_END) {
            property.current = NULL;
        }
    }
    if (!any) {
        code = malformed(&reader, reader.start, "there is no element", err);
    }
done:
    weir_buffer_free(&property.name);
    weir_buffer_free(&property.value);
    return code;
}
