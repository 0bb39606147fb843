/* Plans for people: trees, JSON, advice. What a node is in words is plan.c's; this file puts the nodes together.
 *
 *   Aggregate [COUNT(*)] by [day]
 *   └─ Filter (n > 3)
 *      └─ Scan orders [day, n] pushed: n > 3
 *           snapshot 3; 2 of 5 files in 2 splits; about 1200 rows */
#include "sql/explain.h"

#include <stdlib.h>

#include "base/json.h"

/* ---- rows ---- */

static int describe_scan(const weir_plan *plan, weir_buffer *out, int64_t *out_rows, weir_error *err)
{
    weir_scan_request request = {.columns = plan->columns,
                                 .column_count = plan->field_count,
                                 .predicate = plan->pushed,
                                 .limit = plan->scan_limit};
    *out_rows = -1;
    return plan->table->describe != NULL ? plan->table->describe(plan->table, &request, out, out_rows, err) : WEIR_OK;
}

static int64_t at_most(int64_t rows, int64_t limit) { return limit >= 0 && (rows < 0 || rows > limit) ? limit : rows; }

/* What is known of the inputs' rows, by the kind of the node. Without statistics a condition is taken to let a quarter
 * of the rows pass, and a grouping to leave a tenth. */
static int64_t rows_of_node(const weir_plan *plan, const int64_t *inputs)
{
    int64_t first = plan->input_count > 0 ? inputs[0] : -1;
    switch (plan->kind) {
    case WEIR_PLAN_VALUES:
        return plan->row_count;
    case WEIR_PLAN_FILTER:
        return first < 0 ? -1 : (first + 3) / 4;
    case WEIR_PLAN_AGGREGATE:
    case WEIR_PLAN_DISTINCT:
        return plan->kind == WEIR_PLAN_AGGREGATE && plan->global ? 1 : first < 0 ? -1 : (first + 9) / 10;
    case WEIR_PLAN_SORT:
        return at_most(first, plan->limit);
    case WEIR_PLAN_UNION: {
        int64_t sum = 0;
        for (int32_t i = 0; i < plan->input_count; i++) {
            sum = sum < 0 || inputs[i] < 0 ? -1 : sum + inputs[i];
        }
        return sum;
    }
    case WEIR_PLAN_JOIN:
        return first < 0 || inputs[1] < 0 ? -1 : first > inputs[1] ? first : inputs[1];
    default:
        return first;
    }
}

/* About how many rows a plan gives; -1: unknown. Plans its scans. */
static int estimate_rows(const weir_plan *plan, int64_t *out, weir_error *err)
{
    if (plan->kind == WEIR_PLAN_SCAN) {
        weir_buffer ignored = {0};
        int code = describe_scan(plan, &ignored, out, err);
        weir_buffer_free(&ignored);
        return code;
    }
    int64_t *inputs = weir_alloc_zeroed((size_t)plan->input_count + 1, sizeof *inputs);
    int code = WEIR_OK;
    for (int32_t i = 0; i < plan->input_count && code == WEIR_OK; i++) {
        code = estimate_rows(plan->inputs[i], &inputs[i], err);
    }
    if (code == WEIR_OK) {
        *out = rows_of_node(plan, inputs);
    }
    free(inputs);
    return code;
}

/* ---- the tree ---- */

typedef struct tree {
    const weir_explain_options *options;
    weir_buffer *out;
    weir_buffer margin; /* what stands left of the children of the node that is being shown */
} tree;

static bool gives_changes(const weir_plan *plan)
{
    if (plan->kind == WEIR_PLAN_SCAN) {
        return plan->table->has_row_kinds;
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        if (gives_changes(plan->inputs[i])) {
            return true;
        }
    }
    return false;
}

static int show_details(const tree *self, const weir_plan *plan, weir_error *err)
{
    int64_t rows = -1;
    if (self->options->changelog_mode) {
        weir_buffer_append_text(self->out, ", changelogMode=[");
        if (self->options->append_kinds != NULL) {
            self->options->append_kinds(plan, self->out);
        } else {
            weir_buffer_append_text(self->out, gives_changes(plan) ? "I,UB,UA,D" : "I");
        }
        weir_buffer_append_byte(self->out, ']');
    }
    if (self->options->costs) {
        WEIR_TRY(estimate_rows(plan, &rows, err));
        if (rows >= 0) {
            weir_buffer_append_format(self->out, ", rows ~ %" PRId64, rows);
        } else {
            weir_buffer_append_text(self->out, ", rows unknown");
        }
    }
    return WEIR_OK;
}

