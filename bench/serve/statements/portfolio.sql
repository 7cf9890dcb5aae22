-- A wallet's balances at the beginning of the last days, their changes since then, and the prices of the days: a row per token.
-- $1 chain, $2 wallet, $3 days
WITH last_day AS MATERIALIZED (SELECT timestamp / 86400 AS day FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1),
  days AS MATERIALIZED (
    SELECT d.day::int4 AS day, coalesce((SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < d.day * 86400
      ORDER BY timestamp DESC, number DESC LIMIT 1), -1) + 1 AS start
    FROM last_day CROSS JOIN generate_series(last_day.day - $3::int8 + 1, last_day.day) AS d(day)),
  spans AS MATERIALIZED (SELECT array_agg(start::float8 ORDER BY day) AS starts, min(start) AS first, min(day) AS first_day FROM days)
SELECT b.token, b.standard, m.decimals, m.name, m.symbol,
  CASE WHEN b.since_block < spans.first THEN b.balance
    ELSE (SELECT balance FROM balance_periods p WHERE p.chain_id = $1 AND p.owner = $2::bytea AND p.token = b.token AND p.standard = b.standard
      AND p.from_block < spans.first ORDER BY p.from_block DESC LIMIT 1) END AS opening,
  CASE WHEN b.since_block >= spans.first THEN (
    SELECT string_agg(width_bucket(c.block::float8, spans.starts) || ':' || c.balance, ',' ORDER BY c.block) FROM (
      SELECT from_block AS block, balance FROM balance_periods p WHERE p.chain_id = $1 AND p.owner = $2::bytea AND p.token = b.token
        AND p.standard = b.standard AND p.from_block >= spans.first
      UNION ALL SELECT b.since_block, b.balance) c) END AS changes,
  (SELECT string_agg(coalesce(close::text, ''), ',' ORDER BY days.day) FROM priced_assets a CROSS JOIN days
    LEFT JOIN LATERAL (SELECT close FROM price_days p WHERE p.chain_id = $1 AND p.asset = b.token AND p.day <= days.day
      ORDER BY p.day DESC LIMIT 1) p ON true
    WHERE a.chain_id = $1 AND a.asset = b.token) AS closes,
  spans.first_day
FROM balances b CROSS JOIN spans
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = b.token
WHERE b.chain_id = $1 AND b.owner = $2::bytea AND b.standard IN (0, 1)
ORDER BY b.standard, b.token
