CREATE TABLE transfer (
  id text PRIMARY KEY,
  block_number numeric NOT NULL,
  timestamp numeric NOT NULL,
  transaction_hash text NOT NULL,
  "from" text NOT NULL,
  "to" text NOT NULL,
  amount numeric NOT NULL
);
CREATE TABLE account (id text PRIMARY KEY, balance numeric NOT NULL);
