import type { Knex } from "knex";

/**
 * Metadata of tokens.
 * `nft_reads` is the queue of tokens whose metadata is to be read, one row per token. `block_number` is the block in which the token first appeared, with
 * which the row is rolled back; the metadata must be read at `wanted_block` or later. A worker leases a row until `leased_until`, after which any worker may
 * claim it. `url` is the location of the document as the contract returned it at block `asked_at`, and `host` the server of the document: work is
 * distributed by host, so that a slow server does not delay other documents. Without a `url`, the contract is called first. `problem` is the reason why the
 * last attempt failed.
 * `nft_read_progress` records the block up to which new tokens and announced changes were queued; the highest row applies. `nft_refreshes` has the ranges of
 * ids to queue again: `next_id` is the next id to queue, and the range is queued once more from `from_id` if `again` is set.
 * `nft_metadata_updates` has the metadata changes that contracts announced (EIP-4906, the URI event of EIP-1155), as ranges of ids.
 * `nft_metadata` has one row per token that was read: `token_url` as the contract returned it, or null; `refusal`, the reason why there is no document or
 * what was left out of it; `document`, the text as received. `read_at_block` is the block whose state was read: a reorganisation below it deletes the row,
 * and the token is read again. `attributes` are the traits in the format of API responses. `asset_bytes` is the size of an asset that is embedded in the
 * document.
 * `nft_attributes` has the same traits as rows, for filters: each pair of trait and value once per token. Trait and value are truncated to 256 characters
 * there, so that they fit in an index entry. `number` is the value if it is a number.
 * `nft_trait_values` counts tokens by trait and value, and the entries with a `number`. `nft_traits` has the totals of a trait: entries, entries with a
 * numeric value, entries without a value, and distinct values. `nft_documents` has the totals of a collection: tokens with a document, with an embedded
 * asset, and without a document, the time of the last read, and the block of the first document. Triggers maintain all three tables, so that writes, repeated
 * reads and roll-backs do not have to; rows with a count of 0 are deleted. Text is compared by its bytes, so that it is case-sensitive and sorts the same on
 * every server.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE nft_reads (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      wanted_block int8 NOT NULL DEFAULT 0,
      url text,
      host text COLLATE "C",
      asked_at int8,
      attempts int4 NOT NULL DEFAULT 0,
      problem text,
      queued_at timestamptz NOT NULL DEFAULT now(),
      run_after timestamptz NOT NULL DEFAULT now(),
      leased_until timestamptz,
      PRIMARY KEY (chain_id, token, token_id)
    );
    CREATE INDEX nft_reads_due ON nft_reads (chain_id, run_after) WHERE host IS NULL;
    CREATE INDEX nft_reads_of_host ON nft_reads (chain_id, host, run_after) WHERE host IS NOT NULL;
    CREATE INDEX nft_reads_roll_back ON nft_reads USING brin (block_number);
    CREATE TABLE nft_read_progress (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, block_number)
    );
    CREATE TABLE nft_refreshes (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      from_id numeric(78,0) NOT NULL,
      to_id numeric(78,0) NOT NULL,
      next_id numeric(78,0) NOT NULL,
      block_number int8 NOT NULL,
      wanted_block int8 NOT NULL,
      again boolean NOT NULL DEFAULT false,
      PRIMARY KEY (chain_id, token, from_id, to_id)
    );
    CREATE INDEX nft_refreshes_order ON nft_refreshes (chain_id, block_number);
    CREATE TABLE nft_metadata_updates (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      token bytea NOT NULL,
      from_id numeric(78,0) NOT NULL,
      to_id numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, block_number, log_index)
    );
    CREATE TABLE nft_metadata (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      read_at_block int8 NOT NULL,
      read_at timestamptz NOT NULL,
      token_url text,
      refusal text,
      document text,
      name text,
      description text,
      image text,
      animation_url text,
      external_url text,
      owner text,
      attributes jsonb,
      asset_bytes int8,
      PRIMARY KEY (chain_id, token, token_id)
    );
    CREATE INDEX nft_metadata_roll_back ON nft_metadata (chain_id, read_at_block);
    CREATE INDEX nft_metadata_refused ON nft_metadata (chain_id, token, left(refusal, 200)) WHERE document IS NULL;
    CREATE TABLE nft_attributes (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      position int2 NOT NULL,
      read_at_block int8 NOT NULL,
      trait text COLLATE "C" NOT NULL,
      value text COLLATE "C",
      number numeric,
      PRIMARY KEY (chain_id, token, token_id, position)
    );
    CREATE INDEX nft_attributes_by_value ON nft_attributes (chain_id, token, trait, value, token_id);
    CREATE INDEX nft_attributes_roll_back ON nft_attributes (chain_id, read_at_block);
    CREATE TABLE nft_trait_values (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      trait text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL,
      tokens int8 NOT NULL,
      numbers int8 NOT NULL,
      number numeric,
      PRIMARY KEY (chain_id, token, trait, value)
    );
    CREATE INDEX nft_trait_values_rank ON nft_trait_values (chain_id, token, trait, tokens DESC, value);
    CREATE INDEX nft_trait_values_number ON nft_trait_values (chain_id, token, trait, number) WHERE number IS NOT NULL;
    CREATE TABLE nft_traits (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      trait text COLLATE "C" NOT NULL,
      entries int8 NOT NULL,
      numbers int8 NOT NULL,
      without_value int8 NOT NULL,
      unique_values int8 NOT NULL,
      PRIMARY KEY (chain_id, token, trait)
    );
    CREATE TABLE nft_documents (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      metadata_count int8 NOT NULL,
      asset_count int8 NOT NULL,
      refused_count int8 NOT NULL,
      last_read_at timestamptz NOT NULL,
      since_block int8,
      PRIMARY KEY (chain_id, token)
    );
  `);
  for (const [operation, rows] of attributeChanges) await knex.raw(countingTrigger("nft_attributes", operation, rows, attributeCounts));
  for (const [operation, rows] of metadataChanges) await knex.raw(countingTrigger("nft_metadata", operation, rows, documentCounts));
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE nft_documents, nft_traits, nft_trait_values, nft_attributes, nft_metadata, nft_metadata_updates, nft_refreshes, nft_read_progress, nft_reads;
    ${attributeChanges.map(([operation]) => `DROP FUNCTION ${nameOf("nft_attributes", operation)}();`).join("\n")}
    ${metadataChanges.map(([operation]) => `DROP FUNCTION ${nameOf("nft_metadata", operation)}();`).join("\n")}
  `);
}

const added = "SELECT 1 AS sign, * FROM added";
const removed = "SELECT -1 AS sign, * FROM removed";

type Operation = "INSERT" | "UPDATE" | "DELETE";
const attributeChanges: readonly (readonly [Operation, string])[] = [
  ["INSERT", added],
  ["DELETE", removed],
];
const metadataChanges: readonly (readonly [Operation, string])[] = [
  ["INSERT", added],
  // Reading a token again is a single change, so that the count of its collection's documents does not drop to 0 in between.
  ["UPDATE", `${added} UNION ALL ${removed}`],
  ["DELETE", removed],
];

const nameOf = (table: string, operation: Operation): string => `${table}_after_${operation.toLowerCase()}`;

/** A statement-level trigger. Its statements are planned at each execution: a plan cached while the tables were small would keep using sequential scans. */
const countingTrigger = (table: string, operation: Operation, rows: string, statements: readonly string[]): string => {
  const name = nameOf(table, operation);
  const transitionTables = [
    ...(operation === "DELETE" ? [] : ["NEW TABLE AS added"]),
    ...(operation === "INSERT" ? [] : ["OLD TABLE AS removed"]),
  ];
  return `
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      ${statements.map((statement) => `EXECUTE $statement$ WITH changed AS (${rows}) ${statement} $statement$;`).join("\n      ")}
      RETURN NULL;
    END $body$;
    CREATE TRIGGER ${name} AFTER ${operation} ON ${table} REFERENCING ${transitionTables.join(" ")} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`;
};

