import { type AbiFunction, decodeFunctionResult, encodeFunctionData, parseAbiItem } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contractOf, protocolOf, readOf, tableOf } from "../../../support/declared-protocol.ts";
import { multicallAddress, multicallCode } from "../../../support/multicall.ts";
import { compileWithPackages } from "../../../support/solidity.ts";
import { type CommunityIndex, startCommunityIndex } from "./support.ts";

const contracts = compileWithPackages(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/** Pools by identifier, each with two amounts, which are 0 for an identifier that was never set. */
contract Registry {
  event Set(bytes32 indexed poolId, uint32 kind, uint256 amount);
  event Removed(bytes32 indexed poolId, uint32 kind);
  mapping(bytes32 => mapping(uint32 => uint256[2])) amounts;
  uint256[2] public balances;
  function set(bytes32 poolId, uint32 kind, uint256 amount) external {
    uint256[2] storage stored = amounts[poolId][kind];
    (stored[1], stored[0]) = (stored[0], amount);
    balances[0] += amount;
    balances[1] = block.number;
    emit Set(poolId, kind, amount);
  }
  function remove(bytes32 poolId, uint32 kind) external {
    delete amounts[poolId][kind];
    emit Removed(poolId, kind);
  }
  function getPool(bytes32 id, uint256 kind, bool first) external view returns (address pool, uint256[] memory list) {
    require(kind != 13, "unlucky");
    list = new uint256[](2);
    uint256[2] storage stored = amounts[id][uint32(kind)];
    (list[0], list[1]) = first ? (stored[0], stored[1]) : (stored[1], stored[0]);
    return (address(bytes20(id)), list);
  }
}`);

const getPool = "getPool(bytes32 id, uint256 kind, bool first) view returns (address pool, uint256[] list)";
const [alpha, beta] = [`0x${"ab".repeat(32)}`, `0x${"00".repeat(31)}07`] as const;
const first = { name: "first", type: "bool", each: ["true", "false"] } as const;

/** The registry's pools by identifier and kind, read in both directions when they change, and its two balances. */
const registryOf = (address: Address): Protocol =>
  protocolOf({
    id: "registry",
    contracts: { registry: contractOf({ test: [{ address, from: 1 }] }) },
    tables: [
      tableOf("changes", "registry", ["Set(bytes32 indexed poolId, uint32 kind, uint256 amount)"]),
      tableOf("removals", "registry", ["Removed(bytes32 indexed poolId, uint32 kind)"]),
    ],
    reads: [
      readOf("pools", "registry", getPool, {
        arguments: [{ name: "id", type: "bytes", column: "poolid" }, { name: "kind", type: "uint256", column: "kind" }, first],
        touchedBy: ["changes", "removals"],
      }),
      readOf("balances", "registry", "balances(uint256 i) view returns (uint256 value)", {
        // There is no third balance: the call reverts.
        arguments: [{ name: "i", type: "uint256", each: ["0", "1", "2"] }],
        touchedBy: ["changes"],
        everyBlocks: 4,
      }),
    ],
  });

let chain: TestChain;
let registry: Address;
let testDatabase: TestDatabase;
let index: CommunityIndex | undefined;

beforeAll(async () => {
  chain = await startTestChain();
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
});
beforeEach(async () => {
  registry = await chain.deploy(contracts("Registry"));
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  await index?.end();
  await testDatabase.drop();
});
afterAll(() => chain?.stop());

const start = async (isPruned = false): Promise<CommunityIndex> => {
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: [registryOf(registry)], isPruned });
  return index;
};

/** Mines a block for each list of changes, and returns the blocks. */
const change = async (...changes: readonly (readonly [id: Hex, kind: number, amount: bigint | null])[][]): Promise<number[]> => {
  const blocks: number[] = [];
  for (const changesOfBlock of changes) {
    const transactions = changesOfBlock.map(([id, kind, amount]) =>
      encodeCall(contracts("Registry"), registry, amount === null ? "remove" : "set", amount === null ? [id, kind] : [id, kind, amount]),
    );
    await chain.send(...transactions);
    await chain.mine();
    blocks.push(await chain.head());
  }
  return blocks;
};

/** The node's result for a call at a block; null if it reverts. */
const callAt = async (text: string, args: readonly unknown[], block: number): Promise<unknown> => {
  const item = parseAbiItem(`function ${text}`) as AbiFunction;
  const named = { abi: [item], functionName: item.name };
  const request = { to: registry, data: encodeFunctionData({ ...named, args }) };
  const result = chain.rpc<Hex>("eth_call", [request, `0x${block.toString(16)}`]);
  return result.then((data) => decodeFunctionResult({ ...named, data })).catch(() => null);
};

interface PoolRow {
  readonly id: Hex;
  readonly kind: string;
  readonly first: boolean;
  readonly block: number;
  readonly pool: Hex | null;
  readonly list: readonly string[] | null;
}
const pools = () =>
  testDatabase.database.query<PoolRow>(
    `SELECT '0x' || encode(id, 'hex') AS id, kind::text, first, block_number::int4 AS block, '0x' || encode(pool, 'hex') AS pool, list::text[]
     FROM cq_registry.pools ORDER BY block_number, id, kind, first`,
  );
/** The rows expected for changed pools, one for each direction. */
const expectedPools = async (...due: readonly (readonly [block: number, id: Hex, kind: number])[]): Promise<PoolRow[]> => {
  const rows: PoolRow[] = [];
  for (const [block, id, kind] of due) {
    for (const isFirst of [false, true]) {
      const result = (await callAt(getPool, [id, kind, isFirst], block)) as [Hex, bigint[]] | null;
      const [pool, list] = result === null ? [null, null] : [result[0].toLowerCase() as Hex, result[1].map(String)];
      rows.push({ id, kind: String(kind), first: isFirst, block, pool, list });
    }
  }
  return rows;
};
const balances = () =>
  testDatabase.database.query<{ i: string; block: number; value: string | null }>(
    "SELECT i::text, block_number::int4 AS block, value::text FROM cq_registry.balances ORDER BY block_number, i",
  );
const queued = () => testDatabase.database.query("SELECT FROM community_reads");

describe("reads with arguments that differ between calls", () => {
  it("equal the node's results for each column value and list value", async () => {
    const [setBlock, revertingBlock, removalBlock] = (await change(
      [
        [alpha, 1, 10n],
        [alpha, 1, 11n],
        [beta, 1, 2n ** 255n],
        [alpha, 2 ** 32 - 1, 5n],
      ],
      [[alpha, 13, 12n]],
      [[alpha, 1, null]],
    )) as [number, number, number];
    const running = await start();
    await running.sync();
    const expected = await expectedPools(
      [setBlock, beta, 1],
      [setBlock, alpha, 1],
      [setBlock, alpha, 2 ** 32 - 1],
      [revertingBlock, alpha, 13],
      [removalBlock, alpha, 1],
    );
    expect(await pools()).toEqual(expected);
    expect(expected.map(({ list }) => list)).toContainEqual([`${2n ** 255n}`, "0"]);
    // The function reverts for kind 13, and removed amounts are zero.
    expect(expected.filter(({ list }) => list === null).map(({ block }) => block)).toEqual([revertingBlock, revertingBlock]);
    expect(expected.at(-1)?.list).toEqual(["0", "0"]);
    expect(await queued()).toEqual([]);
  });

  it("equal the node's results at the contract's first block and at each interval, with null where the call reverts", async () => {
    const [touched] = await change([[alpha, 1, 10n]]);
    for (let block = 0; block < 8; block += 1) await chain.mine();
    const running = await start();
    await running.sync();
    const rows = await balances();
    const blocks = [...new Set(rows.map(({ block }) => block))];
    expect(blocks).toContain(touched);
    expect(blocks.filter((block) => block % 4 === 0).length).toBeGreaterThan(1);
    expect(rows.map(({ i, block }) => `${block} ${i}`)).toEqual(blocks.flatMap((block) => ["0", "1", "2"].map((i) => `${block} ${i}`)));
    for (const { i, block, value } of rows.filter((row) => row.block >= (touched ?? 0))) {
      const expected = await callAt("balances(uint256 i) view returns (uint256 value)", [BigInt(i)], block);
      expect(value).toBe(expected === null ? null : String(expected));
    }
    expect(rows.filter(({ i }) => i === "2").every(({ value }) => value === null)).toBe(true);
  });

  it("equal the reads of a fresh index after a reorganisation", async () => {
    await change([[alpha, 1, 10n]], [[beta, 1, 20n]], [[alpha, 1, 30n]], [[beta, 2, 40n]]);
    const running = await start();
    await running.sync();
    const before = await pools();
    const request = { from: chain.accounts[0], gas: "0x4c4b40", ...encodeCall(contracts("Registry"), registry, "set", [beta, 1, 50n]) };
    await chain.rpc("anvil_reorg", [3, [[request, 1]]]);
    await change([[alpha, 1, 60n]]);
    await running.sync();
    const [rows, after] = [await dump(testDatabase.database), await pools()];
    const other = await createTestDatabase();
    const fresh = await startCommunityIndex(chain, other.database, { protocols: [registryOf(registry)] });
    await fresh.sync();
    await fresh.end();
    const expected = await dump(other.database);
    await other.drop();
    for (const table of Object.keys(expected)) expect(rows[table], table).toEqual(expected[table]);
    expect(after).not.toEqual(before);
    expect(after.length).toBe(6);
  });

  it("are done at the head for column values from blocks whose state the node lacks, and again after a reorganisation", async () => {
    const [, last, kept] = await change(
      [[alpha, 1, 10n]],
      [
        [beta, 1, 20n],
        [alpha, 7, 15n],
      ],
      [[beta, 1, 30n]],
    );
    await chain.mine();
    const running = await start(true);
    running.fault.lacksUpTo = last ?? 0;
    await running.sync();
    const head = await chain.head();
    // The node has the state of beta's newest change, but not of alpha's changes.
    const expected = await expectedPools([kept ?? 0, beta, 1], [head, alpha, 1], [head, alpha, 7]);
    expect(await pools()).toEqual(expected);
    await chain.rpc("anvil_reorg", [1, []]);
    await chain.mine();
    await running.sync();
    const again = await pools();
    const block = again.at(-1)?.block ?? 0;
    expect(block).toBeGreaterThan(last ?? 0);
    expect(again).toEqual(await expectedPools([kept ?? 0, beta, 1], [block, alpha, 1], [block, alpha, 7]));
    expect(await queued()).toEqual([]);
  });
});
