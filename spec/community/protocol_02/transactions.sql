-- The wallet's joins, exits and swaps, newest first. A positive delta is an amount that the pool received.
WITH oldest AS MATERIALIZED (
  -- The wallet's own joins and exits are always items: if the newest of them fill the page, the page has no older items.
  SELECT COALESCE((
    SELECT own.block_number FROM balance_changes own
    JOIN pools p ON p.chain_id = :chain AND p.contract = own.contract AND p.pool_id = own.pool_id AND p.block_number <= :as_of_block
    WHERE own.chain_id = :chain AND own.liquidity_provider = :wallet AND own.block_number <= :as_of_block
    ORDER BY own.block_number DESC, own.log_index DESC LIMIT 1 OFFSET :limit::int8 + :offset::int8 - 1), 0) AS block_number
), candidates AS (
  SELECT block_number, transaction_index FROM api.address_transactions
  WHERE chain_id = :chain AND address = :wallet AND block_number <= :as_of_block AND block_number >= (SELECT block_number FROM oldest)
  UNION
  SELECT block_number, transaction_index FROM api.transfer_transactions
  WHERE chain_id = :chain AND address = :wallet AND block_number <= :as_of_block AND block_number >= (SELECT block_number FROM oldest)
  UNION
  SELECT block_number, transaction_index FROM balance_changes
  WHERE chain_id = :chain AND liquidity_provider = :wallet AND block_number <= :as_of_block AND block_number >= (SELECT block_number FROM oldest)
), newest AS MATERIALIZED (
  -- Sorted, so that only the page's transactions are joined: log indexes increase with transaction indexes.
  SELECT block_number, transaction_index FROM candidates ORDER BY block_number DESC, transaction_index DESC
), page AS MATERIALIZED (
  SELECT e.*, p.pool_address AS pool, t.hash, t.from_address
  FROM newest c
  CROSS JOIN LATERAL (
    SELECT 'swap' AS action, s.contract, s.pool_id, s.block_number, s.transaction_index, s.log_index, NULL::bytea AS provider,
      ARRAY[s.token_in, s.token_out] AS tokens, ARRAY[s.amount_in, -s.amount_out] AS deltas
    FROM swaps s WHERE s.chain_id = :chain AND s.block_number = c.block_number AND s.transaction_index = c.transaction_index
    UNION ALL
    SELECT CASE WHEN 0 > ANY (b.deltas) THEN 'exit' WHEN 0 < ANY (b.deltas) THEN 'join' ELSE 'balance_change' END,
      b.contract, b.pool_id, b.block_number, b.transaction_index, b.log_index, b.liquidity_provider, b.tokens, b.deltas
    FROM balance_changes b WHERE b.chain_id = :chain AND b.block_number = c.block_number AND b.transaction_index = c.transaction_index
  ) e
  JOIN pools p ON p.chain_id = :chain AND p.contract = e.contract AND p.pool_id = e.pool_id AND p.block_number <= :as_of_block
  CROSS JOIN LATERAL (
    SELECT t.hash, t.from_address FROM api.transactions t
    WHERE t.chain_id = :chain AND t.block_number = e.block_number AND t.transaction_index = e.transaction_index LIMIT 1) t
  WHERE t.from_address = :wallet OR e.provider = :wallet
    OR EXISTS (
      SELECT 1 FROM api.transfers m
      WHERE m.chain_id = :chain AND m.from_address = :wallet AND m.token = ANY (e.tokens || p.pool_address) AND m.block_number = c.block_number
        AND m.transaction_index = c.transaction_index)
    OR EXISTS (
      SELECT 1 FROM api.transfers m
      WHERE m.chain_id = :chain AND m.to_address = :wallet AND m.token = ANY (e.tokens || p.pool_address) AND m.block_number = c.block_number
        AND m.transaction_index = c.transaction_index)
  ORDER BY c.block_number DESC, c.transaction_index DESC, e.log_index DESC
  LIMIT :limit OFFSET :offset
), timed AS MATERIALIZED (
  SELECT p.*, b.timestamp FROM page p JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
), entries AS MATERIALIZED (
  SELECT t.*, e.token, e.delta, e.position, e.token = t.pool AS is_share
  FROM timed t CROSS JOIN LATERAL unnest(t.tokens, t.deltas) WITH ORDINALITY AS e (token, delta, position)
), prices AS MATERIALIZED (
  SELECT e.token, e.hour, (SELECT p.unit_price FROM api.prices_at(:chain, e.hour * 3600) p WHERE p.token = e.token) AS unit_price
  FROM (SELECT DISTINCT token, timestamp / 3600 AS hour FROM entries WHERE NOT is_share) e
), totals AS MATERIALIZED (
  -- The value of the tokens that were exchanged for shares of the pool.
  SELECT e.block_number, e.log_index,
    CASE WHEN bool_and(e.delta = 0 OR p.unit_price IS NOT NULL) THEN sum(COALESCE(abs(e.delta) * p.unit_price, 0)) END AS quote
  FROM entries e LEFT JOIN prices p ON p.token = e.token AND p.hour = e.timestamp / 3600
  WHERE NOT e.is_share
  GROUP BY e.block_number, e.log_index
), deposited AS MATERIALIZED (
  -- Shares that the vault received from the wallet.
  SELECT block_number, log_index, sum(delta) AS shares FROM entries WHERE is_share AND provider = :wallet GROUP BY block_number, log_index
), legs AS (
  SELECT e.block_number, e.log_index, e.position, e.is_share, e.token, e.timestamp, e.delta
  FROM entries e
  WHERE e.delta <> 0 AND (e.action = 'swap' OR NOT e.is_share) AND (
    (e.provider = :wallet AND e.delta > 0)
    OR EXISTS (
      SELECT 1 FROM api.transfers m
      WHERE m.chain_id = :chain AND m.from_address = :wallet AND m.token = e.token AND m.block_number = e.block_number
        AND m.transaction_index = e.transaction_index AND e.delta > 0)
    OR EXISTS (
      SELECT 1 FROM api.transfers m
      WHERE m.chain_id = :chain AND m.to_address = :wallet AND m.token = e.token AND m.block_number = e.block_number
        AND m.transaction_index = e.transaction_index AND e.delta < 0)
    -- Native currency and internal balances have no transfers: their amounts are attributed to the sender or the liquidity provider.
    OR ((e.from_address = :wallet OR e.provider = :wallet)
      AND NOT EXISTS (
        SELECT 1 FROM api.transfers m
        WHERE m.chain_id = :chain AND m.to_address = e.contract AND m.token = e.token AND m.block_number = e.block_number
          AND m.transaction_index = e.transaction_index AND e.delta > 0)
      AND NOT EXISTS (
        SELECT 1 FROM api.transfers m
        WHERE m.chain_id = :chain AND m.from_address = e.contract AND m.token = e.token AND m.block_number = e.block_number
          AND m.transaction_index = e.transaction_index AND e.delta < 0)
      -- A multi-step swap has no transfers of the intermediate tokens.
      AND NOT EXISTS (
        SELECT 1 FROM swaps s
        WHERE s.chain_id = :chain AND s.block_number = e.block_number AND s.transaction_index = e.transaction_index
          AND ((e.delta > 0 AND s.token_out = e.token) OR (e.delta < 0 AND s.token_in = e.token)))))
  UNION ALL
  -- Shares that the wallet received or sent since the pool's preceding event in the transaction, excluding those that the vault received.
  SELECT t.block_number, t.log_index, 0, true, t.pool, t.timestamp, -net.shares
  FROM timed t
  LEFT JOIN LATERAL (
    SELECT max(b.log_index) FILTER (WHERE b.log_index < t.log_index) AS preceding, max(b.log_index) AS last
    FROM balance_changes b
    WHERE b.chain_id = :chain AND b.block_number = t.block_number AND b.transaction_index = t.transaction_index AND b.pool_id = t.pool_id) own ON true
  LEFT JOIN deposited d ON d.block_number = t.block_number AND d.log_index = t.log_index
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(m.amount), 0) - COALESCE(d.shares, 0) AS shares
    FROM (
      SELECT amount, log_index FROM api.transfers
      WHERE chain_id = :chain AND to_address = :wallet AND token = t.pool AND block_number = t.block_number
        AND transaction_index = t.transaction_index AND from_address <> t.contract
      UNION ALL
      SELECT -amount, log_index FROM api.transfers
      WHERE chain_id = :chain AND from_address = :wallet AND token = t.pool AND block_number = t.block_number
        AND transaction_index = t.transaction_index AND to_address <> t.contract
    ) m
    WHERE m.log_index > COALESCE(own.preceding, -1) AND (own.last = t.log_index OR m.log_index < t.log_index)
  ) net
  WHERE t.action <> 'swap' AND net.shares <> 0
), valued AS (
  SELECT l.block_number, l.log_index, l.position, l.token, abs(l.delta) AS amount, CASE WHEN l.delta > 0 THEN 'OUT' ELSE 'IN' END AS direction,
    token.name, token.symbol, token.decimals,
    CASE WHEN l.is_share THEN t.quote * power(10::numeric, token.decimals) / abs(l.delta)
      ELSE p.unit_price * power(10::numeric, token.decimals) END AS rate,
    CASE WHEN l.is_share THEN t.quote ELSE abs(l.delta) * p.unit_price END AS quote
  FROM legs l
  LEFT JOIN totals t ON t.block_number = l.block_number AND t.log_index = l.log_index
  LEFT JOIN prices p ON p.token = l.token AND p.hour = l.timestamp / 3600
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = l.token
), sums AS (
  SELECT v.block_number, v.log_index,
    json_agg(json_build_object(
      'direction', v.direction,
      'contract_address', '0x' || encode(v.token, 'hex'),
      'contract_name', v.name,
      'contract_ticker_symbol', v.symbol,
      'contract_decimals', v.decimals,
      'amount', v.amount::text,
      'quote_rate', v.rate,
      'quote', v.quote) ORDER BY v.direction DESC, v.position) AS amounts,
    count(*) FILTER (WHERE v.direction = 'OUT') AS paid,
    CASE WHEN bool_and(v.quote IS NOT NULL) FILTER (WHERE v.direction = 'OUT') THEN sum(v.quote) FILTER (WHERE v.direction = 'OUT') END AS paid_quote,
    CASE WHEN bool_and(v.quote IS NOT NULL) FILTER (WHERE v.direction = 'IN') THEN sum(v.quote) FILTER (WHERE v.direction = 'IN') END AS received_quote
  FROM valued v
  GROUP BY v.block_number, v.log_index
)
SELECT
  t.timestamp AS block_signed_at,
  t.block_number AS block_height,
  t.hash AS tx_hash,
  t.transaction_index AS tx_offset,
  t.log_index AS log_offset,
  t.action,
  t.pool AS pool_address,
  t.from_address,
  COALESCE(s.amounts, '[]') AS amounts,
  CASE WHEN s.paid > 0 THEN s.paid_quote ELSE s.received_quote END AS total_quote
FROM timed t
LEFT JOIN sums s ON s.block_number = t.block_number AND s.log_index = t.log_index
ORDER BY t.block_number DESC, t.log_index DESC