/**
 * Rows are changed in the order of their keys. Because rows with a count of 0 are deleted, a value is new if this statement added all its tokens. A row with a
 * count of 0 is deleted only after the statement has updated its trait.
 */
const attributeCounts: readonly string[] = [
  `, by_value AS (
     SELECT chain_id, token, trait, value, sum(sign) AS tokens, sum(sign) FILTER (WHERE number IS NOT NULL) AS numbers, max(number) AS number
     FROM changed WHERE value IS NOT NULL GROUP BY chain_id, token, trait, value
   ), counted AS (
     INSERT INTO nft_trait_values AS v (chain_id, token, trait, value, tokens, numbers, number)
     SELECT chain_id, token, trait, value, tokens, coalesce(numbers, 0), number FROM by_value ORDER BY chain_id, token, trait, value
     ON CONFLICT (chain_id, token, trait, value) DO UPDATE SET tokens = v.tokens + excluded.tokens, numbers = v.numbers + excluded.numbers,
       number = CASE WHEN v.numbers + excluded.numbers > 0 THEN coalesce(v.number, excluded.number) END
     RETURNING v.chain_id, v.token, v.trait, v.value, v.tokens
   ), by_trait AS (
     SELECT chain_id, token, trait, sign AS entries, CASE WHEN number IS NULL OR value IS NULL THEN 0 ELSE sign END AS numbers,
       CASE WHEN value IS NULL THEN sign ELSE 0 END AS without_value, 0 AS unique_values FROM changed
     UNION ALL
     SELECT c.chain_id, c.token, c.trait, 0, 0, 0, CASE WHEN c.tokens = b.tokens THEN 1 WHEN c.tokens = 0 THEN -1 ELSE 0 END
     FROM counted c JOIN by_value b USING (chain_id, token, trait, value)
   )
   INSERT INTO nft_traits AS t (chain_id, token, trait, entries, numbers, without_value, unique_values)
   SELECT chain_id, token, trait, sum(entries), sum(numbers), sum(without_value), sum(unique_values) FROM by_trait
   GROUP BY chain_id, token, trait ORDER BY chain_id, token, trait
   ON CONFLICT (chain_id, token, trait) DO UPDATE SET entries = t.entries + excluded.entries, numbers = t.numbers + excluded.numbers,
     without_value = t.without_value + excluded.without_value, unique_values = t.unique_values + excluded.unique_values`,
  `DELETE FROM nft_trait_values v USING (SELECT DISTINCT chain_id, token, trait, value FROM changed WHERE sign < 0) k
   WHERE v.chain_id = k.chain_id AND v.token = k.token AND v.trait = k.trait AND v.value = k.value AND v.tokens = 0`,
  `DELETE FROM nft_traits t USING (SELECT DISTINCT chain_id, token, trait FROM changed WHERE sign < 0) k
   WHERE t.chain_id = k.chain_id AND t.token = k.token AND t.trait = k.trait AND t.entries = 0`,
];

