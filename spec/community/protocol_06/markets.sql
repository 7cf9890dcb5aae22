-- Vaults by the value of their assets at the newest readings, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number FROM api.blocks
  WHERE chain_id = :chain AND timestamp >= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp, number LIMIT 1
)
SELECT
  c.address AS pool_address,
  shares.name,
  a.asset AS asset_address,
  token.name AS asset_name,
  token.symbol AS asset_ticker_symbol,
  token.decimals AS asset_decimals,
  held.assets / power(10::numeric, token.decimals) * quote.price AS total_value_locked_quote,
  -- Growth of the price of a share since its first reading within 30 days, for a year of 365 days.
  (price.assets / NULLIF(earlier.assets, 0) - 1) * 31536000 / NULLIF(price.timestamp - earlier.timestamp, 0) AS supply_rate,
  NULL AS borrow_rate
FROM contracts c
LEFT JOIN LATERAL (
  SELECT r.asset FROM asset r
  WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) a ON true
LEFT JOIN LATERAL (
  SELECT r.assets FROM total_assets r
  WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) held ON true
LEFT JOIN LATERAL (
  SELECT r.assets, b.timestamp FROM share_price r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) price ON true
LEFT JOIN LATERAL (
  SELECT r.assets, b.timestamp FROM share_price r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number >= (SELECT number FROM month) AND r.block_number <= :as_of_block
  ORDER BY r.block_number LIMIT 1) earlier ON true
LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = c.address
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = a.asset
LEFT JOIN LATERAL (
  SELECT p.price FROM api.prices_at(:chain, (SELECT timestamp FROM current_block)) p WHERE p.token = a.asset) quote ON true
WHERE c.chain_id = :chain AND c.kind = 'vault' AND c.block_number <= :as_of_block
ORDER BY total_value_locked_quote DESC NULLS LAST, pool_address
LIMIT :limit OFFSET :offset
