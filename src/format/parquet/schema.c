/* The schema tree, and the shapes that lists and maps take in it. */
#include "format/parquet/schema.h"

/* Each level of nesting costs a level of recursion; nothing real comes near. */
/* A hundred arrays in each other, which is as deep as types go, are three nodes each. */
#define MAX_DEPTH 320

typedef struct tree_builder {
    const weir_parquet_footer *footer;
    const char *path;
    weir_arena *arena;
    weir_error *err;
    int32_t next_element;
    int32_t next_leaf;
} tree_builder;

static int build_node(tree_builder *builder, const weir_parquet_node *parent, int depth, weir_parquet_node *out);

static int build_children(tree_builder *builder, int depth, weir_parquet_node *node)
{
    int32_t count = node->element->child_count;
    if (count > builder->footer->element_count - builder->next_element) {
        return weir_fail(builder->err, WEIR_CORRUPT, "%s: group %s has more members than the schema", builder->path,
                         node->element->name);
    }
    if (depth > MAX_DEPTH) {
        return weir_fail(builder->err, WEIR_UNSUPPORTED, "%s: columns nest more than %d deep", builder->path,
                         MAX_DEPTH);
    }
    node->children = WEIR_NEW_ARRAY(builder->arena, weir_parquet_node, count);
    for (int32_t i = 0; i < count; i++) {
        if (builder->next_element == builder->footer->element_count) {
            return weir_fail(builder->err, WEIR_CORRUPT, "%s: group %s has more members than the schema", builder->path,
                             node->element->name);
        }
        WEIR_TRY(build_node(builder, node, depth + 1, &node->children[i]));
        node->child_count++;
    }
    return WEIR_OK;
}

static int build_node(tree_builder *builder, const weir_parquet_node *parent, int depth, weir_parquet_node *out)
{
    const weir_parquet_element *element = &builder->footer->elements[builder->next_element++];
    out->element = element;
    out->leaf_index = -1;
    if (parent == NULL) {
        out->path = "";
        return build_children(builder, depth, out);
    }
    out->path =
        *parent->path == '\0' ? element->name : weir_arena_format(builder->arena, "%s.%s", parent->path, element->name);
    out->definition = (uint8_t)(parent->definition + (element->repetition != WEIR_PARQUET_REQUIRED));
    out->repetition = (uint8_t)(parent->repetition + (element->repetition == WEIR_PARQUET_REPEATED));
    if (element->is_leaf) {
        out->leaf_index = builder->next_leaf++;
        return WEIR_OK;
    }
    return build_children(builder, depth, out);
}

int weir_parquet_schema_build(const weir_parquet_footer *footer, const char *path, weir_arena *arena,
                              weir_parquet_node **out, weir_error *err)
{
    tree_builder builder = {.footer = footer, .path = path, .arena = arena, .err = err};
    weir_parquet_node *root = WEIR_NEW(arena, weir_parquet_node);
    if (footer->elements[0].is_leaf) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the root of the schema is not a group", path);
    }
    WEIR_TRY(build_node(&builder, NULL, 0, root));
    if (builder.next_element != footer->element_count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the schema has %d nodes outside of its tree", path,
                         footer->element_count - builder.next_element);
    }
    *out = root;
    return WEIR_OK;
}

const weir_parquet_node *weir_parquet_node_child(const weir_parquet_node *node, const char *name)
{
    for (int32_t i = 0; i < node->child_count; i++) {
        if (strcmp(node->children[i].element->name, name) == 0) {
            return &node->children[i];
        }
    }
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t text_size = strlen(text);
    size_t end_size = strlen(end);
    return text_size >= end_size && strcmp(text + text_size - end_size, end) == 0;
}

/* Whether a repeated group with one member is itself the element: it is by the names that old writers gave it, or when
 * a row with just that member is asked for. */
static bool group_is_element(const weir_parquet_node *repeated, const weir_type *element)
{
    const char *name = repeated->element->name;
    if (strcmp(name, "array") == 0 || ends_with(name, "_tuple")) {
        return true;
    }
    const weir_parquet_node *member = &repeated->children[0];
    return element != NULL && element->id == WEIR_ROW && member->leaf_index >= 0 && element->field_count == 1 &&
           strcmp(element->fields[0].name, member->element->name) == 0;
}

const weir_parquet_node *weir_parquet_list_element(const weir_parquet_node *list, const weir_type *element)
{
    if (list->element->repetition == WEIR_PARQUET_REPEATED || list->child_count != 1) {
        return NULL;
    }
    const weir_parquet_node *repeated = &list->children[0];
    if (repeated->element->repetition != WEIR_PARQUET_REPEATED) {
        return NULL;
    }
    if (repeated->child_count != 1 || group_is_element(repeated, element)) {
        return repeated;
    }
    return &repeated->children[0];
}

const weir_parquet_node *weir_parquet_map_entries(const weir_parquet_node *map)
{
    if (map->element->repetition == WEIR_PARQUET_REPEATED || map->child_count != 1) {
        return NULL;
    }
    const weir_parquet_node *entries = &map->children[0];
    bool fits = entries->element->repetition == WEIR_PARQUET_REPEATED && entries->child_count == 2 &&
                entries->children[0].element->repetition != WEIR_PARQUET_REPEATED &&
                entries->children[1].element->repetition != WEIR_PARQUET_REPEATED;
    return fits ? entries : NULL;
}
