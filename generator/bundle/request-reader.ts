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

/** The result of reading a parameter; the issue of an invalid one has been recorded. */
export type ReadResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** An address is resolved at once, and only a name takes time: most requests have no name. */
type Resolved<T> = ReadResult<T> | Promise<ReadResult<T>>;

/** A parameter that a rule applies to, with its result. */
export interface RuleParameter<T> {
  readonly name: string;
  readonly in: "path" | "query";
  readonly result: ReadResult<T>;
}

const maxSentLength = 100;

/** The value of a valid parameter; to be called only for a request without issues. */
export function parsedValue<T>(result: ReadResult<T>): T {
  if (!result.ok) throw new Error("An invalid parameter has no value.");
  return result.value;
}

/** The name that was sent instead of an address, as its parser returned it; null for an address. */
export function sentName(result: ReadResult<AddressReference | null>): string | null {
  const reference = parsedValue(result);
  return reference !== null && "name" in reference ? reference.name : null;
}

type AddIssue = (parameter: string, location: Issue["in"], sent: string, expected: string) => { readonly ok: false };
type SentText = (location: Issue["in"], name: string) => string;
type ResolvingParsers = Pick<ParameterParsers<string>, "resolveName" | "restriction" | "addressExpected">;

/** Reads the parameters of one request and records every invalid one. */
export function createReader(raw: RawRequest, parsers: ResolvingParsers) {
  const issues: Issue[] = [];
  const addIssue: AddIssue = (parameter, location, sent, expected) => {
    issues.push({ parameter, in: location, sent: sent.slice(0, maxSentLength), expected });
    return { ok: false };
  };
  const sentText: SentText = (location, name) => {
    const value = location === "path" ? raw.path[name] : raw.query[name];
    return typeof value === "string" ? value.trim() : "";
  };
  return {
    ...createParameterReads(raw, sentText, addIssue),
    ...createAddressResolution(parsers, addIssue),
    ...createRuleChecks(raw, parsers, sentText, addIssue),
    outcome<R>(createRequest: () => R): ParseOutcome<R> {
      return issues.length === 0 ? { ok: true, request: createRequest() } : { ok: false, issues };
    },
  };
}

function createParameterReads(raw: RawRequest, sentText: SentText, addIssue: AddIssue) {
  const read = <T>(name: string, location: Issue["in"], text: string, parse: (text: string) => Parsed<T>): ReadResult<T> => {
    const parsed = parse(text);
    return parsed.ok ? parsed : addIssue(name, location, text, parsed.expected);
  };
  const query = <T>(name: string, parse: (text: string) => Parsed<T>): ReadResult<T | null> => {
    const value = raw.query[name];
    if (value !== undefined && typeof value !== "string") {
      return addIssue(name, "query", value.join(", "), "one value; it was sent more than once");
    }
    const text = sentText("query", name);
    return text === "" ? { ok: true, value: null } : read(name, "query", text, parse);
  };
  return {
    path<T>(name: string, parse: (text: string) => Parsed<T>): ReadResult<T> {
      const text = sentText("path", name);
      return text === "" ? addIssue(name, "path", "", "a non-empty value") : read(name, "path", text, parse);
    },
    /** Reads a query parameter; null if it is absent or empty. */
    query,
    /** Reads a query parameter with a default. */
    queryOr<T>(name: string, parse: (text: string) => Parsed<T>, fallback: NoInfer<T>): ReadResult<T> {
      const value = query(name, parse);
      return value.ok ? { ok: true, value: value.value ?? fallback } : value;
    },
    /** Reads a required query parameter. */
    required<T>(name: string, parse: (text: string) => Parsed<T>, expected: string): ReadResult<T> {
      const value = query(name, parse);
      if (!value.ok) return value;
      return value.value === null ? addIssue(name, "query", "", expected) : { ok: true, value: value.value };
    },
  };
}

