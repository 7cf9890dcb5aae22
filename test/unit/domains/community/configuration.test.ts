import { describe, expect, it } from "vitest";
import { configurationProblem } from "../../../../runtime/domains/community/configuration.ts";
import { contractOf, protocolOf } from "../../../support/declared-protocol.ts";

const protocols = [
  protocolOf({ id: "protocol_06", contracts: { factory: contractOf(), vault: contractOf() } }),
  protocolOf({ id: "protocol_07", contracts: {} }),
];
const problemOf = (community: Record<string, Record<string, []>>) => configurationProblem(protocols, { name: "demo", community });

describe("configured protocol contracts", () => {
  it("are accepted for declared kinds of contracts", () => {
    expect(problemOf({})).toBeNull();
    expect(problemOf({ protocol_06: { vault: [] } })).toBeNull();
  });

  it.each([
    [{ protocol_6: {} }, "Unknown protocol protocol_6 in the community setting of chain demo: did you mean protocol_06?"],
    [{ x: {} }, "Unknown protocol x in the community setting of chain demo: expected one of protocol_06."],
    [
      { protocol_06: { vaults: [] as [] } },
      "Unknown contract vaults of protocol protocol_06 in the community setting of chain demo: did you mean vault?",
    ],
    [
      { protocol_06: { pools: [] as [] } },
      "Unknown contract pools of protocol protocol_06 in the community setting of chain demo: expected one of factory, vault.",
    ],
    [
      { protocol_07: { vault: [] as [] } },
      "Unknown contract vault of protocol protocol_07 in the community setting of chain demo: expected none, because the protocol has no contracts.",
    ],
  ])("are refused for unknown protocols and kinds: %j", (community, problem) => {
    expect(problemOf(community as Record<string, Record<string, []>>)).toBe(problem);
  });
});
