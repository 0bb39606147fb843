/* Names of members to numbers of fields.
 *
 * A name is hashed by its size and its first and last eight bytes, which takes two loads and two multiplications
 * whatever its length. Names of tables are few, so that the slots, four for each, mostly hold one name or none. */
#include "format/json/names.h"

#include <stdlib.h>

#include "format/json/text.h"

/* Whether two texts of at least 8 readable bytes begin with the same `size` bytes. */
static inline bool same_text(const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        if (weir_load_le64(a + i) != weir_load_le64(b + i)) {
            return false;
        }
    }
    uint64_t different = weir_load_le64(a + i) ^ weir_load_le64(b + i);
    return (different & ((UINT64_C(1) << (8 * (size - i))) - 1)) == 0;
}

static inline uint32_t hash_name(const uint8_t *text, size_t size)
{
    uint64_t first;
    uint64_t last;
    if (size >= 8) {
        first = weir_load_le64(text);
        last = weir_load_le64(text + size - 8);
    } else {
        first = size == 0 ? 0 : weir_load_le64(text) << (64 - 8 * size);
        last = size;
    }
    uint64_t hash = (first ^ size) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 32) ^ last) * 0xC2B2AE3D27D4EB4Fu;
    return (uint32_t)(hash >> 32);
}

static void add_name(weir_json_names *names, int32_t index, const char *text)
{
    weir_json_name *name = &names->names[index];
    name->size = strlen(text);
    name->text = weir_alloc_zeroed(name->size + 8, 1);
    memcpy(name->text, text, name->size);
    uint32_t slot = hash_name(name->text, name->size) & names->slot_mask;
    while (names->slots[slot] != 0) {
        slot = (slot + 1) & names->slot_mask;
    }
    names->slots[slot] = index + 1;
}

static void start(weir_json_names *names, int32_t count)
{
    uint32_t slots = 8;
    while (slots < (uint32_t)count * 4) {
        slots *= 2;
    }
    *names = (weir_json_names){.count = count, .slot_mask = slots - 1};
    names->names = weir_alloc_zeroed((size_t)count, sizeof *names->names);
    names->slots = weir_alloc_zeroed(slots, sizeof *names->slots);
}

void weir_json_names_init(weir_json_names *names, const char *const *texts, int32_t count)
{
    start(names, count);
    for (int32_t i = 0; i < count; i++) {
        add_name(names, i, texts[i]);
    }
}

void weir_json_names_of_fields(weir_json_names *names, const weir_field *fields, int32_t count)
{
    start(names, count);
    for (int32_t i = 0; i < count; i++) {
        add_name(names, i, fields[i].name);
    }
}

void weir_json_names_free(weir_json_names *names)
{
    for (int32_t i = 0; i < names->count; i++) {
        free(names->names[i].text);
    }
    free(names->names);
    free(names->slots);
    weir_buffer_free(&names->unescaped);
    *names = (weir_json_names){0};
}

static int32_t find(const weir_json_names *names, const uint8_t *text, size_t size)
{
    uint32_t slot = hash_name(text, size) & names->slot_mask;
    for (; names->slots[slot] != 0; slot = (slot + 1) & names->slot_mask) {
        const weir_json_name *name = &names->names[names->slots[slot] - 1];
        if (name->size == size && same_text(name->text, text, size)) {
            return names->slots[slot] - 1;
        }
    }
    return -1;
}

int32_t weir_json_names_find(weir_json_names *names, const uint8_t *base, weir_json_span name)
{
    if (!name.has_escapes) {
        return find(names, base + name.offset, name.size);
    }
    weir_buffer_clear(&names->unescaped);
    weir_json_text_append(base, name, &names->unescaped);
    size_t size = names->unescaped.size;
    weir_buffer_append_zeros(&names->unescaped, 8);
    return find(names, names->unescaped.data, size);
}

bool weir_json_take_members(weir_json_cursor *cursor, weir_json_names *names, weir_json_span *spans)
{
    weir_json_span missing = {.offset = (uint32_t)(cursor->at - cursor->base), .token = WEIR_JSON_MISSING};
    for (int32_t i = 0; i < names->count; i++) {
        spans[i] = missing;
    }
    int32_t guess = 0; /* members mostly come in the order of the columns */
    for (bool more = weir_json_enter(cursor, '}'); more; more = weir_json_next(cursor, '}')) {
        weir_json_span name;
        weir_json_span value;
        if (!weir_json_take_name(cursor, &name) || !weir_json_take_value(cursor, &value)) {
            return false;
        }
        bool right = guess < names->count && names->names[guess].size == name.size && !name.has_escapes &&
                     same_text(names->names[guess].text, cursor->base + name.offset, name.size);
        int32_t index = right ? guess : weir_json_names_find(names, cursor->base, name);
        if (index >= 0) {
            spans[index] = value;
            guess = index + 1;
        }
    }
    return cursor->outcome == WEIR_JSON_FINE;
}
