import { readFileSync } from "node:fs";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { builtInRules } from "./built-in-rules.ts";
import { type Rules, rulesSchema } from "./rules.ts";

/** Lists every error in an invalid rules file, with its location. */
class RulesError extends Error {
  override readonly name = "RulesError";
}

/** Loads the operator's rules file, if there is one; its sections replace the built-in ones. @throws {RulesError} if the file is unreadable or invalid. */
export function loadRules(file: string | undefined): Rules {
  if (file === undefined) return builtInRules;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RulesError(
      `Classification rules in ${file} cannot be read (${reason}): set rulesFile to the path of a readable file, or remove it to use the built-in rules.`,
    );
  }
  return parseRules(file, text);
}

/** Parses a rules file; its sections replace the built-in ones. @throws {RulesError} if the text is invalid: one line per error, with file:line:column. */
export function parseRules(file: string, text: string): Rules {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const locationAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const syntaxErrors = document.errors.map((error) => `${locationAt(error.pos[0])}: ${error.message.split("\n")[0]}`);
  if (syntaxErrors.length > 0) throw new RulesError(syntaxErrors.join("\n"));
  keepAddressesAsText(document);
  const outcome = rulesSchema.partial().safeParse(document.toJS() ?? {});
  if (!outcome.success) {
    throw new RulesError(outcome.error.issues.flatMap((issue) => renderIssue(document, issue, locationAt)).join("\n"));
  }
  const { data } = outcome;
  return {
    stablecoins: data.stablecoins ?? builtInRules.stablecoins,
    dust: data.dust ?? builtInRules.dust,
    lures: data.lures ?? builtInRules.lures,
    airdrops: data.airdrops ?? builtInRules.airdrops,
    poisoning: data.poisoning ?? builtInRules.poisoning,
    trusted: data.trusted ?? builtInRules.trusted,
    spam: data.spam ?? builtInRules.spam,
  };
}

/** YAML parses 0x… without quotes as a number, which cannot hold an address (YAML 1.2.2, 10.3.2). */
function keepAddressesAsText(document: Document.Parsed): void {
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "number" && node.source?.startsWith("0x")) node.value = node.source;
    },
  });
}

/** One line per error; an unknown key is reported at its own location. */
function renderIssue(document: Document.Parsed, issue: z.core.$ZodIssue, locationAt: (offset: number) => string): string[] {
  const path = issue.path.map(String);
  if (issue.code !== "unrecognized_keys")
    return [`${locationAt(offsetOf(document, path))}: ${path.join(".") || "rules"}: ${issue.message}`];
  const expected = path.length === 0 ? `; expected one of ${Object.keys(rulesSchema.shape).join(", ")}` : "";
  return issue.keys.map((key) => `${locationAt(offsetOf(document, [...path, key]))}: ${[...path, key].join(".")}: unknown key${expected}`);
}

/** The offset of the key or element at a path, or of its nearest parent if it is missing. */
function offsetOf(document: Document.Parsed, path: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part) : undefined;
    const child: unknown = isSeq(node) ? node.items[Number(part)] : pair?.key;
    if (!isNode(child) || !child.range) return offset;
    offset = child.range[0];
    node = pair === undefined ? child : pair.value;
  }
  return offset;
}
