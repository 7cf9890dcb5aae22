-- The wallet's exchanges, additions and removals of liquidity, newest first. A positive delta is an amount that the pool received.
WITH registries AS MATERIALIZED (
  SELECT address FROM contracts WHERE chain_id = :chain AND kind = 'registry'
), registered AS MATERIALIZED (
  SELECT DISTINCT ON (r.pool) r.pool, NULLIF(r.token, '\x0000000000000000000000000000000000000000'::bytea) AS token
  FROM registries g JOIN registered_token r ON r.chain_id = :chain AND r.contract = g.address AND r.block_number <= :as_of_block
  ORDER BY r.pool, r.block_number DESC, r.contract
), lp_tokens AS MATERIALIZED (
  SELECT DISTINCT ON (contract) contract AS pool, token FROM lp_token
  WHERE chain_id = :chain AND block_number <= :as_of_block ORDER BY contract DESC, block_number DESC
), pool_tokens AS MATERIALIZED (
  SELECT DISTINCT ON (contract) contract AS pool, token FROM pool_token
  WHERE chain_id = :chain AND block_number <= :as_of_block ORDER BY contract DESC, block_number DESC
), pools AS MATERIALIZED (
  -- A pool without a separate pool token is its own pool token.
  SELECT c.address AS pool,
    COALESCE(r.token, n.token, o.token, CASE WHEN n.pool IS NOT NULL AND o.pool IS NOT NULL THEN c.address END) AS lp_token
  FROM contracts c
  LEFT JOIN registered r ON r.pool = c.address
  LEFT JOIN lp_tokens n ON n.pool = c.address
  LEFT JOIN pool_tokens o ON o.pool = c.address
  WHERE c.chain_id = :chain AND c.kind = 'pool' AND c.block_number <= :as_of_block
), coins AS MATERIALIZED (
  SELECT DISTINCT ON (c.contract, c.i) c.contract AS pool, c.i, c.coin
  FROM (
    SELECT contract, i, coin FROM coin WHERE chain_id = :chain AND block_number <= :as_of_block AND coin IS NOT NULL
    UNION ALL
    SELECT contract, i, coin FROM early_coin WHERE chain_id = :chain AND block_number <= :as_of_block AND coin IS NOT NULL
  ) c
  ORDER BY c.contract, c.i
), own_events AS MATERIALIZED (
  -- Events that name the wallet are always actions. They are sorted like the page, so only as many as fill it are needed.
  SELECT u.block_number, u.transaction_index FROM (
    (SELECT block_number, transaction_index, log_index FROM exchanges
     WHERE chain_id = :chain AND buyer = :wallet AND block_number <= :as_of_block
     ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
    UNION ALL
    (SELECT block_number, transaction_index, log_index FROM underlying_exchanges
     WHERE chain_id = :chain AND buyer = :wallet AND block_number <= :as_of_block
     ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
    UNION ALL
    (SELECT block_number, transaction_index, log_index FROM additions
     WHERE chain_id = :chain AND provider = :wallet AND block_number <= :as_of_block
     ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
    UNION ALL
    (SELECT block_number, transaction_index, log_index FROM removals
     WHERE chain_id = :chain AND provider = :wallet AND block_number <= :as_of_block
     ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
    UNION ALL
    (SELECT block_number, transaction_index, log_index FROM imbalanced_removals
     WHERE chain_id = :chain AND provider = :wallet AND block_number <= :as_of_block
     ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
    UNION ALL
    (SELECT block_number, transaction_index, log_index FROM single_removals
     WHERE chain_id = :chain AND provider = :wallet AND block_number <= :as_of_block
     ORDER BY block_number DESC, log_index DESC LIMIT :limit::int8 + :offset::int8)
    ) u
    ORDER BY u.block_number DESC, u.log_index DESC LIMIT :limit::int8 + :offset::int8
), oldest AS MATERIALIZED (
  -- If these events fill the page, it has no older actions.
  SELECT CASE WHEN count(*) < :limit::int8 + :offset::int8 THEN 0 ELSE min(block_number) END AS block_number FROM own_events
), candidates AS MATERIALIZED (
  SELECT i.block_number, i.transaction_index
  FROM (
    SELECT a.block_number, a.transaction_index FROM api.address_transactions a
    WHERE a.chain_id = :chain AND a.address = :wallet AND a.block_number <= :as_of_block AND a.block_number >= (SELECT block_number FROM oldest)
    UNION
    SELECT m.block_number, m.transaction_index FROM api.transfer_transactions m
    WHERE m.chain_id = :chain AND m.address = :wallet AND m.block_number <= :as_of_block AND m.block_number >= (SELECT block_number FROM oldest)
    UNION
    -- A coin may be the native currency.
    SELECT m.block_number, m.transaction_index FROM api.transfers m
    WHERE m.chain_id = :chain AND m.from_address = :wallet AND m.token = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea
      AND m.block_number <= :as_of_block AND m.block_number >= (SELECT block_number FROM oldest)
    UNION
    SELECT m.block_number, m.transaction_index FROM api.transfers m
    WHERE m.chain_id = :chain AND m.to_address = :wallet AND m.token = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea
      AND m.block_number <= :as_of_block AND m.block_number >= (SELECT block_number FROM oldest)
    UNION
    SELECT block_number, transaction_index FROM own_events
  ) i
  ORDER BY i.block_number DESC, i.transaction_index DESC
), page AS MATERIALIZED (
  SELECT e.*, sent.hash, sent.from_address, sent.to_address, sent.from_address = :wallet OR e.account = :wallet AS is_own
  FROM candidates c
  -- In the order of the candidates, so that only the page's transactions are joined.
  CROSS JOIN LATERAL (
    SELECT 'exchange' AS action, e.contract AS pool, e.block_number, e.transaction_index, e.log_index, e.buyer AS account,
      ARRAY[e.sold_id, e.bought_id] AS ids, ARRAY[e.tokens_sold, -e.tokens_bought] AS amounts, 1 AS sign
    FROM exchanges e WHERE e.chain_id = :chain AND e.block_number = c.block_number AND e.transaction_index = c.transaction_index
    UNION ALL
    SELECT 'exchange_underlying', e.contract, e.block_number, e.transaction_index, e.log_index, e.buyer, NULL, NULL, 1
    FROM underlying_exchanges e WHERE e.chain_id = :chain AND e.block_number = c.block_number AND e.transaction_index = c.transaction_index
    UNION ALL
    SELECT 'add_liquidity', e.contract, e.block_number, e.transaction_index, e.log_index, e.provider, NULL, e.token_amounts, 1
    FROM additions e WHERE e.chain_id = :chain AND e.block_number = c.block_number AND e.transaction_index = c.transaction_index
    UNION ALL
    SELECT 'remove_liquidity', e.contract, e.block_number, e.transaction_index, e.log_index, e.provider, NULL, e.token_amounts, -1
    FROM removals e WHERE e.chain_id = :chain AND e.block_number = c.block_number AND e.transaction_index = c.transaction_index
    UNION ALL
    SELECT 'remove_liquidity_imbalance', e.contract, e.block_number, e.transaction_index, e.log_index, e.provider, NULL, e.token_amounts, -1
    FROM imbalanced_removals e WHERE e.chain_id = :chain AND e.block_number = c.block_number AND e.transaction_index = c.transaction_index
    UNION ALL
    SELECT 'remove_liquidity_one_coin', e.contract, e.block_number, e.transaction_index, e.log_index, e.provider,
      -- Early events do not contain the coin's id: it is the coin whose amount the pool transferred, or otherwise the native currency.
      ARRAY[COALESCE(e.token_id, paid.i)], ARRAY[e.coin_amount], -1
    FROM single_removals e
    LEFT JOIN LATERAL (
      SELECT k.i FROM coins k
      LEFT JOIN api.transfers m ON m.chain_id = :chain AND m.from_address = e.contract AND m.token = k.coin AND m.block_number = e.block_number
        AND m.transaction_index = e.transaction_index AND m.amount = e.coin_amount AND m.log_index < e.log_index
      WHERE e.token_id IS NULL AND k.pool = e.contract
        AND (m.log_index IS NOT NULL OR k.coin = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea)
      ORDER BY m.log_index DESC NULLS LAST LIMIT 1) paid ON true
    WHERE e.chain_id = :chain AND e.block_number = c.block_number AND e.transaction_index = c.transaction_index
  ) e
  CROSS JOIN LATERAL (
    SELECT t.hash, t.from_address, t.to_address FROM api.transactions t
    WHERE t.chain_id = :chain AND t.block_number = e.block_number AND t.transaction_index = e.transaction_index LIMIT 1) sent
  WHERE sent.from_address = :wallet OR e.account = :wallet
    OR EXISTS (
      SELECT 1
      FROM (
        -- Lookups of single coins: few candidates reach this condition, and a scan of all coins takes as long as tens of lookups.
        SELECT k.coin AS token, a.amount * e.sign AS delta
        FROM unnest(e.amounts, e.ids) WITH ORDINALITY AS a (amount, id, position)
        CROSS JOIN LATERAL (
          SELECT k.coin FROM coin k
          WHERE k.chain_id = :chain AND k.contract = e.pool AND k.i = COALESCE(a.id, a.position - 1) AND k.block_number <= :as_of_block
          UNION ALL
          SELECT k.coin FROM early_coin k
          WHERE k.chain_id = :chain AND k.contract = e.pool AND k.i = COALESCE(a.id, a.position - 1) AND k.block_number <= :as_of_block) k
        UNION ALL
        -- Any amount of pool tokens.
        SELECT p.lp_token, NULL FROM pools p WHERE p.pool = e.pool AND (e.action = 'add_liquidity' OR e.sign < 0)) x
      CROSS JOIN LATERAL (
        SELECT 1 FROM api.transfers m
        WHERE m.chain_id = :chain AND m.from_address = :wallet AND m.token = x.token AND m.block_number = e.block_number
          AND m.transaction_index = e.transaction_index AND (m.amount = x.delta OR (x.delta IS NULL AND e.sign < 0))
        UNION ALL
        SELECT 1 FROM api.transfers m
        WHERE m.chain_id = :chain AND m.to_address = :wallet AND m.token = x.token AND m.block_number = e.block_number
          AND m.transaction_index = e.transaction_index AND (m.amount = -x.delta OR (x.delta IS NULL AND e.action = 'add_liquidity'))) m)
  ORDER BY c.block_number DESC, c.transaction_index DESC, e.log_index DESC
  LIMIT :limit OFFSET :offset
), legs AS MATERIALIZED (
  SELECT e.action, e.pool, e.block_number, e.transaction_index, e.log_index, e.account, e.to_address, e.is_own,
    k.i, k.coin AS token, false AS is_share, NULL::bytea AS holder, a.amount * e.sign AS delta
  FROM page e
  CROSS JOIN LATERAL unnest(e.amounts, e.ids) WITH ORDINALITY AS a (amount, id, position)
  JOIN coins k ON k.pool = e.pool AND k.i = COALESCE(a.id, a.position - 1)
  WHERE a.amount <> 0
  UNION ALL
  -- The last pool tokens that were minted or burned before the event.
  SELECT e.action, e.pool, e.block_number, e.transaction_index, e.log_index, e.account, e.to_address, e.is_own,
    -1, p.lp_token, true, s.holder, s.delta
  FROM page e
  JOIN pools p ON p.pool = e.pool
  CROSS JOIN LATERAL (
    SELECT m.to_address AS holder, -m.amount AS delta, m.log_index FROM api.transfers m
    WHERE e.action = 'add_liquidity' AND m.chain_id = :chain AND m.from_address = '\x0000000000000000000000000000000000000000'::bytea
      AND m.token = p.lp_token AND m.block_number = e.block_number AND m.transaction_index = e.transaction_index AND m.log_index < e.log_index
    UNION ALL
    SELECT m.from_address, m.amount, m.log_index FROM api.transfers m
    WHERE e.sign < 0 AND m.chain_id = :chain AND m.to_address = '\x0000000000000000000000000000000000000000'::bytea
      AND m.token = p.lp_token AND m.block_number = e.block_number AND m.transaction_index = e.transaction_index AND m.log_index < e.log_index
    ORDER BY log_index DESC LIMIT 1) s
), moved AS MATERIALIZED (
  SELECT l.*,
    CASE
      WHEN wallet.has_transfer THEN true
      WHEN NOT l.is_own THEN false
      WHEN l.is_share AND l.holder <> l.account THEN false
      -- A router pays and receives on behalf of the sender, unless another account gave the amount to the router or received it.
      WHEN l.delta > 0 THEN NOT EXISTS (
        SELECT 1 FROM api.transfers m
        WHERE m.chain_id = :chain AND m.to_address IN (l.pool, l.account, l.to_address) AND m.token = l.token AND m.block_number = l.block_number
          AND m.transaction_index = l.transaction_index AND m.amount = l.delta AND m.from_address NOT IN (l.account, l.to_address)
          AND NOT EXISTS (SELECT 1 FROM pools previous WHERE previous.pool = m.from_address))
      ELSE NOT EXISTS (
        SELECT 1 FROM api.transfers m
        WHERE m.chain_id = :chain AND m.from_address IN (l.pool, l.account, l.to_address) AND m.token = l.token AND m.block_number = l.block_number
          AND m.transaction_index = l.transaction_index AND m.amount = -l.delta AND m.to_address NOT IN (l.account, l.to_address)
          AND NOT EXISTS (SELECT 1 FROM pools next WHERE next.pool = m.to_address))
    END AS is_moved
  FROM legs l
  CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT 1 FROM api.transfers m
        WHERE l.delta > 0 AND m.chain_id = :chain AND m.from_address = :wallet AND m.token = l.token AND m.block_number = l.block_number
          AND m.transaction_index = l.transaction_index AND m.amount = l.delta)
      OR EXISTS (
        SELECT 1 FROM api.transfers m
        WHERE l.delta < 0 AND m.chain_id = :chain AND m.to_address = :wallet AND m.token = l.token AND m.block_number = l.block_number
          AND m.transaction_index = l.transaction_index AND m.amount = -l.delta) AS has_transfer) wallet
), timed AS MATERIALIZED (
  SELECT p.*, b.timestamp FROM page p JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
), valued AS MATERIALIZED (
  SELECT t.block_number, t.log_index, m.i, m.token, m.is_share, m.is_moved, m.delta, token.name, token.symbol, priced.decimals, priced.price,
    abs(m.delta) * priced.unit_price AS quote
  FROM timed t
  JOIN moved m ON m.block_number = t.block_number AND m.log_index = t.log_index
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = m.token
  LEFT JOIN LATERAL (
    SELECT p.price, p.unit_price FROM api.prices_at(:chain, t.timestamp) p WHERE NOT m.is_share AND p.token = m.token) q ON true
  -- The native currency has 18 decimals and no contract.
  CROSS JOIN LATERAL (SELECT m.token = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea AS is_native) coin_kind
  CROSS JOIN LATERAL (
    SELECT CASE WHEN coin_kind.is_native THEN 18 ELSE token.decimals END AS decimals,
      CASE WHEN coin_kind.is_native THEN q.unit_price * 1e18 ELSE q.price END AS price,
      CASE WHEN coin_kind.is_native OR q.price IS NOT NULL THEN q.unit_price END AS unit_price) priced
), shown AS (
  SELECT w.block_number, w.log_index, w.i, w.token, w.name, w.symbol, w.decimals, abs(w.delta) AS amount,
    CASE WHEN w.delta > 0 THEN 'OUT' ELSE 'IN' END AS direction,
    CASE WHEN w.is_share THEN w.total * power(10::numeric, w.decimals) / abs(w.delta) ELSE w.price END AS rate,
    CASE WHEN w.is_share THEN w.total ELSE w.quote END AS quote
  FROM (
    -- The total value of the amounts that were exchanged for pool tokens.
    SELECT v.*, CASE WHEN count(v.quote) FILTER (WHERE NOT v.is_share) OVER event = count(*) FILTER (WHERE NOT v.is_share) OVER event
      THEN sum(v.quote) FILTER (WHERE NOT v.is_share) OVER event END AS total
    FROM valued v WINDOW event AS (PARTITION BY v.block_number, v.log_index)) w
  WHERE w.is_moved AND w.delta <> 0
), sums AS MATERIALIZED (
  SELECT s.block_number, s.log_index,
    json_agg(json_build_object(
      'direction', s.direction,
      'contract_address', '0x' || encode(s.token, 'hex'),
      'contract_name', s.name,
      'contract_ticker_symbol', s.symbol,
      'contract_decimals', s.decimals,
      'amount', s.amount::text,
      'quote_rate', s.rate,
      'quote', s.quote) ORDER BY s.direction DESC, s.i) AS amounts,
    count(*) FILTER (WHERE s.direction = 'OUT') AS paid,
    CASE WHEN bool_and(s.quote IS NOT NULL) FILTER (WHERE s.direction = 'OUT') THEN sum(s.quote) FILTER (WHERE s.direction = 'OUT') END AS paid_quote,
    CASE WHEN bool_and(s.quote IS NOT NULL) FILTER (WHERE s.direction = 'IN') THEN sum(s.quote) FILTER (WHERE s.direction = 'IN') END AS received_quote
  FROM shown s
  GROUP BY s.block_number, s.log_index
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
