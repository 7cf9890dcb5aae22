import { describe, expect, it } from "vitest";
import { usesByTopic } from "../../../../runtime/domains/community/projection/event-uses.ts";
import type { Address, Hash } from "../../../../runtime/lib/hex.ts";
import { contractOf, protocolOf } from "../../../support/declared-protocol.ts";

const registry: Address = `0x${"11".repeat(20)}`;
const market: Address = `0x${"22".repeat(20)}`;
const word: Hash = `0x${"00".repeat(12)}${"22".repeat(20)}`;
const signatures = ["Listed(address market)", "Listed(address indexed listed)"];

const protocol = protocolOf({
  id: "markets",
  contracts: {
    registry: contractOf({ test: [{ address: registry, from: 1 }] }),
    market: contractOf({}, [
      { contract: "registry", event: signatures[0] as string, parameter: "market" },
      { contract: "registry", event: signatures[1] as string, parameter: "listed" },
    ]),
  },
  tables: [],
});

describe("a discovery event declared with several signatures", () => {
  const [[topic, uses] = []] = usesByTopic(protocol, [], new Map([["registry", new Map([[registry, 1]])]]));
  const decode = (topics: readonly Hash[], data: `0x${string}`) =>
    uses?.map((use) => use.decode({ index: 0, address: registry, topics: [topic as Hash, ...topics], data }));

  it("is decoded with the signature that the log matches", () => {
    expect(decode([], word)).toMatchObject([{ address: market }]);
    expect(decode([word], "0x")).toMatchObject([{ address: market }]);
  });

  it("yields a single problem if no signature matches", () => {
    expect(decode([word, word], "0x")).toEqual([{ problem: expect.stringContaining("topics") }]);
  });
});
