import type { AnyChainConfig } from "./config/config.ts";
import { createBitcoinQueries } from "./domains/bitcoin/queries.ts";
import { createNetworkQueries } from "./domains/chains/queries/index.ts";
import { createLedgerQueries } from "./domains/ledger/queries/index.ts";
import type { Readiness } from "./http/health.ts";
import { type DatabaseState, inspectDatabase, problemOf, type ReadinessOptions, readiness } from "./readiness.ts";
import type { Shard } from "./shard.ts";
import { inTime } from "./shards.ts";

/**
 * The readiness of a server with its databases, that of the control database first. Another database that cannot be used is no reason, because the chains of
 * the others are served: the details name it and its chains.
 */
export async function readinessOfShards(
  chains: readonly AnyChainConfig[],
  [control, ...others]: readonly Shard[],
  options: ReadinessOptions,
): Promise<Readiness> {
  if (control === undefined) throw new RangeError("A server has a control database.");
  const queriesOf = ({ control: database }: Shard) => ({
    ledger: createLedgerQueries(database),
    bitcoin: createBitcoinQueries(database),
    network: createNetworkQueries(database),
  });
  if (others.length === 0) return readiness(chains, queriesOf(control), control.control, options);
  const inspect = (shard: Shard): Promise<DatabaseState> =>
    inTime(inspectDatabase(shard.chains, queriesOf(shard), shard.control, options)).catch(problemOf);
  const [state, ...states] = await Promise.all([inspect(control), ...others.map(inspect)]);
  if ("problem" in state) return { reasons: [state.problem], details: {} };
  const usable = [state, ...states].flatMap((found) => ("problem" in found ? [] : [found]));
  const byName = new Map(usable.flatMap((found) => found.chains.map((chain) => [chain.name, chain] as const)));
  const databases = others.map((shard, position) => {
    const found = states[position];
    const problem = found !== undefined && "problem" in found ? found.problem : null;
    return { name: shard.name, problem, chains: shard.chains.map(({ name }) => name) };
  });
  return {
    reasons: usable.flatMap(({ reasons }) => reasons),
    details: { database: "up", databases, chains: chains.flatMap(({ name }) => byName.get(name) ?? []) },
  };
}
