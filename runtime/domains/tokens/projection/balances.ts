import type { Row } from "../../../indexer/projection.ts";
import type { Address } from "../../../lib/hex.ts";
import { pivotOf } from "./periods.ts";
import type { BalanceKey } from "./reads-base.ts";
import { periodsBefore, type ReportedPeriod } from "./reported-balances.ts";

/** What a key had before these blocks: a stored balance, or the one before the index began. */
export interface Opening {
  /** Null where it is not known. */
  readonly balance: bigint | null;
  /** Of an unknown balance: what moved since the state that is not known; null where no later word about that state will tell the balance. */
  readonly netChange: bigint | null;
  /** The block that set it; null where nothing says so, because it is nothing. */
  readonly since: number | null;
  readonly isStored: boolean;
}

/** A balance that runs through a batch of blocks. */
interface Account {
  readonly key: BalanceKey;
  /** Null once it is not known: what is known of it later does not bring it back. */
  balance: bigint | null;
  netChange: bigint | null;
  since: number | null;
  /** What stood when the block began. */
  atBlockStart: Pick<Opening, "balance" | "netChange">;
  isHolder: boolean;
  /** It has a row: stored, or set in these blocks. */
  hasRow: boolean;
  isTouched: boolean;
  /** The node's word right before this block, where balances are told instead of moved. */
  before?: bigint | null;
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
export const createBalanceSheet = (open: (key: BalanceKey) => Opening, baseBlock = 0) => {
  /** By the text of what is held, then by who holds it: movements of one token come in rows, and an address alone is sooner found than a text made of it. */
  const holdings = new Map<string, Map<Address, Account>>();
  let held: Pick<BalanceKey, "token" | "standard" | "tokenId"> | null = null;
  let holders = new Map<Address, Account>();
  const accounts: Account[] = [];
  const inBlock = new Set<Account>();
  const periods: Row[] = [];

  const accountOf = (key: BalanceKey): Account => {
    if (held?.token !== key.token || held.standard !== key.standard || held.tokenId !== key.tokenId) {
      const text = `${key.token}${key.standard}${key.tokenId ?? ""}`;
      held = key;
      holders = holdings.get(text) ?? new Map();
      holdings.set(text, holders);
    }
    const known = holders.get(key.owner);
    if (known !== undefined) return known;
    const { balance, netChange, since, isStored } = open(key);
    const account: Account = {
      key,
      balance,
      netChange,
      since,
      atBlockStart: { balance, netChange },
      isHolder: isStored && isPositive(balance),
      hasRow: isStored,
      isTouched: false,
    };
    holders.set(key.owner, account);
    accounts.push(account);
    return account;
  };

  const touch = (account: Account): void => {
    if (inBlock.has(account)) return;
    inBlock.add(account);
    account.isTouched = true;
    account.hasRow = true;
    account.atBlockStart = { balance: account.balance, netChange: account.netChange };
  };

  const endPeriod = (account: Account, block: number): void => {
    const { key, before, atBlockStart: standing } = account;
    // What the node tells is no sum, and its unknown stretches wait for no base.
    const netChange = before === undefined ? standing.netChange : null;
    for (const { from, to, balance } of endedPeriodsOf(account, block, baseBlock)) {
      const { owner, token, standard, tokenId: token_id } = key;
      const pivot_block = pivotOf(from, to);
      periods.push({ owner, token, standard, token_id, from_block: from, to_block: to, balance, net_change: netChange, pivot_block });
    }
  };

  return {
    /** Moves an amount and gives the balance right after. */
    apply: (key: BalanceKey, amount: bigint): bigint | null => {
      const account = accountOf(key);
      touch(account);
      if (account.balance === null) {
        if (account.netChange !== null) account.netChange += amount;
        return null;
      }
      const next = account.balance + amount;
      account.balance = next < 0n || next > largestWord ? null : next;
      return account.balance;
    },
    /** Sets a balance to what the node told of it right before and right after the block; where that says nothing new, the account is not touched. */
    set: (key: BalanceKey, before: bigint | null, balance: bigint | null): void => {
      const account = accountOf(key);
      const isSame = balance === before && balance === account.balance;
      if (isSame && (account.since === null || account.hasRow)) return;
      touch(account);
      account.before = before;
      account.balance = balance;
      account.netChange = null;
    },
    /** Takes notice of a movement whose amount tells nothing: what is held from here on is for the node to say. */
    forget: (key: BalanceKey): null => {
      const account = accountOf(key);
      touch(account);
      account.balance = null;
      account.netChange = null;
      return null;
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
      for (const { key, isTouched, since, balance, netChange } of accounts) {
        if (!isTouched) continue;
        const { owner, token, standard, tokenId: token_id } = key;
        rows.push({ owner, token, standard, token_id, since_block: since, balance, net_change: netChange });
      }
      return rows;
    },
  };
};

const endedPeriodsOf = ({ since, atBlockStart: standing, before }: Account, block: number, baseBlock: number): ReportedPeriod[] => {
  if (before === undefined) return since === null || since >= block ? [] : [{ from: since, to: block - 1, balance: standing.balance }];
  if (since !== null) return periodsBefore({ balance: standing.balance, since }, before, block);
  // What began with nothing has had no row that says so, and needs none.
  return periodsBefore({ balance: standing.balance, since: baseBlock }, before, block).filter(({ balance }) => balance !== 0n);
};

const isPositive = (balance: bigint | null): boolean => balance !== null && balance > 0n;
