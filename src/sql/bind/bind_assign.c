/* Windows of time: TABLE(TUMBLE(…)), HOP, CUMULATE and SESSION, and their older forms in GROUP BY. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"
#include "sql/function/kernels.h"

/* --- Kinds ----------------------------------------------------------------------------------------------------- */

/* Arguments by name, in the order in which they stand; the last is OFFSET, which may be left out. */
typedef struct assigner_form {
    const char *name;
    weir_assigner_kind kind;
    const char *parameters[6];
    const char *signature;
} assigner_form;

static const assigner_form forms[] = {
    {"TUMBLE",
     WEIR_ASSIGN_TUMBLE,
     {"DATA", "TIMECOL", "SIZE", "OFFSET"},
     "TUMBLE(TABLE t, DESCRIPTOR(time), size[, offset])"},
    {"HOP",
     WEIR_ASSIGN_HOP,
     {"DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"},
     "HOP(TABLE t, DESCRIPTOR(time), slide, size[, offset])"},
    {"CUMULATE",
     WEIR_ASSIGN_CUMULATE,
     {"DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"},
     "CUMULATE(TABLE t, DESCRIPTOR(time), step, size[, offset])"},
    {"SESSION",
     WEIR_ASSIGN_SESSION,
     {"DATA", "TIMECOL", "GAP"},
     "SESSION(TABLE t [PARTITION BY key, ...], DESCRIPTOR(time), gap)"},
};

enum { form_count = sizeof forms / sizeof forms[0] };

static const assigner_form *find_form(const char *name, size_t size)
{
    for (size_t i = 0; i < form_count; i++) {
        if (strlen(forms[i].name) == size && strncasecmp(forms[i].name, name, size) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

static int32_t parameter_count(const assigner_form *form)
{
    int32_t count = 0;
    while (form->parameters[count] != NULL) {
        count++;
    }
    return count;
}

/* --- Lengths --------------------------------------------------------------------------------------------------- */

static int bind_length(weir_binder *binder, const weir_ast_expression *ast, const char *what, bool positive,
                       int64_t *out)
{
    weir_expression *value;
    WEIR_TRY(weir_binder_constant(binder, ast, NULL, &value));
    if (value->type->id == WEIR_INTERVAL_MONTHS) {
        return weir_binder_fail(binder, &ast->position, "months and years differ in length; give the %s in DAY or less",
                                what);
    }
    if (value->type->id != WEIR_INTERVAL_MILLIS || value->literal.is_null) {
        return weir_binder_fail(binder, &ast->position,
                                "the %s is an interval such as INTERVAL '10' MINUTE, but this is %s", what,
                                weir_sql_type_text(binder->arena, value->type));
    }
    if (positive && value->literal.integer <= 0) {
        return weir_binder_fail(binder, &ast->position, "the %s must be longer than nothing", what);
    }
    *out = value->literal.integer;
    return WEIR_OK;
}

/* The functions of FROM want whole steps; the older HOP of GROUP BY does not. */
static int check_lengths(weir_binder *binder, const weir_position *at, const weir_assigner *assigner, bool whole_steps)
{
    enum { most_windows = 100000 };
    bool stepped = assigner->kind == WEIR_ASSIGN_HOP || assigner->kind == WEIR_ASSIGN_CUMULATE;
    if (!stepped) {
        return WEIR_OK;
    }
    bool hop = assigner->kind == WEIR_ASSIGN_HOP;
    if (whole_steps && assigner->size % assigner->step != 0) {
        return weir_binder_fail(binder, at,
                                "the size of %s must be a multiple of its %s: %" PRId64 " ms is none of %" PRId64 " ms",
                                hop ? "HOP" : "CUMULATE", hop ? "slide" : "step", assigner->size, assigner->step);
    }
    if (assigner->size / assigner->step > most_windows) {
        return weir_binder_fail(binder, at, "each row would be in %" PRId64 " windows; at most %d are allowed",
                                assigner->size / assigner->step, most_windows);
    }
    return WEIR_OK;
}

/* --- The plan node --------------------------------------------------------------------------------------------- */

static bool is_time(const weir_type *type) { return weir_type_is_timestamp(type); }

static weir_plan *plan_assign(weir_binder *binder, weir_plan *input, const weir_assigner *assigner,
                              const weir_position *at)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_ASSIGN, at, input);
    const weir_type *bound = weir_type_with_length(binder->arena, WEIR_TIMESTAMP, 3, false);
    const weir_type *time = input->fields[assigner->column].type;
    plan->assigner = weir_arena_copy(binder->arena, assigner, sizeof *assigner);
    plan->assigner->zone = time->id == WEIR_TIMESTAMP_LTZ ? binder->bound->time_zone : NULL;
    plan->field_count = input->field_count + 3;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count);
    memcpy(plan->fields, input->fields, sizeof *input->fields * (size_t)input->field_count);
    weir_field *added = plan->fields + input->field_count;
    added[0] = (weir_field){.id = -1, .name = "window_start", .type = bound};
    added[1] = (weir_field){.id = -1, .name = "window_end", .type = bound};
    added[2] = (weir_field){.id = -1, .name = "window_time", .type = weir_binder_nullable(binder, time, false)};
    return plan;
}

