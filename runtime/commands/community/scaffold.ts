/** The values that a new protocol is created from. */
export interface Scaffold {
  readonly id: string;
  /** The chain of its contracts, and their addresses. */
  readonly chain: string;
  readonly contracts: readonly string[];
}

/** The JSON Schema of declarations, in the protocols directory: editors find it wherever Ashlar is installed. */
export const schemaFile = "protocol.schema.json";

/** A new protocol's files by name: ERC-4626 vaults with an operation from the template and a new one. */
export const scaffoldFiles = (scaffold: Scaffold): Readonly<Record<string, string>> => ({
  "protocol.yaml": declaration(scaffold),
  "balances.sql": balances,
  "deposits.sql": deposits,
});

const declaration = ({ id, chain, contracts }: Scaffold): string => `# yaml-language-server: $schema=../${schemaFile}
# An example protocol of ERC-4626 vaults. Replace its contracts, events and operations with your own.
protocol: ${id}
description: ERC-4626 vaults.
version: 1 # raised when the meaning of rows changes: the tables are rebuilt
contracts:
  vault:
    # from: the block of the deployment, the first one whose events are indexed.
    networks:
      ${chain}:
${contracts.map((address) => `        - { address: "${address}", from: 0 }`).join("\n")}
tables:
  deposits:
    contract: vault
    events: ["Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)"]
    indexes: [[owner]]
  share_transfers:
    contract: vault
    events: ["Transfer(address indexed from, address indexed to, uint256 value)"]
    columns: { from_address: from, to_address: to, shares: value }
    indexes: [[from_address], [to_address]]
reads:
  asset:
    contract: vault
    call: asset() view returns (address asset)
    touchedBy: [deposits]
  share_price:
    contract: vault
    call: convertToAssets(uint256 shares) view returns (uint256 assets)
    arguments: ["1000000000000000000000000000000000000"]
    touchedBy: [deposits]
    everyBlocks: 1000
objects:
  Deposit:
    description: A deposit of assets for shares of a vault.
    fields:
      block_height: { type: integer, description: Height of the block., example: 18420 }
      log_offset: { type: integer, description: "Index of the log in its block, starting at 0.", example: 7 }
      block_signed_at: { type: timestamp, description: Time of the block. }
      tx_hash: { type: hash, description: Hash of the transaction. }
      vault_address: { type: address, description: Contract of the vault. }
      sender: { type: address, description: Account that paid the assets. }
      assets: { type: bigint, description: Amount of assets in the smallest unit., example: "1000000" }
      shares: { type: bigint, description: Amount of shares in the smallest unit., example: "995000" }
operations:
  # An operation of the template, with its parameters and objects.
  balances:
    sql: balances.sql
    notes: The assets that the wallet's shares of each vault are convertible to. An address without shares has no items.
  # A new operation.
  deposits:
    sql: deposits.sql
    summary: Deposits for a wallet
    notes: Deposits into the vaults whose shares the wallet received, newest first. An address without deposits has no items.
    item: Deposit
    parameters: [address]
    cost: { credits: 0.01, per: item }
`;

const balances = `-- The wallet's shares of each vault (received minus sent), valued at the newest share price.
WITH moves AS (
  SELECT contract, shares FROM share_transfers
  WHERE chain_id = :chain AND to_address = :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT contract, -shares FROM share_transfers
  WHERE chain_id = :chain AND from_address = :wallet AND block_number <= :as_of_block
), held AS (
  SELECT contract, sum(shares) AS shares FROM moves GROUP BY contract HAVING sum(shares) > 0
), valued AS (
  SELECT h.contract, a.asset, div(h.shares * price.assets, 1e36) AS assets
  FROM held h
  LEFT JOIN LATERAL (
    SELECT r.asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = h.contract AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.assets FROM share_price r
    WHERE r.chain_id = :chain AND r.contract = h.contract AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) price ON true
)
SELECT
  v.contract AS pool_address,
  vault.name AS pool_name,
  'supplied' AS position,
  -- Until the asset has been read, the position is returned without an amount.
  COALESCE(v.asset, v.contract) AS contract_address,
  token.name AS contract_name,
  token.symbol AS contract_ticker_symbol,
  token.decimals AS contract_decimals,
  CASE WHEN v.asset IS NOT NULL THEN v.assets END AS balance,
  quote.price AS quote_rate,
  v.assets / power(10::numeric, token.decimals) * quote.price AS quote
FROM valued v
LEFT JOIN api.tokens vault ON vault.chain_id = :chain AND vault.address = v.contract
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = v.asset
LEFT JOIN LATERAL (
  SELECT p.price
  FROM api.prices_at(:chain, (SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block)) p
  WHERE p.token = v.asset) quote ON true
ORDER BY v.contract
LIMIT :limit OFFSET :offset
`;

const deposits = `-- Deposits whose shares the wallet received, newest first.
SELECT
  d.block_number AS block_height,
  d.log_index AS log_offset,
  b.timestamp AS block_signed_at,
  t.hash AS tx_hash,
  d.contract AS vault_address,
  d.sender,
  d.assets,
  d.shares
FROM deposits d
JOIN api.blocks b ON b.chain_id = :chain AND b.number = d.block_number
JOIN api.transactions t ON t.chain_id = :chain AND t.block_number = d.block_number AND t.transaction_index = d.transaction_index
WHERE d.chain_id = :chain AND d.owner = :wallet AND d.block_number <= :as_of_block
ORDER BY d.block_number DESC, d.log_index DESC
LIMIT :limit OFFSET :offset
`;
