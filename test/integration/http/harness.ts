import { pino } from "pino";
import supertest from "supertest";
import type { Handlers } from "../../../generated/handlers.gen.ts";
import type { Hex } from "../../../generated/requests.gen.ts";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import { createHttpApp, type HttpApp, type HttpDeps } from "../../../runtime/http/app.ts";
import type { RequestScope } from "../../../runtime/http/compute-response.ts";
import { createKeys, type Keys } from "../../../runtime/http/keys.ts";
import type { ContentVersion } from "../../../runtime/http/request-anchor.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

/** The HTTP application with its own database. Its resolvers are stubs, because it does not depend on domains. */
export interface Harness extends HttpApp {
  readonly testDatabase: TestDatabase;
  readonly keys: Keys;
  /** A key without limits. */
  readonly key: string;
  readonly keyId: number;
  /** The log as JSON lines. */
  readonly lines: string[];
  /** The head of every chain. */
  head: number | null;
  /** The content version of every chain. */
  content: ContentVersion | null;
  /** A GET with the key without limits. */
  get(path: string): supertest.Test;
  /** A request without a key. */
  withoutKey(): ReturnType<typeof supertest>;
  end(): Promise<void>;
}

type Stubs = { readonly [Name in keyof Handlers<RequestScope>]?: (request: never, scope: RequestScope) => Promise<unknown> };
export type Settings = Partial<Omit<HttpDeps<RequestScope>, "handlers" | "limits">> & {
  readonly limits?: Partial<HttpDeps<RequestScope>["limits"]>;
};

export const registeredAddress: Hex = `0x${"a1".repeat(20)}`;
const chains = [
  { id: 31337, name: "demo", groups: [] },
  { id: 1, name: "eth-mainnet", groups: ["historical"] },
];

/** The minimal OpenAPI document that the documentation requires. */
const document = {
  openapi: "3.1.0",
  info: { title: "Ashlar", version: "0" },
  servers: [{ url: "/" }],
  paths: {},
  components: {
    parameters: { Wallet: { name: "walletAddress", in: "path", schema: { type: "string" }, example: "0x", "x-story": "trader" } },
  },
};

const defaultLimits = {
  requestsPerSecond: 10_000,
  urlBytes: 4096,
  blockRange: 1000,
  listItems: 100,
  responseRows: 10_000,
  responseBytes: 1_000_000,
  statementMilliseconds: 10_000,
  skippedRows: 100_000,
  locatedRows: 10_000_000,
  requestMilliseconds: 15_000,
  waitingRequests: 64,
  bufferedBytes: 256 * 1024 * 1024,
  ...noKeyLimits,
};

export async function startHarness(stubs: Stubs, settings: Settings = {}): Promise<Harness> {
  const testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  const lines: string[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const keys = createKeys(database);
  const { id: keyId, key } = await keys.create({ label: "test" });
  const state: Pick<Harness, "head" | "content"> = { head: 100, content: null };
  const http = createHttpApp<RequestScope>({
    database,
    logger,
    chains,
    createContext: (scope) => scope,
    head: async () =>
      state.head === null
        ? null
        : { block: state.head, rebuildError: null, indexedFrom: null, checkpoints: new Map(), content: state.content },
    contentOfAll: async () => state.content,
    chainOfProtocol: () => null,
    resolveName: async (_chain, name) => (name === "alice.eth" ? registeredAddress : null),
    readiness: async () => ({ reasons: [], details: { chains: [{ name: "demo", lag: 0 }] } }),
    document,
    publicUrl: undefined,
    trustedProxies: [],
    protocolNames: {},
    demo: undefined,
    validate: "off",
    compression: true,
    cache: { megabytes: 1, public: false },
    now: () => new Date(),
    ...settings,
    limits: { burstRequests: undefined, ...defaultLimits, ...settings.limits },
    handlers: stubs as Handlers<RequestScope>,
  });
  const withoutKey = () => supertest(http.listener);
  return {
    ...http,
    testDatabase,
    keys,
    key,
    keyId,
    lines,
    get head() {
      return state.head;
    },
    set head(value) {
      state.head = value;
    },
    get content() {
      return state.content;
    },
    set content(value) {
      state.content = value;
    },
    withoutKey,
    get: (path) => withoutKey().get(path).set("Authorization", `Bearer ${key}`),
    async end() {
      await http.close();
      await testDatabase.drop();
    },
  };
}

/** The envelope of an error response. */
export const errorEnvelope = (status: number, message: unknown) => ({
  data: null,
  error: true,
  error_message: message,
  error_code: status,
});
