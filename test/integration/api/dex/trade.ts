import { pino } from "pino";
import supertest from "supertest";
import { expect } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ConcentratedExchange, concentratedLogs, deployConcentrated, type PoolLog } from "../../domains/pools/concentrated-support.ts";
import type { ResponseData } from "../../domains/pools/serve-pools.ts";
import {
  approve,
  deployExchange,
  mineTransactions,
  mint,
  type PairLog,
  pairLogs,
  type TestExchange,
  uniswapV2,
} from "../../domains/pools/support.ts";

// Two tokens, one with 18 decimals at 3 dollars and one with 6 decimals at half a dollar, are traded in a pair, in two concentrated-liquidity pools,
// and in an unconfigured exchange's pair.

/** One whole token with 18 decimals. */
export const unit = 10n ** 18n;
const toLowerAddress = (address: string): Address => address.toLowerCase() as Address;

export let chain: TestChain;
/** The configured exchange. */
export let exchange: TestExchange;
let unconfigured: TestExchange;
/** The exchange with the concentrated-liquidity pools. */
export let concentrated: ConcentratedExchange;
export let testDatabase: TestDatabase;
/** The priced tokens, with 18 and 6 decimals. */
export let tokens: readonly [Address, Address];
/** A token without a price. */
export let unpricedToken: Address;
/** The account that sends the transactions. */
export let trader: Address;
/** The account that receives tokens and shares. */
export let recipient: Address;
/** The configured exchange's pair. */
export let pair: Address;
/** The concentrated-liquidity pools. */
export let pools: readonly [Address, Address];
/** The transactions by purpose. */
export let sent: Record<"swap" | "add" | "remove" | "path" | "open" | "decrease" | "otherExchange" | "transfer" | "sameToken", Hash>;
export let pairEvents: PairLog[];
export let poolEvents: PoolLog[];
/** The API on a server with configured exchanges. */
export let service: { detailsOf(hash: Hash, query?: string): Promise<ResponseData>; end(): Promise<void> };

const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");
const mineTransaction = async (...args: Parameters<typeof mineTransactions>): Promise<Hash> => (await mineTransactions(...args))[0] as Hash;

/** The settings of a forked exchange. */
const forkSettings = { version: 2, fork: "Some Swap", forkVersion: 1.5 };

/** Serves the index, with or without configured exchanges. */
export const serve = async (hasExchanges: boolean): Promise<typeof service> => {
  const settings = chainConfigSchema.parse({
    name: "trade",
    id: 31337,
    rpc: "http://127.0.0.1:1",
    tokenLogos: { [tokens[0].toUpperCase().replace("0X", "0x")]: "https://logos.example/one.png" },
    exchanges: hasExchanges
      ? [
          {
            name: "swap",
            label: "The Swap",
            factory: exchange.factory,
            feePpm: 3_000,
            logoUrl: "https://logos.example/swap.png",
            ...forkSettings,
          },
          { name: "ranges", factory: concentrated.factory, family: "concentrated" },
        ]
      : [],
  });
  const { key } = await createKeys(testDatabase.database).create({ label: "test" });
  const http = createApp({
    config: configSchema.parse({}),
    chains: [{ ...settings, id: 31337 }],
    database: testDatabase.database,
    logger: pino({ level: "silent" }),
    validate: "strict",
  });
  return {
    detailsOf: async (hash, query = "with-dex=true") => {
      const response = await supertest(http.listener)
        .get(`/v1/trade/transaction_v2/${hash}/?no-logs=true&${query}`)
        .set("Authorization", `Bearer ${key}`);
      expect(response.status, response.body.error_message).toBe(200);
      return response.body.data.items[0].dex_details;
    },
    end: () => http.close(),
  };
};

