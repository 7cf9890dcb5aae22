-- The totals of an exchange as of its last complete hour, and those of the days of a month: a row per day, oldest first.
-- $1 chain, $2 factory
WITH head AS MATERIALIZED (SELECT timestamp / 3600 AS hour FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1),
  newest AS MATERIALIZED (
    SELECT * FROM exchange_hours WHERE chain_id = $1 AND factory = $2::bytea AND hour >= (SELECT hour - 4 FROM head) ORDER BY hour DESC LIMIT 1)
SELECT newest.swaps, newest.week_pools, newest.volume * 0.003 AS fees,
  (SELECT close * 1e18 FROM price_hours WHERE chain_id = $1 AND asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
    AND hour <= (SELECT hour FROM head) ORDER BY hour DESC LIMIT 1) AS native_price,
  d.day, d.swaps, d.volume, d.liquidity
FROM newest CROSS JOIN LATERAL (
  SELECT w.hour / 24 AS day, w.day_swaps AS swaps, w.day_volume AS volume, w.liquidity FROM generate_series(newest.hour / 24 - 30, newest.hour / 24 - 1) AS s(day)
  JOIN exchange_hours w ON w.chain_id = $1 AND w.factory = $2::bytea AND w.hour = s.day * 24 + 23
  UNION ALL SELECT newest.hour / 24, newest.day_swaps, newest.day_volume, newest.liquidity) d
ORDER BY d.day
