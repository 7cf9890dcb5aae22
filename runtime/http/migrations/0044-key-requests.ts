import type { Knex } from "knex";

/**
 * The requests of keys by day, operation and duration: `bucket` is the number of the first of `durationBounds` that is not exceeded. `errors` are the responses
 * with a status of 400 or more among them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE key_requests (
      key_id int8 NOT NULL,
      day date NOT NULL,
      operation text NOT NULL,
      bucket int2 NOT NULL,
      requests int8 NOT NULL,
      errors int8 NOT NULL,
      last_at timestamptz NOT NULL,
      PRIMARY KEY (key_id, day, operation, bucket)
    );
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE key_requests");
}