/** Trades on the exchanges, indexes the chain, writes prices and serves the index. */
export const setUp = async () => {
  chain = await startTestChain();
  [trader, recipient] = chain.accounts.slice(1, 3).map(toLowerAddress) as [Address, Address];
  const weth = toLowerAddress(await chain.deploy(artifacts.weth()));
  exchange = await deployExchange(chain, weth);
  unconfigured = await deployExchange(chain, weth);
  concentrated = await deployConcentrated(chain, weth);
  const deployed: Address[] = [];
  for (const name of ["One", "Two", "Three"])
    deployed.push(toLowerAddress(await chain.deploy(artifacts.erc20(), [name, name.toUpperCase()])));
  deployed.sort();
  [tokens, unpricedToken] = [[deployed[0] as Address, deployed[1] as Address], deployed[2] as Address];
  const spenders = [exchange.router, unconfigured.router, concentrated.positionManager, concentrated.router];
  await mineTransactions(
    chain,
    deployed.flatMap((token) => [mint(token, trader, 10n ** 30n), ...spenders.map((spender) => approve(trader, token, spender))]),
  );
  const keys = [
    { tokens, fee: 3000 },
    { tokens: [tokens[1], unpricedToken] as const, fee: 500 },
  ] as const;
  await mineTransactions(chain, [
    exchange.addLiquidity(trader, tokens, [1_000n * unit, 6_000n * 10n ** 6n]),
    unconfigured.addLiquidity(trader, tokens, [1_000n * unit, 6_000n * 10n ** 6n]),
    ...keys.map((key) => concentrated.create(key, 2n ** 96n)),
  ]);
  pair = await exchange.pairOf(...tokens);
  pools = [await concentrated.poolOf(keys[0]), await concentrated.poolOf(keys[1])];
  const opened = await mineTransactions(chain, [
    approve(trader, pair, exchange.router),
    concentrated.openPosition(trader, keys[0], [-6_000, 6_000], [10n ** 12n, 10n ** 12n]),
    concentrated.openPosition(trader, keys[1], [-6_000, 6_000], [10n ** 12n, 10n ** 12n]),
  ]);
  sent = {
    swap: await mineTransaction(chain, [exchange.swap(trader, 2n * unit, tokens, recipient)]),
    add: await mineTransaction(chain, [exchange.addLiquidity(trader, tokens, [10n * unit, 70n * 10n ** 6n], recipient)]),
    remove: await mineTransaction(chain, [exchange.removeLiquidity(trader, tokens, 12_345_678_901n)]),
    path: await mineTransaction(chain, [concentrated.swapPath(trader, 1_000_000n, [unpricedToken, tokens[1], tokens[0]], [500, 3000])]),
    open: opened[1] as Hash,
    decrease: await mineTransaction(chain, [concentrated.decreaseLiquidity(trader, 1n, 1_000_000n)]),
    otherExchange: await mineTransaction(chain, [unconfigured.swap(trader, 2n * unit, tokens)]),
    transfer: await mineTransaction(chain, [{ from: trader, ...encodeCall(artifacts.erc20(), tokens[0], "transfer", [pair, 1_000n]) }]),
    // The amount sent to the pair is withdrawn, less the fee.
    sameToken: await mineTransaction(chain, [
      { from: trader, gas: 900_000n, ...encodeCall(uniswapV2.pair(), pair, "swap", [990n, 0n, trader, "0x"]) },
    ]),
  };
  const { timestamp } = await chain.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const hour = Math.floor(Number(timestamp) / 3_600);
  testDatabase = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, testDatabase.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  // Rows that the metadata and price jobs would write: 3 dollars and half a dollar in this hour, other prices before and after it.
  for (const [address, symbol, decimals] of [
    [tokens[0], "ONE", 18],
    [tokens[1], "TWO", 6],
    [unpricedToken, "THREE", 0],
    [pair, "SHARE", 18],
  ] as const) {
    await testDatabase.database.query(
      "INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block) VALUES (31337, $1, 1, $2, $3, $4, 1)",
      [bytes(address), `Token ${symbol}`, symbol, decimals],
    );
  }
  for (const [asset, at, close] of [
    [tokens[0], hour - 5, "0.000000000000000009"],
    [tokens[0], hour, "0.000000000000000003"],
    [tokens[0], hour + 1, "0.000000000000000007"],
    [tokens[1], hour - 3, "0.0000005"],
  ] as const) {
    await testDatabase.database.query("INSERT INTO price_hours (chain_id, asset, hour, close) VALUES (31337, $1, $2, $3)", [
      bytes(asset),
      at,
      close,
    ]);
  }
  pairEvents = await pairLogs(chain, [pair], await chain.head());
  poolEvents = await concentratedLogs(chain, pools, await chain.head());
  service = await serve(true);
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await service?.end();
  await testDatabase?.drop();
  await chain?.stop();
};
