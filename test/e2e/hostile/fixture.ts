import type { CallOutcome } from "../../../runtime/chain/source.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { tokenMetadataRead } from "../../../runtime/domains/tokens/projection/metadata-reads.ts";
import type { Hex } from "../../../runtime/lib/hex.ts";
import { projections } from "../../../runtime/projections.ts";

export const chain = { name: "hostile", id: 7 } as const;
const blockCount = 1_000;
const secondsPerBlock = 3_600;
/** 100,000 transfers of the hub token: ten per transaction, ten transactions per block. */
const transactionsPerBlock = 10;
export const lastBlock = blockCount - 1;

/** Addresses by kind and number, as in `address_of` below. */
const addressOf = (kind: number, number: number): Hex => `0x${kind.toString(16).padStart(32, "0")}${number.toString(16).padStart(8, "0")}`;
const kinds = { token: 1, holder: 2, account: 3 } as const;
/** The token that attackers request transfers and holders of, and the sender of these transfers. */
export const hubToken = addressOf(kinds.token, 0);
export const hubSender = addressOf(kinds.account, 1);
/** Holds 30,000 tokens. */
export const collector = addressOf(kinds.account, 2);
/** Holds 100 tokens with hostile names. */
export const hostileNamesWallet = addressOf(kinds.account, 3);
/** Wallets with 30 tokens each. */
export const ordinaryWallets = Array.from({ length: 50 }, (_, index) => addressOf(kinds.account, 100 + index));
export const hostileTokenCount = 100;
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const statements = [
  `CREATE FUNCTION address_of(kind int, number int) RETURNS bytea IMMUTABLE LANGUAGE sql AS
    $$ SELECT decode(lpad(to_hex(kind), 32, '0') || lpad(to_hex(number), 8, '0'), 'hex') $$`,
  `CREATE FUNCTION hash_of(kind int, number int) RETURNS bytea IMMUTABLE LANGUAGE sql AS
    $$ SELECT sha256(convert_to(kind || ':' || number, 'UTF8')) $$`,
  `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, backfilled_at, latest_block, latest_timestamp, seen_at, native_accounting)
   SELECT 7, 'hostile', hash_of(0, 0), 0, now(), ${lastBlock}, extract(epoch FROM now())::int8, now(), 'traces'`,
  `INSERT INTO blocks (chain_id, number, hash, parent_hash, timestamp, miner, extra_data, gas_used, gas_limit, size, transaction_count)
   SELECT 7, n, hash_of(0, n), hash_of(0, n - 1), extract(epoch FROM now())::int8 - (${blockCount} - n) * ${secondsPerBlock}, address_of(3, 0), '\\x', 21000, 30000000, 600, ${transactionsPerBlock}
   FROM generate_series(0, ${lastBlock}) n`,
  `INSERT INTO transactions (chain_id, block_number, transaction_index, hash, from_address, to_address, value, nonce, gas_limit, gas_used, gas_price, type, successful, input)
   SELECT 7, n / ${transactionsPerBlock}, n % ${transactionsPerBlock}, hash_of(1, n), address_of(3, 1), address_of(1, 0), 0, n, 900000, 600000, 2000000000, 2, true, '\\xa9059cbb'
   FROM generate_series(0, ${blockCount * transactionsPerBlock - 1}) n`,
  `INSERT INTO address_transactions (chain_id, address, ordinal, block_number, transaction_index)
   SELECT 7, address_of(3, 1), n, n / ${transactionsPerBlock}, n % ${transactionsPerBlock} FROM generate_series(0, ${blockCount * transactionsPerBlock - 1}) n`,
  "INSERT INTO transfer_transactions SELECT * FROM address_transactions",
  `INSERT INTO logs (chain_id, block_number, log_index, transaction_index, address, topic0, topic1, topic2, data)
   SELECT 7, n / 100, n % 100, n % 100 / 10, address_of(1, 0), decode('${transferTopic.slice(2)}', 'hex'),
     decode(repeat('00', 12), 'hex') || address_of(3, 1), decode(repeat('00', 12), 'hex') || address_of(2, n), decode(lpad(to_hex(n + 1), 64, '0'), 'hex')
   FROM generate_series(0, ${blockCount * transactionsPerBlock * 10 - 1}) n`,
  `INSERT INTO transfers (chain_id, block_number, ordinal, transaction_index, log_index, standard, token, from_address, to_address, amount, from_balance, to_balance)
   SELECT 7, n / 100, n % 100, n % 100 / 10, n % 100, 1, address_of(1, 0), address_of(3, 1), address_of(2, n), n + 1, 10::numeric ^ 30, n + 1
   FROM generate_series(0, ${blockCount * transactionsPerBlock * 10 - 1}) n`,
  `INSERT INTO balances (chain_id, owner, token, standard, since_block, balance)
   SELECT 7, address_of(2, n), address_of(1, 0), 1, n / 100, n + 1 FROM generate_series(0, ${blockCount * transactionsPerBlock * 10 - 1}) n
   UNION ALL SELECT 7, address_of(3, 2), address_of(1, n), 1, n % ${blockCount}, n * 10::numeric ^ 18 FROM generate_series(1, 30000) n
   UNION ALL SELECT 7, address_of(3, 3), address_of(1, 40000 + n), 1, n, 5 FROM generate_series(0, ${hostileTokenCount - 1}) n
   UNION ALL SELECT 7, address_of(3, 100 + n / 30), address_of(1, 1 + n), 1, n % ${blockCount}, 5 * 10::numeric ^ 18 FROM generate_series(0, ${50 * 30 - 1}) n`,
  `INSERT INTO holder_counts (chain_id, token, standard, block_number, holders)
   SELECT 7, address_of(1, 0), 1, n, 100 * (n + 1) FROM generate_series(0, ${lastBlock}) n`,
  `INSERT INTO token_standards (chain_id, address, standard, block_number) SELECT 7, address_of(1, n), 1, 0 FROM generate_series(0, 30000) n`,
  `INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
   SELECT 7, address_of(1, n), 0, 'Token ' || n, 'T' || n, 18, 0 FROM generate_series(0, 30000) n`,
  `INSERT INTO priced_assets (chain_id, asset, hour, block_number)
   SELECT 7, address_of(1, n), extract(epoch FROM now())::int8 / 3600 - 100, 0 FROM generate_series(0, 30000, 3) n`,
  `INSERT INTO price_hours (chain_id, asset, hour, open, high, low, close, block_number)
   SELECT 7, asset, h, p, p, p, p, 0 FROM priced_assets CROSS JOIN generate_series(0, 1) d
     CROSS JOIN LATERAL (SELECT (hour + 50 * d)::int4 AS h, (1 + get_byte(asset, 19))::numeric / 1e21 AS p) v`,
  `INSERT INTO price_days (chain_id, asset, day, open, high, low, close, block_number)
   SELECT chain_id, asset, hour / 24, open, high, low, close, 0 FROM price_hours ON CONFLICT DO NOTHING`,
  "INSERT INTO price_progress (chain_id, hour, block_number) SELECT 7, extract(epoch FROM now())::int8 / 3600, 0",
  "VACUUM ANALYZE",
];

