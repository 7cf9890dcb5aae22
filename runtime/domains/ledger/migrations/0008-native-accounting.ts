import type { Knex } from "knex";

/**
 * `account_balances` has the native balances of the accounts that a block touched, as the node returned them for the block and for its parent; null if the
 * node lacked that state. The primary key serves roll-backs and reads of the balances with their blocks.
 * `native_accounting` is the source of native balances since the first indexed block of the chain: traces, state or none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE account_balances (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      address bytea NOT NULL,
      balance numeric(78,0),
      balance_before numeric(78,0),
      PRIMARY KEY (chain_id, block_number, address)
    );
    ALTER TABLE chains ADD COLUMN native_accounting text CHECK (native_accounting IN ('traces', 'state', 'none'));
    UPDATE chains SET native_accounting = CASE WHEN 'native-balances' = ANY (missing) THEN 'none' ELSE 'traces' END;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE chains DROP COLUMN native_accounting; DROP TABLE account_balances");
}
