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
import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";

/** The path from the root of a document to a value: map keys and list indexes. */
export type YamlPath = readonly (string | number)[];

/** A YAML file: its plain value and the location of each part. */
export interface YamlSource {
  readonly file: string;
  /** Undefined if the text is not valid YAML; `diagnostics` then contains the reason. */
  readonly value: unknown;
  /** Syntax errors and duplicate keys. */
  readonly diagnostics: readonly Diagnostic[];
  /** The location of the value at a path, or of its nearest existing ancestor. */
  locationOf(path: YamlPath): SourceLocation;
  /** The source text of the scalar at a path, without quotation marks; undefined if there is none. */
  textOf(path: YamlPath): string | undefined;
  /** The location of the last key of a path, or of the value if the path ends in a list. */
  locationOfKey(path: YamlPath): SourceLocation;
}

type YamlDocument = Document.Parsed;

/** Reads the text of one file; never throws. */
export function readYaml(file: string, text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  const locationAt = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = findSyntaxErrors(document, locationAt);
  const nodes = syntax.length > 0 ? null : checkNodes(document, locationAt);
  const content = nodes === null || nodes.aliases.length > 0 ? null : readContent(document);
  const unreadable = typeof content?.problem !== "string" ? [] : [diagnostic("yaml-syntax", locationAt(0), { problem: content.problem })];
  const locationOfNode = (node: unknown): SourceLocation => locationAt(isNode(node) && node.range ? node.range[0] : 0);
  return {
    file,
    value: content?.value,
    diagnostics: [...syntax, ...(nodes?.aliases ?? []), ...(nodes?.keys ?? []), ...unreadable],
    locationOf: (path) => locationOfNode(findNode(document, path).value),
    textOf: (path) => {
      const { value } = findNode(document, path);
      return isScalar(value) ? value.source : undefined;
    },
    locationOfKey: (path) => {
      const { key, value } = findNode(document, path);
      return locationOfNode(key ?? value);
    },
  };
}

// Nested aliases can expand to more values than fit in memory: the library throws an error for them.
function readContent(document: YamlDocument): { value: unknown; problem: string | null } {
  try {
    return { value: document.toJS() ?? null, problem: null };
  } catch (error) {
    return {
      value: undefined,
      problem: `Unreadable content: ${error instanceof Error ? error.message : String(error)}, expected YAML whose aliases expand to fewer values`,
    };
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
    // A key without a value has no value node: the location of the key is used.
    found = { key: pair.key, value: hasPosition(pair.value) ? pair.value : pair.key };
  }
  return found;
}

function hasPosition(value: unknown): boolean {
  return isNode(value) && !(isScalar(value) && value.value === null && value.source === "");
}

// `toJS` also uses the last of duplicate keys.
function pairOf(map: YAMLMap, key: string) {
  return map.items.findLast((pair) => keyText(pair.key) === key);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** Wrong indentation can cause an error in every line that follows. */
const maxSyntaxErrors = 10;

function findSyntaxErrors(document: YamlDocument, locationAt: (offset: number) => SourceLocation): Diagnostic[] {
  const lines = new Map<number, Diagnostic>();
  for (const error of [...document.errors, ...document.warnings].sort((left, right) => left.pos[0] - right.pos[0])) {
    const finding = diagnostic("yaml-syntax", locationAt(error.pos[0]), { problem: problemOf(error) });
    if (!lines.has(finding.line)) lines.set(finding.line, finding);
  }
  return [...lines.values()].slice(0, maxSyntaxErrors);
}

// The library's own message about several documents refers to its API.
function problemOf({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") return "Unexpected document: the file contains more than one document, expected one";
  return `Invalid YAML: ${message.replace(/\s+/g, " ").trim()}, expected YAML 1.2`;
}

function checkNodes(document: YamlDocument, locationAt: (offset: number) => SourceLocation): { aliases: Diagnostic[]; keys: Diagnostic[] } {
  const found = { aliases: [] as Diagnostic[], keys: [] as Diagnostic[] };
  visit(document, {
    Map: (_, map) => {
      found.keys.push(...findDuplicateKeys(map, locationAt));
    },
    Alias: (_, alias) => {
      const problem = aliasProblem(alias, document);
      if (problem !== null) found.aliases.push(diagnostic("yaml-syntax", locationAt(alias.range?.[0] ?? 0), { problem }));
    },
  });
  return found;
}

function findDuplicateKeys(map: YAMLMap, locationAt: (offset: number) => SourceLocation): Diagnostic[] {
  const first = new Map<string, number>();
  return map.items.flatMap(({ key }) => {
    const text = keyText(key);
    const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
    const firstOffset = first.get(text);
    if (firstOffset === undefined) first.set(text, offset);
    return firstOffset === undefined
      ? []
      : [diagnostic("duplicate-key", locationAt(offset), { key: text, first: locationAt(firstOffset).line })];
  });
}

// For an alias without an anchor, `toJS` throws; an alias inside its own anchor would expand infinitely.
function aliasProblem(alias: Alias, document: YamlDocument): string | null {
  const expected = "expected an alias of an anchor above it";
  const start = alias.range?.[0] ?? 0;
  const target = alias.resolve(document);
  if (target === undefined) return `Invalid alias *${alias.source}: no anchor &${alias.source} precedes it, ${expected}`;
  const isInsideItself = target.range && target.range[0] <= start && start < target.range[1];
  return isInsideItself ? `Invalid alias *${alias.source}: it is inside its own anchor, ${expected}` : null;
}
