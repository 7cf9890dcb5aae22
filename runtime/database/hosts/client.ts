import pg from "pg";
import { connectMilliseconds } from "../open-connections.ts";
import { createPrimarySearch, type PrimarySearch } from "./primary-search.ts";
import { serversOf } from "./servers-of.ts";

/** By URL: connections that are opened concurrently share a search. */
const searches = new Map<string, PrimarySearch>();
/** The newest timeline that this process has seen of each cluster. */
const timelines = new Map<string, number>();

/** The search for the primary among a URL's servers; null if the URL names one server, whatever its role. */
function searchOf(url: string): PrimarySearch | null {
  const { urls, mustBePrimary } = serversOf(url);
  if (!mustBePrimary) return null;
  const search = searches.get(url) ?? createPrimarySearch({ urls }, timelines);
  searches.set(url, search);
  return search;
}

/** The URL of the server to connect to: if there are several, the primary. @throws {Error} if there is none. */
export const serverUrlOf = async (url: string): Promise<string> => (await searchOf(url)?.find())?.url ?? url;

type Connected = (error: Error | null) => void;

/** The driver's client, which reads the URL when it is created, and connects to the primary if the URL names several servers. */
export const clientOf = (url: () => string): typeof pg.Client =>
  class extends pg.Client {
    readonly #search: PrimarySearch | null;

    constructor(config?: string | pg.ClientConfig) {
      const current = url();
      super({ ...(typeof config === "object" ? config : {}), connectionString: serversOf(current).urls[0] ?? current });
      this.#search = searchOf(current);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connect = (): Promise<pg.Client> =>
        this.#search === null ? super.connect() : connectToPrimary(this, this.#search, () => super.connect());
      if (callback === undefined) return connect();
      // Avoids a promise where possible (see `connect` in connection.ts).
      if (this.#search === null) super.connect(callback);
      else connect().then(() => callback(null), callback);
      return undefined;
    }
  };

async function connectToPrimary(client: pg.Client, search: PrimarySearch, connect: () => Promise<unknown>): Promise<pg.Client> {
  // The connection may break before the caller listens for errors: the next statement fails.
  client.on("error", () => undefined);
  const { host, port } = await search.find();
  Object.assign(client, { host, port });
  try {
    await connect();
    const timer = setTimeout(() => void client.end(), connectMilliseconds);
    await search.check(client).finally(() => clearTimeout(timer));
    return client;
  } catch (error) {
    search.forget();
    void client.end().catch(() => undefined);
    throw error;
  }
}
