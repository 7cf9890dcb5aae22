-- The amounts that the wallet has supplied to each market, and its debts.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), held AS (
  SELECT m.contract AS market, sum(m.amount) AS tokens
  FROM (
    SELECT t.contract, t.amount FROM transfers t WHERE t.chain_id = :chain AND t.to_address = :wallet AND t.block_number <= :as_of_block
    UNION ALL
    SELECT t.contract, -t.amount FROM transfers t WHERE t.chain_id = :chain AND t.from_address = :wallet AND t.block_number <= :as_of_block
  ) m
  GROUP BY m.contract
  -- Minted tokens come from the market itself, whose own sum is negative.
  HAVING sum(m.amount) > 0
), read AS (
  SELECT h.market, h.tokens, a.asset, reading.tokens AS supply, reading.reserves, reading.cash, reading.counts_cash,
    -- Supply and reserves change only in blocks in which interest accrues: until the next accrual, the readings are still current.
    CASE WHEN accrued.block_number > reading.block_number THEN reading.block_number ELSE :as_of_block END AS block_number
  FROM held h
  LEFT JOIN LATERAL (
    SELECT COALESCE(r.asset, '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea) AS asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = h.market AND r.block_number <= :as_of_block
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
    WHERE s.chain_id = :chain AND s.contract = h.market AND s.block_number <= :as_of_block
    ORDER BY s.block_number DESC LIMIT 1) reading ON true
  LEFT JOIN LATERAL (
    SELECT i.block_number FROM accruals i
    WHERE i.chain_id = :chain AND i.contract = h.market AND i.block_number <= :as_of_block
    ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1) accrued ON true
), supplied AS (
  SELECT r.market, r.asset,
    -- exchangeRateStored() is (cash + borrows - reserves) * 10^18 / supply; both divisions truncate.
    CASE WHEN r.asset IS NULL THEN r.tokens
      WHEN held.cash + lent.total_borrows >= r.reserves
      THEN div(r.tokens * div((held.cash + lent.total_borrows - r.reserves) * 1e18, NULLIF(r.supply, 0)), 1e18) END AS amount
  FROM read r
  -- Transfers of the asset to a market change its cash without a market event, unless it counts its cash itself.
  CROSS JOIN LATERAL (
    SELECT CASE WHEN r.counts_cash THEN r.cash ELSE COALESCE((
      SELECT b.balance FROM api.balances_at(:chain, r.block_number) b WHERE b.owner = r.market AND b.token = r.asset LIMIT 1), r.cash) END AS cash) held
  LEFT JOIN LATERAL (
    SELECT t.total_borrows FROM (
      (SELECT i.total_borrows, i.block_number, i.log_index FROM accruals i
       WHERE i.chain_id = :chain AND i.contract = r.market AND i.block_number <= r.block_number
       ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1)
      UNION ALL
      (SELECT d.total_borrows, d.block_number, d.log_index FROM debts d
       WHERE d.chain_id = :chain AND d.contract = r.market AND d.block_number <= r.block_number
       ORDER BY d.block_number DESC, d.log_index DESC LIMIT 1)
      -- Nothing is lent before the first event of a listed market.
      UNION ALL
      (SELECT 0, c.block_number, -1 FROM contracts c
       WHERE c.chain_id = :chain AND c.address = r.market AND c.kind = 'market' AND c.log_index IS NOT NULL)) t
    ORDER BY t.block_number DESC, t.log_index DESC LIMIT 1) lent ON true
), owed AS (
  SELECT c.address AS market, a.asset,
    -- borrowBalanceStored(): the principal grows with the borrow index, which is 10^18 until interest accrues.
    div(debt.account_borrows * COALESCE(newest.borrow_index, 1e18), NULLIF(COALESCE(since.borrow_index, 1e18), 0)) AS amount
  FROM contracts c
  CROSS JOIN LATERAL (
    SELECT d.account_borrows, d.block_number, d.log_index FROM debts d
    WHERE d.chain_id = :chain AND d.borrower = :wallet AND d.contract = c.address AND d.block_number <= :as_of_block
    ORDER BY d.block_number DESC, d.log_index DESC LIMIT 1) debt
  LEFT JOIN LATERAL (
    SELECT i.borrow_index FROM accruals i
    WHERE i.chain_id = :chain AND i.contract = c.address AND i.block_number <= :as_of_block
    ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1) newest ON true
  LEFT JOIN LATERAL (
    SELECT i.borrow_index FROM accruals i
    WHERE i.chain_id = :chain AND i.contract = c.address AND (i.block_number, i.log_index) < (debt.block_number, debt.log_index)
    ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1) since ON true
  LEFT JOIN LATERAL (
    SELECT COALESCE(r.asset, '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea) AS asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = c.address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  WHERE c.chain_id = :chain AND c.kind = 'market' AND c.block_number <= :as_of_block AND debt.account_borrows > 0
), positions AS MATERIALIZED (
  SELECT market, asset, 'supplied' AS position, amount FROM supplied
  UNION ALL
  SELECT market, asset, 'borrowed', CASE WHEN asset IS NOT NULL THEN amount END FROM owed
), prices AS MATERIALIZED (
  SELECT t.asset, quote.unit_price
  FROM (SELECT DISTINCT asset FROM positions) t
  CROSS JOIN LATERAL (
    SELECT q.unit_price FROM current_block b, api.prices_at(:chain, b.timestamp) q WHERE q.token = t.asset LIMIT 1) quote
), page AS (
  SELECT p.*, unit.decimals, CASE WHEN unit.decimals IS NOT NULL THEN prices.unit_price END AS unit_price
  FROM positions p
  LEFT JOIN LATERAL (
    SELECT CASE WHEN p.asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea THEN 18
      ELSE (SELECT t.decimals FROM api.tokens t WHERE t.chain_id = :chain AND t.address = COALESCE(p.asset, p.market)) END AS decimals) unit ON true
  LEFT JOIN prices ON prices.asset = p.asset
  ORDER BY p.amount * CASE WHEN unit.decimals IS NOT NULL THEN prices.unit_price END DESC NULLS LAST, p.market, p.position
  LIMIT :limit OFFSET :offset
)
SELECT
  p.market AS pool_address,
  receipt.name AS pool_name,
  p.position,
  COALESCE(p.asset, p.market) AS contract_address,
  token.name AS contract_name,
  token.symbol AS contract_ticker_symbol,
  p.decimals AS contract_decimals,
  p.amount AS balance,
  p.unit_price * power(10::numeric, p.decimals) AS quote_rate,
  p.amount * p.unit_price AS quote
FROM page p
LEFT JOIN api.tokens receipt ON receipt.chain_id = :chain AND receipt.address = p.market
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = COALESCE(p.asset, p.market)
ORDER BY quote DESC NULLS LAST, pool_address, p.position
