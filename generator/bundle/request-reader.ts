import type { AddressReference, Chain, Hex, ParameterParsers, Parsed } from "./parsers.ts";

/** A request from the router: path values are decoded; a query value is a string, or an array if the parameter was sent more than once. */
export interface RawRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** An invalid parameter. */
export interface Issue {
  readonly parameter: string;
  readonly in: "path" | "query";
  readonly sent: string;
  readonly expected: string;
}

export type ParseOutcome<R> = { readonly ok: true; readonly request: R } | { readonly ok: false; readonly issues: readonly Issue[] };

/** The result of reading a parameter; if it is invalid, its issue has been recorded. */
export type ReadResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** Addresses resolve synchronously; only names, which few requests contain, need a promise. */
type Resolved<T> = ReadResult<T> | Promise<ReadResult<T>>;

/** A parameter that a rule applies to, with its result. */
export interface RuleParameter<T> {
  readonly name: string;
  readonly in: "path" | "query";
  readonly result: ReadResult<T>;
}

const maxSentLength = 100;

/** Returns a valid parameter's value; call it only for a request without issues. */
export function parsedValue<T>(result: ReadResult<T>): T {
  if (!result.ok) throw new Error("The value of an invalid parameter was read; check whether parsing succeeded before reading the value.");
  return result.value;
}

/** The name that was sent instead of an address, as its parser returned it; null for an address. */
export function sentName(result: ReadResult<AddressReference | null>): string | null {
  const reference = parsedValue(result);
  return reference !== null && "name" in reference ? reference.name : null;
}

type ResolvingParsers = Pick<ParameterParsers<string>, "resolveName" | "restriction" | "addressExpected">;

const invalid = { ok: false } as const;

/**
 * Reads the parameters of one request and records every invalid one. It is a class because each request creates a reader: creating closures took
 * longer than reading the parameters.
 */
class RequestReader {
  readonly #raw: RawRequest;
  readonly #parsers: ResolvingParsers;
  readonly #issues: Issue[] = [];

  constructor(raw: RawRequest, parsers: ResolvingParsers) {
    this.#raw = raw;
    this.#parsers = parsers;
  }

  path<T>(name: string, parse: (text: string) => Parsed<T>): ReadResult<T> {
    const text = this.#sentText("path", name);
    return text === "" ? this.#addIssue(name, "path", "", "a non-empty value") : this.#read(name, "path", text, parse);
  }

  /** Reads a query parameter; null if it is absent or empty. */
  query<T>(name: string, parse: (text: string) => Parsed<T>): ReadResult<T | null> {
    const value = this.#raw.query[name];
    if (value !== undefined && typeof value !== "string") {
      return this.#addIssue(name, "query", value.join(", "), "one value; it was sent more than once");
    }
    const text = this.#sentText("query", name);
    return text === "" ? { ok: true, value: null } : this.#read(name, "query", text, parse);
  }

  /** Reads a query parameter with a default. */
  queryOr<T>(name: string, parse: (text: string) => Parsed<T>, fallback: NoInfer<T>): ReadResult<T> {
    const value = this.query(name, parse);
    return value.ok ? { ok: true, value: value.value ?? fallback } : value;
  }

  /** Reads a required query parameter. */
  required<T>(name: string, parse: (text: string) => Parsed<T>, expected: string): ReadResult<T> {
    const value = this.query(name, parse);
    if (!value.ok) return value;
    return value.value === null ? this.#addIssue(name, "query", "", expected) : { ok: true, value: value.value };
  }

  resolve(location: Issue["in"], name: string, reference: ReadResult<AddressReference>, chain: ReadResult<Chain | null>): Resolved<Hex> {
    if (!reference.ok) return reference;
    if ("address" in reference.value) return { ok: true, value: reference.value.address };
    return chain.ok ? this.#resolveName(location, name, reference.value.name, chain.value) : invalid;
  }

  resolveOptional(
    location: Issue["in"],
    name: string,
    reference: ReadResult<AddressReference | null>,
    chain: ReadResult<Chain | null>,
  ): Resolved<Hex | null> {
    if (!reference.ok) return reference;
    return reference.value === null ? { ok: true, value: null } : this.resolve(location, name, { ok: true, value: reference.value }, chain);
  }

  async resolveList(
    location: Issue["in"],
    name: string,
    references: ReadResult<readonly AddressReference[]>,
    chain: ReadResult<Chain | null>,
  ): Promise<ReadResult<readonly Hex[]>> {
    if (!references.ok) return references;
    const results = references.value.map((value) => this.resolve(location, name, { ok: true, value }, chain));
    const resolved = (await Promise.all(results)).flatMap((address) => (address.ok ? [address.value] : []));
    return resolved.length === results.length ? { ok: true, value: resolved } : invalid;
  }

