-- The collections and ids that a wallet holds, with the balances of a day ago, metadata and the floor prices of 30 days: a row per id.
-- $1 chain, $2 owner, $3 now (unix seconds)
WITH day AS MATERIALIZED (
    SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < $3::int8 - 86399 ORDER BY timestamp DESC, number DESC LIMIT 1),
  today AS MATERIALIZED (
    SELECT head.day, (SELECT close FROM price_days WHERE chain_id = $1 AND asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' AND day <= head.day
      ORDER BY day DESC LIMIT 1) AS native_close
    FROM (SELECT timestamp / 86400 AS day FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) head),
  held AS MATERIALIZED (
    SELECT b.token, b.standard, b.balance, (SELECT timestamp FROM blocks WHERE chain_id = $1 AND number = b.since_block) AS moved_at,
      CASE WHEN b.since_block <= day.number THEN b.balance
        ELSE coalesce((SELECT p.balance FROM balance_periods p
          WHERE p.chain_id = $1 AND p.owner = $2::bytea AND p.token = b.token AND p.standard = b.standard AND p.from_block <= day.number
          ORDER BY p.from_block DESC LIMIT 1), 0) END AS balance_24h,
      m.name, m.symbol,
      (SELECT array_agg(s.standard ORDER BY s.standard) FROM token_standards s WHERE s.chain_id = $1 AND s.address = b.token) AS standards,
      (SELECT min(lowest) FROM nft_market_days d WHERE d.chain_id = $1 AND d.collection = b.token AND d.day BETWEEN today.day - 29 AND today.day
        AND d.payment_token = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' AND d.marketplace IN (
          '\x00000000006c3852cbef3e08e8df289169ede581', '\x00000000000001ad428e4906ae43d8f9852d0dd6', '\x00000000000000adc04c56bf30ac9d3c0aaf14dc',
          '\x0000000000000068f116a894984e2db1123eb395', '\xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb')) AS floor,
      today.native_close
    FROM balances b CROSS JOIN day CROSS JOIN today
    LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = b.token
    WHERE b.chain_id = $1 AND b.owner = $2::bytea AND b.standard IN (2, 3) AND b.balance IS DISTINCT FROM 0)
SELECT h.token, h.standard, h.balance, h.moved_at, h.balance_24h, h.name, h.symbol, h.standards, h.floor, h.floor * h.native_close AS floor_quote,
  i.token_id, i.balance AS id_balance, t.original_owner, d.token_url, d.refusal, d.document IS NOT NULL AS has_document, d.name, d.description, d.image,
  d.animation_url, d.external_url, d.attributes, d.asset_bytes
FROM held h
LEFT JOIN nft_balances i ON i.chain_id = $1 AND i.owner = $2::bytea AND i.token = h.token AND i.standard = h.standard AND i.balance IS DISTINCT FROM 0
LEFT JOIN nft_tokens t ON t.chain_id = $1 AND t.token = i.token AND t.token_id = i.token_id AND t.standard = i.standard
LEFT JOIN nft_metadata d ON d.chain_id = $1 AND d.token = i.token AND d.token_id = i.token_id
ORDER BY h.token, h.standard, i.token_id
