import { describe, expect, it } from "vitest";
import type { ChainLog } from "../../../../runtime/chain/types.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { createEventDecoder } from "../../../../runtime/events/event-decoder.ts";
import { batchMetadataUpdate, metadataUpdate, uriChanged } from "../../../../runtime/events/metadata-updates.ts";
import { consecutiveMint, erc721Transfer, erc1155TransferSingle } from "../../../../runtime/events/transfers.ts";
import type { ChainFacts, Row } from "../../../../runtime/indexer/projection.ts";
import { createState } from "../../../../runtime/indexer/state/state.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import {
  alice,
  batch,
  block,
  bob,
  carol,
  data,
  erc20,
  erc721,
  log,
  pick,
  token,
  topic,
  transaction,
  weth,
  withLogs,
} from "../token-folds.ts";

const maxTokenId = 2n ** 256n - 1n;
const facts: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "traces", wrappedNative: new Set([weth]) };

const decode = createEventDecoder(nftProjection.events);
const fold = (blocks: ReturnType<typeof block>[], stored: Record<string, Map<string, Row>> = {}, chain: Partial<ChainFacts> = {}) => {
  const input = { chain: { ...facts, ...chain }, state: createState(stored), baseOutcome: () => ({ ok: false }) as never };
  return nftProjection.fold(blocks.map(decode), input) as Record<"nft_tokens" | "nft_collection_sizes" | "nft_metadata_updates", Row[]>;
};
const keysToLoad = (...blocks: ReturnType<typeof block>[]) => nftProjection.keysToLoad(blocks.map(decode), facts);
const ids = (rows: ReturnType<typeof fold>) => pick(rows.nft_tokens, "token", "token_id", "standard", "block_number", "original_owner");
const sizes = (rows: ReturnType<typeof fold>) => pick(rows.nft_collection_sizes, "token", "block_number", "tokens");

const single = (from: Address, to: Address, id: bigint, amount: bigint): ChainLog =>
  log([erc1155TransferSingle.topic0, topic(alice), topic(from), topic(to)], data(id, amount));
/** A Transfer without indexed parameters, as collections emitted it before EIP-721 was final. */
const unindexedTransfer = (from: Address, to: Address, id: bigint): ChainLog =>
  log([erc721Transfer.topic0], data(BigInt(from), BigInt(to), id));

