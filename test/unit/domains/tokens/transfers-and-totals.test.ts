import { describe, expect, it } from "vitest";
import { consecutiveMint } from "../../../../runtime/events/transfers.ts";
import { zeroAddress } from "../../../../runtime/lib/hex.ts";
import {
  alice,
  block,
  bob,
  carol,
  data,
  erc20,
  erc721,
  fold,
  log,
  pick,
  token,
  topic,
  transaction,
  weth,
  withLogs,
} from "../token-folds.ts";

describe("a token's totals", () => {
  const holders = (rows: ReturnType<typeof fold>) => pick(rows.holder_counts, "token", "standard", "block_number", "holders");
  const supplies = (rows: ReturnType<typeof fold>) => pick(rows.token_supplies, "token", "standard", "block_number", "supply");

  it("have a row at each block that changed the holder count or the supply", () => {
    const rows = fold([
      withLogs(1, erc20(zeroAddress, alice, 100n)),
      withLogs(2, erc20(alice, bob, 30n)),
      withLogs(3, erc20(alice, bob, 5n), erc20(alice, carol, 0n)),
      withLogs(4, erc20(alice, carol, 65n)),
      withLogs(5, erc20(bob, zeroAddress, 35n), erc20(zeroAddress, alice, 1n)),
    ]);
    // Block 3 moves tokens between holders; in block 4 carol replaces alice; in block 5 alice replaces bob, and 100 - 35 + 1 remain.
    expect(holders(rows)).toEqual([
      [token, 1, 1, 1],
      [token, 1, 2, 2],
    ]);
    expect(supplies(rows)).toEqual([
      [token, 1, 1, 100n],
      [token, 1, 5, 66n],
    ]);
  });

  it("continue from the stored rows, separately for each of a contract's standards", () => {
    const state = {
      totals: new Map([[`${token}|1`, { holders: 7 }]]),
      supplies: new Map([[`${token}|1`, { supply: "900" }]]),
      balances: new Map([[`${bob}|${token}|1`, { balance: "5", since_block: 2 }]]),
    };
    const rows = fold([withLogs(9, erc20(bob, zeroAddress, 5n), erc721(zeroAddress, alice, 1n))], { state });
    expect(holders(rows)).toEqual([
      [token, 1, 9, 6],
      [token, 2, 9, 1],
    ]);
    expect(supplies(rows)).toEqual([
      [token, 1, 9, 895n],
      [token, 2, 9, 1n],
    ]);
  });

  it("are mints minus burns for an ERC-20 token, even if negative, until totalSupply() corrects them", () => {
    const inconsistent = fold([withLogs(1, erc20(bob, zeroAddress, 9n)), withLogs(2, erc20(bob, alice, 1n))]);
    expect(supplies(inconsistent)).toEqual([[token, 1, 1, -9n]]);
    const late = fold([withLogs(101, erc20(zeroAddress, alice, 9n))], { facts: { from: 100, baseBlock: 99 } });
    expect(supplies(late)).toEqual([[token, 1, 101, 9n]]);
  });

  it("have an unknown supply if a collection minted its first tokens before the first indexed block", () => {
    const late = fold([withLogs(101, erc721(zeroAddress, alice, 9n))], { facts: { from: 100, baseBlock: 99 } });
    expect(supplies(late)).toEqual([]);
    const inconsistent = fold([withLogs(1, erc721(zeroAddress, alice, 9n)), withLogs(2, erc721(bob, alice, 8n))]);
    expect(supplies(inconsistent)).toEqual([
      [token, 2, 1, 1n],
      [token, 2, 2, null],
    ]);
  });

  it("include a mint to the zero address, such as the first liquidity of a Uniswap V2 pool (MINIMUM_LIQUIDITY)", () => {
    // 1,000 are locked at the zero address, and 500 are minted to the first provider.
    const rows = fold([withLogs(1, erc20(zeroAddress, zeroAddress, 1_000n), erc20(zeroAddress, alice, 500n))]);
    expect(supplies(rows)).toEqual([[token, 1, 1, 1_500n]]);
    // The zero address is added when the count is served, as its balance is read from the contract.
    expect(holders(rows)).toEqual([[token, 1, 1, 1]]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([
      [zeroAddress, 1_000n],
      [alice, 500n],
    ]);
    expect(pick(rows.transfers, "from_balance", "to_balance")).toEqual([
      [null, null],
      [null, 500n],
    ]);
  });
});

describe("minting many ids in one event (EIP-2309)", () => {
  it("transfers each of them, limited by its transaction's gas", () => {
    const range = (first: bigint, last: bigint) => log([consecutiveMint.topic0, topic(first), topic(0), topic(alice)], data(last));
    const rows = fold([
      block(1, [transaction({ gasUsed: 750n, logs: [range(1n, 3n), range(4n, 4n)] })]),
      withLogs(2, erc721(alice, bob, 2n), erc721(alice, bob, 4n)),
    ]);
    expect(pick(rows.transfers, "block_number", "log_index", "from_address", "to_address", "token_id", "amount")).toEqual([
      [1, 0, zeroAddress, alice, 1n, 1n],
      [1, 0, zeroAddress, alice, 2n, 1n],
      [1, 0, zeroAddress, alice, 3n, 1n],
      [2, 0, alice, bob, 2n, 1n],
      [2, 1, alice, bob, 4n, 1n],
    ]);
    expect(pick(rows.nft_balances, "owner", "token_id", "balance")).toEqual(
      expect.arrayContaining([
        [alice, 1n, 1n],
        [alice, 2n, 0n],
        [alice, 3n, 1n],
        [bob, 2n, 1n],
        // No event moved it to alice.
        [alice, 4n, null],
      ]),
    );
  });
});

describe("transfers", () => {
  it("are ordered by transaction, and within it by native, internal, then event transfers", () => {
    const first = transaction({
      to: bob,
      value: 1n,
      logs: [erc20(zeroAddress, alice, 2n)],
      traces: [{ index: 3, type: "call", from: bob, to: carol, value: 1n }],
    });
    const second = transaction({ from: bob, to: carol, value: 3n, logs: [erc20(alice, bob, 1n)] });
    const rows = fold([block(1, [first, second])]);
    expect(pick(rows.transfers, "ordinal", "transaction_index", "standard", "amount")).toEqual([
      [0, 0, 0, 1n],
      [1, 0, 0, 1n],
      [2, 0, 1, 2n],
      [3, 1, 0, 3n],
      [4, 1, 1, 1n],
    ]);
  });

  it("add one numbered list entry per transaction and address if they move ERC-20 tokens", () => {
    const state = { ordinals: new Map([[alice, { ordinal: 41 }]]) };
    const rows = fold(
      [block(1, [transaction({ logs: [erc20(alice, bob, 1n), erc20(bob, alice, 1n)] }), transaction({ logs: [erc721(alice, bob, 1n)] })])],
      { state },
    );
    expect(pick(rows.transfer_transactions, "address", "ordinal", "transaction_index")).toEqual([
      [alice, 42, 0],
      [bob, 0, 0],
    ]);
  });

  it("store each of a contract's standards once and queue one metadata read", () => {
    const state = { standards: new Map([[`${weth}|1`, {}]]), metadata: new Map([[weth, {}]]) };
    const rows = fold([withLogs(3, erc20(alice, bob, 0n), erc721(alice, bob, 1n), erc20(alice, bob, 0n), erc20(alice, bob, 0n, weth))], {
      state,
    });
    expect(pick(rows.token_standards, "address", "standard", "block_number")).toEqual([
      [token, 1, 3],
      [token, 2, 3],
    ]);
    expect(pick(rows.node_reads, "kind", "key", "block_number")).toEqual([["token-metadata", token, 3]]);
  });
});
