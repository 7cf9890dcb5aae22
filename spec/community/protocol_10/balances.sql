-- The wallet's shares in each vault, converted to assets.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), held AS (
  SELECT c.address AS vault, c.kind, COALESCE(a.asset, c.address) AS token,
    -- The price of 10^36 shares is truncated: the exact price is less than 1 above it.
    CASE WHEN a.asset IS NULL THEN b.balance ELSE div(b.balance * (price.assets + 1) - 1, 1e36) END AS balance
  FROM contracts c
  JOIN api.balances_at(:chain, :as_of_block) b ON b.owner = :wallet AND b.token = c.address
  LEFT JOIN LATERAL (
    SELECT r.asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.assets FROM share_price r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) price ON true
  WHERE c.chain_id = :chain AND c.kind = 'vault_v3' AND c.block_number <= :as_of_block AND b.balance IS DISTINCT FROM 0
  UNION ALL
  SELECT c.address, c.kind, COALESCE(a.asset, c.address),
    CASE WHEN a.asset IS NULL THEN b.balance WHEN unit.decimals < 256 THEN div(b.balance * price.assets, power(10::numeric, unit.decimals)) END
  FROM contracts c
  JOIN api.balances_at(:chain, :as_of_block) b ON b.owner = :wallet AND b.token = c.address
  LEFT JOIN LATERAL (
    SELECT r.asset FROM asset_v2 r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.assets FROM share_price_v2 r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) price ON true
  LEFT JOIN LATERAL (
    SELECT r.decimals FROM share_decimals_v2 r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) unit ON true
  WHERE c.chain_id = :chain AND c.kind = 'vault_v2' AND c.block_number <= :as_of_block AND b.balance IS DISTINCT FROM 0
), tokens AS (
  SELECT h.token, t.name, t.symbol, t.decimals, quote.price, CASE WHEN quote.price IS NOT NULL THEN quote.unit_price END AS unit_price
  FROM (SELECT DISTINCT token FROM held) h
  LEFT JOIN api.tokens t ON t.chain_id = :chain AND t.address = h.token
  LEFT JOIN LATERAL (
    SELECT p.price, p.unit_price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = h.token LIMIT 1) quote ON true
), page AS (
  SELECT held.vault, held.kind, held.balance, tokens.*, held.balance * tokens.unit_price AS value
  FROM held JOIN tokens ON tokens.token = held.token
  ORDER BY value DESC NULLS LAST, vault, kind
  LIMIT :limit OFFSET :offset
)
SELECT
  page.vault AS pool_address,
  shares.name AS pool_name,
  'supplied' AS position,
  page.token AS contract_address,
  page.name AS contract_name,
  page.symbol AS contract_ticker_symbol,
  page.decimals AS contract_decimals,
  page.balance,
  page.price AS quote_rate,
  page.value AS quote
FROM page
LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = page.vault
ORDER BY quote DESC NULLS LAST, pool_address, page.kind
