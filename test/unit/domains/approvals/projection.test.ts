import { toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog } from "../../../../runtime/chain/types.ts";
import { approvalsProjection } from "../../../../runtime/domains/approvals/projection/index.ts";
import { approvalForAll, erc20Approval } from "../../../../runtime/events/approvals.ts";
import { createEventDecoder } from "../../../../runtime/events/event-decoder.ts";
import type { LatestTable, Row } from "../../../../runtime/indexer/projection.ts";
import { createState, keyText } from "../../../../runtime/indexer/state/state.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { alice, block, bob, carol, data, erc20, erc721, log, pick, token, topic, transaction, withLogs } from "../token-folds.ts";

const facts = { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set<Address>() } as const;
const router: Address = `0x${"9".repeat(40)}`;
const approval = (owner: Address, spender: Address, amount: bigint) =>
  log([erc20Approval.topic0, topic(owner), topic(spender)], data(amount));
const approvalOf = (owner: Address, spender: Address, id: bigint) => log([erc20Approval.topic0, topic(owner), topic(spender), topic(id)]);
const oldApprovalOf = (owner: Address, spender: Address, id: bigint) =>
  log([erc20Approval.topic0], `0x${[owner, spender, id].map((part) => topic(part).slice(2)).join("")}`);
const forAll = (owner: Address, operator: Address, approved: boolean) =>
  log([approvalForAll.topic0, topic(owner), topic(operator)], data(approved ? 1 : 0));
/** A block with one transaction that has the given sender, recipient and logs. */
const blockWith = (number: number, from: Address, to: Address, ...logs: ChainLog[]) => block(number, [transaction({ from, to, logs })]);

/** A block in which alice calls the token's transfer. */
const plainTransferBlock = (number: number, ...logs: ChainLog[]) =>
  block(number, [transaction({ from: alice, to: token, input: toFunctionSelector("transfer(address,uint256)"), logs })]);

type Rows = Record<string, Row[]>;

/** Folds blocks in batches, each based on the previous batches' rows, and returns the rows that the tables would contain. */
const fold = (blocks: readonly ChainBlock[], batchSize = blocks.length): Rows => {
  const tables: Rows = {};
  const decode = createEventDecoder(approvalsProjection.events);
  for (let start = 0; start < blocks.length; start += batchSize) {
    const decoded = blocks.slice(start, start + batchSize).map(decode);
    const keysToLoad = approvalsProjection.keysToLoad(decoded, facts);
    const state = createState(
      Object.fromEntries(
        Object.entries(approvalsProjection.loads).map(([name, { table, key }]) => {
          const rows = (tables[table] ?? []).map((row) => [keyText(Object.keys(key).map((column) => String(row[column]))), row] as const);
          // Only declared keys are loaded.
          return [name, new Map(rows.filter(([text]) => keysToLoad[name]?.has(text)))];
        }),
      ),
    );
    const folded = approvalsProjection.fold(decoded, {
      chain: facts,
      state,
      baseOutcome: () => {
        throw new Error("Unexpected read from the node");
      },
    });
    for (const table of approvalsProjection.tables) {
      const rows = folded[table.name] ?? [];
      const retained =
        table.kind === "latest"
          ? (tables[table.name] ?? []).filter((row) => !rows.some((other) => isSame(table, row, other)))
          : (tables[table.name] ?? []);
      tables[table.name] = [...retained, ...rows];
    }
  }
  return tables;
};
const isSame = ({ key }: LatestTable, left: Row, right: Row) => key.every((column) => String(left[column]) === String(right[column]));

