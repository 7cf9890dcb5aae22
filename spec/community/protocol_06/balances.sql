-- The wallet's shares in each vault, as the assets that they are convertible to.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), held AS (
  SELECT c.address AS vault, b.balance AS shares, a.asset,
    -- The price of 10^36 shares is truncated: the exact one is below it plus 1.
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
  WHERE c.chain_id = :chain AND c.kind = 'vault' AND c.block_number <= :as_of_block AND b.balance IS DISTINCT FROM 0
)
SELECT
  held.vault AS pool_address,
  shares.name AS pool_name,
  'supplied' AS position,
  COALESCE(held.asset, held.vault) AS contract_address,
  token.name AS contract_name,
  token.symbol AS contract_ticker_symbol,
  token.decimals AS contract_decimals,
  held.balance,
  quote.price AS quote_rate,
  held.balance / power(10::numeric, token.decimals) * quote.price AS quote
FROM held
LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = held.vault
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = COALESCE(held.asset, held.vault)
LEFT JOIN LATERAL (
  SELECT p.price FROM api.prices_at(:chain, (SELECT timestamp FROM current_block)) p
  WHERE p.token = COALESCE(held.asset, held.vault)) quote ON true
ORDER BY quote DESC NULLS LAST, pool_address
LIMIT :limit OFFSET :offset