/* What a scan would read, a line each below its node. */
static int show_scan_lines(tree *self, const weir_plan *plan, weir_error *err)
{
    weir_buffer lines = {0};
    int64_t rows = -1;
    int code = describe_scan(plan, &lines, &rows, err);
    const char *line = weir_buffer_text(&lines);
    while (code == WEIR_OK && *line != '\0') {
        size_t size = strcspn(line, "\n");
        weir_buffer_append(self->out, self->margin.data, self->margin.size);
        weir_buffer_append_format(self->out, "  %.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
    weir_buffer_free(&lines);
    return code;
}

static int show_tree(tree *self, const weir_plan *plan, weir_error *err);

/* A child with its branch; `last`: nothing more comes below it. */
static int show_child(tree *self, const weir_plan *child, bool last, weir_error *err)
{
    size_t margin = self->margin.size;
    weir_buffer_append(self->out, self->margin.data, margin);
    weir_buffer_append_text(self->out, last ? "└─ " : "├─ ");
    weir_buffer_append_text(&self->margin, last ? "   " : "│  ");
    int code = show_tree(self, child, err);
    self->margin.size = margin;
    return code;
}

static int show_tree(tree *self, const weir_plan *plan, weir_error *err)
{
    weir_plan_show_node(plan, self->out);
    WEIR_TRY(show_details(self, plan, err));
    weir_buffer_append_byte(self->out, '\n');
    if (plan->kind == WEIR_PLAN_SCAN) {
        return show_scan_lines(self, plan, err);
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        WEIR_TRY(show_child(self, plan->inputs[i], i == plan->input_count - 1, err));
    }
    return WEIR_OK;
}

int weir_explain_tree(const weir_plan *plan, const char *root, const weir_explain_options *options, weir_buffer *out,
                      weir_error *err)
{
    tree self = {.options = options, .out = out};
    int code;
    if (root != NULL) {
        weir_buffer_append_format(out, "%s\n", root);
        code = show_child(&self, plan, true, err);
    } else {
        code = show_tree(&self, plan, err);
    }
    weir_buffer_free(&self.margin);
    return code;
}

/* ---- JSON ---- */

static const char *kind_name(weir_plan_kind kind)
{
    static const char *const names[] = {
        [WEIR_PLAN_SCAN] = "Scan",           [WEIR_PLAN_VALUES] = "Values",       [WEIR_PLAN_PROJECT] = "Project",
        [WEIR_PLAN_FILTER] = "Filter",       [WEIR_PLAN_AGGREGATE] = "Aggregate", [WEIR_PLAN_WINDOW] = "Window",
        [WEIR_PLAN_ASSIGN] = "WindowAssign", [WEIR_PLAN_DISTINCT] = "Distinct",   [WEIR_PLAN_SORT] = "Sort",
        [WEIR_PLAN_UNION] = "Union",         [WEIR_PLAN_JOIN] = "Join",           [WEIR_PLAN_WATERMARK] = "Watermark",
    };
    return (size_t)kind < sizeof names / sizeof names[0] && names[kind] != NULL ? names[kind] : "Operator";
}

static json_t *node_json(int64_t id, const char *type, const char *contents, const int64_t *inputs, int32_t input_count)
{
    json_t *predecessors = json_array();
    for (int32_t i = 0; i < input_count; i++) {
        json_t *input = json_object();
        json_object_set_new(input, "id", json_integer(inputs[i]));
        json_object_set_new(input, "ship_strategy", json_string("FORWARD"));
        json_object_set_new(input, "side", json_string(i == 0 ? "first" : "second"));
        json_array_append_new(predecessors, input);
    }
    json_t *node = json_object();
    json_object_set_new(node, "id", json_integer(id));
    json_object_set_new(node, "type", json_string(type));
    json_object_set_new(node, "pact", json_string(input_count == 0 ? "Data Source" : "Operator"));
    json_object_set_new(node, "contents", json_string(contents));
    json_object_set_new(node, "predecessors", predecessors);
    return node;
}

/* Appends the inputs, then the node; gives its number. */
static int64_t add_nodes(const weir_plan *plan, json_t *nodes)
{
    weir_buffer contents = {0};
    int64_t *inputs = weir_alloc_zeroed((size_t)plan->input_count + 1, sizeof *inputs);
    for (int32_t i = 0; i < plan->input_count; i++) {
        inputs[i] = add_nodes(plan->inputs[i], nodes);
    }
    int64_t id = (int64_t)json_array_size(nodes) + 1;
    weir_plan_show_node(plan, &contents);
    json_array_append_new(nodes,
                          node_json(id, kind_name(plan->kind), weir_buffer_text(&contents), inputs, plan->input_count));
    weir_buffer_free(&contents);
    free(inputs);
    return id;
}

void weir_explain_json(const weir_plan *plan, const char *root, weir_buffer *out)
{
    json_t *nodes = json_array();
    json_t *document = json_object();
    int64_t last = add_nodes(plan, nodes);
    if (root != NULL) {
        json_t *sink = node_json(last + 1, "Sink", root, &last, 1);
        json_object_set_new(sink, "pact", json_string("Data Sink"));
        json_array_append_new(nodes, sink);
    }
    json_object_set_new(document, "nodes", nodes);
    weir_json_write_pretty(document, out);
    json_decref(document);
}

/* ---- advice ---- */

/* A condition that stayed above a scan although nothing of it could be pushed: every file is read. */
static int32_t advise(const weir_plan *plan, weir_buffer *out)
{
    int32_t count = 0;
    if (plan->kind == WEIR_PLAN_FILTER && plan->inputs[0]->kind == WEIR_PLAN_SCAN && plan->inputs[0]->pushed == NULL) {
        weir_buffer_append_format(
            out,
            "- The condition on %s cannot leave out files: compare columns with constants, without "
            "functions around the columns.\n",
            plan->inputs[0]->table->name);
        count++;
    }
    if (plan->kind == WEIR_PLAN_JOIN && plan->predicate == NULL && plan->join == WEIR_JOIN_INNER) {
        weir_buffer_append_text(out, "- A join without a condition gives every pair of rows.\n");
        count++;
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        count += advise(plan->inputs[i], out);
    }
    return count;
}

void weir_explain_advice(const weir_plan *plan, weir_buffer *out)
{
    if (advise(plan, out) == 0) {
        weir_buffer_append_text(out, "No advice.\n");
    }
}
