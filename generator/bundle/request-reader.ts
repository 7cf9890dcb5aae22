import type { AddressReference, Chain, Hex, Parsed, ParsersOf } from "./parsers.ts";

/** A request as the router passes it on: path values decoded, query values a string or, if a name was sent more than once, an array. */
export interface RawRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** An invalid parameter. */
export interface Issue {
  readonly parameter: string;
  readonly in: "path" | "query";
  readonly sent: string;
  readonly expected: string;
}

export type ParseOutcome<R> = { readonly ok: true; readonly request: R } | { readonly ok: false; readonly issues: readonly Issue[] };

/** A parameter after parsing; the issue of an invalid one is already recorded. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** A parameter that a rule applies to. */
export interface Named<T> {
  readonly name: string;
  readonly in: "path" | "query";
  readonly read: Read<T>;
}

const maxSentLength = 100;
const addressForm = "0x + 40 hex digits or a registered name";

/** The value of a parameter of a request without issues. */
export function taken<T>(read: Read<T>): T {
  if (!read.ok) throw new Error("An invalid parameter has no value.");
  return read.value;
}

/** The name that was sent in place of an address, in the form that its parser returned; null for an address. */
export function sentName(read: Read<AddressReference | null>): string | null {
  const reference = taken(read);
  return reference !== null && "name" in reference ? reference.name : null;
}

type Refuse = (parameter: string, where: Issue["in"], sent: string, expected: string) => { readonly ok: false };
type SentText = (where: Issue["in"], name: string) => string;
type ResolvingParsers = Pick<ParsersOf<string>, "resolveName" | "restriction">;

/** Reads the parameters of one request and records every invalid one. */
export function createReader(raw: RawRequest, parsers: ResolvingParsers) {
  const issues: Issue[] = [];
  const refuse: Refuse = (parameter, where, sent, expected) => {
    issues.push({ parameter, in: where, sent: sent.slice(0, maxSentLength), expected });
    return { ok: false };
  };
  const sentText: SentText = (where, name) => {
    const value = where === "path" ? raw.path[name] : raw.query[name];
    return typeof value === "string" ? value.trim() : "";
  };
  return {
    ...createReads(raw, sentText, refuse),
    ...createResolution(parsers, refuse),
    ...createRules(raw, parsers, sentText, refuse),
    outcome<R>(request: () => R): ParseOutcome<R> {
      return issues.length === 0 ? { ok: true, request: request() } : { ok: false, issues };
    },
  };
}

function createReads(raw: RawRequest, sentText: SentText, refuse: Refuse) {
  const read = <T>(name: string, where: Issue["in"], text: string, parse: (text: string) => Parsed<T>): Read<T> => {
    const parsed = parse(text);
    return parsed.ok ? parsed : refuse(name, where, text, parsed.expected);
  };
  const query = <T>(name: string, parse: (text: string) => Parsed<T>): Read<T | null> => {
    const value = raw.query[name];
    if (value !== undefined && typeof value !== "string") {
      return refuse(name, "query", Array.isArray(value) ? value.join(", ") : "", "one value; it was sent more than once");
    }
    const text = sentText("query", name);
    return text === "" ? { ok: true, value: null } : read(name, "query", text, parse);
  };
  return {
    path<T>(name: string, parse: (text: string) => Parsed<T>): Read<T> {
      const text = sentText("path", name);
      return text === "" ? refuse(name, "path", "", "a value that is not empty") : read(name, "path", text, parse);
    },
    /** A query parameter, or null if it is absent or empty. */
    query,
    /** A query parameter with a default. */
    queryOr<T>(name: string, parse: (text: string) => Parsed<T>, fallback: NoInfer<T>): Read<T> {
      const value = query(name, parse);
      return value.ok ? { ok: true, value: value.value ?? fallback } : value;
    },
    /** A required query parameter. */
    required<T>(name: string, parse: (text: string) => Parsed<T>, expected: string): Read<T> {
      const value = query(name, parse);
      if (!value.ok) return value;
      return value.value === null ? refuse(name, "query", "", expected) : { ok: true, value: value.value };
    },
  };
}

