import { toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { createNftQueries } from "../../../runtime/domains/nft/queries/index.ts";
import { createTokenQueries } from "../../../runtime/domains/tokens/queries/index.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { useApp } from "../../support/app.ts";
import { callForEach, movesOf, ownersOf, regularCollections, type TokenMove, zeroAddress } from "../../support/story-collections.ts";
import { addressOf, callNode, logsOf, type NodeLog, storyValue, transferTopic } from "../../support/story-node.ts";

const app = await useApp();
const chainId = 31337;
const [approval, approvalForAll]: string[] = [
  toEventSelector("Approval(address,address,uint256)"),
  toEventSelector("ApprovalForAll(address,address,bool)"),
];
const head = Number(await callNode<string>("eth_blockNumber"));
/** The story's node has state only at its head, so past values are computed from logs. At the head, they are compared with the contracts. */
const heights = [0.1, 0.35, 0.6, 0.85, 1].map((fraction) => Math.floor(head * fraction));

const transferLogs = await logsOf({ topics: [transferTopic] });
/** All of the story's ERC-721 contracts. */
const erc721Collections = [...new Set(transferLogs.filter(({ topics }) => topics.length === 4).map(({ address }) => address))].sort();
const collectionMoves = new Map<string, TokenMove[]>();
for (const collection of [...erc721Collections, regularCollections().editions]) collectionMoves.set(collection, await movesOf(collection));

let database: Database;
beforeAll(() => {
  database = createDatabase({ url: app.databaseUrl, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
});
afterAll(() => database?.close());

/** The owner of each id after a block; the zero address for burned tokens. */
const ownersAfter = (moves: readonly TokenMove[], height: number): Map<bigint, string> =>
  new Map(moves.filter(({ block }) => block <= height).map(({ id, to }) => [id, to]));

describe("the story's collections", () => {
  it.each(heights)("have owners, first owners and sizes at block %d that match their logs", async (height) => {
    const nfts = createNftQueries(database);
    let idCount = 0;
    for (const collection of erc721Collections) {
      const moves = collectionMoves.get(collection) ?? [];
      const owners = ownersAfter(moves, height);
      const sorted = [...owners.keys()].sort((a, b) => (a < b ? -1 : 1));
      const served = await nfts.nftOwnersAt(chainId, collection as Address, sorted.map(String), height);
      expect(new Map([...served].map(([id, owner]) => [BigInt(id), owner])), collection).toEqual(owners);
      expect(await nfts.collectionSizeAt(chainId, collection as Address, height), collection).toBe(owners.size);
      const rows = await nfts.nftTokensAt(chainId, collection as Address, height, 5_000, 0);
      const first = new Map(
        [...moves]
          .reverse()
          .filter(({ from }) => from === zeroAddress)
          .map(({ id, to }) => [id, to]),
      );
      expect(
        rows.map((row) => [BigInt(row.token_id), row.original_owner]),
        collection,
      ).toEqual(sorted.map((id) => [id, first.get(id)]));
      if (height === head) expect(await ownersOf(collection, sorted), collection).toEqual(sorted.map((id) => owners.get(id)));
      idCount += owners.size;
    }
    expect(idCount).toBeGreaterThan(height === head ? 2_000 : 0);
  });

  it.each(heights)("have balances at block %d that equal the sums of their transfers", async (height) => {
    const tokens = createTokenQueries(database);
    const held = new Map<string, Map<string, bigint>>();
    for (const [collection, moves] of collectionMoves) {
      for (const { id, from, to, units } of moves.filter(({ block }) => block <= height)) {
        for (const [owner, change] of [
          [from, -units],
          [to, units],
        ] as const) {
          const balances = held.get(owner) ?? new Map<string, bigint>();
          balances.set(`${collection} ${id}`, (balances.get(`${collection} ${id}`) ?? 0n) + change);
          held.set(owner, balances);
        }
      }
    }
    held.delete(zeroAddress);
    for (const [owner, balances] of held) {
      const rows = await tokens.nftBalancesAt(chainId, owner as Address, height, 10_000);
      const returned = rows
        .filter(({ token }) => collectionMoves.has(token))
        .map(({ token, token_id: id, balance }) => [`${token} ${id}`, BigInt(balance ?? -1)] as const);
      expect(new Map(returned), `${owner} at ${height}`).toEqual(new Map([...balances].filter(([, units]) => units > 0n)));
    }
    expect(held.size).toBeGreaterThan(10);
  });
});

/** The rows of a table with periods, as of a block. */
const rowsAt = (table: string, periods: string, columns: string, height: number) =>
  database.query<Record<string, string | boolean | null>>(
    `SELECT ${columns} FROM ${table} WHERE chain_id = $1 AND since_block <= $2
     UNION ALL SELECT ${columns} FROM ${periods} WHERE chain_id = $1 AND from_block <= $2 AND to_block >= $2`,
    [chainId, height],
  );

const compareLogs = (left: NodeLog, right: NodeLog): number =>
  Number(left.blockNumber) - Number(right.blockNumber) || Number(left.logIndex) - Number(right.logIndex);

const approvals = (await logsOf({ topics: [approval ?? null] })).filter(({ topics }) => topics.length === 4);
const operatorLogs = await logsOf({ topics: [approvalForAll ?? null] });
const upTo =
  (height: number) =>
  ({ blockNumber }: NodeLog): boolean =>
    Number(blockNumber) <= height;

/** The approved account of each id after a block, from the last approval or the transfer that cleared it; the zero address if there is none. */
const spendersAfter = (height: number): Map<string, string> => {
  const transfers = transferLogs.filter(({ topics }) => topics.length === 4);
  return new Map(
    [...approvals, ...transfers]
      .filter(upTo(height))
      .sort(compareLogs)
      .map(({ address, topics }) => [`${address} ${BigInt(topics[3] ?? 0)}`, topics[0] === approval ? addressOf(topics[2]) : zeroAddress]),
  );
};
const operatorsAfter = (height: number): Map<string, boolean> =>
  new Map(
    operatorLogs
      .filter(upTo(height))
      .map(({ address, topics, data }) => [`${address} ${addressOf(topics[1])} ${addressOf(topics[2])}`, BigInt(data) === 1n]),
  );

describe("the story's approvals", () => {
  it.each(heights)("equal the last approval events of tokens and collections at block %d", async (height) => {
    const rows = await rowsAt("nft_approvals", "nft_approval_periods", "token, token_id, spender", height);
    const returned = rows.filter(({ spender }) => spender !== null).map(({ token, token_id: id, spender }) => [`${token} ${id}`, spender]);
    const current = [...spendersAfter(height)].filter(([, spender]) => spender !== zeroAddress);
    expect(new Map(returned as [string, string][])).toEqual(new Map(current));
    const approved = await rowsAt("nft_operators", "nft_operator_periods", "token, owner, operator, approved", height);
    const allowed = approved.filter((row) => row.approved).map((row) => `${row.token} ${row.owner} ${row.operator}`);
    const expected = [...operatorsAfter(height)].filter(([, isApproved]) => isApproved).map(([key]) => key);
    expect(allowed.sort()).toEqual(expected.sort());
  });

  it("equal getApproved() and isApprovedForAll() of tokens and collections at the head", async () => {
    const spendersOfTokens = spendersAfter(head);
    for (const collection of erc721Collections) {
      const ids = [...ownersAfter(collectionMoves.get(collection) ?? [], head).keys()];
      const words = await callForEach(
        collection,
        "getApproved",
        ids.map((id) => [id]),
      );
      // The contract reverts for burned tokens.
      const spenders = words.map((word) => (word === null ? zeroAddress : addressOf(word)));
      expect(spenders, collection).toEqual(ids.map((id) => spendersOfTokens.get(`${collection} ${id}`) ?? zeroAddress));
    }
    const operators = operatorsAfter(head);
    for (const [key, isApproved] of operators) {
      const [collection = "", owner, operator] = key.split(" ");
      expect([key, BigInt((await callForEach(collection, "isApprovedForAll", [[owner, operator]]))[0] ?? 0)]).toEqual([
        key,
        isApproved ? 1n : 0n,
      ]);
    }
    const current = [...spendersOfTokens.values()].filter((spender) => spender !== zeroAddress);
    expect([current.length > 5, operators.size > 50]).toEqual([true, true]);
  });

  it("equal allowance() of ERC-20 tokens at the head for every owner and spender", async () => {
    const erc20Approvals = (await logsOf({ topics: [approval ?? null] })).filter(({ topics }) => topics.length === 3);
    const keys = new Set(erc20Approvals.map(({ address, topics }) => `${address} ${addressOf(topics[1])} ${addressOf(topics[2])}`));
    const rows = await database.query<{ token: string; owner: string; spender: string; amount: string }>(
      "SELECT token, owner, spender, amount FROM allowances WHERE chain_id = $1 AND amount > 0",
      [chainId],
    );
    const returned = new Map(rows.map(({ token, owner, spender, amount }) => [`${token} ${owner} ${spender}`, BigInt(amount)]));
    // A vault's pools report an allowance for the vault without an event; the index reads it after a transfer by the vault.
    const pools = [storyValue("vaultPool"), storyValue("composablePool")];
    const poolKeys = [...returned.keys()].filter((key) => pools.some((pool) => key.startsWith(pool)));
    const byToken = new Map<string, [string, string][]>();
    for (const key of new Set([...keys, ...poolKeys])) {
      const [token = "", owner = "", spender = ""] = key.split(" ");
      byToken.set(token, [...(byToken.get(token) ?? []), [owner, spender]]);
    }
    const expected = new Map<string, bigint>();
    for (const [token, pairs] of byToken) {
      const words = await callForEach(token, "allowance", pairs);
      for (const [index, [owner, spender]] of pairs.entries()) {
        const amount = BigInt(words[index] ?? 0);
        if (amount > 0n) expected.set(`${token} ${owner} ${spender}`, amount);
      }
    }
    expect(returned).toEqual(expected);
    expect(expected.size).toBeGreaterThan(300);
    expect([...expected.keys()].some((key) => key.startsWith(storyValue("permitToken")))).toBe(true);
  });
});