/* A window's last moment, which stands for it in time: its end less a millisecond, on the clock of `type`. */
int weir_bind_window_time(weir_binder *binder, weir_expression *end, const weir_type *type, const weir_position *at,
                          weir_expression **out)
{
    const weir_type *interval = weir_type_new(binder->arena, WEIR_BIGINT, false);
    weir_type *millis = weir_arena_copy(binder->arena, interval, sizeof *interval);
    millis->id = WEIR_INTERVAL_MILLIS;
    weir_expression *both[2] = {end, weir_expression_literal(binder, millis, (weir_literal){.integer = -1}, at)};
    *out = weir_expression_call(binder, &weir_kernel_add_millis, NULL, end->type, at, both, 2);
    return weir_binder_cast(binder, *out, weir_binder_nullable(binder, type, end->type->nullable), false, out);
}

/* --- TABLE(TUMBLE(TABLE t, DESCRIPTOR(time), size)) ------------------------------------------------------------ */

static int fail_form(weir_binder *binder, const weir_position *at, const assigner_form *form)
{
    return weir_binder_fail(binder, at, "%s is written %s", form->name, form->signature);
}

/* Arguments in the order of the form's parameters, whether they came in order or by name. */
static int sort_arguments(weir_binder *binder, const weir_ast_expression *call, const assigner_form *form,
                          const weir_ast_expression **out)
{
    int32_t count = parameter_count(form);
    for (int32_t i = 0; i < call->argument_count; i++) {
        const weir_ast_expression *argument = call->arguments[i];
        int32_t place = i;
        if (argument->kind == WEIR_AST_NAMED) {
            place = 0;
            while (place < count && strcasecmp(form->parameters[place], argument->text) != 0) {
                place++;
            }
            if (place == count) {
                const char *meant = weir_suggest(argument->text, form->parameters, (size_t)count);
                return weir_binder_fail(binder, &argument->position, "%s has no argument %s%s%s; it is %s", form->name,
                                        argument->text, meant == NULL ? "" : ", but ", meant == NULL ? "" : meant,
                                        form->signature);
            }
            argument = argument->arguments[0];
        }
        if (place >= count || out[place] != NULL) {
            return fail_form(binder, &argument->position, form);
        }
        out[place] = argument;
    }
    int32_t required = form->kind == WEIR_ASSIGN_SESSION ? count : count - 1;
    for (int32_t i = 0; i < required; i++) {
        if (out[i] == NULL) {
            return fail_form(binder, &call->position, form);
        }
    }
    return WEIR_OK;
}

static int bind_data(weir_binder *binder, const weir_ast_expression *ast, const assigner_form *form, weir_plan **out,
                     weir_scope *scope)
{
    bool subquery = ast->kind == WEIR_AST_SUBQUERY;
    if (ast->kind != WEIR_AST_TABLE && !subquery) {
        return weir_binder_fail(binder, &ast->position, "%s takes TABLE t first, with the word TABLE; it is %s",
                                form->name, form->signature);
    }
    weir_ast_from from = {.kind = ast->query != NULL ? WEIR_AST_FROM_QUERY : WEIR_AST_FROM_TABLE,
                          .position = ast->position,
                          .name = ast->name,
                          .query = ast->query};
    WEIR_TRY(weir_bind_from(binder, &from, out, scope));
    if (!subquery && ast->call->partition_by.count > 0 && form->kind != WEIR_ASSIGN_SESSION) {
        return weir_binder_fail(binder, &ast->call->partition_by.items[0]->position,
                                "PARTITION BY is for SESSION; windows of %s are the same for all rows", form->name);
    }
    return WEIR_OK;
}

