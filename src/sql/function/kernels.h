/* The kernels there are, and choosing among those that depend on types. Internal to this room. */
#ifndef WEIR_SQL_FUNCTION_KERNELS_H
#define WEIR_SQL_FUNCTION_KERNELS_H

#include "sql/function/kernel.h"
#include "sql/plan.h"

/* + - * / % over two values of `operand`'s type (decimals: of any precisions; `operand` says only that they are). */
const weir_kernel *weir_kernel_arithmetic(char operation, const weir_type *operand);
extern const weir_kernel weir_kernel_modulo_integers;  /* of mixed widths */
extern const weir_kernel weir_kernel_compare_decimals; /* INT: below, at or above 0 */
/* = <> < <= over two FLOATs or two DOUBLEs; > and >= with the arguments swapped. NULL for other kinds. */
const weir_kernel *weir_kernel_compare_floats(weir_expression_kind kind, const weir_type *operand, bool *out_swapped);
/* A wide decimal's digits above and below the 19th from the right, and the number that sums of both make. */
extern const weir_kernel weir_kernel_upper_digits;
extern const weir_kernel weir_kernel_lower_digits;
extern const weir_kernel weir_kernel_join_digits;
extern const weir_kernel weir_kernel_negate;
extern const weir_kernel weir_kernel_absolute;

/* The kernel of CAST, or of TRY_CAST; NULL when weir_sql_cast_rule refuses it, or when the value is carried alike.
 * Kernels that need the session's zone read it from the option. */
const weir_kernel *weir_kernel_cast(const weir_type *from, const weir_type *to, bool try_cast, bool *out_needs_zone);

/* Pieces of the above, by target. */
const weir_kernel *weir_kernel_cast_number(const weir_type *from, const weir_type *to, bool try_cast);
const weir_kernel *weir_kernel_cast_to_text(const weir_type *from, bool *out_needs_zone);
const weir_kernel *weir_kernel_cast_from_text(const weir_type *to, bool try_cast, bool *out_needs_zone);
const weir_kernel *weir_kernel_cast_time(const weir_type *from, const weir_type *to, bool *out_needs_zone);

/* Time (kernel_time.c). */
extern const weir_kernel weir_kernel_add_months;
extern const weir_kernel weir_kernel_add_millis;
extern const weir_kernel weir_kernel_extract;    /* option: the unit */
extern const weir_kernel weir_kernel_floor_time; /* option: the unit */
extern const weir_kernel weir_kernel_ceil_time;  /* option: the unit */
extern const weir_kernel weir_kernel_difference; /* option: the unit; TIMESTAMPDIFF */

/* Times as text by patterns (kernel_date_format.c). */
extern const weir_kernel weir_kernel_format_timestamp;
extern const weir_kernel weir_kernel_format_text;
extern const weir_kernel weir_kernel_from_unixtime;
extern const weir_kernel weir_kernel_convert_zone;
extern const weir_kernel weir_kernel_to_timestamp;
extern const weir_kernel weir_kernel_to_date;
extern const weir_kernel weir_kernel_unix_timestamp;
extern const weir_kernel weir_kernel_to_instant_number;
extern const weir_kernel weir_kernel_to_instant_text;

/* Text (kernel_text.c). */
extern const weir_kernel weir_kernel_concat;
extern const weir_kernel weir_kernel_concat_ws;
extern const weir_kernel weir_kernel_like;
extern const weir_kernel weir_kernel_char_length;
extern const weir_kernel weir_kernel_upper;
extern const weir_kernel weir_kernel_lower;
extern const weir_kernel weir_kernel_initcap;
extern const weir_kernel weir_kernel_reverse;
extern const weir_kernel weir_kernel_repeat;
extern const weir_kernel weir_kernel_lpad;
extern const weir_kernel weir_kernel_rpad;
extern const weir_kernel weir_kernel_left;
extern const weir_kernel weir_kernel_right;
extern const weir_kernel weir_kernel_substring;
extern const weir_kernel weir_kernel_position;
extern const weir_kernel weir_kernel_instr;
extern const weir_kernel weir_kernel_trim_both;
extern const weir_kernel weir_kernel_trim_leading;
extern const weir_kernel weir_kernel_trim_trailing;
extern const weir_kernel weir_kernel_replace;
extern const weir_kernel weir_kernel_overlay;
extern const weir_kernel weir_kernel_ascii;
extern const weir_kernel weir_kernel_chr;
extern const weir_kernel weir_kernel_split_index;
extern const weir_kernel weir_kernel_starts_with;
extern const weir_kernel weir_kernel_ends_with;
extern const weir_kernel weir_kernel_is_alpha;
extern const weir_kernel weir_kernel_is_digit;
extern const weir_kernel weir_kernel_is_decimal;

