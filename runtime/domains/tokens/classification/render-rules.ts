import { Document, isMap, isScalar } from "yaml";
import { z } from "zod";
import { type Rules, rulesSchema } from "./rules.ts";

const introduction = ` The rules that determine the types of tokens, spam and poisoning.
 To change them, save this file, set rulesFile in ashlar.yaml to its path, and keep only the sections that you change: a section of the file replaces the
 built-in section, and a section that is not in the file keeps its built-in values.`;

/** Renders rules as YAML in which a comment describes each section and setting. */
export function renderRules(rules: Rules): string {
  const document = new Document(rules);
  document.commentBefore = introduction;
  addComments(document.contents, rulesSchema);
  return document.toString({ lineWidth: 140, flowCollectionPadding: true });
}

/** Adds the schema's descriptions as comments above the keys of a map and its nested maps. */
function addComments(node: unknown, schema: unknown): void {
  if (!isMap(node) || !(schema instanceof z.ZodObject)) return;
  for (const { key, value } of node.items) {
    const field: unknown = isScalar(key) ? schema.shape[String(key.value)] : undefined;
    if (!(field instanceof z.ZodType) || !isScalar(key)) continue;
    if (field.description !== undefined) key.commentBefore = ` ${field.description}`;
    addComments(value, field);
  }
}