static int bind_time_column(weir_binder *binder, const weir_ast_expression *ast, const assigner_form *form,
                            const weir_scope *scope, int32_t *out)
{
    if (ast->kind != WEIR_AST_DESCRIPTOR || ast->argument_count != 1) {
        return weir_binder_fail(binder, &ast->position, "%s takes DESCRIPTOR(time) with one column; it is %s",
                                form->name, form->signature);
    }
    weir_expression *column;
    const weir_scope *before = binder->scope;
    binder->scope = scope;
    int code = weir_bind_expression(binder, ast->arguments[0], &column);
    binder->scope = before;
    WEIR_TRY(code);
    if (column->kind != WEIR_EXPRESSION_COLUMN || !is_time(column->type)) {
        return weir_binder_fail(binder, &ast->arguments[0]->position,
                                "%s needs a column of type TIMESTAMP or TIMESTAMP_LTZ, but this is %s%s", form->name,
                                weir_sql_type_text(binder->arena, column->type),
                                weir_type_is_text(column->type) ? "; TO_TIMESTAMP in a subquery makes one" : "");
    }
    *out = column->column;
    return WEIR_OK;
}

static int bind_lengths(weir_binder *binder, const weir_ast_expression *const *arguments, const assigner_form *form,
                        weir_assigner *assigner)
{
    for (int32_t i = 0; i < parameter_count(form); i++) {
        const char *name = form->parameters[i];
        bool offset = strcmp(name, "OFFSET") == 0;
        bool step = strcmp(name, "SLIDE") == 0 || strcmp(name, "STEP") == 0;
        if (i < 2 || arguments[i] == NULL) {
            continue;
        }
        WEIR_TRY(bind_length(binder, arguments[i],
                             offset                              ? "offset"
                             : step                              ? form->kind == WEIR_ASSIGN_HOP ? "slide" : "step"
                             : form->kind == WEIR_ASSIGN_SESSION ? "gap"
                                                                 : "size",
                             !offset,
                             offset ? &assigner->offset
                             : step ? &assigner->step
                                    : &assigner->size));
    }
    return WEIR_OK;
}

static int bind_session_keys(weir_binder *binder, const weir_ast_expressions *keys, const weir_scope *scope,
                             weir_assigner *assigner)
{
    const weir_scope *before = binder->scope;
    assigner->partition_keys = WEIR_NEW_ARRAY(binder->arena, weir_expression *, keys->count + 1);
    assigner->partition_key_count = keys->count;
    binder->scope = scope;
    int code = WEIR_OK;
    for (int32_t i = 0; i < keys->count && code == WEIR_OK; i++) {
        code = weir_bind_expression(binder, keys->items[i], &assigner->partition_keys[i]);
    }
    binder->scope = before;
    return code;
}

int weir_bind_window_table(weir_binder *binder, const weir_ast_from *from, weir_plan **out)
{
    const weir_ast_expression *call = from->expression;
    const assigner_form *form = find_form(call->text, strlen(call->text));
    if (form == NULL) {
        const char *names[form_count];
        for (size_t i = 0; i < form_count; i++) {
            names[i] = forms[i].name;
        }
        const char *meant = weir_suggest(call->text, names, form_count);
        return weir_binder_fail(binder, &call->position, "there is no table function %s; %s%s%s", call->text,
                                meant == NULL ? "there are " : "did you mean ",
                                meant == NULL ? "TUMBLE, HOP, CUMULATE and SESSION" : meant, meant == NULL ? "" : "?");
    }
    const weir_ast_expression *arguments[6] = {0};
    weir_assigner assigner = {.kind = form->kind};
    weir_scope scope = {0};
    weir_plan *input;
    WEIR_TRY(sort_arguments(binder, call, form, arguments));
    WEIR_TRY(bind_data(binder, arguments[0], form, &input, &scope));
    WEIR_TRY(bind_time_column(binder, arguments[1], form, &scope, &assigner.column));
    WEIR_TRY(bind_lengths(binder, arguments, form, &assigner));
    WEIR_TRY(check_lengths(binder, &call->position, &assigner, true));
    static const weir_ast_expressions no_keys;
    const weir_ast_call *data = arguments[0]->call;
    WEIR_TRY(bind_session_keys(binder, data == NULL ? &no_keys : &data->partition_by, &scope, &assigner));
    *out = plan_assign(binder, input, &assigner, &call->position);
    return WEIR_OK;
}