function createAddressResolution(parsers: ResolvingParsers, addIssue: AddIssue) {
  const resolveName = async (location: Issue["in"], parameter: string, name: string, chain: Chain | null): Promise<ReadResult<Hex>> => {
    const address = await parsers.resolveName(chain, name);
    return address === null ? addIssue(parameter, location, name, parsers.addressExpected) : { ok: true, value: address };
  };
  const resolveReference = (
    location: Issue["in"],
    name: string,
    reference: AddressReference,
    chain: ReadResult<Chain | null>,
  ): Resolved<Hex> => {
    if ("address" in reference) return { ok: true, value: reference.address };
    return chain.ok ? resolveName(location, name, reference.name, chain.value) : { ok: false };
  };
  const resolveList = async (
    location: Issue["in"],
    name: string,
    references: ReadResult<readonly AddressReference[]>,
    chain: ReadResult<Chain | null>,
  ): Promise<ReadResult<readonly Hex[]>> => {
    if (!references.ok) return references;
    const addresses = await Promise.all(references.value.map((reference) => resolveReference(location, name, reference, chain)));
    const resolved = addresses.flatMap((address) => (address.ok ? [address.value] : []));
    return resolved.length === addresses.length ? { ok: true, value: resolved } : { ok: false };
  };
  return {
    resolve(location: Issue["in"], name: string, reference: ReadResult<AddressReference>, chain: ReadResult<Chain | null>): Resolved<Hex> {
      return reference.ok ? resolveReference(location, name, reference.value, chain) : reference;
    },
    resolveOptional(
      location: Issue["in"],
      name: string,
      reference: ReadResult<AddressReference | null>,
      chain: ReadResult<Chain | null>,
    ): Resolved<Hex | null> {
      if (!reference.ok) return reference;
      return reference.value === null ? { ok: true, value: null } : resolveReference(location, name, reference.value, chain);
    },
    resolveList,
    async resolveOptionalList(
      location: Issue["in"],
      name: string,
      references: ReadResult<readonly AddressReference[] | null>,
      chain: ReadResult<Chain | null>,
    ): Promise<ReadResult<readonly Hex[] | null>> {
      if (!references.ok) return references;
      return references.value === null
        ? { ok: true, value: null }
        : resolveList(location, name, { ok: true, value: references.value }, chain);
    },
  };
}

function createRuleChecks(raw: RawRequest, parsers: ResolvingParsers, sentText: SentText, addIssue: AddIssue) {
  /** Whether a parameter was sent; one that was sent twice already has an issue, and counts as sent. */
  const wasSent = (name: string): boolean => Array.isArray(raw.query[name]) || sentText("query", name) !== "";
  const addIssues = (names: readonly string[], expected: string): void => {
    for (const name of names.filter((other) => sentText("query", other) !== "")) addIssue(name, "query", sentText("query", name), expected);
  };
  return {
    /** Adds an issue for a chain outside the network group of the endpoint. */
    restrictChain(name: string, location: Issue["in"], chain: ReadResult<Chain>, group: string): void {
      const accepted = chain.ok ? parsers.restriction(chain.value, group) : null;
      if (accepted === null) return;
      const members = accepted.length === 0 ? `a chain of the network group ${group}` : `one of ${accepted.join(", ")}`;
      const expected = `${members}; the operator can add a chain to this endpoint with groups: [${group}] in the configuration`;
      addIssue(name, location, sentText(location, name), expected);
    },
    /** Adds issues for all mutually exclusive parameters that were sent, except the first. */
    exclusive(names: readonly string[]): void {
      const [first, ...others] = names.filter(wasSent);
      addIssues(others, `only one of ${joinNames(names)}; ${first} was also sent`);
    },
    /** Adds issues for an incomplete set of parameters that must be sent together. */
    together(names: readonly string[]): void {
      const complete = names.length === 2 ? `both ${joinNames(names)}, or neither` : `all of ${joinNames(names)}, or none of them`;
      if (!names.every(wasSent)) addIssues(names, complete);
    },
    /** Adds an issue for a first block or day above the last; keywords such as latest are not compared. */
    ascending(first: RuleParameter<number | string | null>, last: RuleParameter<number | string | null>): void {
      if (!first.result.ok || !last.result.ok || !isAbove(first.result.value, last.result.value)) return;
      addIssue(first.name, first.in, sentText(first.in, first.name), `at most ${last.result.value}, which is the value of ${last.name}`);
    },
  };
}

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
