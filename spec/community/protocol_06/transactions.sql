-- The wallet's deposits, withdrawals and transfers of shares, newest first. `giver` gave the shares or assets that `receiver` received,
-- or their equivalent.
WITH actions AS (
  (SELECT 'deposit' AS action, block_number, log_index, transaction_index, contract, sender AS giver, owner AS receiver, assets, shares
  FROM deposits WHERE chain_id = :chain AND sender = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 'deposit', block_number, log_index, transaction_index, contract, sender, owner, assets, shares
  FROM deposits WHERE chain_id = :chain AND owner = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 'withdraw', block_number, log_index, transaction_index, contract, owner, receiver, assets, shares
  FROM withdrawals WHERE chain_id = :chain AND sender = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 'withdraw', block_number, log_index, transaction_index, contract, owner, receiver, assets, shares
  FROM withdrawals WHERE chain_id = :chain AND owner = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 'withdraw', block_number, log_index, transaction_index, contract, owner, receiver, assets, shares
  FROM withdrawals WHERE chain_id = :chain AND receiver = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  -- Transfers from and to the zero address are part of deposits and withdrawals.
  (SELECT 'transfer', block_number, log_index, transaction_index, contract, from_address, to_address, NULL, shares
  FROM share_transfers
  WHERE chain_id = :chain AND from_address = :wallet AND block_number <= :as_of_block
    AND to_address <> '\x0000000000000000000000000000000000000000'::bytea
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 'transfer', block_number, log_index, transaction_index, contract, from_address, to_address, NULL, shares
  FROM share_transfers
  WHERE chain_id = :chain AND to_address = :wallet AND block_number <= :as_of_block
    AND from_address <> '\x0000000000000000000000000000000000000000'::bytea
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
), page AS (
  SELECT * FROM actions ORDER BY block_number DESC, log_index DESC LIMIT :limit OFFSET :offset
), moved AS (
  SELECT p.action, p.block_number, p.log_index, p.transaction_index, p.contract, p.giver, p.receiver, p.shares, b.timestamp, t.hash,
    t.from_address, a.asset,
    -- The price of 10^36 shares is truncated: the exact price is less than 1 above it.
    COALESCE(p.assets, div(p.shares * (price.assets + 1) - 1, 1e36)) AS assets
  FROM page p
  JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
  JOIN api.transactions t ON t.chain_id = :chain AND t.block_number = p.block_number AND t.transaction_index = p.transaction_index
  LEFT JOIN LATERAL (
    SELECT r.asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.assets FROM share_price r
    WHERE r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= p.block_number
    ORDER BY r.block_number DESC LIMIT 1) price ON true
), valued AS (
  SELECT m.*, token.name AS asset_name, token.symbol AS asset_symbol, token.decimals AS asset_decimals, quote.price AS asset_price,
    vault.name AS vault_name, vault.symbol AS vault_symbol, vault.decimals AS vault_decimals,
    m.assets / power(10::numeric, token.decimals) * quote.price AS quote
  FROM moved m
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = m.asset
  LEFT JOIN api.tokens vault ON vault.chain_id = :chain AND vault.address = m.contract
  LEFT JOIN LATERAL (SELECT p.price FROM api.prices_at(:chain, m.timestamp) p WHERE p.token = m.asset LIMIT 1) quote ON true
)
SELECT
  v.timestamp AS block_signed_at,
  v.block_number AS block_height,
  v.hash AS tx_hash,
  v.transaction_index AS tx_offset,
  v.log_index AS log_offset,
  v.action,
  v.contract AS pool_address,
  v.from_address,
  legs.amounts,
  legs.total_quote
FROM valued v
CROSS JOIN LATERAL (
  SELECT
    COALESCE(json_agg(json_build_object(
      'direction', leg.direction,
      'contract_address', '0x' || encode(leg.token, 'hex'),
      'contract_name', leg.name,
      'contract_ticker_symbol', leg.symbol,
      'contract_decimals', leg.decimals,
      'amount', leg.amount::text,
      'quote_rate', leg.rate,
      'quote', leg.quote) ORDER BY leg.direction DESC), '[]') AS amounts,
    max(leg.quote) AS total_quote
  FROM (VALUES
    ('OUT', v.action = 'deposit' AND v.giver = :wallet, v.asset, v.asset_name, v.asset_symbol, v.asset_decimals, v.assets, v.asset_price, v.quote),
    ('IN', v.action = 'withdraw' AND v.receiver = :wallet, v.asset, v.asset_name, v.asset_symbol, v.asset_decimals, v.assets, v.asset_price, v.quote),
    ('OUT', v.action <> 'deposit' AND v.giver = :wallet, v.contract, v.vault_name, v.vault_symbol, v.vault_decimals, v.shares,
      v.quote * power(10::numeric, v.vault_decimals) / NULLIF(v.shares, 0), v.quote),
    ('IN', v.action <> 'withdraw' AND v.receiver = :wallet, v.contract, v.vault_name, v.vault_symbol, v.vault_decimals, v.shares,
      v.quote * power(10::numeric, v.vault_decimals) / NULLIF(v.shares, 0), v.quote)
  ) AS leg (direction, moved, token, name, symbol, decimals, amount, rate, quote)
  WHERE leg.moved
) legs
ORDER BY v.block_number DESC, v.log_index DESC
