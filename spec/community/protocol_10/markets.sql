-- Vaults of both versions by the value of their assets at the newest readings, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number FROM api.blocks
  WHERE chain_id = :chain AND timestamp >= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp, number LIMIT 1
), vaults AS (
  SELECT c.address, c.kind, a.asset, held.assets
  FROM contracts c
  LEFT JOIN LATERAL (
    SELECT r.asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.assets FROM total_assets r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) held ON true
  WHERE c.chain_id = :chain AND c.kind = 'vault_v3' AND c.block_number <= :as_of_block
  UNION ALL
  SELECT c.address, c.kind, a.asset, held.assets
  FROM contracts c
  LEFT JOIN LATERAL (
    SELECT r.asset FROM asset_v2 r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.assets FROM total_assets_v2 r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) held ON true
  WHERE c.chain_id = :chain AND c.kind = 'vault_v2' AND c.block_number <= :as_of_block
), assets AS (
  SELECT v.asset, token.name, token.symbol, token.decimals, CASE WHEN quote.price IS NOT NULL THEN quote.unit_price END AS unit_price
  FROM (SELECT DISTINCT asset FROM vaults) v
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = v.asset
  LEFT JOIN LATERAL (
    SELECT p.price, p.unit_price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = v.asset LIMIT 1) quote ON true
), page AS (
  SELECT v.address, v.kind, v.asset, assets.name, assets.symbol, assets.decimals, v.assets * assets.unit_price AS value
  FROM vaults v LEFT JOIN assets ON assets.asset = v.asset
  ORDER BY value DESC NULLS LAST, address, kind
  LIMIT :limit OFFSET :offset
)
SELECT
  page.address AS pool_address,
  shares.name,
  page.asset AS asset_address,
  page.name AS asset_name,
  page.symbol AS asset_ticker_symbol,
  page.decimals AS asset_decimals,
  page.value AS total_value_locked_quote,
  -- Annualized growth of the share price since its first reading within 30 days, with 365 days per year.
  (price.assets / NULLIF(earlier.assets, 0) - 1) * 31536000 / NULLIF(price.timestamp - earlier.timestamp, 0) AS supply_rate,
  NULL AS borrow_rate
FROM page
LEFT JOIN LATERAL (
  (SELECT r.assets, b.timestamp FROM share_price r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE page.kind = 'vault_v3' AND r.chain_id = :chain AND r.contract = page.address AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1)
  UNION ALL
  (SELECT r.assets, b.timestamp FROM share_price_v2 r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE page.kind = 'vault_v2' AND r.chain_id = :chain AND r.contract = page.address AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1)) price ON true
LEFT JOIN LATERAL (
  (SELECT r.assets, b.timestamp FROM share_price r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE page.kind = 'vault_v3' AND r.chain_id = :chain AND r.contract = page.address AND r.block_number >= (SELECT number FROM month) AND r.block_number <= :as_of_block
  ORDER BY r.block_number LIMIT 1)
  UNION ALL
  (SELECT r.assets, b.timestamp FROM share_price_v2 r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE page.kind = 'vault_v2' AND r.chain_id = :chain AND r.contract = page.address AND r.block_number >= (SELECT number FROM month) AND r.block_number <= :as_of_block
  ORDER BY r.block_number LIMIT 1)) earlier ON true
LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = page.address
ORDER BY total_value_locked_quote DESC NULLS LAST, pool_address, page.kind