/** Fills an index with a wallet that holds 30,000 tokens, a token with 100,000 transfers and holders, and ordinary wallets with 30 tokens. */
export async function fillIndex(database: Database): Promise<void> {
  for (const statement of statements) await database.query(statement);
  await database.query(
    "INSERT INTO projection_checkpoints (chain_id, projection, version, block_number) SELECT 7, id, version, $3 FROM unnest($1::text[], $2::int4[]) AS p(id, version)",
    [projections.map(({ id }) => id), projections.map(({ version }) => version), lastBlock],
  );
}

/** The result of a name() call: an ABI-encoded string. */
const encodeName = (name: Buffer): CallOutcome => {
  const word = (value: number): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
  return {
    ok: true,
    data: `0x${Buffer.concat([word(32), word(name.length), name, Buffer.alloc(32 - (name.length % 32))]).toString("hex")}`,
  };
};

/** Stores the hostile tokens' names as the indexer does. */
export async function storeTokenNames({ query }: Database, names: readonly Buffer[]): Promise<void> {
  const rows = names.map((name) =>
    tokenMetadataRead.toRow({ key: hubToken, blockNumber: 0, readAtBlock: 0 }, [encodeName(name), encodeName(name)]),
  );
  await query(
    `INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
     SELECT 7, address_of(1, 40000 + position::int4 - 1), 0, name, symbol, 18, 0 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n(name, symbol, position)`,
    [rows.map((row) => row?.name), rows.map((row) => row?.symbol)],
  );
}
