-- Markets with their totals, largest first.
WITH current_block AS (
  SELECT number, timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number, timestamp FROM api.blocks
  WHERE chain_id = :chain AND timestamp >= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp, number LIMIT 1
), speed AS (
  -- Blocks in a 365-day year, at the average block time over the last 30 days.
  SELECT 31536000 * (c.number - m.number)::numeric / NULLIF(c.timestamp - m.timestamp, 0) AS blocks_per_year FROM current_block c, month m
), read AS (
  SELECT c.address AS market, c.log_index, a.asset, reading.tokens, reading.reserves, reading.cash, reading.counts_cash,
    -- Supply and reserves change only in blocks in which interest accrues: until the next accrual, the readings are still current.
    CASE WHEN accrued.block_number > reading.block_number THEN reading.block_number ELSE :as_of_block END AS block_number
  FROM contracts c
  LEFT JOIN LATERAL (
    SELECT COALESCE(r.asset, '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea) AS asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT s.block_number, s.tokens, r.amount AS reserves, k.amount AS cash,
      (SELECT o.amount FROM counted_cash o WHERE o.chain_id = :chain AND o.contract = s.contract AND o.block_number <= s.block_number
       ORDER BY o.block_number DESC LIMIT 1) IS NOT NULL AS counts_cash
    FROM token_supply s
    CROSS JOIN LATERAL (
      SELECT o.amount FROM reserves o WHERE o.chain_id = :chain AND o.contract = s.contract AND o.block_number = s.block_number LIMIT 1) r
    CROSS JOIN LATERAL (
      SELECT o.amount FROM cash o WHERE o.chain_id = :chain AND o.contract = s.contract AND o.block_number = s.block_number LIMIT 1) k
    WHERE s.chain_id = :chain AND s.contract = c.address AND s.block_number <= :as_of_block
    ORDER BY s.block_number DESC LIMIT 1) reading ON true
  LEFT JOIN LATERAL (
    SELECT i.block_number FROM accruals i
    WHERE i.chain_id = :chain AND i.contract = c.address AND i.block_number <= :as_of_block
    ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1) accrued ON true
  WHERE c.chain_id = :chain AND c.kind = 'market' AND c.block_number <= :as_of_block AND (:pool::bytea IS NULL OR c.address = :pool)
), total AS (
  SELECT r.market, r.asset, r.tokens, r.reserves, r.block_number,
    -- Transfers of the asset to a market change its cash without a market event, unless it counts its cash itself.
    CASE WHEN r.counts_cash THEN r.cash ELSE COALESCE(held.balance, r.cash) END AS cash,
    -- Nothing is lent before the first event of a listed market.
    COALESCE(lent.total_borrows, CASE WHEN r.log_index IS NOT NULL THEN 0 END) AS borrows
  FROM read r
  LEFT JOIN LATERAL (
    SELECT b.balance FROM api.balances_at(:chain, r.block_number) b WHERE b.owner = r.market AND b.token = r.asset LIMIT 1) held ON true
  LEFT JOIN LATERAL (
    SELECT t.total_borrows FROM (
      (SELECT i.total_borrows, i.block_number, i.log_index FROM accruals i
       WHERE i.chain_id = :chain AND i.contract = r.market AND i.block_number <= r.block_number
       ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1)
      UNION ALL
      (SELECT d.total_borrows, d.block_number, d.log_index FROM debts d
       WHERE d.chain_id = :chain AND d.contract = r.market AND d.block_number <= r.block_number
       ORDER BY d.block_number DESC, d.log_index DESC LIMIT 1)) t
    ORDER BY t.block_number DESC, t.log_index DESC LIMIT 1) lent ON true
), valued AS (
  SELECT t.*,
    -- exchangeRateStored() is (cash + borrows - reserves) * 10^18 / tokens; both divisions truncate.
    CASE WHEN t.tokens = 0 THEN 0 WHEN t.cash + t.borrows >= t.reserves
      THEN div(t.tokens * div((t.cash + t.borrows - t.reserves) * 1e18, t.tokens), 1e18) END AS supply,
    CASE WHEN t.borrows = 0 THEN 0 ELSE t.borrows / NULLIF(t.cash + t.borrows - t.reserves, 0) END AS utilization
  FROM total t
), page AS (
  SELECT v.*, unit.decimals, quote.unit_price
  FROM valued v
  CROSS JOIN current_block b
  LEFT JOIN LATERAL (
    SELECT CASE WHEN v.asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea THEN 18
      ELSE (SELECT t.decimals FROM api.tokens t WHERE t.chain_id = :chain AND t.address = v.asset) END AS decimals) unit ON true
  LEFT JOIN LATERAL (
    SELECT p.unit_price FROM api.prices_at(:chain, b.timestamp) p WHERE p.token = v.asset AND unit.decimals IS NOT NULL LIMIT 1) quote ON true
  ORDER BY v.supply * quote.unit_price DESC NULLS LAST, v.market
  LIMIT :limit OFFSET :offset
)
SELECT
  v.market AS pool_address,
  receipt.name,
  v.asset AS asset_address,
  token.name AS asset_name,
  token.symbol AS asset_ticker_symbol,
  v.decimals AS asset_decimals,
  v.supply * v.unit_price AS total_value_locked_quote,
  lending.rate / 1e18 * speed.blocks_per_year AS supply_rate,
  borrowing.rate / 1e18 * speed.blocks_per_year AS borrow_rate,
  v.supply AS total_supply,
  v.borrows AS total_borrow,
  v.cash AS available_liquidity,
  v.supply * v.unit_price AS total_supply_quote,
  v.borrows * v.unit_price AS total_borrow_quote,
  v.utilization AS utilization_rate,
  v.market AS lp_token_address,
  v.tokens AS lp_token_total_supply,
  v.block_number AS block_height
FROM page v
LEFT JOIN speed ON true
LEFT JOIN LATERAL (
  SELECT r.rate FROM supply_rate r
  WHERE r.chain_id = :chain AND r.contract = v.market AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) lending ON true
LEFT JOIN LATERAL (
  SELECT r.rate FROM borrow_rate r
  WHERE r.chain_id = :chain AND r.contract = v.market AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) borrowing ON true
LEFT JOIN api.tokens receipt ON receipt.chain_id = :chain AND receipt.address = v.market
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = v.asset
ORDER BY total_value_locked_quote DESC NULLS LAST, pool_address
