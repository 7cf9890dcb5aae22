import pg from "pg";

/** How long the server may take to accept a connection, and then to configure it. */
export const connectMilliseconds = 10_000;

/** Ends a connection: if it waits for a response, the driver destroys its socket. */
export const abandon = (client: { end(): Promise<void> }): void => void client.end().catch(() => undefined);

/** Configures a new connection, or abandons it if its server does not respond or rejects the settings: its first statement then fails. */
export async function configureInTime(client: pg.ClientBase, configure: () => Promise<unknown>): Promise<void> {
  const abandonClient = (): void => void (client instanceof pg.Client && abandon(client));
  const timer = setTimeout(abandonClient, connectMilliseconds);
  await configure().catch(abandonClient);
  clearTimeout(timer);
}

/** Open pool connections. */
export interface OpenConnections {
  /** Tracks a pool's connections. */
  watch(pool: pg.Pool): void;
  abandonAll(): void;
}

/** Starts tracking open connections. */
export function createOpenConnections(): OpenConnections {
  const connections = new Set<pg.PoolClient>();
  return {
    watch(pool) {
      pool.on("connect", (client) => connections.add(client));
      pool.on("remove", (client) => connections.delete(client));
    },
    abandonAll() {
      for (const client of connections) {
        abandon(client);
        // The pool drops an idle connection that fails; a busy one is dropped after its work.
        client.emit("error", new Error("The connection was abandoned."));
      }
    },
  };
}
