import type { Row } from "../../../indexer/projection.ts";
import type { Address } from "../../../lib/hex.ts";
import type { BalanceKey } from "./base-reads.ts";
import { pivotOf } from "./periods.ts";
import { periodsBefore, type ReportedPeriod } from "./reported-periods.ts";

/** The state of a key before a batch: the stored balance, or the base balance. */
export interface OpeningBalance {
  /** Null if unknown. */
  readonly balance: bigint | null;
  /** The net change since an unknown base; null if the base can never be determined. */
  readonly netChange: bigint | null;
  /** The block that set the balance; null if no block did and the balance is 0. */
  readonly since: number | null;
  readonly isStored: boolean;
}

/** The current balance of a key within a batch. */
interface Account {
  readonly key: BalanceKey;
  /** Null once unknown; later events do not make it known again. */
  balance: bigint | null;
  netChange: bigint | null;
  since: number | null;
  /** The state at the start of the block. */
  atBlockStart: Pick<OpeningBalance, "balance" | "netChange">;
  isHolder: boolean;
  /** Whether it has a row, stored or set in this batch. */
  hasRow: boolean;
  isTouched: boolean;
  /** The balance that the node reported right before this block; undefined if balances are sums of events. */
  before?: bigint | null;
}

/** A key that started or stopped being a holder in a block, or whose balance is unknown. */
export interface HolderChange {
  readonly key: BalanceKey;
  readonly change: -1 | 0 | 1;
  readonly isKnown: boolean;
}

/** Max uint256; a larger sum means that the token's events are inconsistent. */
export const maxUint256 = 2n ** 256n - 1n;

/** The accounts of a batch, opened when they are first needed. */
const createAccounts = (open: (key: BalanceKey) => OpeningBalance) => {
  /** Accounts by token and id, then by owner: movements of one token are often adjacent, and a lookup by owner is faster than building a combined key. */
  const accounts = new Map<string, Map<Address, Account>>();
  let current: Pick<BalanceKey, "token" | "standard" | "tokenId"> | null = null;
  let accountsOfToken = new Map<Address, Account>();
  const all: Account[] = [];
  return {
    all,
    accountOf: (key: BalanceKey): Account => {
      if (current?.token !== key.token || current.standard !== key.standard || current.tokenId !== key.tokenId) {
        const text = `${key.token}${key.standard}${key.tokenId ?? ""}`;
        current = key;
        accountsOfToken = accounts.get(text) ?? new Map();
        accounts.set(text, accountsOfToken);
      }
      const existing = accountsOfToken.get(key.owner);
      if (existing !== undefined) return existing;
      const account = openAccount(key, open(key));
      accountsOfToken.set(key.owner, account);
      all.push(account);
      return account;
    },
  };
};

const openAccount = (key: BalanceKey, { balance, netChange, since, isStored }: OpeningBalance): Account => ({
  key,
  balance,
  netChange,
  since,
  atBlockStart: { balance, netChange },
  isHolder: isStored && isPositive(balance),
  hasRow: isStored,
  isTouched: false,
});

/**
 * The current balances within a batch: each movement is applied immediately, and a block that touches a key ends the period of its previous balance, even if
 * the balance stays the same, so that the block of a token's last transfer is always known.
 */
export const createBalanceSheet = (open: (key: BalanceKey) => OpeningBalance, baseBlock = 0) => {
  const { all, accountOf } = createAccounts(open);
  const inBlock = new Set<Account>();
  const periods: Row[] = [];

  const touch = (account: Account): void => {
    if (inBlock.has(account)) return;
    inBlock.add(account);
    account.isTouched = true;
    account.hasRow = true;
    account.atBlockStart = { balance: account.balance, netChange: account.netChange };
  };

  return {
    /** Adds an amount and returns the new balance. */
    apply: (key: BalanceKey, amount: bigint): bigint | null => {
      const account = accountOf(key);
      touch(account);
      if (account.balance === null) {
        if (account.netChange !== null) account.netChange += amount;
        return null;
      }
      const next = account.balance + amount;
      account.balance = next < 0n || next > maxUint256 ? null : next;
      return account.balance;
    },
    /** Sets a balance that the node reported right before and after the block; an account that did not change is not touched. */
    set: (key: BalanceKey, before: bigint | null, balance: bigint | null): void => {
      const account = accountOf(key);
      const isSame = balance === before && balance === account.balance;
      if (isSame && (account.since === null || account.hasRow)) return;
      touch(account);
      account.before = before;
      account.balance = balance;
      account.netChange = null;
    },
    /** Touches a key whose movement does not determine the balance, which becomes unknown until it is read from the node. */
    markUnknown: (key: BalanceKey): null => {
      const account = accountOf(key);
      touch(account);
      account.balance = null;
      account.netChange = null;
      return null;
    },
    /** Ends a block and returns the keys that started or stopped being holders or are unknown. */
    endBlock: (block: number): HolderChange[] => {
      const changes: HolderChange[] = [];
      for (const account of inBlock) {
        pushPeriods(periods, account, block, baseBlock);
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
    latest: (): Row[] => latestRows(all),
  };
};

const latestRows = (accounts: readonly Account[]): Row[] => {
  const rows: Row[] = [];
  for (const { key, isTouched, since, balance, netChange } of accounts) {
    if (!isTouched) continue;
    const { owner, token, standard, tokenId: token_id } = key;
    rows.push({ owner, token, standard, token_id, since_block: since, balance, net_change: netChange });
  }
  return rows;
};

/** Adds the periods that a block ends. */
const pushPeriods = (periods: Row[], account: Account, block: number, baseBlock: number): void => {
  const { key, before, atBlockStart } = account;
  // A reported balance is not a sum, so its unknown periods are not resolved by a base balance.
  const netChange = before === undefined ? atBlockStart.netChange : null;
  for (const { from, to, balance } of endedPeriodsOf(account, block, baseBlock)) {
    const { owner, token, standard, tokenId: token_id } = key;
    const pivot_block = pivotOf(from, to);
    periods.push({ owner, token, standard, token_id, from_block: from, to_block: to, balance, net_change: netChange, pivot_block });
  }
};

const endedPeriodsOf = ({ since, atBlockStart, before }: Account, block: number, baseBlock: number): ReportedPeriod[] => {
  if (before === undefined) return since === null || since >= block ? [] : [{ from: since, to: block - 1, balance: atBlockStart.balance }];
  if (since !== null) return periodsBefore({ balance: atBlockStart.balance, since }, before, block);
  // An initial balance of 0 has no row and needs no period.
  return periodsBefore({ balance: atBlockStart.balance, since: baseBlock }, before, block).filter(({ balance }) => balance !== 0n);
};

const isPositive = (balance: bigint | null): boolean => balance !== null && balance > 0n;
