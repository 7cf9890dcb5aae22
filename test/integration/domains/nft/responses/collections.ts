import { expect } from "vitest";
import { type Address, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import {
  addressOf,
  type Data,
  type FixtureIndex,
  openFixtureIndex,
  type Row,
  timeOf,
  transactionRow,
  wordOf,
} from "../../queries/fixture-index.ts";

/**
 * Blocks 0 to 20, four per day: a collection of five ids, three minted in block 2 and two in block 9; a contract with both standards; a spam
 * collection; an ERC-20 token. The metadata of ids 1 to 4 was read; the document of id 4 was refused.
 */
export const head = 20;
/** The contracts: a collection, one with both standards, a spam collection and an ERC-20 token. */
export const [art, both, spam, coin] = [0xa1, 0xa2, 0xa3, 0xa4].map(addressOf) as [Address, Address, Address, Address];
/** The accounts that hold tokens. */
export const [alice, bob] = [0xb1, 0xb2].map(addressOf) as [Address, Address];
/** The largest token id. */
export const maxTokenId = String(2n ** 256n - 1n);
/** The id of the indexed chain. */
export const chain_id = 7;

/** A token row. */
export const tokenRow = (
  token: string,
  token_id: string,
  block_number: number,
  standard = 2,
  original_owner: string | null = alice,
): Row => ({
  chain_id,
  token,
  token_id,
  standard,
  block_number,
  original_owner,
});
/** A collection size row. */
export const sizeRow = (token: string, block_number: number, tokens: number): Row => ({ chain_id, token, block_number, tokens });
/** A token metadata row. */
export const nftMetadataRow = (token_id: string, values: Row): Row => ({
  chain_id,
  token: art,
  token_id,
  standard: 2,
  block_number: 2,
  read_at_block: 10,
  read_at: "2026-01-03T00:00:00Z",
  ...values,
});
/** A trait row. */
export const traitRow = (token_id: string, position: number, name: string, value: string): Row => ({
  chain_id,
  token: art,
  token_id,
  position,
  read_at_block: 10,
  trait: name,
  value,
});
let ordinal = 0;
const transferRow = (token: string, token_id: string, block_number: number, from: string, to: string, standard = 2): Row => ({
  chain_id,
  block_number,
  ordinal: ordinal++,
  transaction_index: 0,
  standard,
  token,
  token_id,
  from_address: from,
  to_address: to,
  amount: "1",
});
/** A balance row. */
export const balanceRow = (
  owner: string,
  token: string,
  token_id: string,
  since_block: number,
  balance: string | null,
  standard = 2,
): Row => ({
  chain_id,
  owner,
  token,
  token_id,
  standard,
  since_block,
  balance,
});

/** Inserts the rows that the tests read. */
export async function fill(index: FixtureIndex): Promise<void> {
  await index.insertBlocks(0, head, { 2: 1, 9: 1, 12: 1 });
  await index.insert("token_standards", [
    { chain_id, address: art, standard: 2, block_number: 2 },
    { chain_id, address: both, standard: 2, block_number: 2 },
    { chain_id, address: both, standard: 3, block_number: 2 },
    { chain_id, address: spam, standard: 2, block_number: 2 },
    { chain_id, address: coin, standard: 1, block_number: 2 },
  ]);
  const metadataRow = (address: string, name: string): Row => ({
    chain_id,
    address,
    block_number: 2,
    name,
    symbol: "S",
    decimals: null,
    read_at_block: 2,
  });
  await index.insert("token_metadata", [metadataRow(art, "Art"), metadataRow(spam, "Visit claim-rewards.com to claim")]);
  await index.insert("nft_tokens", [
    ...["1", "2", "3"].map((id) => tokenRow(art, id, 2)),
    ...["4", maxTokenId].map((id) => tokenRow(art, id, 9)),
    tokenRow(both, "1", 2, 2),
    tokenRow(both, "1", 2, 3),
    tokenRow(spam, "1", 2),
  ]);
  await index.insert("nft_collection_sizes", [sizeRow(art, 2, 3), sizeRow(art, 9, 5), sizeRow(both, 2, 2), sizeRow(spam, 2, 1)]);
  await index.insert("transactions", [transactionRow(2, 0, alice, art), transactionRow(9, 0, alice, art), transactionRow(12, 0, bob, art)]);
  await index.insert("logs", [
    { chain_id, block_number: 12, log_index: 0, transaction_index: 0, address: art, topic0: wordOf(1), data: "0x" },
  ]);
  await index.insert("transfers", [
    ...["1", "2", "3"].map((id) => transferRow(art, id, 2, zeroAddress, alice)),
    ...["4", maxTokenId].map((id) => transferRow(art, id, 9, zeroAddress, alice)),
    transferRow(art, "2", 12, alice, bob),
    transferRow(art, "3", 12, alice, zeroAddress),
  ]);
  await index.insertBalances(alice, art, 2, { 2: "3", 9: "5", 12: "3" });
  await index.insertBalances(bob, art, 2, { 12: "1" });
  await index.insertBalances(alice, spam, 2, { 2: "1" });
  await index.insertBalances(alice, both, 3, { 2: "7" });
  await index.insertBalances(alice, coin, 1, { 2: "100" });
  await index.insert("nft_balances", [
    ...["1", "4", maxTokenId].map((id) => balanceRow(alice, art, id, id === "1" ? 2 : 9, "1")),
    balanceRow(alice, art, "2", 12, "0"),
    balanceRow(alice, art, "3", 12, "0"),
    balanceRow(bob, art, "2", 12, "1"),
    balanceRow(alice, spam, "1", 2, "1"),
    balanceRow(alice, both, "1", 2, "7", 3),
  ]);
  await index.insert(
    "nft_balance_periods",
    ["2", "3"].map((id) => ({ chain_id, owner: alice, token: art, token_id: id, standard: 2, from_block: 2, to_block: 11, balance: "1" })),
  );
  await index.insert("nft_metadata", [
    nftMetadataRow("1", {
      token_url: "ipfs://art/1",
      document: "{}",
      name: "One",
      description: "=1+1",
      image: "ipfs://art/images/1.PNG?size=big",
      attributes: [
        { trait_type: "Colour", value: "Red" },
        { trait_type: "Shape", value: null },
      ] as never,
    }),
    nftMetadataRow("2", {
      token_url: "data:,x",
      document: "{}",
      image: "data:image/svg+xml;base64,AA==",
      asset_bytes: 1,
      refusal: "Its animation_url has a scheme that is not accepted.",
    }),
    nftMetadataRow("3", {
      token_url: "ar://x",
      document: "{}",
      image: "https://example.com",
      animation_url: "https://example.com/a/film.mp4#t=1",
      owner: "somebody",
    }),
    nftMetadataRow("4", { token_url: "https://art.example/4", refusal: "The document is not JSON." }),
  ]);
  await index.insert("nft_attributes", [
    traitRow("1", 0, "Colour", "Red"),
    traitRow("1", 1, "Shape", "Round"),
    traitRow("2", 0, "Colour", "Blue"),
    traitRow("2", 1, "Background", "Red"),
    traitRow("3", 0, "colour", "red"),
    traitRow("3", 1, "Shape", "Round"),
  ]);
}

/** The index that is served. */
export let index: FixtureIndex;
/** An operation's path. */
export const urlOf = (path: string) => `/v1/fixture/${path}`;
/** The data of a successful response. */
export const get = async (path: string): Promise<Data> => {
  const { status, data, message } = await index.get(urlOf(path));
  expect(status, `${path}: ${message}`).toBe(200);
  return data;
};
/** The items' token ids. */
export const idsOf = (items: Data): string[] => items.map((item: Data) => item.nft_data.token_id);

/** Opens the index with its rows. */
export const setUp = async () => {
  index = await openFixtureIndex({ responseRows: 8, now: () => new Date(timeOf(head)) });
  await fill(index);
};

/** Closes the index. */
export const tearDown = () => index?.end();
