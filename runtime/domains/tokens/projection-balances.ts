import type { Row } from "../../indexer/projection.ts";
import { pivotOf } from "./periods.ts";
import type { BalanceKey } from "./reads-base.ts";

/** What a key had before these blocks: a stored balance, or the one before the index began. */
export interface Opening {
  /** Null where it is not known. */
  readonly balance: bigint | null;
  /** The block that set it; null where nothing says so, because it is nothing. */
  readonly since: number | null;
  readonly isStored: boolean;
}

/** A balance that runs through a batch of blocks. */
interface Account {
  readonly key: BalanceKey;
  /** Null once it is not known: what is known of it later does not bring it back. */
  balance: bigint | null;
  since: number | null;
  /** What stood when the block began. */
  standing: bigint | null;
  isHolder: boolean;
}

/** A key that became a holder with a block, or no longer is one; or whose balance is not known. */
export interface HolderChange {
  readonly key: BalanceKey;
  readonly change: -1 | 0 | 1;
  readonly isKnown: boolean;
}

/** EVM words end here; a sum beyond is a token's lie. */
export const largestWord = 2n ** 256n - 1n;

/**
 * Running balances of a batch of blocks: each movement changes them at once, and a block that touches a key ends the period of what stood before. A touch
 * that changes nothing ends it too, so that the block of a token's last transfer is always known.
 */
export const createBalanceSheet = (open: (key: BalanceKey) => Opening) => {
  const accounts = new Map<string, Account>();
  const inBlock = new Set<Account>();
  const periods: Row[] = [];

  const accountOf = (key: BalanceKey): Account => {
    const text = `${key.owner}${key.token}${key.standard}${key.tokenId ?? ""}`;
    const known = accounts.get(text);
    if (known !== undefined) return known;
    const { balance, since, isStored } = open(key);
    const account: Account = { key, balance, since, standing: balance, isHolder: isStored && isPositive(balance) };
    accounts.set(text, account);
    return account;
  };

  const endPeriod = ({ key, since, standing }: Account, block: number): void => {
    if (since === null || since >= block) return;
    const to = block - 1;
    const { owner, token, standard, tokenId: token_id } = key;
    periods.push({ owner, token, standard, token_id, from_block: since, to_block: to, balance: standing, pivot_block: pivotOf(since, to) });
  };

  return {
    /** Moves an amount and gives the balance right after. */
    apply: (key: BalanceKey, amount: bigint): bigint | null => {
      const account = accountOf(key);
      if (!inBlock.has(account)) {
        inBlock.add(account);
        account.standing = account.balance;
      }
      const next = account.balance === null ? null : account.balance + amount;
      account.balance = next === null || next < 0n || next > largestWord ? null : next;
      return account.balance;
    },
    /** Ends a block, and says whose holding began, ended or is not known. */
    endBlock: (block: number): HolderChange[] => {
      const changes: HolderChange[] = [];
      for (const account of inBlock) {
        endPeriod(account, block);
        account.since = block;
        const isHolder = isPositive(account.balance);
        const change = isHolder === account.isHolder ? 0 : isHolder ? 1 : -1;
        account.isHolder = isHolder;
        if (change !== 0 || account.balance === null) changes.push({ key: account.key, change, isKnown: account.balance !== null });
      }
      inBlock.clear();
      return changes;
    },
    periods,
    latest: (): Row[] => {
      const rows: Row[] = [];
      for (const { key, since, balance } of accounts.values()) {
        const { owner, token, standard, tokenId: token_id } = key;
        rows.push({ owner, token, standard, token_id, since_block: since, balance });
      }
      return rows;
    },
  };
};

const isPositive = (balance: bigint | null): boolean => balance !== null && balance > 0n;