describe("allowances", () => {
  const blocks = [
    blockWith(5, alice, token, approval(alice, bob, 7n), approval(alice, carol, 1n)),
    // The last of two Approvals in one block applies.
    blockWith(6, alice, token, approval(alice, bob, 8n), approval(alice, bob, 9n)),
    blockWith(8, alice, token, approval(alice, bob, 0n)),
    blockWith(9, alice, token, approval(alice, bob, 2n ** 256n - 1n)),
  ];

  it.each([1, 2, 3, 4])("are set by the last Approval, with periods of the replaced ones, folded %i blocks at a time", (batchSize) => {
    const rows = fold(blocks, batchSize);
    expect(pick(rows.allowances ?? [], "spender", "amount", "since_block", "approved_block", "log_index").sort()).toEqual([
      [bob, 2n ** 256n - 1n, 9, 9, 0],
      [carol, 1n, 5, 5, 1],
    ]);
    expect(pick(rows.allowance_periods ?? [], "spender", "from_block", "to_block", "amount", "approved_block", "log_index")).toEqual([
      [bob, 5, 5, 7n, 5, 0],
      [bob, 6, 7, 9n, 6, 1],
      [bob, 8, 8, 0n, 8, 0],
    ]);
  });

  it("are not stored for the zero address, or for a revocation without an allowance", () => {
    const rows = fold([withLogs(5, approval(zeroAddress, bob, 7n), approval(alice, zeroAddress, 7n), approval(alice, bob, 0n))]);
    expect(rows.allowances).toEqual([]);
    expect(rows.allowance_periods).toEqual([]);
  });

  it("are queued for a read after another account moves tokens whose owner has granted allowances", () => {
    const readsAfter = (...later: ChainBlock[]) =>
      pick(fold([blocks[0] as ChainBlock, ...later], 1).allowance_reads ?? [], "owner", "block_number");
    const transfer = erc20(alice, carol, 5n);
    expect(readsAfter(blockWith(6, bob, token, transfer))).toEqual([[alice, 6]]);
    // The transfer may happen in a call to any contract, even one by the owner.
    expect(readsAfter(blockWith(6, alice, router, transfer))).toEqual([[alice, 6]]);
    // The last transfer determines the block: a read at an earlier block does not cover it.
    expect(readsAfter(blockWith(6, bob, token, transfer), blockWith(9, bob, token, transfer))).toEqual([[alice, 9]]);
    // If the owner calls the token's transfer(), no allowance is used; another function may let a spender use its allowance.
    expect(readsAfter(plainTransferBlock(6, transfer))).toEqual([]);
    expect(readsAfter(blockWith(6, alice, token, transfer))).toEqual([[alice, 6]]);
    // Not queued: a zero-amount transfer, a mint, tokens of an owner without allowances, and another of the owner's tokens.
    expect(readsAfter(blockWith(6, bob, token, erc20(alice, carol, 0n)))).toEqual([]);
    expect(readsAfter(blockWith(6, bob, token, erc20(zeroAddress, carol, 5n)))).toEqual([]);
    expect(readsAfter(blockWith(6, alice, token, erc20(bob, carol, 5n)))).toEqual([]);
    expect(readsAfter(blockWith(6, bob, router, erc20(alice, carol, 5n, router)))).toEqual([]);
  });

  it("are queued for a read if set and used in one transaction, but not if set after the transfer", () => {
    const reads = (...logs: ChainLog[]) => pick(fold([blockWith(5, bob, router, ...logs)]).allowance_reads ?? [], "owner");
    expect(reads(approval(alice, bob, 5n), erc20(alice, carol, 5n))).toEqual([[alice]]);
    expect(reads(erc20(alice, carol, 5n), approval(alice, bob, 5n))).toEqual([]);
  });

  it("load one key per transfer that another account may have made, and none for plain transfers", () => {
    const decoded = [plainTransferBlock(5, erc20(alice, carol, 5n)), blockWith(6, bob, router, erc20(alice, carol, 5n))].map(
      createEventDecoder(approvalsProjection.events),
    );
    const keysToLoad = approvalsProjection.keysToLoad(decoded, facts);
    expect(Object.fromEntries(Object.entries(keysToLoad).map(([name, keys]) => [name, [...keys.values()]]))).toEqual({
      allowances: [],
      approvers: [[alice, token]],
      nftApprovals: [],
      nftOperators: [],
    });
  });
});

describe("approvals of single tokens", () => {
  const maxTokenId = 2n ** 256n - 1n;
  const state = (rows: Rows) => pick(rows.nft_approvals ?? [], "token_id", "owner", "spender", "since_block", "log_index");

  it.each([1, 2, 5])("hold until the next transfer of their id, or another approval, folded %i blocks at a time", (batchSize) => {
    const rows = fold(
      [
        blockWith(5, alice, token, approvalOf(alice, bob, maxTokenId), oldApprovalOf(alice, bob, 2n), approvalOf(alice, bob, 3n)),
        blockWith(6, bob, token, erc721(alice, carol, maxTokenId)),
        blockWith(7, alice, token, approvalOf(alice, carol, 2n)),
        blockWith(8, alice, token, approvalOf(alice, zeroAddress, 3n)),
        // The new owner approves it again and transfers it in the same block.
        blockWith(9, carol, token, approvalOf(carol, bob, maxTokenId), erc721(carol, alice, maxTokenId)),
      ],
      batchSize,
    );
    expect(state(rows).sort((left, right) => (BigInt(String(left[0])) < BigInt(String(right[0])) ? -1 : 1))).toEqual([
      [2n, alice, carol, 7, 0],
      [3n, alice, null, 8, 0],
      [maxTokenId, carol, null, 9, 1],
    ]);
    const periods = pick(rows.nft_approval_periods ?? [], "token_id", "from_block", "to_block", "spender");
    expect(periods.sort(([, left], [, right]) => Number(left) - Number(right))).toEqual([
      [maxTokenId, 5, 5, bob],
      [2n, 5, 6, bob],
      [3n, 5, 7, bob],
      [maxTokenId, 6, 8, null],
    ]);
  });

  it("store no row for a transfer without an approval, or for approvals of or by the zero address", () => {
    const rows = fold([
      withLogs(
        5,
        erc721(alice, bob, 1n),
        approvalOf(alice, zeroAddress, 2n),
        approvalOf(zeroAddress, bob, 3n),
        erc721(zeroAddress, bob, 4n),
      ),
    ]);
    expect(rows.nft_approvals).toEqual([]);
  });

  it("are separate from the same contract's allowances", () => {
    const rows = fold([withLogs(5, approval(alice, bob, 7n), approvalOf(alice, carol, 7n), erc20(alice, bob, 7n))]);
    expect(pick(rows.allowances ?? [], "spender", "amount")).toEqual([[bob, 7n]]);
    expect(state(rows)).toEqual([[7n, alice, carol, 5, 1]]);
  });
});

describe("approvals for all", () => {
  it.each([1, 3])("hold until they are revoked, folded %i blocks at a time", (batchSize) => {
    const rows = fold(
      [
        withLogs(
          5,
          forAll(alice, bob, true),
          forAll(alice, carol, false),
          forAll(zeroAddress, bob, true),
          forAll(alice, zeroAddress, true),
        ),
        withLogs(6, erc721(alice, carol, 1n), forAll(carol, bob, true)),
        withLogs(9, forAll(alice, bob, false)),
      ],
      batchSize,
    );
    expect(pick(rows.nft_operators ?? [], "owner", "operator", "approved", "since_block").sort()).toEqual([
      [alice, bob, false, 9],
      [carol, bob, true, 6],
    ]);
    expect(pick(rows.nft_operator_periods ?? [], "owner", "operator", "approved", "from_block", "to_block")).toEqual([
      [alice, bob, true, 5, 8],
    ]);
  });
});
