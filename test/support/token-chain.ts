import { type Address, pad, toHex } from "viem";
import { artifacts, encodeCall, startTestChain, type TestChain } from "./chain.ts";

/** A chain with one token and an account that transfers it. */
export interface TokenChain {
  readonly chain: TestChain;
  readonly token: Address;
  readonly trader: Address;
  /** Adds blocks with one transfer each. */
  grow(blockCount: number): Promise<void>;
  /** Replaces the newest blocks, with a transfer in the new branch's first block, and mines one more block. */
  reorganise(depth: number): Promise<void>;
}

const erc20 = artifacts.erc20();
const initialRecipientCount = 120;
const initialBlockCount = 80;
/** Anvil miscounts one sender's nonces in large batches. */
const batchSize = 20;

const recipient = (number: number): Address => pad(toHex(0xaa_00_00 + number), { size: 20 });

/** Starts a chain with several pages of transfers, logs and holders. */
export async function startTokenChain(): Promise<TokenChain> {
  const chain = await startTestChain({ args: ["--prune-history", "5000"] });
  const trader = chain.accounts[1]?.toLowerCase() as Address;
  const token = (await chain.deploy(erc20, ["Gold", "GLD"])).toLowerCase() as Address;
  let transferCount = 0;
  const transfer = () => {
    transferCount += 1;
    const amount = BigInt(1_000 + (transferCount % 90));
    return { from: trader, ...encodeCall(erc20, token, "transfer", [recipient(transferCount), amount]), gas: 100_000n };
  };
  const grow = async (blockCount: number): Promise<void> => {
    for (let block = 0; block < blockCount; block += 1) {
      await chain.send(transfer());
      await chain.mine();
    }
  };
  await chain.send(encodeCall(erc20, token, "mint", [trader, 10n ** 30n]));
  await chain.mine();
  for (let sent = 0; sent < initialRecipientCount; sent += batchSize) await chain.send(...Array.from({ length: batchSize }, transfer));
  await chain.mine();
  await grow(initialBlockCount);
  return {
    chain,
    token,
    trader,
    grow,
    async reorganise(depth) {
      const { from, to, data, gas } = transfer();
      await chain.rpc("anvil_reorg", [depth, [[{ from, to, data, gas: toHex(gas) }, 0]]]);
      await chain.mine();
    },
  };
}
