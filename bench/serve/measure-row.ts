import { loadavg } from "node:os";
import { type Cell, type LoadOptions, measureCell, type Requests } from "./cells.ts";
import type { BareCheck } from "./check-bare.ts";
import type { RequestStatements } from "./count-statements.ts";
import { comparedConnections, firstWarmUpMilliseconds, type Options } from "./options.ts";
import type { ServerProcess } from "./processes.ts";
import type { RowCase } from "./row-case.ts";
import type { Servers } from "./servers.ts";

/** Both servers' cells for one number of connections, measured one after the other. */
export interface Pair {
  readonly product: Cell;
  readonly bare: Cell;
}

/** The pairs with one number of connections. */
export interface Comparison {
  readonly connections: number;
  readonly pairs: readonly Pair[];
}

/** The cells of servers of other libraries. */
export interface PeerCells {
  readonly ponder: Cell;
  readonly postgraphile: Cell;
}

/** All figures of a row. */
export interface RowFigures {
  readonly rowCase: RowCase;
  readonly comparisons: readonly Comparison[];
  readonly statements: RequestStatements;
  /** Null if pgbench is not installed. */
  readonly bareCheck: BareCheck | null;
  /** The product with cached responses, under repeated requests. */
  readonly cached: Cell;
  /** The product under requests that accept gzip. */
  readonly compressed: Cell;
  readonly express: Cell;
  /** Servers built with other libraries; null if they are not measured. */
  readonly peers: PeerCells | null;
  /** The system load at the end. */
  readonly load: number;
}

/** The number of connections at which a row is compared with the targets. */
export const comparedConnectionsOf = (connections: readonly number[], maxConnections = Number.POSITIVE_INFINITY): number => {
  const measured = connections.filter((count) => count <= maxConnections);
  return measured.includes(comparedConnections) ? comparedConnections : (measured.at(-1) ?? Math.min(comparedConnections, maxConnections));
};

/** How many paths are requested repeatedly to measure cached responses: few enough that all responses are cached. */
const repeatedPaths = 60;
/** The max number of pairs for a row with long responses, whose cells take several times as long. */
const maxLongRounds = 2;

/** Measures a row on all servers; each pair is measured alternately, so that other load on the machine affects both alike. */
export async function measureRow(
  rowCase: RowCase,
  servers: Servers,
  load: LoadOptions,
  options: Pick<Options, "connections" | "rounds">,
): Promise<Omit<RowFigures, "statements" | "bareCheck" | "peers">> {
  const counts = options.connections.filter((count) => count <= (rowCase.maxConnections ?? count));
  const compared = comparedConnectionsOf(options.connections, rowCase.maxConnections);
  const rounds = rowCase.isLong ? Math.min(maxLongRounds, options.rounds) : options.rounds;
  const warm = new Set<ServerProcess>();
  const measure = (server: ServerProcess, connections: number, paths = rowCase.paths, requests: Requests = {}): Promise<Cell> => {
    if (warm.has(server)) return measureCell(server, { paths }, connections, load, requests);
    warm.add(server);
    // The product caches names, metadata and prices. Until all of them are cached, its rate depends on how far the warm-up has progressed.
    const minWarmUpResponses = server === servers.product ? paths.length : 0;
    return measureCell(
      server,
      { paths },
      connections,
      { ...load, warmUpMilliseconds: firstWarmUpMilliseconds },
      { minWarmUpResponses, ...requests },
    );
  };
  const comparisons: Comparison[] = [];
  for (const connections of counts) {
    const pairs: Pair[] = [];
    const repeats = connections === compared || connections === counts[0] ? rounds : 1;
    for (let round = 0; round < repeats; round += 1) {
      pairs.push({ product: await measure(servers.product, connections), bare: await measure(servers.bare, connections) });
    }
    comparisons.push({ connections, pairs });
  }
  const express = await measure(servers.express, compared);
  const compressed = await measure(servers.product, compared, rowCase.paths, { acceptEncoding: "gzip" });
  const repeated = rowCase.paths.slice(0, repeatedPaths);
  // Each path is requested twice, because responses that are still being computed when the warm-up ends count as measured.
  const cached = await measure(servers.cached, compared, repeated, { minWarmUpResponses: 2 * repeated.length });
  return { rowCase, comparisons, cached, compressed, express, load: loadavg()[0] ?? Number.NaN };
}

/** Checks and measures the servers of other libraries. @throws {Error} if their responses are wrong. */
export async function measurePeers(
  rowCase: RowCase,
  { product, peers }: Pick<Servers, "product" | "peers">,
  load: LoadOptions,
  { connections }: Pick<Options, "connections">,
): Promise<PeerCells | null> {
  if (peers === null) return null;
  await peers.check(rowCase, product.port, load.keys[0] ?? "");
  const compared = comparedConnectionsOf(connections, rowCase.maxConnections);
  const warm: LoadOptions = { ...load, warmUpMilliseconds: firstWarmUpMilliseconds };
  const graphql = { paths: rowCase.paths.map(() => "/graphql") };
  return {
    ponder: await measureCell(peers.ponder, rowCase, compared, warm),
    postgraphile: await measureCell(peers.postgraphile, graphql, compared, warm, { bodies: peers.bodiesOf(rowCase) }),
  };
}
