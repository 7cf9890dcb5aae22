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

/** The way from the root of a document to a value: keys of maps and indexes of lists. */
export type YamlPath = readonly (string | number)[];

/** One file of the catalog: its plain value, and the place of everything in it. */
export interface YamlSource {
  readonly file: string;
  /** Undefined when the text is not YAML; what is wrong is in `diagnostics` then. */
  readonly value: unknown;
  /** Syntax errors and repeated keys. */
  readonly diagnostics: readonly Diagnostic[];
  /** The place of the value at a path, or of the nearest value around it that exists. */
  placeOf(path: YamlPath): Place;
  /** The place of the key that a path ends with; of the value where it ends in a list. */
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
  const bomb = typeof content?.problem !== "string" ? [] : [diagnostic("yaml-syntax", placeAt(0), { problem: content.problem })];
  const placeOfNode = (node: unknown): Place => placeAt(isNode(node) && node.range ? node.range[0] : 0);
  return {
    file,
    value: content?.value,
    diagnostics: [...syntax, ...(faults?.aliases ?? []), ...(faults?.keys ?? []), ...bomb],
    placeOf: (path) => placeOfNode(findNode(document, path).value),
    placeOfKey: (path) => {
      const { key, value } = findNode(document, path);
      return placeOfNode(key ?? value);
    },
  };
}

// Aliases of aliases can ask for more values than fit in memory: the library gives up on them by throwing.
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
    // A key without a value has no node of its own: the key stands for it.
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

/** A wrong indentation makes every line after it wrong: beyond these, errors of one file are its consequences. */
const reportedErrors = 10;

function findSyntaxErrors(document: YamlDocument, placeAt: (offset: number) => Place): Diagnostic[] {
  const lines = new Map<number, Diagnostic>();
  for (const error of [...document.errors, ...document.warnings].sort((left, right) => left.pos[0] - right.pos[0])) {
    const finding = diagnostic("yaml-syntax", placeAt(error.pos[0]), { problem: problemOf(error) });
    if (!lines.has(finding.line)) lines.set(finding.line, finding);
  }
  return [...lines.values()].slice(0, reportedErrors);
}

// The library's own sentence about several documents is for whoever calls it.
function problemOf({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") return "the file holds more than one document; accepted: one";
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

// An alias whose anchor is missing would throw in `toJS`, and one inside its own anchor would make an endless value.
function aliasProblem(alias: Alias, document: YamlDocument): string | null {
  const accepted = "accepted: an alias of an anchor above it";
  const start = alias.range?.[0] ?? 0;
  const target = alias.resolve(document);
  if (target === undefined) return `no anchor &${alias.source} stands before this alias; ${accepted}`;
  const insideItself = target.range && target.range[0] <= start && start < target.range[1];
  return insideItself ? `the alias *${alias.source} stands inside its own anchor; ${accepted}` : null;
}