  async resolveOptionalList(
    location: Issue["in"],
    name: string,
    references: ReadResult<readonly AddressReference[] | null>,
    chain: ReadResult<Chain | null>,
  ): Promise<ReadResult<readonly Hex[] | null>> {
    if (!references.ok) return references;
    return references.value === null
      ? { ok: true, value: null }
      : this.resolveList(location, name, { ok: true, value: references.value }, chain);
  }

  /** Adds an issue for a chain outside the network group of the endpoint. */
  restrictChain(name: string, location: Issue["in"], chain: ReadResult<Chain>, group: string): void {
    const accepted = chain.ok ? this.#parsers.restriction(chain.value, group) : null;
    if (accepted === null) return;
    const members = accepted.length === 0 ? `a chain of the network group ${group}` : `one of ${accepted.join(", ")}`;
    const expected = `${members}; the operator can add a chain to this endpoint with groups: [${group}] in the configuration`;
    this.#addIssue(name, location, this.#sentText(location, name), expected);
  }

  /** Adds issues for all mutually exclusive parameters that were sent, except the first. */
  exclusive(names: readonly string[]): void {
    const [first, ...others] = names.filter((name) => this.#wasSent(name));
    this.#addIssues(others, `only one of ${joinNames(names)}; ${first} was also sent`);
  }

  /** Adds issues for an incomplete set of parameters that must be sent together. */
  together(names: readonly string[]): void {
    if (names.every((name) => this.#wasSent(name))) return;
    this.#addIssues(names, names.length === 2 ? `both ${joinNames(names)}, or neither` : `all of ${joinNames(names)}, or none of them`);
  }

  /** Adds an issue for a first block or day above the last; keywords such as latest are not compared. */
  ascending(first: RuleParameter<number | string | null>, last: RuleParameter<number | string | null>): void {
    if (!first.result.ok || !last.result.ok || !isAbove(first.result.value, last.result.value)) return;
    const expected = `at most ${last.result.value}, which is the value of ${last.name}`;
    this.#addIssue(first.name, first.in, this.#sentText(first.in, first.name), expected);
  }

  outcome<R>(createRequest: () => R): ParseOutcome<R> {
    return this.#issues.length === 0 ? { ok: true, request: createRequest() } : { ok: false, issues: this.#issues };
  }

  #read<T>(name: string, location: Issue["in"], text: string, parse: (text: string) => Parsed<T>): ReadResult<T> {
    const parsed = parse(text);
    return parsed.ok ? parsed : this.#addIssue(name, location, text, parsed.expected);
  }

  async #resolveName(location: Issue["in"], parameter: string, name: string, chain: Chain | null): Promise<ReadResult<Hex>> {
    const address = await this.#parsers.resolveName(chain, name);
    return address === null ? this.#addIssue(parameter, location, name, this.#parsers.addressExpected) : { ok: true, value: address };
  }

  #sentText(location: Issue["in"], name: string): string {
    const value = location === "path" ? this.#raw.path[name] : this.#raw.query[name];
    return typeof value === "string" ? value.trim() : "";
  }

  /** Whether a parameter was sent; one that was sent twice already has an issue, and counts as sent. */
  #wasSent(name: string): boolean {
    return Array.isArray(this.#raw.query[name]) || this.#sentText("query", name) !== "";
  }

  #addIssue(parameter: string, location: Issue["in"], sent: string, expected: string): typeof invalid {
    this.#issues.push({ parameter, in: location, sent: sent.slice(0, maxSentLength), expected });
    return invalid;
  }

  #addIssues(names: readonly string[], expected: string): void {
    for (const name of names) {
      const sent = this.#sentText("query", name);
      if (sent !== "") this.#addIssue(name, "query", sent, expected);
    }
  }
}

/** Creates the reader of one request. */
export const createReader = (raw: RawRequest, parsers: ResolvingParsers): RequestReader => new RequestReader(raw, parsers);

/** Lists names: `a, b and c`. */
function joinNames(names: readonly string[]): string {
  return names.join(", ").replace(/, (?=[^,]*$)/, " and ");
}

function isAbove(first: number | string | null, last: number | string | null): boolean {
  if (typeof first === "number" && typeof last === "number") return first > last;
  return isDay(first) && isDay(last) && first > last;
}

function isDay(value: number | string | null): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
}
