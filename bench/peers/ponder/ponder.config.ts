import { createConfig } from "ponder";
import { parseAbi } from "viem";

const head = Number(process.env.BENCH_HEAD);

// biome-ignore lint/style/noDefaultExport: Ponder requires a default export.
export default createConfig({
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL as string },
  chains: { bench: { id: Number(process.env.BENCH_CHAIN_ID), rpc: process.env.BENCH_RPC as string } },
  contracts: {
    Token: {
      chain: "bench",
      abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
      address: process.env.BENCH_TOKEN as `0x${string}`,
      startBlock: 0,
      endBlock: head,
    },
  },
});
