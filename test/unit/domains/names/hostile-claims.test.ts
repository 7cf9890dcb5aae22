import { bytesToHex } from "viem";
import { describe, expect, it } from "vitest";
import { nodeOf, reverseNamespaces, reverseNode } from "../../../../runtime/domains/names/name-nodes.ts";
import { nameRecordKinds } from "../../../../runtime/domains/names/projection.ts";
import { createNameQueries } from "../../../../runtime/domains/names/queries/index.ts";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";

const hex = (text: string): Hex => bytesToHex(new TextEncoder().encode(text));
const [reverseNamespace = "0x"] = reverseNamespaces(1);
/** Returns a name of a given length: a first label followed by one-letter labels. */
const labels = (length: number, first: string): string => `${first}${".a".repeat((length - first.length) / 2)}`;

/** Emulates the queries for resolved addresses and claimed names: each name resolves to the address that claims it. */
const registryOf = (claims: ReadonlyMap<Address, string>) => {
  const values = new Map<Hash, Hex>();
  for (const [address, name] of claims) {
    values.set(reverseNode(reverseNamespace, address), hex(name));
    values.set(nodeOf(name), address);
  }
  const query = async (_statement: string, parameters: readonly unknown[]) => {
    if (parameters.length === 2) return [...claims.keys()].map((address) => ({ address }));
    const record = parameters[3];
    const nodes = (parameters[2] as Buffer[]).map((node) => bytesToHex(node));
    return nodes.flatMap((node) => {
      const value = values.get(node);
      const isName = value !== undefined && value.length !== 42;
      return value !== undefined && isName === (record === nameRecordKinds.name) ? [{ node, value }] : [];
    });
  };
  return createNameQueries({ query: query as never }, () => [`0x${"ee".repeat(20)}`]);
};
const account = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;

describe("primary names of addresses", () => {
  it("are returned up to 255 characters, the maximum parameter length", async () => {
    const [longest, longer] = [labels(255, "bcd"), labels(257, "bcd")];
    expect([longest.length, longer.length]).toEqual([255, 257]);
    const { namesOf } = registryOf(
      new Map([
        [account(1), longest],
        [account(2), longer],
        [account(3), "alice.eth"],
      ]),
    );
    expect([...(await namesOf(1, [account(1), account(2), account(3)]))]).toEqual([
      [account(1), longest],
      [account(3), "alice.eth"],
    ]);
  });

  it("are hashed only once, even if they have many labels", async () => {
    const claims = new Map(Array.from({ length: 100 }, (_, number) => [account(number + 1), labels(255, `x${number + 10}`)] as const));
    const { namesOf } = registryOf(claims);
    const measure = async (): Promise<number> => {
      const start = performance.now();
      expect((await namesOf(1, claims.keys())).size).toBe(100);
      return performance.now() - start;
    };
    const first = await measure();
    const later = Math.min(await measure(), await measure(), await measure());
    // 100 names with 127 labels, two hashes per label, compared with 100 reverse nodes with two hashes each.
    expect(later).toBeLessThan(first / 5);
  });
});
