/** The content codings that this server can produce (RFC 9110, section 8.4.1), the preferred one first. */
export const codings = ["zstd", "br", "gzip"] as const;

export type Coding = (typeof codings)[number];

/** How a response is encoded for a client. */
export interface AcceptedCoding {
  /** The coding to send; null for none. */
  readonly coding: Coding | null;
  /** Whether the client accepts a response without a coding. */
  readonly acceptsIdentity: boolean;
}

const withoutCoding: AcceptedCoding = { coding: null, acceptsIdentity: true };
/** RFC 9110, section 12.4.2. */
const weightPattern = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** The weight of a list element by its parameters; null if it is invalid. */
function weightOf(parameters: readonly string[]): number | null {
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=", 2);
    if (name.trim().toLowerCase() === "q") return weightPattern.test(value.trim()) ? Number(value) : null;
  }
  return 1;
}

/** The weights in an Accept-Encoding header by coding name; invalid elements are ignored. */
function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.split(",")) {
    const [sent = "", ...parameters] = element.split(";");
    const name = sent.trim().toLowerCase();
    const weight = weightOf(parameters);
    // A recipient treats x-gzip as gzip (RFC 9110, section 8.4.1.3).
    if (name !== "" && weight !== null) weights.set(name === "x-gzip" ? "gzip" : name, weight);
  }
  return weights;
}

/**
 * Selects a response's coding by the request's Accept-Encoding header (RFC 9110, section 12.5.3): the one with the highest weight, the
 * first of `available` among equals, and none if the client prefers an uncompressed response.
 */
export function selectCoding(header: string | undefined, available: readonly Coding[]): AcceptedCoding {
  if (header === undefined || header === "") return withoutCoding;
  const weights = readWeights(header);
  const others = weights.get("*");
  const identity = weights.get("identity") ?? others;
  let coding: Coding | null = null;
  let highest = 0;
  for (const candidate of available) {
    const weight = weights.get(candidate) ?? others ?? 0;
    if (weight > highest) [coding, highest] = [candidate, weight];
  }
  return { coding: highest < (identity ?? 0) ? null : coding, acceptsIdentity: identity !== 0 };
}
