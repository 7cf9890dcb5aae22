import { encodeAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog, ChainTransaction } from "../../../../runtime/chain/types.ts";
import { namesProjection } from "../../../../runtime/domains/names/projection.ts";
import { createEventDecoder } from "../../../../runtime/events/event-decoder.ts";
import { nameAddrChanged, nameNameChanged, nameNewResolver, nameVersionChanged } from "../../../../runtime/events/names.ts";
import { createState } from "../../../../runtime/indexer/state/state.ts";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [registry, resolver, alice, bob] = ["1", "2", "a", "b"].map(account) as [Address, Address, Address, Address];
const node: Hash = `0x${"9".repeat(64)}`;
const zeroAddress: Address = account("0");
const word = (address: Address): Hex => `0x${address.slice(2).padStart(64, "0")}`;
const log = (address: Address, topic0: Hash, data: Hex): ChainLog => ({ index: 0, address, topics: [topic0, node], data });
const addr = (address: Address) => log(resolver, nameAddrChanged.topic0, word(address));
const claim = (name: string) => log(resolver, nameNameChanged.topic0, encodeAbiParameters([{ type: "string" }], [name]));
const cleared = log(resolver, nameVersionChanged.topic0, word(account("1")));
const fold = (...blocks: (readonly ChainLog[])[]) => {
  const decode = createEventDecoder(namesProjection.events);
  const decoded = blocks.map((logs, number) => {
    const transaction = { index: 0, logs: logs.map((entry, index) => ({ ...entry, index })) } as unknown as ChainTransaction;
    return decode({ number, transactions: [transaction] } as unknown as ChainBlock);
  });
  const rows = namesProjection.fold(decoded, {
    chain: { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set() },
    state: createState({}),
    baseOutcome: () => {
      throw new Error("Unexpected read from the node");
    },
  });
  return rows.name_records?.map(({ contract, record, block_number, value }) => [contract, record, block_number, value]);
};

describe("the names projection", () => {
  it("stores each block's last record", () => {
    const records = fold([addr(alice), addr(bob)], [addr(alice), log(registry, nameNewResolver.topic0, word(resolver))]);
    expect(records).toEqual([
      [resolver, 2, 0, bob],
      [resolver, 2, 1, alice],
      [registry, 1, 1, resolver],
    ]);
  });

  it("stores a cleared record as null", () => {
    const records = fold([addr(alice), claim("alice.eth")], [addr(zeroAddress)], [addr(bob)], [cleared]);
    expect(records).toEqual([
      [resolver, 2, 0, alice],
      [resolver, 3, 0, "0x616c6963652e657468"],
      [resolver, 2, 1, null],
      [resolver, 2, 2, bob],
      [resolver, 2, 3, null],
      [resolver, 3, 3, null],
    ]);
  });

  it("stores a name as its bytes", () => {
    expect(fold([claim("é,{}.eth")])).toEqual([[resolver, 3, 0, "0xc3a92c7b7d2e657468"]]);
  });
});