/* --- GROUP BY TUMBLE(time, size) ------------------------------------------------------------------------------- */

static const assigner_form *group_form(const weir_ast_expression *ast)
{
    const assigner_form *form = ast->kind != WEIR_AST_CALL ? NULL : find_form(ast->text, strcspn(ast->text, "_"));
    return form == NULL || form->kind == WEIR_ASSIGN_CUMULATE ? NULL : form;
}

bool weir_ast_is_group_window(const weir_ast_expression *ast)
{
    return group_form(ast) != NULL && strchr(ast->text, '_') == NULL;
}

/* (time, size), (time, slide, size) or (time, gap), over the columns of FROM. */
static int bind_group_arguments(weir_binder *binder, const weir_ast_expression *ast, weir_expression **time,
                                weir_assigner *assigner)
{
    const assigner_form *form = group_form(ast);
    bool hop = form->kind == WEIR_ASSIGN_HOP;
    int32_t count = hop ? 3 : 2;
    if (ast->argument_count != count) {
        return weir_binder_fail(binder, &ast->position, "%s does not take %d arguments here; it is %s", ast->text,
                                ast->argument_count,
                                hop                                 ? "HOP(time, slide, size)"
                                : form->kind == WEIR_ASSIGN_SESSION ? "SESSION(time, gap)"
                                                                    : "TUMBLE(time, size)");
    }
    *assigner = (weir_assigner){.kind = form->kind, .of_group_by = true};
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], time));
    if (!is_time((*time)->type)) {
        return weir_binder_fail(binder, &ast->arguments[0]->position,
                                "%s needs a time of type TIMESTAMP or TIMESTAMP_LTZ, but this is %s", ast->text,
                                weir_sql_type_text(binder->arena, (*time)->type));
    }
    if (hop) {
        WEIR_TRY(bind_length(binder, ast->arguments[1], "slide", true, &assigner->step));
    }
    const char *what = form->kind == WEIR_ASSIGN_SESSION ? "gap" : "size";
    WEIR_TRY(bind_length(binder, ast->arguments[count - 1], what, true, &assigner->size));
    return check_lengths(binder, &ast->position, assigner, false);
}

/* A column of the input for the time: one that is there, or one that a projection adds. */
static int32_t place_time(weir_binder *binder, weir_plan **plan, weir_expression *time)
{
    weir_plan *input = *plan;
    if (time->kind == WEIR_EXPRESSION_COLUMN) {
        return time->column;
    }
    int32_t count = input->field_count;
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        expressions[i] = weir_expression_column(binder, i, input->fields[i].type, &input->position);
        fields[i] = input->fields[i];
    }
    expressions[count] = time;
    fields[count] = (weir_field){.id = -1, .name = "time", .type = time->type};
    *plan = weir_plan_project(binder, input, expressions, fields, count + 1);
    return count;
}

int weir_bind_group_window(weir_binder *binder, const weir_ast_expression *ast, weir_group_window *window,
                           weir_plan **plan, weir_expression *bounds[3])
{
    if (window->time != NULL) {
        return weir_binder_fail(binder, &ast->position, "GROUP BY takes one window of time only");
    }
    const char *clause = binder->clause;
    binder->clause = "GROUP BY";
    int code = bind_group_arguments(binder, ast, &window->time, &window->assigner);
    binder->clause = clause;
    WEIR_TRY(code);
    window->assigner.column = place_time(binder, plan, window->time);
    *plan = plan_assign(binder, *plan, &window->assigner, &ast->position);
    int32_t first = (*plan)->field_count - 3;
    for (int32_t i = 0; i < 3; i++) {
        bounds[i] = weir_expression_column(binder, first + i, (*plan)->fields[first + i].type, &ast->position);
    }
    return WEIR_OK;
}

int weir_is_group_window(weir_binder *binder, const weir_ast_expression *ast, const weir_group_window *window,
                         bool *out)
{
    weir_expression *time;
    weir_assigner assigner;
    weir_grouping *grouping = binder->grouping;
    binder->grouping = NULL;
    int code = bind_group_arguments(binder, ast, &time, &assigner);
    binder->grouping = grouping;
    WEIR_TRY(code);
    *out = assigner.kind == window->assigner.kind && assigner.size == window->assigner.size &&
           assigner.step == window->assigner.step && weir_expression_equal(time, window->time);
    return WEIR_OK;
}
