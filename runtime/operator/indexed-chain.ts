import type { Queryable } from "../database/database.ts";

/** An indexed chain. */
export interface IndexedChain {
  readonly id: number;
  readonly name: string;
  /**
   * The control database, if the chain is stored in another one: actions are recorded there, before the transaction that makes the change is committed, so that
   * there is no change without a record; a failed commit leaves a record without a change.
   */
  readonly actionLog?: Pick<Queryable, "query"> | undefined;
}
