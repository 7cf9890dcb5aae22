import type { Address, Hash, Hex } from "../lib/hex.ts";

/** The tables that statements are composed over (compose.ts), with the values that their columns are read as. */
interface Block {
  chain_id: number;
  number: number;
  hash: Hash;
  parent_hash: Hash;
  timestamp: number;
  miner: Address;
  extra_data: Hex;
  gas_used: number;
  gas_limit: string;
  base_fee: string | null;
  size: number;
  transaction_count: number;
}

interface Log {
  chain_id: number;
  block_number: number;
  log_index: number;
  transaction_index: number;
  address: Address;
  topic0: Hash | null;
  topic1: Hash | null;
  topic2: Hash | null;
  topic3: Hash | null;
  data: Hex;
}

declare module "knex/types/tables.js" {
  interface Tables {
    blocks: Block;
    logs: Log;
  }
}