/* Numbers (kernel_math.c). */
extern const weir_kernel weir_kernel_round;
extern const weir_kernel weir_kernel_truncate;
extern const weir_kernel weir_kernel_ceil;
extern const weir_kernel weir_kernel_floor;
extern const weir_kernel weir_kernel_sign;
extern const weir_kernel weir_kernel_power;
extern const weir_kernel weir_kernel_sqrt;
extern const weir_kernel weir_kernel_exp;
extern const weir_kernel weir_kernel_ln;
extern const weir_kernel weir_kernel_log10;
extern const weir_kernel weir_kernel_log2;
extern const weir_kernel weir_kernel_log;
extern const weir_kernel weir_kernel_sin;
extern const weir_kernel weir_kernel_cos;
extern const weir_kernel weir_kernel_tan;
extern const weir_kernel weir_kernel_cot;
extern const weir_kernel weir_kernel_asin;
extern const weir_kernel weir_kernel_acos;
extern const weir_kernel weir_kernel_atan;
extern const weir_kernel weir_kernel_atan2;
extern const weir_kernel weir_kernel_sinh;
extern const weir_kernel weir_kernel_cosh;
extern const weir_kernel weir_kernel_tanh;
extern const weir_kernel weir_kernel_degrees;
extern const weir_kernel weir_kernel_radians;
extern const weir_kernel weir_kernel_pi;
extern const weir_kernel weir_kernel_e;
extern const weir_kernel weir_kernel_bin;
extern const weir_kernel weir_kernel_conv;
extern const weir_kernel weir_kernel_hex_number;
extern const weir_kernel weir_kernel_hex_text;

/* Aggregates and windows (kernel_aggregate.c). */
extern const weir_kernel weir_kernel_float_to_bits; /* FLOAT to INT, DOUBLE to BIGINT: equal where Flink's groups are */
extern const weir_kernel weir_kernel_float_from_bits;
extern const weir_kernel weir_kernel_local_millis;   /* option: the zone of a TIMESTAMP_LTZ */
extern const weir_kernel weir_kernel_count_values;   /* ARRAY to MULTISET; of NULL the empty one */
extern const weir_kernel weir_kernel_json_array_of;  /* ARRAY of JSON texts to one */
extern const weir_kernel weir_kernel_json_object_of; /* ARRAY of ROWs of a key and a value, both JSON texts */

/* JSON (kernel_json.c, kernel_json_make.c). */
extern const weir_kernel weir_kernel_json_exists; /* options: see kernel_json.c */
extern const weir_kernel weir_kernel_json_value;
extern const weir_kernel weir_kernel_json_query;
extern const weir_kernel weir_kernel_json_texts; /* ARRAY<STRING> of the array that a text holds */
extern const weir_kernel weir_kernel_is_json;    /* option: v, o, a, s */
extern const weir_kernel weir_kernel_json_string;
extern const weir_kernel
    weir_kernel_json_object; /* options: a for ABSENT ON NULL; then j for each argument that is JSON */
extern const weir_kernel weir_kernel_json_array;
extern const weir_kernel weir_kernel_json_quote;
extern const weir_kernel weir_kernel_json_unquote;

