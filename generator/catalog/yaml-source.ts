import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { Place } from "./catalog.ts";
import { type Diagnostic, diagnostic } from "./diagnostics.ts";

/** The path from the root of a document to a value: map keys and list indexes. */
export type YamlPath = readonly (string | number)[];

/** A file of the catalog: its plain value and the position of each part. */
export interface YamlSource {
  readonly file: string;
  /** Undefined if the text is not YAML; `diagnostics` then contains the reason. */
  readonly value: unknown;
  /** Syntax errors and duplicate keys. */
  readonly diagnostics: readonly Diagnostic[];
  /** The position of the value at a path, or of its nearest existing ancestor. */
  placeOf(path: YamlPath): Place;
  /** The position of the last key of a path; of the value if the path ends in a list. */
  placeOfKey(path: YamlPath): Place;
}

type YamlDocument = Document.Parsed;

/** Reads the text of one file; never throws. */
export function readYaml(file: string, text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = findSyntaxErrors(document, placeAt);
  const faults = syntax.length > 0 ? null : findFaults(document, placeAt);
  const content = faults === null || faults.aliases.length > 0 ? null : readContent(document);
  const aliasBomb = typeof content?.problem !== "string" ? [] : [diagnostic("yaml-syntax", placeAt(0), { problem: content.problem })];
  const placeOfNode = (node: unknown): Place => placeAt(isNode(node) && node.range ? node.range[0] : 0);
  return {
    file,
    value: content?.value,
    diagnostics: [...syntax, ...(faults?.aliases ?? []), ...(faults?.keys ?? []), ...aliasBomb],
    placeOf: (path) => placeOfNode(findNode(document, path).value),
    placeOfKey: (path) => {
      const { key, value } = findNode(document, path);
      return placeOfNode(key ?? value);
    },
  };
}

// Nested aliases can expand to more values than fit in memory: the library throws on them.
function readContent(document: YamlDocument): { value: unknown; problem: string | null } {
  try {
    return { value: document.toJS() ?? null, problem: null };
  } catch (error) {
    return { value: undefined, problem: `${error instanceof Error ? error.message : "unreadable"}; accepted: fewer aliases` };
  }
}

function findNode(document: YamlDocument, path: YamlPath): { key: unknown; value: unknown } {
  let found: { key: unknown; value: unknown } = { key: null, value: document.contents };
  for (const step of path) {
    const container = isAlias(found.value) ? found.value.resolve(document) : found.value;
    if (isSeq(container) && typeof step === "number" && isNode(container.items[step])) {
      found = { key: null, value: container.items[step] };
      continue;
    }
    const pair = isMap(container) ? pairOf(container, String(step)) : undefined;
    if (pair === undefined) return found;
    // A key without a value has no value node: the position is that of the key.
    found = { key: pair.key, value: hasPlace(pair.value) ? pair.value : pair.key };
  }
  return found;
}

function hasPlace(value: unknown): boolean {
  return isNode(value) && !(isScalar(value) && value.value === null && value.source === "");
}

// The last one counts, as it does for `toJS`.
function pairOf(map: YAMLMap, key: string) {
  return map.items.findLast((pair) => keyText(pair.key) === key);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** A wrong indentation invalidates every line after it: further errors of a file are consequences. */
const reportedErrors = 10;

function findSyntaxErrors(document: YamlDocument, placeAt: (offset: number) => Place): Diagnostic[] {
  const lines = new Map<number, Diagnostic>();
  for (const error of [...document.errors, ...document.warnings].sort((left, right) => left.pos[0] - right.pos[0])) {
    const finding = diagnostic("yaml-syntax", placeAt(error.pos[0]), { problem: problemOf(error) });
    if (!lines.has(finding.line)) lines.set(finding.line, finding);
  }
  return [...lines.values()].slice(0, reportedErrors);
}

// The library's message about several documents refers to its API.
function problemOf({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") return "the file contains more than one document; accepted: one";
  return `${message.replace(/\s+/g, " ").trim()}; accepted: YAML 1.2`;
}

function findFaults(document: YamlDocument, placeAt: (offset: number) => Place): { aliases: Diagnostic[]; keys: Diagnostic[] } {
  const faults = { aliases: [] as Diagnostic[], keys: [] as Diagnostic[] };
  visit(document, {
    Map: (_, map) => {
      faults.keys.push(...findRepeatedKeys(map, placeAt));
    },
    Alias: (_, alias) => {
      const problem = aliasProblem(alias, document);
      if (problem !== null) faults.aliases.push(diagnostic("yaml-syntax", placeAt(alias.range?.[0] ?? 0), { problem }));
    },
  });
  return faults;
}

function findRepeatedKeys(map: YAMLMap, placeAt: (offset: number) => Place): Diagnostic[] {
  const first = new Map<string, number>();
  return map.items.flatMap(({ key }) => {
    const text = keyText(key);
    const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
    const before = first.get(text);
    if (before === undefined) first.set(text, offset);
    return before === undefined ? [] : [diagnostic("duplicate-key", placeAt(offset), { key: text, first: placeAt(before).line })];
  });
}

// An alias without an anchor would throw in `toJS`, and one inside its own anchor would be infinite.
function aliasProblem(alias: Alias, document: YamlDocument): string | null {
  const accepted = "accepted: an alias of an anchor above it";
  const start = alias.range?.[0] ?? 0;
  const target = alias.resolve(document);
  if (target === undefined) return `the alias *${alias.source} has no anchor &${alias.source} before it; ${accepted}`;
  const insideItself = target.range && target.range[0] <= start && start < target.range[1];
  return insideItself ? `the alias *${alias.source} is inside its own anchor; ${accepted}` : null;
}
