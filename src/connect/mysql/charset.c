/* By iconv, but for latin1, which is the Windows-1252 of browsers: its five free places are control characters. */
#include "connect/mysql/charset.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>

struct weir_charset {
    iconv_t converter; /* of latin1 none */
    bool is_latin1;
};

/* What the C library calls them; NULL: nothing to be done. */
static const struct {
    const char *name;
    const char *library_name;
} charsets[] = {
    {"utf8mb4", NULL},        {"utf8mb3", NULL},         {"utf8", NULL},
    {"ascii", NULL},          {"binary", NULL},          {"latin1", ""},
    {"gbk", "GBK"},           {"gb2312", "EUC-CN"},      {"gb18030", "GB18030"},
    {"big5", "BIG5"},         {"ucs2", "UCS-2BE"},       {"utf16", "UTF-16BE"},
    {"utf16le", "UTF-16LE"},  {"utf32", "UTF-32BE"},     {"latin2", "ISO-8859-2"},
    {"latin5", "ISO-8859-9"}, {"latin7", "ISO-8859-13"}, {"greek", "ISO-8859-7"},
    {"hebrew", "ISO-8859-8"}, {"tis620", "TIS-620"},     {"koi8r", "KOI8-R"},
    {"koi8u", "KOI8-U"},      {"sjis", "SHIFT_JIS"},     {"cp932", "CP932"},
    {"ujis", "EUC-JP"},       {"eucjpms", "EUC-JP-MS"},  {"euckr", "UHC"},
    {"cp850", "CP850"},       {"cp852", "CP852"},        {"cp866", "CP866"},
    {"cp1250", "CP1250"},     {"cp1251", "CP1251"},      {"cp1256", "CP1256"},
    {"cp1257", "CP1257"},     {"macroman", "MACINTOSH"}, {"armscii8", "ARMSCII-8"},
    {"hp8", "HP-ROMAN8"},
};

int weir_charset_open(const char *name, weir_charset **out, weir_error *err)
{
    const char *library_name = NULL;
    bool is_known = false;
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets && !is_known; i++) {
        is_known = strcmp(charsets[i].name, name) == 0;
        library_name = charsets[i].library_name;
    }
    *out = NULL;
    if (is_known && library_name == NULL) {
        return WEIR_OK;
    }
    weir_charset made = {.is_latin1 = is_known && *library_name == '\0', .converter = (iconv_t)-1};
    if (is_known && !made.is_latin1) {
        made.converter = iconv_open("UTF-8", library_name);
    }
    if (!made.is_latin1 && made.converter == (iconv_t)-1) {
        return weir_fail(err, WEIR_UNSUPPORTED, "texts of character set '%s' are not read", name);
    }
    *out = weir_alloc(sizeof **out);
    **out = made;
    return WEIR_OK;
}

void weir_charset_close(weir_charset *charset)
{
    if (charset != NULL) {
        if (!charset->is_latin1) {
            iconv_close(charset->converter);
        }
        free(charset);
    }
}

static void append_character(uint32_t character, weir_buffer *out)
{
    if (character < 0x80) {
        weir_buffer_append_byte(out, (uint8_t)character);
    } else if (character < 0x800) {
        weir_buffer_append_byte(out, (uint8_t)(0xC0 | character >> 6));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (character & 63)));
    } else {
        weir_buffer_append_byte(out, (uint8_t)(0xE0 | character >> 12));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (character >> 6 & 63)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (character & 63)));
    }
}

static void convert_latin1(weir_slice text, weir_buffer *out)
{
    static const uint16_t from_80[32] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                         0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                         0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                         0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        append_character(byte >= 0x80 && byte < 0xA0 ? from_80[byte - 0x80] : byte, out);
    }
}

void weir_charset_convert(weir_charset *charset, weir_slice text, weir_buffer *out)
{
    if (charset->is_latin1) {
        convert_latin1(text, out);
        return;
    }
    char *in = (char *)(uintptr_t)text.data;
    size_t left = text.size;
    iconv(charset->converter, NULL, NULL, NULL, NULL);
    while (left > 0) {
        weir_buffer_reserve(out, left * 2 + 16);
        char *to = (char *)out->data + out->size;
        size_t room = out->capacity - out->size;
        size_t before = room;
        size_t converted = iconv(charset->converter, &in, &left, &to, &room);
        out->size += before - room;
        if (converted == (size_t)-1 && errno != E2BIG) {
            append_character(0xFFFD, out);
            in++;
            left--;
        }
    }
}