/**
 * The block of the first document is kept as long as there are documents. No document was read below that block, so a roll-back below it deletes all of them.
 */
const documentCounts: readonly string[] = [
  `INSERT INTO nft_documents AS d (chain_id, token, metadata_count, asset_count, refused_count, last_read_at, since_block)
   SELECT chain_id, token, coalesce(sum(sign) FILTER (WHERE document IS NOT NULL), 0), coalesce(sum(sign) FILTER (WHERE asset_bytes IS NOT NULL), 0),
     coalesce(sum(sign) FILTER (WHERE document IS NULL), 0), max(read_at), min(read_at_block) FILTER (WHERE document IS NOT NULL AND sign > 0)
   FROM changed GROUP BY chain_id, token ORDER BY chain_id, token
   ON CONFLICT (chain_id, token) DO UPDATE SET metadata_count = d.metadata_count + excluded.metadata_count, asset_count = d.asset_count + excluded.asset_count,
     refused_count = d.refused_count + excluded.refused_count, last_read_at = greatest(d.last_read_at, excluded.last_read_at),
     since_block = CASE WHEN d.metadata_count + excluded.metadata_count > 0 THEN least(d.since_block, excluded.since_block) END`,
  `DELETE FROM nft_documents d USING (SELECT DISTINCT chain_id, token FROM changed WHERE sign < 0) k
   WHERE d.chain_id = k.chain_id AND d.token = k.token AND d.metadata_count = 0 AND d.refused_count = 0`,
];
