import type { EndpointDefinition, ParameterType } from "../definition.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EndpointDraft, ServiceDraft } from "../draft.ts";
import { findDuplicates, type Lookup, locationOf, parameterNamesOf } from "../lookup.ts";

type Rule = EndpointDefinition["rules"][number];

/** Checks rules between parameters for unknown and duplicate parameters, and for values that cannot be compared. */
export function checkRules({ draft }: Lookup): Diagnostic[] {
  const { service } = draft;
  return service === null ? [] : draft.endpoints.flatMap((endpoint) => checkEndpoint(endpoint, service));
}

function checkEndpoint(endpoint: EndpointDraft, service: ServiceDraft): Diagnostic[] {
  const known = parameterNamesOf(endpoint, service);
  if (known === null) return [];
  return (endpoint.value.rules ?? []).flatMap((rule, index) => {
    const [kind, names] = partsOf(rule);
    const expected = kind === "ascending" ? [...known.path, ...known.query] : known.query;
    const location = (position: number) => locationOf(endpoint, "rules", index, kind, position);
    const unknown = names.flatMap((name, position) => {
      const scope = kind === "ascending" ? "a parameter of this endpoint" : "a query parameter of this endpoint";
      return expected.includes(name) ? [] : [diagnostic("unknown-parameter", location(position), { name, kind: scope, expected })];
    });
    const duplicates = findDuplicates([...names.entries()], ([, name]) => name).map(({ item: [position, name] }) =>
      diagnostic("repeated-parameter", location(position), { name, reason: "already in this rule" }),
    );
    if (unknown.length > 0 || duplicates.length > 0) return [...unknown, ...duplicates];
    return kind === "ascending" ? checkOrder(names, service, location) : [];
  });
}

function partsOf(rule: Rule): readonly ["exclusive" | "together" | "ascending", readonly string[]] {
  if ("exclusive" in rule) return ["exclusive", rule.exclusive];
  return "together" in rule ? ["together", rule.together] : ["ascending", rule.ascending];
}

const orders: Partial<Record<ParameterType, string>> = {
  integer: "number",
  height: "number",
  block: "number",
  date: "day",
  dateOrLatest: "day",
};

function checkOrder(
  names: readonly string[],
  service: ServiceDraft,
  location: (position: number) => ReturnType<typeof locationOf>,
): Diagnostic[] {
  const types = names.map((name) => service.queryParameters?.get(name)?.value.type ?? service.pathParameters?.get(name)?.value.type);
  const [first, second] = types;
  if (first === undefined || second === undefined) return [];
  const expected = "two blocks, two whole numbers or two days";
  const unordered = types.findIndex((type) => type !== undefined && orders[type] === undefined);
  if (unordered >= 0) {
    return [
      diagnostic("contradictory-rule", location(unordered), {
        reason: `${names[unordered]} of type ${types[unordered]} has no order`,
        expected,
      }),
    ];
  }
  if (orders[first] === orders[second]) return [];
  const reason = `${names[0]} is a ${orders[first]}, but ${names[1]} is a ${orders[second]}`;
  return [diagnostic("contradictory-rule", location(1), { reason, expected })];
}
