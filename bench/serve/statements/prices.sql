-- The prices of a token at the end of each day of a range, newest first.
-- $1 chain, $2 token, $3 first and $4 last day (days since 1970)
SELECT d.day, p.close * 10::numeric ^ m.decimals AS price, m.decimals, m.name, m.symbol,
  (SELECT array_agg(standard ORDER BY standard) FROM token_standards WHERE chain_id = $1 AND address = $2::bytea) AS standards
FROM generate_series($4::int4, $3::int4, -1) AS d(day)
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = $2::bytea
LEFT JOIN LATERAL (SELECT close FROM price_days WHERE chain_id = $1 AND asset = $2::bytea AND day <= d.day ORDER BY day DESC LIMIT 1) p ON true
