import type { EndpointDefinition, ParameterType } from "../definition.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EndpointDraft, ServiceDraft } from "../draft.ts";
import { findRepeated, type Lookup, parameterNamesOf, placeOf } from "../lookup.ts";

type Rule = EndpointDefinition["rules"][number];

/** Checks rules between parameters: unknown parameters, and rules that always or never hold. */
export function checkRules({ draft }: Lookup): Diagnostic[] {
  const { service } = draft;
  return service === null ? [] : draft.endpoints.flatMap((endpoint) => checkEndpoint(endpoint, service));
}

function checkEndpoint(endpoint: EndpointDraft, service: ServiceDraft): Diagnostic[] {
  const known = parameterNamesOf(endpoint, service);
  if (known === null) return [];
  return (endpoint.value.rules ?? []).flatMap((rule, index) => {
    const [kind, names] = partsOf(rule);
    const accepted = kind === "ascending" ? [...known.path, ...known.query] : known.query;
    const place = (position: number) => placeOf(endpoint, "rules", index, kind, position);
    const unknown = names.flatMap((name, position) => {
      const where = kind === "ascending" ? "a parameter of this endpoint" : "a query parameter of this endpoint";
      return accepted.includes(name) ? [] : [diagnostic("unknown-parameter", place(position), { name, where, accepted })];
    });
    const repeated = findRepeated([...names.entries()], ([, name]) => name).map(({ item: [position, name] }) =>
      diagnostic("repeated-parameter", place(position), { name, reason: "is already in this rule" }),
    );
    if (unknown.length > 0 || repeated.length > 0) return [...unknown, ...repeated];
    return kind === "ascending" ? checkOrder(names, service, place) : [];
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
  place: (position: number) => ReturnType<typeof placeOf>,
): Diagnostic[] {
  const types = names.map((name) => service.queryParameters?.get(name)?.value.type ?? service.pathParameters?.get(name)?.value.type);
  const [first, second] = types;
  if (first === undefined || second === undefined) return [];
  const accepted = "two blocks, two whole numbers or two days";
  const stray = types.findIndex((type) => type !== undefined && orders[type] === undefined);
  if (stray >= 0) {
    return [diagnostic("contradictory-rule", place(stray), { reason: `${names[stray]} of type ${types[stray]} has no order`, accepted })];
  }
  if (orders[first] === orders[second]) return [];
  const reason = `${names.join(" and ")} are a ${orders[first]} and a ${orders[second]}`;
  return [diagnostic("contradictory-rule", place(1), { reason, accepted })];
}
