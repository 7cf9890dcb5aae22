import type { Address } from "../../runtime/lib/hex.ts";

/** The constant-product exchanges of the preset eth-mainnet, with their pools' common fee as a factor. */
export const exchanges: readonly { readonly name: string; readonly factory: Address; readonly fee: number }[] = [
  { name: "uniswap_v2", factory: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f", fee: 0.003 },
  { name: "sushiswap", factory: "0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac", fee: 0.003 },
];
