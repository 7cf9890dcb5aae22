import type { ProtocolFile } from "../../runtime/declarations/protocol-file.ts";
import type { CatalogOperation } from "./catalog.ts";
import type { CommunityTemplateFile, EndpointDefinition, ParameterUse } from "./definition.ts";
import type { CatalogDraft, Draft, TemplateOperation } from "./draft.ts";
import { locationOfKey } from "./lookup.ts";

/** Creates one endpoint per protocol and operation, ordered by protocol, then by the template's operations. */
export function expandCommunity(draft: CatalogDraft): CatalogOperation[] {
  const { template } = draft;
  const { path, domain } = template?.value ?? {};
  if (template === null || path === undefined || domain === undefined) return [];
  if (!path.includes("{protocol}") || !path.includes("{operation}")) return [];
  const protocols = [...draft.protocols].sort((left, right) => ((left.value.protocol ?? "") < (right.value.protocol ?? "") ? -1 : 1));
  return protocols.flatMap((entry) => {
    const { protocol, operations } = entry.value;
    if (protocol === undefined || operations === undefined) return [];
    return [...template.operations.values()].flatMap((operation): CatalogOperation[] => {
      const overrides = operations[operation.name];
      if (overrides === undefined) return [];
      return [
        {
          id: `get${pascal(protocol)}${pascal(operation.name)}`,
          handler: `getCommunity${pascal(operation.name)}`,
          domain,
          location: locationOfKey(entry, "operations", operation.name),
          definition: definitionOf(operation, literalPath(path, protocol, operation.name), overrides),
          protocol,
        },
      ];
    });
  });
}

type Overrides = ProtocolFile["operations"][string];

/** The interface states no cost for community endpoints; those with SQL are implemented. */
function definitionOf({ value }: Draft<TemplateOperation>, path: string, overrides: Overrides): EndpointDefinition {
  const { bitcoinAddress } = overrides ?? {};
  return {
    class: "C",
    path,
    summary: value.summary ?? "",
    notes: overrides?.notes ?? value.notes ?? "",
    cost: "not-stated",
    mode: "batch",
    status: overrides?.sql === undefined ? "planned" : "live",
    response: value.response ?? "",
    query: (value.query ?? []).map((use) => (bitcoinAddress === undefined ? use : asBitcoinAddress(use, bitcoinAddress.description))),
    pagination: value.pagination ?? { style: "none" },
    rules: [],
    example: { ...value.example, ...(bitcoinAddress === undefined ? {} : { address: bitcoinAddress.example }) },
  };
}

/** The parameter `address` on Bitcoin chains; other parameters unchanged. */
const asBitcoinAddress = (use: ParameterUse, description: string): ParameterUse =>
  typeof use === "object" && use.name === "address" ? { ...use, type: "bitcoinAddress", description } : use;

function literalPath(template: CommunityTemplateFile["path"], protocol: string, operation: string): string {
  return template.replace("{protocol}", protocol).replace("{operation}", operation);
}

/** `market_data` -> `MarketData`, `protocol_01` -> `Protocol01`. */
function pascal(snake: string): string {
  return snake.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
