import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Coin, TestBitcoinChain, TestBlock } from "./chain.ts";
import { NumberText, renderJson } from "./json.ts";
import { blockReply, type CoinOf, type ReplyForm, transactionReply } from "./replies.ts";

export interface BitcoinNodeOptions extends Partial<ReplyForm> {
  readonly chain?: string;
  readonly hasTransactionIndex?: boolean;
  /** The first block of a pruned node. */
  readonly firstBlock?: number;
}

/** A node of tests that serves blocks over the JSON-RPC of Bitcoin Core. */
export interface TestBitcoinNode {
  readonly url: string;
  /** The served branch. */
  chain: TestBitcoinChain;
  /** Changes a result before it is sent; unchanged by default. */
  tamper: (method: string, result: unknown) => unknown;
  /** How often each method was called. */
  readonly calls: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** An error of Bitcoin Core, with the codes of its src/rpc/protocol.h. */
class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Call {
  readonly jsonrpc?: string;
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Starts a node on a port that the system assigns. */
export async function startBitcoinNode(chain: TestBitcoinChain, options: BitcoinNodeOptions = {}): Promise<TestBitcoinNode> {
  const calls = new Map<string, number>();
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: TestBitcoinNode = {
    url: `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`,
    chain,
    tamper: (_method, result) => result,
    calls,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const answer = createAnswers(() => node.chain, options);

  const reply = ({ id, method, params, jsonrpc }: Call) => {
    calls.set(method, (calls.get(method) ?? 0) + 1);
    // Since version 28, a request of version 2.0 gets a response of version 2.0.
    const isStrict = jsonrpc === "2.0" && (options.version ?? latest) >= 280_000;
    try {
      const result = node.tamper(method, answer(method, params));
      return { failed: false, body: isStrict ? { jsonrpc, result, id } : { result, error: null, id } };
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      const failure = { code: error.code, message: error.message };
      return { failed: !isStrict, body: isStrict ? { jsonrpc, error: failure, id } : { result: null, error: failure, id } };
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const expected = `Basic ${Buffer.from("user:secret").toString("base64")}`;
    if (request.headers.authorization !== expected) return void response.writeHead(401).end();
    const body = JSON.parse(await textOf(request)) as Call | Call[];
    const replies = (Array.isArray(body) ? body : [body]).map(reply);
    const status = !Array.isArray(body) && replies[0]?.failed === true ? 500 : 200;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(renderJson(Array.isArray(body) ? replies.map(({ body: one }) => one) : replies[0]?.body));
  };
  return node;
}

const latest = 280_000;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** The results of the methods that the index calls. */
function createAnswers(chainOf: () => TestBitcoinChain, options: BitcoinNodeOptions) {
  const { version = latest, hasUndoData = true, chain: network = "regtest", hasTransactionIndex = false, firstBlock = 0 } = options;
  const form: ReplyForm = { version, hasUndoData };
  const headOf = (): TestBlock => chainOf().blocks.at(-1) as TestBlock;
  const blockAt = (height: unknown): TestBlock => {
    const block = typeof height === "number" ? chainOf().blocks[height] : undefined;
    if (block === undefined) throw new RpcFailure(-8, "Block height out of range");
    return block;
  };
  const blockOf = (hash: unknown): TestBlock => {
    const block = chainOf().blocks.find((candidate) => candidate.hash === hash);
    if (block === undefined) throw new RpcFailure(-5, "Block not found");
    if (block.height < firstBlock) throw new RpcFailure(-1, "Block not available (pruned data)");
    return block;
  };
  const results: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    getblockchaininfo: () => ({
      chain: network,
      blocks: headOf().height,
      headers: headOf().height,
      bestblockhash: headOf().hash,
      difficulty: new NumberText("4.656542373906925e-10"),
      pruned: firstBlock > 0,
      ...(firstBlock > 0 ? { pruneheight: firstBlock } : {}),
    }),
    getnetworkinfo: () => ({ version, subversion: `/Satoshi:${version / 10_000}.0.0/`, relayfee: new NumberText("0.00001000") }),
    getindexinfo: () => (hasTransactionIndex ? { txindex: { synced: true, best_block_height: headOf().height } } : {}),
    getbestblockhash: () => headOf().hash,
    getblockhash: ([height]) => blockAt(height).hash,
    getblockheader: ([hash]) => ({ hash, height: blockOf(hash).height, time: blockOf(hash).block.timestamp }),
    getblock: ([hash, verbosity]) => blockReply(chainOf(), blockOf(hash), Number(verbosity), form, spentCoin(chainOf())),
    getrawtransaction: ([txid]) => {
      const found = hasTransactionIndex
        ? chainOf()
            .blocks.flatMap(({ transactions }) => transactions)
            .find((one) => one.getId() === txid)
        : undefined;
      if (found === undefined)
        throw new RpcFailure(-5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.");
      return transactionReply(found, 1, { ...form, hasUndoData: false }, () => ({}) as Coin);
    },
  };
  return (method: string, params: readonly unknown[]): unknown => {
    const result = results[method];
    if (result === undefined) throw new RpcFailure(-32601, "Method not found");
    return result(params);
  };
}

/** The coin that an input spends, as the branch had it before the block. */
const spentCoin =
  ({ blocks }: TestBitcoinChain): CoinOf =>
  (block, transaction, input) => {
    const { hash, index } = transaction.ins[input] as { hash: Uint8Array; index: number };
    const txid = Buffer.from(hash).reverse().toString("hex");
    for (const { height, transactions } of blocks.slice(0, block.height + 1).toReversed()) {
      const spent = transactions.find((candidate) => candidate.getId() === txid);
      const output = spent?.outs[index];
      if (spent !== undefined && output !== undefined)
        return { txid, vout: index, value: output.value, script: output.script, height, isCoinbase: spent.isCoinbase() };
    }
    throw new Error(`Transaction ${transaction.getId()} spends the unknown output ${index} of ${txid}.`);
  };
