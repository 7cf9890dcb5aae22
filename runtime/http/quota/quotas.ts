import type { Logger } from "pino";
import { runDetached } from "../../lib/active-request.ts";
import { monotonicMilliseconds } from "../../lib/monotonic-clock.ts";
import type { MeteredKey } from "../keys.ts";
import { redactMessage } from "../redact.ts";
import type { UsageLedger } from "../usage-ledger.ts";
import { exhaustedBy, isLeaseLow, type Lease, leaseSizeOf, type Quotas, quotasOnDay } from "./lease.ts";
import { type LeaseStore, leaseSeconds } from "./lease-store.ts";
import { dayOf, monthOf, type Period } from "./periods.ts";

/** The parts of a key that are needed to enforce its quotas. */
type QuotaKey = Pick<MeteredKey, "id" | "lookedUpAt" | "quotas">;

/** Enforces keys' quotas with leases that this process takes in the background. */
export interface KeyQuotas {
  /** Why a request must be rejected; null if it may be processed. Never waits. */
  exhaustedCredits(key: QuotaKey): Period | "lease" | null;
  /** To be called after a charge is entered into the ledger. */
  onCharge(keyId: number, hundredths: number): void;
  /** Returns the leases. */
  stop(): Promise<void>;
}

export interface KeyQuotasDeps {
  readonly ledger: Pick<UsageLedger, "chargedHundredths" | "pendingHundredths" | "betweenFlushes">;
  readonly store: LeaseStore;
  readonly logger: Logger;
  readonly now: () => Date;
  /** A clock in milliseconds that key lookups share. */
  readonly monotonic?: () => number;
}

interface State extends Lease {
  readonly keyId: number;
  /** When `quotas` were read. */
  knownAt: number;
  /** When the lease expires. */
  expiresAt: number;
  /** When a lease may next be taken; infinite while one is being taken. */
  nextAt: number;
}

/** The wait after a failed attempt. */
const retryMilliseconds = 250;

/** Creates a process's quotas; the process counts all its workers' charges. */
export function createKeyQuotas({ ledger, store, logger, now, monotonic = monotonicMilliseconds }: KeyQuotasDeps): KeyQuotas {
  const states = new Map<number, State>();
  let isStopped = false;

  const take = async (state: State): Promise<void> => {
    const day = dayOf(now());
    const startedAt = monotonic();
    const { keyId } = state;
    const { lease, charged } = await ledger.betweenFlushes(async () => {
      const before = ledger.chargedHundredths(keyId);
      const pending = {
        all: ledger.pendingHundredths(keyId),
        day: ledger.pendingHundredths(keyId, day),
        month: ledger.pendingHundredths(keyId, monthOf(day)),
      };
      return { charged: before, lease: await store.take({ keyId, pending, wanted: leaseSizeOf(state), day }) };
    });
    // A new period has begun in the meantime: the lease belongs to the earlier one, and its pending charges may lack charges of the new one. The next
    // request takes another lease.
    if (state.quotas.day > day) return;
    state.knownAt = monotonic();
    if (lease === null) return void states.delete(keyId);
    const { granted, quota, remaining } = lease;
    Object.assign(state, {
      quotas: { quota, remaining, day },
      granted,
      leased: charged + granted,
      expiresAt: startedAt + leaseSeconds * 1000,
    });
  };

  const takeIfLow = (state: State, charged: number): void => {
    if (isStopped || !isLeaseLow(state, charged) || monotonic() < state.nextAt) return;
    state.nextAt = Number.POSITIVE_INFINITY;
    runDetached(() => take(state)).then(
      () => {
        state.nextAt = 0;
      },
      (error: unknown) => {
        state.nextAt = monotonic() + retryMilliseconds;
        const reason = redactMessage(error instanceof Error ? error.message : String(error));
        logger.error({ key: state.keyId, reason }, "Leasing credits failed, retrying");
      },
    );
  };

  /** A key's state according to its newest quotas. */
  const stateOf = ({ id, lookedUpAt }: QuotaKey, quotas: Quotas): State => {
    const charged = ledger.chargedHundredths(id);
    const existing = states.get(id);
    const state: State = existing ?? {
      keyId: id,
      quotas,
      leased: charged,
      granted: 0,
      maxCost: 0,
      knownAt: lookedUpAt,
      expiresAt: 0,
      nextAt: 0,
    };
    if (existing === undefined) states.set(id, state);
    if (lookedUpAt > state.knownAt) {
      Object.assign(state, { quotas, knownAt: lookedUpAt });
      // The lookup includes the written part of an overdraft.
      state.leased = Math.max(state.leased, charged > state.leased ? charged - ledger.pendingHundredths(id) : 0);
    }
    // The rest of an expired lease is lost; an overdraft remains.
    if (state.leased > charged && monotonic() >= state.expiresAt) state.leased = charged;
    const day = dayOf(now());
    if (state.quotas.day !== day) {
      state.quotas = quotasOnDay(state.quotas, day, Math.max(0, charged - state.leased));
      state.leased = Math.max(state.leased, charged);
    }
    return state;
  };

  return {
    exhaustedCredits(key) {
      if (key.quotas === null) return null;
      const state = stateOf(key, key.quotas);
      const charged = ledger.chargedHundredths(key.id);
      takeIfLow(state, charged);
      return exhaustedBy(state, charged);
    },
    onCharge(keyId, hundredths) {
      const state = states.get(keyId);
      if (state === undefined) return;
      state.maxCost = Math.max(state.maxCost, hundredths);
      takeIfLow(state, ledger.chargedHundredths(keyId));
    },
    async stop() {
      isStopped = true;
      // This process no longer uses its leases. If deleting them fails, they expire.
      if (states.size > 0) await ledger.betweenFlushes(store.release).catch(() => undefined);
    },
  };
}