function createResolution(parsers: ResolvingParsers, refuse: Refuse) {
  const resolveReference = async (
    where: Issue["in"],
    name: string,
    reference: AddressReference,
    chain: Read<Chain | null>,
  ): Promise<Read<Hex>> => {
    if ("address" in reference) return { ok: true, value: reference.address };
    if (!chain.ok) return { ok: false };
    const address = await parsers.resolveName(chain.value, reference.name);
    return address === null ? refuse(name, where, reference.name, addressForm) : { ok: true, value: address };
  };
  const resolveList = async (
    where: Issue["in"],
    name: string,
    references: Read<readonly AddressReference[]>,
    chain: Read<Chain | null>,
  ): Promise<Read<readonly Hex[]>> => {
    if (!references.ok) return references;
    const addresses = await Promise.all(references.value.map((reference) => resolveReference(where, name, reference, chain)));
    const resolved = addresses.flatMap((address) => (address.ok ? [address.value] : []));
    return resolved.length === addresses.length ? { ok: true, value: resolved } : { ok: false };
  };
  return {
    async resolve(where: Issue["in"], name: string, reference: Read<AddressReference>, chain: Read<Chain | null>): Promise<Read<Hex>> {
      return reference.ok ? resolveReference(where, name, reference.value, chain) : reference;
    },
    async resolveOptional(
      where: Issue["in"],
      name: string,
      reference: Read<AddressReference | null>,
      chain: Read<Chain | null>,
    ): Promise<Read<Hex | null>> {
      if (!reference.ok) return reference;
      return reference.value === null ? { ok: true, value: null } : resolveReference(where, name, reference.value, chain);
    },
    resolveList,
    async resolveOptionalList(
      where: Issue["in"],
      name: string,
      references: Read<readonly AddressReference[] | null>,
      chain: Read<Chain | null>,
    ): Promise<Read<readonly Hex[] | null>> {
      if (!references.ok) return references;
      return references.value === null ? { ok: true, value: null } : resolveList(where, name, { ok: true, value: references.value }, chain);
    },
  };
}

function createRules(raw: RawRequest, parsers: ResolvingParsers, sentText: SentText, refuse: Refuse) {
  /** A parameter that was sent twice is already refused for that, and counts as sent. */
  const wasSent = (name: string): boolean => Array.isArray(raw.query[name]) || sentText("query", name) !== "";
  const refuseSent = (names: readonly string[], expected: string): void => {
    for (const name of names.filter((other) => sentText("query", other) !== "")) refuse(name, "query", sentText("query", name), expected);
  };
  return {
    /** Refuses a chain outside the network group of the endpoint. */
    restrict(name: string, where: Issue["in"], chain: Read<Chain>, group: string): void {
      const others = chain.ok ? parsers.restriction(chain.value, group) : null;
      if (others === null) return;
      const members = others.length === 0 ? `a chain of the network group ${group}` : `one of ${others.join(", ")}`;
      const expected = `${members}; the operator can add a chain to this endpoint with groups: [${group}] in the configuration`;
      refuse(name, where, sentText(where, name), expected);
    },
    /** Of mutually exclusive parameters, refuses all that were sent but the first. */
    exclusive(names: readonly string[]): void {
      const [first, ...others] = names.filter(wasSent);
      refuseSent(others, `only one of ${names.join(" and ")}; ${first} was sent too`);
    },
    /** Refuses an incomplete set of parameters that must be sent together. */
    together(names: readonly string[]): void {
      if (!names.every(wasSent)) refuseSent(names, `${names.join(" and ")} together, or none of them`);
    },
    /** Refuses a first block or day above the last; words such as latest are not compared. */
    ascending(first: Named<number | string | null>, last: Named<number | string | null>): void {
      if (!first.read.ok || !last.read.ok || !isAbove(first.read.value, last.read.value)) return;
      refuse(first.name, first.in, sentText(first.in, first.name), `at most ${last.read.value}, which is the value of ${last.name}`);
    },
  };
}

function isAbove(first: number | string | null, last: number | string | null): boolean {
  if (typeof first === "number" && typeof last === "number") return first > last;
  return isDay(first) && isDay(last) && first > last;
}

function isDay(value: number | string | null): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
}
