-- The wallet's deposits, withdrawals and transfers of shares, newest first. `giver` gave the shares or assets that `receiver` received,
-- or their equivalent.
WITH actions AS (
  (SELECT 3 AS version, 'deposit' AS action, block_number, log_index, transaction_index, contract, sender AS giver, owner AS receiver, assets, shares
  FROM deposits WHERE chain_id = :chain AND sender = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 3, 'deposit', block_number, log_index, transaction_index, contract, sender, owner, assets, shares
  FROM deposits WHERE chain_id = :chain AND owner = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 3, 'withdraw', block_number, log_index, transaction_index, contract, owner, receiver, assets, shares
  FROM withdrawals WHERE chain_id = :chain AND sender = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 3, 'withdraw', block_number, log_index, transaction_index, contract, owner, receiver, assets, shares
  FROM withdrawals WHERE chain_id = :chain AND owner = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 3, 'withdraw', block_number, log_index, transaction_index, contract, owner, receiver, assets, shares
  FROM withdrawals WHERE chain_id = :chain AND receiver = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  -- Transfers from and to the zero address are part of deposits and withdrawals.
  (SELECT 3, 'transfer', block_number, log_index, transaction_index, contract, from_address, to_address, NULL, shares
  FROM share_transfers
  WHERE chain_id = :chain AND from_address = :wallet AND block_number <= :as_of_block
    AND to_address <> '\x0000000000000000000000000000000000000000'::bytea
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 3, 'transfer', block_number, log_index, transaction_index, contract, from_address, to_address, NULL, shares
  FROM share_transfers
  WHERE chain_id = :chain AND to_address = :wallet AND block_number <= :as_of_block
    AND from_address <> '\x0000000000000000000000000000000000000000'::bytea
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  -- In version 2, a transfer from the zero address is a deposit, and one to it a withdrawal. Shares that a vault mints for itself are its fees.
  (SELECT 2, CASE '\x0000000000000000000000000000000000000000'::bytea
      WHEN from_address THEN 'deposit' WHEN to_address THEN 'withdraw' ELSE 'transfer' END,
    block_number, log_index, transaction_index, contract, from_address, to_address, NULL, shares
  FROM share_transfers_v2
  WHERE chain_id = :chain AND from_address = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  (SELECT 2, CASE '\x0000000000000000000000000000000000000000'::bytea
      WHEN from_address THEN 'deposit' WHEN to_address THEN 'withdraw' ELSE 'transfer' END,
    block_number, log_index, transaction_index, contract, from_address, to_address, NULL, shares
  FROM share_transfers_v2
  WHERE chain_id = :chain AND to_address = :wallet AND block_number <= :as_of_block
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
  UNION
  -- Assets that a withdrawal paid to the wallet for the shares of another account.
  (SELECT 2, 'withdraw', w.block_number, w.log_index, w.transaction_index, w.contract, burned.from_address, w.recipient, w.amount, w.shares
  FROM withdrawals_v2 w
  LEFT JOIN LATERAL (
    SELECT s.from_address FROM share_transfers_v2 s
    WHERE s.chain_id = :chain AND s.block_number = w.block_number AND s.log_index < w.log_index AND s.transaction_index = w.transaction_index
      AND s.contract = w.contract AND s.to_address = '\x0000000000000000000000000000000000000000'::bytea
    ORDER BY s.log_index DESC LIMIT 1) burned ON true
  WHERE w.chain_id = :chain AND w.recipient = :wallet AND w.block_number <= :as_of_block AND burned.from_address IS DISTINCT FROM :wallet
  ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
), page AS (
  SELECT * FROM actions ORDER BY block_number DESC, log_index DESC LIMIT :limit OFFSET :offset
), moved AS (
  SELECT p.action, p.block_number, p.log_index, p.transaction_index, p.contract, p.shares, b.timestamp, t.hash, t.from_address, a.asset,
    CASE WHEN p.version = 2 AND p.action = 'deposit' THEN paid.from_address ELSE p.giver END AS giver,
    CASE WHEN p.version = 2 AND p.action = 'withdraw' AND p.assets IS NULL THEN paid.to_address ELSE p.receiver END AS receiver,
    COALESCE(p.assets, paid.amount, price.assets) AS assets
  FROM page p
  JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
  JOIN api.transactions t ON t.chain_id = :chain AND t.block_number = p.block_number AND t.transaction_index = p.transaction_index
  LEFT JOIN LATERAL (
    (SELECT r.asset FROM asset r
    WHERE p.version = 3 AND r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1)
    UNION ALL
    (SELECT r.asset FROM asset_v2 r
    WHERE p.version = 2 AND r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1)) a ON true
  -- Version 2 mints or burns shares, and then transfers the assets.
  LEFT JOIN LATERAL (
    SELECT x.from_address, x.to_address, x.amount FROM api.transfers x
    WHERE p.version = 2 AND p.action <> 'transfer' AND x.chain_id = :chain AND x.block_number = p.block_number
      AND x.transaction_index = p.transaction_index AND x.token = a.asset AND x.log_index > p.log_index
      AND CASE p.action WHEN 'deposit' THEN x.to_address ELSE x.from_address END = p.contract
    ORDER BY x.log_index LIMIT 1) paid ON true
  LEFT JOIN LATERAL (
    -- The price of 10^36 shares is truncated: the exact price is less than 1 above it.
    (SELECT div(p.shares * (r.assets + 1) - 1, 1e36) AS assets FROM share_price r
    WHERE p.version = 3 AND r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= p.block_number
    ORDER BY r.block_number DESC LIMIT 1)
    UNION ALL
    (SELECT CASE WHEN unit.decimals < 256 THEN div(p.shares * r.assets, power(10::numeric, unit.decimals)) END
    FROM share_price_v2 r
    LEFT JOIN LATERAL (
      SELECT d.decimals FROM share_decimals_v2 d
      WHERE d.chain_id = :chain AND d.contract = p.contract AND d.block_number <= :as_of_block
      ORDER BY d.block_number DESC LIMIT 1) unit ON true
    WHERE p.version = 2 AND r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= p.block_number
    ORDER BY r.block_number DESC LIMIT 1)) price ON true
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
