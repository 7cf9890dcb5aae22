import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BitcoinDemo, startBitcoin } from "../../../demo/bitcoin/start-bitcoin.ts";

const genesisTime = 1_767_225_600;

interface RpcTransaction {
  readonly vin: readonly { readonly prevout: { readonly value: string } }[];
  readonly vout: readonly { readonly value: string }[];
  readonly fee?: string;
}

const satoshi = (amount: string): bigint => {
  expect(amount).toMatch(/^\d+\.\d{8}$/);
  return BigInt(amount.replace(".", ""));
};

describe("the demo's Bitcoin node", () => {
  let node: BitcoinDemo;
  beforeEach(async () => {
    node = await startBitcoin(genesisTime);
  });
  afterEach(() => node.stop());

  const send = async (body: unknown): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(node.rpcUrl, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const resultOf = async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> =>
    ((await send({ jsonrpc: "2.0", id: 1, method, params })).body as { result: Result }).result;

  it("serves the blocks with the hashes that the demo reports, up to the last one", async () => {
    const head = await resultOf<string>("getbestblockhash");
    const { height } = await resultOf<{ height: number }>("getblockheader", head);
    expect(node.hashAt(height)).toBe(`0x${head}`);
    expect(node.hashAt(height + 1)).toBeNull();
    expect(await resultOf("getblockhash", 0)).toBe(node.hashAt(0)?.slice(2));
    expect(await resultOf("getblockchaininfo")).toMatchObject({ chain: "regtest", blocks: height, bestblockhash: head, pruned: false });
  });

  it("returns amounts with eight decimals, and fees that are their difference", async () => {
    const body = JSON.stringify({ id: 1, method: "getblock", params: [node.hashAt(103)?.slice(2), 3] });
    const text = await (await fetch(node.rpcUrl, { method: "POST", body })).text();
    // As strings, amounts stay exact.
    const { result } = JSON.parse(text.replaceAll(/"(value|fee)":([^,}]+)/g, '"$1":"$2"')) as { result: { tx: readonly RpcTransaction[] } };
    const payments = result.tx.filter(({ fee }) => fee !== undefined);
    expect(payments).toHaveLength(2);
    const sum = (amounts: readonly string[]): bigint => amounts.reduce((total, amount) => total + satoshi(amount), 0n);
    for (const { vin, vout, fee = "" } of payments)
      expect(satoshi(fee)).toBe(sum(vin.map(({ prevout }) => prevout.value)) - sum(vout.map(({ value }) => value)));
  });

  it("returns the addresses of the story's wallets", async () => {
    const hashes = Array.from({ length: 8 }, (_, offset) => node.hashAt(101 + offset)?.slice(2));
    const blocks = await Promise.all(hashes.map((hash) => resultOf("getblock", hash, 2)));
    const addresses = [...JSON.stringify(blocks).matchAll(/"address":"([^"]+)"/g)].map(([, address]) => address);
    expect(new Set(addresses)).toEqual(new Set(Object.values(node.values)));
  });

  it("responds to invalid requests, and keeps running", async () => {
    const invalid = { error: { code: -32600, message: "Invalid Request object" } };
    for (const body of ["{", "null", "7", { id: 1 }, { id: 1, method: "getblockhash", params: { height: 0 } }])
      expect(await send(body)).toMatchObject({ status: 500, body: invalid });
    expect(await send([])).toEqual({ status: 200, body: [] });
    expect((await send([7, { id: 2, method: "getbestblockhash" }])).body).toMatchObject([invalid, { id: 2, error: null }]);
    for (const method of ["stop", "constructor", "__proto__"])
      expect((await send({ id: 1, method })).body).toMatchObject({ result: null, error: { code: -32601, message: "Method not found" } });
    expect((await send({ id: 1, method: "getblockhash", params: [10_000] })).body).toMatchObject({ error: { code: -8 } });
    expect((await send({ id: 1, method: "getblock", params: ["00", 3] })).body).toMatchObject({ error: { code: -5 } });
    expect((await fetch(node.rpcUrl)).status).toBe(405);
    expect(await resultOf("getblockhash", 1)).toBe(node.hashAt(1)?.slice(2));
  });

  it("rejects large requests without reading them", async () => {
    const request = fetch(node.rpcUrl, { method: "POST", body: " ".repeat(8_000_000) }).then(
      ({ status }) => status,
      // The connection can be closed before the client has sent everything.
      () => 413,
    );
    expect(await request).toBe(413);
    expect(await resultOf("getblockhash", 1)).toBe(node.hashAt(1)?.slice(2));
  });

  it("releases its port when it stops", async () => {
    await node.stop();
    await expect(send({ id: 1, method: "getbestblockhash" })).rejects.toThrow();
    node = await startBitcoin(genesisTime);
  });
});