/* Text as other text or bytes (kernel_encode.c, kernel_digest.c, kernel_url.c), TRANSLATE, ELT, PRINTF. */
extern const weir_kernel weir_kernel_to_base64;
extern const weir_kernel weir_kernel_from_base64;
extern const weir_kernel weir_kernel_unhex;
extern const weir_kernel weir_kernel_encode;
extern const weir_kernel weir_kernel_decode;
extern const weir_kernel weir_kernel_url_encode;
extern const weir_kernel weir_kernel_url_decode;
extern const weir_kernel weir_kernel_parse_url;
extern const weir_kernel weir_kernel_md5;
extern const weir_kernel weir_kernel_sha1;
extern const weir_kernel weir_kernel_sha224;
extern const weir_kernel weir_kernel_sha256;
extern const weir_kernel weir_kernel_sha384;
extern const weir_kernel weir_kernel_sha512;
extern const weir_kernel weir_kernel_sha2;
extern const weir_kernel weir_kernel_translate;
extern const weir_kernel weir_kernel_elt;
extern const weir_kernel weir_kernel_printf;

/* Regular expressions (kernel_regex.c). */
extern const weir_kernel weir_kernel_regexp;
extern const weir_kernel weir_kernel_regexp_replace;
extern const weir_kernel weir_kernel_regexp_extract;
extern const weir_kernel weir_kernel_regexp_count;
extern const weir_kernel weir_kernel_regexp_instr;
extern const weir_kernel weir_kernel_similar;

/* kernel_clock.c: TIMESTAMP_LTZ(3), or BIGINT for seconds. Columns of the second one are times that streams know. */
extern const weir_kernel weir_kernel_now;
extern const weir_kernel weir_kernel_proctime;
extern const weir_kernel weir_kernel_current_watermark; /* of a time; not computed, but replaced by streams */

/* kernel_random.c. */
extern const weir_kernel weir_kernel_rand;
extern const weir_kernel weir_kernel_rand_integer;
extern const weir_kernel weir_kernel_uuid;

/* Arrays and maps (kernel_array.c, kernel_array_set.c, kernel_map.c), texts as such (kernel_split.c). */
extern const weir_kernel weir_kernel_cardinality;
extern const weir_kernel weir_kernel_element;
extern const weir_kernel weir_kernel_array_item;
extern const weir_kernel weir_kernel_map_item;
extern const weir_kernel weir_kernel_array_contains;
extern const weir_kernel weir_kernel_array_position;
extern const weir_kernel weir_kernel_array_max;
extern const weir_kernel weir_kernel_array_min;
extern const weir_kernel weir_kernel_array_join;
extern const weir_kernel weir_kernel_array_distinct;
extern const weir_kernel weir_kernel_array_reverse;
extern const weir_kernel weir_kernel_array_slice;
extern const weir_kernel weir_kernel_array_sort;
extern const weir_kernel weir_kernel_array_remove;
extern const weir_kernel weir_kernel_array_append;
extern const weir_kernel weir_kernel_array_prepend;
extern const weir_kernel weir_kernel_array_concat;
extern const weir_kernel weir_kernel_array_union;
extern const weir_kernel weir_kernel_array_intersect;
extern const weir_kernel weir_kernel_array_except;
extern const weir_kernel weir_kernel_map_keys;
extern const weir_kernel weir_kernel_map_values;
extern const weir_kernel weir_kernel_map_entries;
extern const weir_kernel weir_kernel_map_union;
extern const weir_kernel weir_kernel_map_from_arrays;
extern const weir_kernel weir_kernel_split;
extern const weir_kernel weir_kernel_str_to_map;
extern const weir_kernel weir_kernel_regexp_extract_all;

/* CAST between nested types; option: the zone (kernel_cast_nested.c). */
extern const weir_kernel weir_kernel_cast_nested;
extern const weir_kernel weir_kernel_try_cast_nested;

/* The zone named by the call's option, found once a call. */
struct weir_zone;
int weir_kernel_zone(weir_kernel_call *call, const struct weir_zone **out, weir_error *err);
weir_timestamp_nanos weir_kernel_to_local(const struct weir_zone *zone, weir_timestamp_nanos instant);
weir_timestamp_nanos weir_kernel_to_instant(const struct weir_zone *zone, weir_timestamp_nanos local);

#endif
