import type { Knex } from "knex";

/**
 * Adds the log of what operators changed, by a command or the console; rows are only added. `chains.paused_at` is the time at which an operator paused the
 * indexing of a chain; null if it is not paused.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE operator_actions (
      id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      time timestamptz NOT NULL,
      actor text NOT NULL,
      action text NOT NULL,
      subject text NOT NULL,
      details jsonb NOT NULL
    );
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'Rows of % are only added: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
      END
    $$;
    CREATE TRIGGER operator_actions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    ALTER TABLE chains ADD COLUMN paused_at timestamptz;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE chains DROP COLUMN paused_at; DROP TABLE operator_actions; DROP FUNCTION refuse_change()");
}
