-- A page of the pools with a token, with their reserves, volumes of a day and a week, and values: a row per pool.
-- $1 chain, $2 token, $3 and $4 factories, $5 page size, $6 offset
WITH found AS MATERIALIZED (
    SELECT pool, factory, token0, token1 FROM pools WHERE chain_id = $1 AND token0 = $2::bytea AND factory IN ($3::bytea, $4::bytea)
    UNION ALL SELECT pool, factory, token0, token1 FROM pools WHERE chain_id = $1 AND token1 = $2::bytea AND factory IN ($3::bytea, $4::bytea)),
  page AS MATERIALIZED (SELECT * FROM found ORDER BY pool, factory LIMIT $5::int8 OFFSET $6::int8),
  times AS MATERIALIZED (
    SELECT d.position, (head.timestamp - d.position * 86400) / 3600 AS hour, (
      SELECT number FROM blocks WHERE chain_id = $1 AND timestamp <= head.timestamp - d.position * 86400 ORDER BY timestamp DESC, number DESC LIMIT 1) AS block
    FROM (SELECT timestamp FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) head CROSS JOIN generate_series(0, 7) AS d(position)),
  rates AS MATERIALIZED (
    SELECT t.token, times.position, p.close FROM (SELECT token0 AS token FROM page UNION SELECT token1 FROM page) t
    JOIN priced_assets a ON a.chain_id = $1 AND a.asset = t.token CROSS JOIN times
    CROSS JOIN LATERAL (SELECT close FROM price_hours WHERE chain_id = $1 AND asset = t.token AND hour <= times.hour ORDER BY hour DESC LIMIT 1) p),
  states AS (
    SELECT page.*, times.position, s.reserve0, s.reserve1, r0.close AS rate0, r1.close AS rate1,
      s.swaps - lead(s.swaps) OVER w AS swaps,
      s.amount0_in - lead(s.amount0_in) OVER w AS amount0_in, s.amount0_out - lead(s.amount0_out) OVER w AS amount0_out,
      s.amount1_in - lead(s.amount1_in) OVER w AS amount1_in, s.amount1_out - lead(s.amount1_out) OVER w AS amount1_out
    FROM page CROSS JOIN times
    LEFT JOIN LATERAL (SELECT * FROM pool_states WHERE chain_id = $1 AND pool = page.pool AND block_number <= times.block
      ORDER BY block_number DESC LIMIT 1) s ON true
    LEFT JOIN rates r0 ON r0.token = page.token0 AND r0.position = times.position
    LEFT JOIN rates r1 ON r1.token = page.token1 AND r1.position = times.position
    WINDOW w AS (PARTITION BY page.pool, page.factory ORDER BY times.position)),
  spans AS (
    SELECT *, CASE WHEN swaps = 0 THEN 0
      WHEN rate0 IS NOT NULL AND rate1 IS NOT NULL THEN amount0_in * rate0 + amount1_in * rate1
      WHEN rate0 IS NOT NULL THEN (amount0_in + amount0_out) * rate0 ELSE (amount1_in + amount1_out) * rate1 END AS volume
    FROM states WHERE position < 7),
  figures AS MATERIALIZED (
    SELECT pool, factory, token0, token1, max(reserve0) FILTER (WHERE position = 0) AS reserve0, max(reserve1) FILTER (WHERE position = 0) AS reserve1,
      max(rate0) FILTER (WHERE position = 0) AS rate0, max(rate1) FILTER (WHERE position = 0) AS rate1, max(volume) FILTER (WHERE position = 0) AS volume,
      CASE WHEN count(volume) = 7 THEN sum(volume) END AS week_volume
    FROM spans GROUP BY pool, factory, token0, token1)
SELECT (SELECT count(*) FROM found) AS total, f.pool, f.factory, lp.symbol, f.reserve0 * f.rate0 + f.reserve1 * f.rate1 AS liquidity, f.volume, f.week_volume,
  f.volume * 0.003 AS fees, f.token0, m0.decimals, m0.name, m0.symbol, f.reserve0, f.rate0, f.token1, m1.decimals, m1.name, m1.symbol, f.reserve1, f.rate1
FROM figures f
LEFT JOIN token_metadata lp ON lp.chain_id = $1 AND lp.address = f.pool
LEFT JOIN token_metadata m0 ON m0.chain_id = $1 AND m0.address = f.token0
LEFT JOIN token_metadata m1 ON m1.chain_id = $1 AND m1.address = f.token1
ORDER BY f.pool, f.factory
