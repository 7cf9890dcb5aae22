import type { AnyChainConfig } from "./config/config.ts";
import { createBitcoinQueries } from "./domains/bitcoin/queries.ts";
import { createChainQueries } from "./domains/chains/queries/index.ts";
import { createLedgerQueries } from "./domains/ledger/queries/index.ts";
import type { Readiness } from "./http/health.ts";
import { type DatabaseState, inspectDatabase, problemOf, type ReadinessOptions, readinessOf } from "./readiness.ts";
import type { Shard } from "./shard.ts";
import { withTimeout } from "./shards.ts";

/**
 * Creates the readiness check for a server and its databases, starting with the control database. Another database that cannot be used does not make
 * the server unready, because the remaining chains are served: the details list that database and its chains. A lost primary does not change readiness while
 * responses are read from replicas.
 */
export function createReadinessCheck(
  chains: readonly AnyChainConfig[],
  [control, ...others]: readonly Shard[],
  options: ReadinessOptions,
): () => Promise<Readiness> {
  if (control === undefined) throw new RangeError("Expected at least the control database.");
  const lastStates = new Map<Shard, DatabaseState>();
  const queriesOf = ({ control: database }: Shard) => ({
    ledger: createLedgerQueries(database),
    bitcoin: createBitcoinQueries(database),
    network: createChainQueries(database),
  });
  const read = async (shard: Shard): Promise<DatabaseState> => {
    const found = await inspectDatabase(others.length === 0 ? chains : shard.chains, queriesOf(shard), shard.control, options);
    lastStates.set(shard, found);
    return found;
  };
  const load = (shard: Shard): Promise<DatabaseState> =>
    shard.outage.load(
      () => read(shard),
      () => lastStates.get(shard),
    );
  const inspect = (shard: Shard): Promise<DatabaseState> => (others.length === 0 ? load(shard) : withTimeout(load(shard))).catch(problemOf);
  return async () => {
    const [state, ...states] = await Promise.all([inspect(control), ...others.map(inspect)]);
    const database = control.outage.isLost() ? "replicas only" : "up";
    if ("problem" in state || others.length === 0) return readinessOf(state, database);
    const usable = [state, ...states].flatMap((found) => ("problem" in found ? [] : [found]));
    const byName = new Map(usable.flatMap((found) => found.chains.map((chain) => [chain.name, chain] as const)));
    const databases = others.map((shard, position) => {
      const found = states[position];
      const problem = found !== undefined && "problem" in found ? found.problem : null;
      return { name: shard.name, problem, chains: shard.chains.map(({ name }) => name) };
    });
    return {
      reasons: usable.flatMap(({ reasons }) => reasons),
      details: { database, databases, chains: chains.flatMap(({ name }) => byName.get(name) ?? []) },
    };
  };
}
