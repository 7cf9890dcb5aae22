import type { Row } from "../../indexer/projection.ts";
import type { BalanceKey } from "./reads-base.ts";

/** A balance that runs through a batch of blocks. */
interface Account {
  readonly key: BalanceKey;
  /** Null once it is not known: what is known of it later does not bring it back. */
  balance: bigint | null;
  change: bigint;
  touchedAt: number;
}

/** EVM words end here; a sum beyond is a token's lie. */
const largestBalance = 2n ** 256n - 1n;
/** What `change` of the history can hold (numeric(79,0)): many lies in one block could add up to more. */
const largestChange = 10n ** 79n - 1n;

const clamp = (change: bigint): bigint => (change > largestChange ? largestChange : change < -largestChange ? -largestChange : change);

/** What a key had before these blocks: a stored balance, or the one before the index began. */
export interface Opening {
  readonly balance: bigint | null;
  /** The balance is from before the index and not stored yet. */
  readonly isBase: boolean;
}

/** Running balances of a batch of blocks: each movement changes them at once, each block leaves one history row a key. */
export const createBalanceSheet = (open: (key: BalanceKey) => Opening, baseBlock: number) => {
  const accounts = new Map<string, Account>();
  const inBlock = new Set<Account>();
  const history: Row[] = [];

  const accountOf = (key: BalanceKey): Account => {
    const text = `${key.owner}${key.token}${key.standard}${key.tokenId ?? ""}`;
    const known = accounts.get(text);
    if (known !== undefined) return known;
    const { balance, isBase } = open(key);
    const account: Account = { key, balance, change: 0n, touchedAt: baseBlock };
    // A key that begins with nothing needs no row to say so.
    if (isBase && balance !== 0n) history.push({ ...columnsOf(account), block_number: baseBlock, change: 0n });
    accounts.set(text, account);
    return account;
  };

  return {
    /** Moves an amount and gives the balance right after. */
    apply: (key: BalanceKey, amount: bigint, blockNumber: number): bigint | null => {
      const account = accountOf(key);
      account.touchedAt = blockNumber;
      inBlock.add(account);
      account.change = clamp(account.change + amount);
      const next = account.balance === null ? null : account.balance + amount;
      account.balance = next === null || next < 0n || next > largestBalance ? null : next;
      return account.balance;
    },
    endBlock: (): void => {
      for (const account of inBlock) {
        history.push({ ...columnsOf(account), block_number: account.touchedAt, change: account.change });
        account.change = 0n;
      }
      inBlock.clear();
    },
    history,
    latest: (): Row[] => [...accounts.values()].map((account) => ({ ...columnsOf(account), block_number: account.touchedAt })),
  };
};

const columnsOf = ({ key, balance }: Account): Row => ({
  owner: key.owner,
  token: key.token,
  standard: key.standard,
  token_id: key.tokenId,
  balance,
});
