/* Java's regular expressions, carried out by PCRE2.
 *
 * pattern_java.c writes a Java pattern in PCRE2's notation where the two differ; kernel_regex.c has the functions. */
#ifndef WEIR_SQL_FUNCTION_PATTERN_H
#define WEIR_SQL_FUNCTION_PATTERN_H

#include "base/base.h"

typedef struct weir_pattern weir_pattern;

/* Compiles a pattern that Java takes. NULL with WEIR_OK: it is not valid, which Flink's functions answer with NULL or
 * false. WEIR_UNSUPPORTED: Java takes it, PCRE2 does not. `whole`: it must match the whole text. */
int weir_pattern_compile(weir_slice text, bool whole, weir_pattern **out, weir_error *err);
void weir_pattern_free(weir_pattern *pattern);

int32_t weir_pattern_groups(const weir_pattern *pattern);

/* Looks for a match at `from` or behind it. An error when that would take too long. The text must stay while groups
 * are asked for. */
int weir_pattern_find(weir_pattern *pattern, weir_slice text, size_t from, bool *out_found, weir_error *err);

/* Group 0 is the match; data NULL: the group took no part. */
weir_slice weir_pattern_group(const weir_pattern *pattern, int32_t group);

/* Where to look for the match after the last one: behind it, and behind one character more where it was empty. */
size_t weir_pattern_next(const weir_pattern *pattern);

/* Appends a Java pattern as PCRE2 reads it; the parts that both read alike stay. `*out_valid` false: PCRE2 would take
 * it, but Java does not. */
int weir_pattern_from_java(weir_slice java, weir_buffer *out, bool *out_valid, weir_error *err);

#endif
