/*
 * Fails if SQL is built from strings outside runtime/database/ and migrations: in a template literal with substitutions but no `sql` tag, or
 * in a concatenation. runtime/database/sql.ts describes the alternatives.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import ts from "typescript";

const keyword =
  /\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE [a-z_]+ SET|ON CONFLICT|VALUES|(?:CREATE|DROP|ALTER|LOCK|TRUNCATE|ANALYZE)\b.*\b[a-z_]+|FROM|JOIN|LATERAL|WHERE|EXISTS|UNION|GROUP BY|ORDER BY|LIMIT|OFFSET|AND|IN|AS|IS NULL|DESC)\b|\$\d|::(?:bytea|int[248]|text|numeric)/;

/** The text of a template literal or concatenation without its substitutions; undefined for other nodes. */
const composedText = (node) => {
  if (ts.isTemplateExpression(node)) {
    if (ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText() === "sql") return undefined;
    return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(" ");
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  return [node.left, node.right].map((side) => (ts.isStringLiteralLike(side) ? side.text : "")).join(" ");
};

const findings = [];
const files = execFileSync("git", ["ls-files", "runtime/**/*.ts"], { encoding: "utf8" }).split("\n");
for (const path of files) {
  if (path === "" || path.startsWith("runtime/database/") || path.includes("/migrations/")) continue;
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (keyword.test(composedText(node) ?? "")) {
      findings.push({ path, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    } else ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const { path, line } of findings) {
  process.stderr.write(`${path}:${line}: SQL built from strings: use the sql tag or compose() instead (see runtime/database/sql.ts)\n`);
}
if (findings.length > 0) process.exitCode = 1;
