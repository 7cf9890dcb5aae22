import { Document, isMap, isScalar } from "yaml";
import { z } from "zod";
import { type Rules, rulesSchema } from "./rules.ts";

const head = ` The rules by which tokens are typed, spam is marked and transfers are called poisoning.
 To change them, save this file, name it as rulesFile in ashlar.yaml, and keep the sections that you change: what a section of the file says replaces the
 built-in section, and a section that is not in the file stays the built-in one.`;

/** Rules as a file of rules, each section and setting with what it means. */
export function renderRules(rules: Rules): string {
  const document = new Document(rules);
  document.commentBefore = head;
  explain(document.contents, rulesSchema);
  return document.toString({ lineWidth: 140, flowCollectionPadding: true });
}

/** Puts the schema's words above the keys of a map, and of the maps in it. */
function explain(node: unknown, schema: unknown): void {
  if (!isMap(node) || !(schema instanceof z.ZodObject)) return;
  for (const { key, value } of node.items) {
    const field: unknown = isScalar(key) ? schema.shape[String(key.value)] : undefined;
    if (!(field instanceof z.ZodType) || !isScalar(key)) continue;
    if (field.description !== undefined) key.commentBefore = ` ${field.description}`;
    explain(value, field);
  }
}
