/**
 * The allow-lists for declared protocols' SQL. The functions and operators read nothing but their arguments, have no side effects, and return
 * values that are not much larger than their arguments: `repeat`, `lpad`, `replace`, `format` and `generate_series` build large values from small
 * ones, and regular expressions can take exponential time. `now()` is absent because responses are as of a block.
 */

/** The views of the schema `api`. */
export const apiViews: readonly string[] = [
  "blocks",
  "transactions",
  "address_transactions",
  "transfer_transactions",
  "logs",
  "transfers",
  "tokens",
  "supplies",
  "pools",
  "pool_states",
  "pool_actions",
  "pool_action_accounts",
  "shared_pools",
  "bitcoin_blocks",
  "bitcoin_transactions",
  "bitcoin_outputs",
  "bitcoin_inputs",
  "bitcoin_address_transactions",
];

/** The functions of the schema `api`. */
export const apiFunctions: readonly string[] = ["balances_at", "prices_at"];

const names = (text: string): string[] => text.trim().split(/\s+/);

/** PostgreSQL functions, by their names in its catalog. */
export const allowedFunctions: ReadonlySet<string> = new Set([
  // Aggregates
  ...names("any_value array_agg avg bool_and bool_or count every json_agg json_object_agg jsonb_agg jsonb_object_agg max min"),
  ...names("mode percentile_cont percentile_disc stddev_pop stddev_samp string_agg sum var_pop var_samp"),
  // Windows
  ...names("cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"),
  // Numbers
  ...names(
    "abs cbrt ceil ceiling degrees div exp floor gcd lcm ln log log10 min_scale mod pow power round scale sign sqrt trim_scale trunc",
  ),
  // Text
  ...names("ascii btrim char_length character_length concat concat_ws initcap left length lower ltrim octet_length position reverse"),
  ...names("right rtrim split_part starts_with strpos substr substring translate upper"),
  // Bytes
  ...names("bit_count decode encode get_bit get_byte md5 sha256"),
  // JSON
  ...names("json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_typeof"),
  ...names("jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_typeof"),
  ...names("json_strip_nulls jsonb_strip_nulls row_to_json to_json to_jsonb"),
  // Arrays
  ...names("array_append array_cat array_length array_lower array_position array_positions array_prepend array_remove array_upper"),
  ...names("cardinality unnest"),
  // Times
  ...names("date_part date_trunc extract timezone to_timestamp"),
  // Other
  ...names("num_nonnulls num_nulls"),
]);

export const allowedOperators: ReadonlySet<string> = new Set(names("= <> < <= > >= + - * / % ^ || -> ->> #> #>> @> <@ && ~~ !~~ ~~* !~~*"));

/** `char(n)` and `bit(n)` are absent because they pad values to any length; `regclass` and similar types read the catalog. */
export const allowedTypes: ReadonlySet<string> = new Set(
  names("bool bytea date float4 float8 int2 int4 int8 interval json jsonb numeric text time timestamp timestamptz varchar"),
);

/** Kinds of operator expressions: all but `SIMILAR TO`, which is a regular expression. */
export const allowedExpressions: ReadonlySet<string> = new Set(
  names(`AEXPR_OP AEXPR_OP_ANY AEXPR_OP_ALL AEXPR_DISTINCT AEXPR_NOT_DISTINCT AEXPR_NULLIF AEXPR_IN AEXPR_LIKE AEXPR_ILIKE
    AEXPR_BETWEEN AEXPR_NOT_BETWEEN AEXPR_BETWEEN_SYM AEXPR_NOT_BETWEEN_SYM`),
);