describe("a collection's ids", () => {
  it("are stored once, with their mint's block and receiver, regardless of later transfers", () => {
    const rows = fold([
      withLogs(1, erc721(zeroAddress, alice, 7n), erc721(alice, bob, 7n)),
      withLogs(2, erc721(bob, zeroAddress, 7n), unindexedTransfer(zeroAddress, carol, maxTokenId)),
      // An id that is minted again after a burn is not new.
      withLogs(3, erc721(zeroAddress, bob, 7n)),
    ]);
    expect(ids(rows)).toEqual([
      [token, 7n, 2, 1, alice],
      [token, maxTokenId, 2, 2, carol],
    ]);
    expect(sizes(rows)).toEqual([
      [token, 1, 1],
      [token, 2, 2],
    ]);
  });

  it("are counted once per block with mints, across all of a contract's standards", () => {
    const rows = fold([
      withLogs(1, batch(zeroAddress, alice, [1n, 2n, 1n], [5n, 6n, 7n]), single(zeroAddress, bob, 3n, 1n), erc721(zeroAddress, carol, 1n)),
      withLogs(2, single(alice, bob, 1n, 2n)),
      withLogs(3, single(zeroAddress, alice, 4n, 1n)),
    ]);
    // Block 1 mints ERC-1155 ids 1, 2 and 3 and ERC-721 id 1; block 2 mints none.
    expect(sizes(rows)).toEqual([
      [token, 1, 4],
      [token, 3, 5],
    ]);
    expect(ids(rows).map(([, id, standard, , owner]) => [id, standard, owner])).toEqual([
      [1n, 3, alice],
      [2n, 3, alice],
      [3n, 3, bob],
      [1n, 2, carol],
      [4n, 3, alice],
    ]);
  });

  it("continue from the stored rows", () => {
    const stored = {
      tokens: new Map([[`${token}|7|2`, {}]]),
      sizes: new Map([[token, { tokens: 41 }]]),
    };
    const rows = fold([withLogs(9, erc721(alice, bob, 7n), erc721(zeroAddress, bob, 8n))], stored);
    expect(ids(rows)).toEqual([[token, 8n, 2, 9, bob]]);
    expect(sizes(rows)).toEqual([[token, 9, 42]]);
  });

  it("have an unknown original owner if their first indexed transfer is not a mint, as in an index that starts late", () => {
    const rows = fold(
      [withLogs(101, erc721(alice, bob, 7n)), withLogs(102, erc721(bob, zeroAddress, 8n))],
      {},
      { from: 100, baseBlock: 99 },
    );
    expect(ids(rows)).toEqual([
      [token, 7n, 2, 101, null],
      [token, 8n, 2, 102, null],
    ]);
  });

  it("may be minted in ranges, limited by their transaction's gas", () => {
    const range = (first: bigint, last: bigint): ChainLog =>
      log([consecutiveMint.topic0, topic(first), topic(zeroAddress), topic(alice)], data(last));
    // 250 gas per id: 999 gas pay for three ids in total.
    const paid = transaction({ gasUsed: 999n, logs: [range(1n, 2n), range(10n, 11n), range(20n, 20n), erc721(alice, bob, 2n)] });
    const free = transaction({ gasUsed: 249n, logs: [range(30n, 30n)] });
    const rows = fold([block(1, [paid, free])]);
    expect(ids(rows)).toEqual([
      [token, 1n, 2, 1, alice],
      [token, 2n, 2, 1, alice],
      [token, 20n, 2, 1, alice],
    ]);
    expect(sizes(rows)).toEqual([[token, 1, 3]]);
  });

  it("have an unknown original owner for ERC-1155 in an index that starts late, as older units may exist", () => {
    const late = { from: 100, baseBlock: 99 };
    const rows = fold([withLogs(101, single(zeroAddress, alice, 7n, 1n), erc721(zeroAddress, bob, 8n))], {}, late);
    expect(ids(rows)).toEqual([
      [token, 7n, 3, 101, null],
      [token, 8n, 2, 101, bob],
    ]);
  });

  it("are not created by zero-amount transfers, empty batches, or transfers from the zero address to itself", () => {
    const rows = fold([
      withLogs(
        1,
        single(alice, bob, 1n, 0n),
        single(zeroAddress, bob, 2n, 0n),
        batch(zeroAddress, alice, [], []),
        batch(alice, bob, [3n, 4n], [0n, 0n]),
        erc721(zeroAddress, zeroAddress, 5n),
        erc20(zeroAddress, alice, 6n),
      ),
      // The first receiver of any units is the original owner.
      withLogs(2, single(zeroAddress, carol, 2n, 1n)),
    ]);
    expect(ids(rows)).toEqual([[token, 2n, 3, 2, carol]]);
    expect(sizes(rows)).toEqual([[token, 2, 1]]);
  });

  it("are loaded once per batch, as is their collection", () => {
    const { tokens, sizes: counts } = keysToLoad(
      withLogs(1, erc721(zeroAddress, alice, 1n), erc721(alice, bob, 1n), single(alice, bob, 9n, 0n)),
      block(2, [transaction({ logs: [erc721(bob, carol, 1n), erc20(alice, bob, 1n, weth)] })]),
    );
    expect([...(tokens?.values() ?? [])]).toEqual([[token, 1n, 2]]);
    expect([...(counts?.values() ?? [])]).toEqual([[token]]);
  });
});

describe("announced metadata changes", () => {
  const updates = (...logs: ChainLog[]) =>
    pick(fold([withLogs(4, ...logs)]).nft_metadata_updates, "block_number", "log_index", "token", "from_id", "to_id");

  it("include the EIP-4906 and EIP-1155 events, with their ids", () => {
    // The string "a" as ABI data: offset, length and bytes.
    const text = data(32, 1, BigInt(`0x61${"0".repeat(62)}`));
    expect(
      updates(
        log([metadataUpdate.topic0], data(7)),
        log([batchMetadataUpdate.topic0], data(0, maxTokenId)),
        log([uriChanged.topic0, topic(9)], text),
      ),
    ).toEqual([
      [4, 0, token, 7n, 7n],
      [4, 1, token, 0n, maxTokenId],
      [4, 2, token, 9n, 9n],
    ]);
  });

  it("are ignored if malformed", () => {
    expect(
      updates(
        log([metadataUpdate.topic0], "0x"),
        log([metadataUpdate.topic0, topic(1)], data(7)),
        log([metadataUpdate.topic0], "0x07"),
        log([batchMetadataUpdate.topic0], data(7)),
        log([batchMetadataUpdate.topic0], data(8, 7)),
        log([uriChanged.topic0], data(32, 0)),
        log([uriChanged.topic0, topic(1)], "0x"),
        log([uriChanged.topic0, topic(1), topic(2)], data(32, 0)),
      ),
    ).toEqual([]);
  });

  it("do not create ids", () => {
    expect(fold([withLogs(4, log([metadataUpdate.topic0], data(7)))]).nft_tokens).toEqual([]);
  });
});
