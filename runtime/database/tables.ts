import type { Address, Hash, Hex } from "../lib/hex.ts";

/* The tables that composed statements use (compose.ts), with the types that their columns have in results. */

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

export interface Log {
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

interface Transaction {
  chain_id: number;
  block_number: number;
  transaction_index: number;
  hash: Hash;
  from_address: Address;
  to_address: Address | null;
  created_contract: Address | null;
  value: string;
  nonce: string;
  gas_limit: string;
  gas_used: number;
  gas_price: string;
  type: number;
  successful: boolean | null;
  input: Hex;
  l1_fee: string | null;
  blob_fee: string | null;
}

interface TokenStandard {
  chain_id: number;
  address: Address;
  standard: number;
  block_number: number;
}

declare module "knex/types/tables.js" {
  interface Tables {
    blocks: Block;
    logs: Log;
    token_standards: TokenStandard;
    transactions: Transaction;
  }
}
