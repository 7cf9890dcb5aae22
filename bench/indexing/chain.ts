import type { Address } from "../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../test/support/chain.ts";
import { createRandom, hexOf } from "../support/random.ts";

/** The size of a generated history. */
export interface HistorySize {
  /** ERC-20 transfers, including mints. */
  readonly transfers: number;
  /** Blocks above the genesis block, including the one that deploys the token. */
  readonly blocks: number;
}

export interface History extends TestChain {
  readonly transfers: number;
  readonly token: Address;
}

const senderCount = 500;
const recipientCount = 5_000;
const start = 1_700_000_100;
const blockSeconds = 12;

/** Starts a node with a transfer history of one ERC-20 token. The same size generates the same history. */
export async function startHistory(size: HistorySize, cacheFolder: string): Promise<History> {
  // Past states are not needed and would take gigabytes.
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    const token = await buildHistory(chain, size);
    return { ...chain, transfers: size.transfers, token };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

async function buildHistory(chain: TestChain, { transfers, blocks }: HistorySize): Promise<Address> {
  const erc20 = artifacts.erc20();
  const accounts = Array.from({ length: senderCount }, (_, index) => hexOf(1, index, 5));
  await chain.batch(accounts.map((account) => ({ method: "anvil_setBalance", params: [account, `0x${(10n ** 24n).toString(16)}`] })));
  const token = await chain.deploy(erc20, ["Ledger Coin", "LEDGER"]);
  const movements = planTransfers(transfers, accounts);
  for (let block = 1, sent = 0; block < blocks; block += 1) {
    const until = Math.floor((transfers * block) / (blocks - 1));
    const calls: TestTransaction[] = movements
      .slice(sent, until)
      .map(({ from, to, amount }) =>
        from === null
          ? { ...encodeCall(erc20, token, "mint", [to, amount]), gas: 200_000n }
          : { from, ...encodeCall(erc20, token, "transfer", [to, amount]), gas: 200_000n },
      );
    sent = until;
    await chain.send(...calls);
    await chain.mine(start + block * blockSeconds);
  }
  return token;
}

/** Mints for every sender, then transfers from them to random recipients. */
function planTransfers(transfers: number, accounts: readonly Address[]) {
  const random = createRandom(1);
  const pick = (count: number): number => Math.floor(random() * count);
  return Array.from({ length: transfers }, (_, index) => {
    const minted = accounts[index];
    if (minted !== undefined) return { from: null, to: minted, amount: 10n ** 27n };
    const from = accounts[pick(accounts.length)] ?? null;
    return { from, to: hexOf(2, pick(recipientCount), 5), amount: BigInt(1 + pick(1_000_000)) * 10n ** 15n };
  });
}
