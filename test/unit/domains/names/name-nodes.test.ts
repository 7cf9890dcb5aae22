import { describe, expect, it } from "vitest";
import { nodeOf, reverseNamespaces, reverseNode } from "../../../../runtime/domains/names/name-nodes.ts";

describe("the node of a name", () => {
  it.each([
    // EIP-137, "namehash algorithm".
    ["eth", "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae"],
    ["foo.eth", "0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f"],
    // EIP-181.
    ["addr.reverse", "0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2"],
  ])("equals the standard's example for %s", (name, node) => {
    expect(nodeOf(name)).toBe(node);
  });

  it("is below the reverse namespaces for an address", () => {
    const [ether] = reverseNamespaces(1);
    const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
    expect(reverseNamespaces(1)).toHaveLength(1);
    expect(reverseNode(ether as `0x${string}`, address)).toBe(nodeOf(`${address.slice(2)}.addr.reverse`));
    // ENSIP-19: 0x80000000 + 8453 is 0x80002105.
    expect(reverseNamespaces(8453)).toEqual([nodeOf("80002105.reverse"), ether]);
  });
});
