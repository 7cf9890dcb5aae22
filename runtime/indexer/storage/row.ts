import type { CopyValue } from "../../database/copy.ts";

/** A row of a table by its columns' names; `chain_id` is added when it is written. */
export type Row = Readonly<Record<string, CopyValue>>;
