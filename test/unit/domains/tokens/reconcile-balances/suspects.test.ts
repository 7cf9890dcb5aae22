import { expect, test } from "vitest";
import { createContractBackoff } from "../../../../../runtime/chain/contract-backoff.ts";
import type { CallOutcome } from "../../../../../runtime/chain/source.ts";
import type { Sql } from "../../../../../runtime/database/sql.ts";
import { createSuspects } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/check-state.ts";
import { compareBalances } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/checks/compare-balances.ts";
import type { JobContext } from "../../../../../runtime/jobs/job.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";

const token: Address = `0x${"a".repeat(40)}`;
const owner: Address = `0x${"b".repeat(40)}`;
const hash = `0x${"c".repeat(64)}` as const;

/** Compares stored rows with a mocked response: deploying tokens that change between two comparisons would take too long. */
const compareWith = async (response: CallOutcome, rows: readonly object[], state: Parameters<typeof compareBalances>[2], now: Date) => {
  const unexpectedCall = () => {
    throw new Error("Unexpected call");
  };
  const context = {
    chainId: 1,
    clock: () => now,
    database: { query: async (sql: string | Sql) => ((typeof sql === "string" ? sql : sql.text).includes("token_checks") ? [] : rows) },
    multicall: async () => rows.map(() => response),
    source: { hashesOf: async () => [hash], balances: unexpectedCall, runCalls: unexpectedCall, capabilities: {} },
    runExclusive: unexpectedCall,
    runExclusiveKeepingCache: unexpectedCall,
    logger: { info: unexpectedCall },
  } as unknown as JobContext;
  await compareBalances(context, [{ token, owner }], state);
};

const row = { number: 9, hash, token, owner, balance: "5" };
const differs: CallOutcome = { ok: true, data: `0x${"6".padStart(64, "0")}` };

test.each([
  ["reverts", { ok: false, reverted: true } as const, [row]],
  ["no longer has that balance", differs, []],
])("a token that differed once and then %s is no longer compared as a suspect", async (_, second, rows) => {
  const state = { backoff: createContractBackoff(1_000), suspects: createSuspects(20_000) };
  await compareWith(differs, [row], state, new Date(0));
  expect(state.suspects.due(new Date(20_000))).toEqual([{ token, owner }]);
  await compareWith(second, rows, state, new Date(20_000));
  expect(state.suspects.due(new Date(40_000))).toEqual([]);
});
