import { encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestChain } from "../../../support/chain.ts";
import type { ResponseData, TestApi } from "../pools/serve-pools.ts";
import {
  anna,
  ben,
  cleo,
  dora,
  emptyCall,
  type IndexedSafes,
  inOwnerOrder,
  openIndexedSafes,
  outsider,
  removal,
  sentinel,
  toLower,
} from "./indexed-safes.ts";
import {
  approvedHashSignature,
  contractSignature,
  createSafes,
  deployMultiSend,
  ecdsaSignature,
  ethSignSignature,
  joinSignatures,
  mine,
  type Signature,
  type Version,
} from "./support.ts";

let safes: IndexedSafes;
let chain: TestChain;
let multiSend: Awaited<ReturnType<typeof deployMultiSend>>;
let api: TestApi;
beforeAll(async () => {
  safes = await openIndexedSafes();
  ({ chain, api } = safes);
  multiSend = await deployMultiSend(chain);
});
afterAll(() => safes?.end());

describe.each<Version>(["1.3.0", "1.3.0 L2", "1.4.1", "1.4.1 L2"])("the transaction details of Safe %s", (version) => {
  const emitsSignatures = version.endsWith("L2");
  let createSafe: Awaited<ReturnType<typeof createSafes>>;
  beforeAll(async () => {
    createSafe = await createSafes(chain, version);
  });

  it("contain the owners of all four kinds of signatures", async () => {
    const nested = await createSafe([dora.address], 1);
    const safe = await createSafe([anna.address, ben.address, cleo.address, nested.address], 4);
    const { hash, data } = await safe.hashOf(emptyCall);
    const inner = joinSignatures([await ecdsaSignature(dora, await nested.messageHash(data))]);
    await mine(chain, {
      from: cleo.address,
      to: safe.address,
      data: encodeFunctionData({ abi: safe.artifact.abi, functionName: "approveHash", args: [hash] }),
    });
    const signatures = joinSignatures([
      await ecdsaSignature(anna, hash),
      await ethSignSignature(ben, hash),
      approvedHashSignature(cleo.address),
      contractSignature(nested.address, inner),
    ]);
    const transaction = await mine(chain, { from: outsider.address, ...safe.executionTransaction(emptyCall, signatures) });
    expect(await safes.detailsOf(transaction)).toEqual(
      inOwnerOrder([
        ["ecdsa", anna.address],
        ["eth_sign", ben.address],
        ["approved_hash", cleo.address],
        ["contract", nested.address],
      ]),
    );
    const { items } = await api.get(`week/transaction_v2/${transaction}/?with-safe=true`);
    const contractSignatureDetails = items[0].safe_details.find((details: ResponseData) => details.signature_type === "contract");
    expect(contractSignatureDetails.signature).toBe(inner);
    expect((await api.get(`week/transaction_v2/${transaction}/`)).items[0].safe_details).toBeNull();
  });

  it("contain forged signatures beyond the threshold without an owner", async () => {
    const safe = await createSafe([anna.address, ben.address, cleo.address], 1);
    const { hash } = await safe.hashOf(emptyCall);
    const forged: Signature[] = [
      await ecdsaSignature(outsider, hash),
      approvedHashSignature(ben.address),
      contractSignature(cleo.address, "0x1234"),
      await ecdsaSignature(ben, hash),
    ];
    const transaction = await mine(chain, safe.executionTransaction(emptyCall, joinSignatures([await ecdsaSignature(anna, hash)], forged)));
    expect(await safes.detailsOf(transaction)).toEqual([
      ["ecdsa", toLower(anna.address)],
      ["ecdsa", null],
      ["approved_hash", null],
      ["contract", null],
      ["ecdsa", toLower(ben.address)],
    ]);
  });

  it("contain the signatures of failed executions", async () => {
    const safe = await createSafe([anna.address], 1);
    // The Safe refuses to add an owner that it already has.
    const failing = {
      to: safe.address,
      data: encodeFunctionData({ abi: safe.artifact.abi, functionName: "addOwnerWithThreshold", args: [anna.address, 1n] }),
      safeTxGas: 100_000n,
    };
    const { hash } = await safe.hashOf(failing);
    const transaction = await mine(chain, safe.executionTransaction(failing, joinSignatures([await ethSignSignature(anna, hash)])));
    const { logs } = await chain.rpc<{ logs: { topics: Hex[] }[] }>("eth_getTransactionReceipt", [transaction]);
    expect(logs.at(-1)?.topics[0]).toBe("0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23");
    expect(await safes.detailsOf(transaction)).toEqual([["eth_sign", toLower(anna.address)]]);
  });

  it("contain an owner that the execution itself removes, but not in later executions", async () => {
    const safe = await createSafe([anna.address, ben.address, cleo.address], 2);
    const removing = removal(safe, cleo.address, ben.address, 1n);
    const { hash } = await safe.hashOf(removing);
    const first = await mine(
      chain,
      safe.executionTransaction(removing, joinSignatures([await ecdsaSignature(anna, hash), await ecdsaSignature(cleo, hash)])),
    );
    expect(await safes.detailsOf(first)).toEqual(
      inOwnerOrder([
        ["ecdsa", anna.address],
        ["ecdsa", cleo.address],
      ]),
    );
    const laterHash = (await safe.hashOf(emptyCall)).hash;
    const second = await mine(
      chain,
      safe.executionTransaction(
        emptyCall,
        joinSignatures([await ecdsaSignature(anna, laterHash)], [await ecdsaSignature(cleo, laterHash)]),
      ),
    );
    expect(await safes.detailsOf(second)).toEqual([
      ["ecdsa", toLower(anna.address)],
      ["ecdsa", null],
    ]);
  });

  it(`of several executions called by another contract are ${emitsSignatures ? "read from events" : "unknown"}`, async () => {
    const safe = await createSafe([anna.address, ben.address], 1);
    const removing = removal(safe, anna.address, sentinel, 1n);
    const [first, second] = [(await safe.hashOf(removing)).hash, (await safe.hashOf(emptyCall, 1n)).hash];
    const transaction = await mine(
      chain,
      multiSend(
        safe.executionTransaction(removing, joinSignatures([await ecdsaSignature(anna, first)])),
        safe.executionTransaction(emptyCall, joinSignatures([await ecdsaSignature(ben, second)], [await ecdsaSignature(anna, second)])),
      ),
    );
    expect(await safes.detailsOf(transaction)).toEqual(
      emitsSignatures
        ? [
            ["ecdsa", toLower(anna.address)],
            ["ecdsa", toLower(ben.address)],
            ["ecdsa", null],
          ]
        : [
            [null, null],
            [null, null],
          ],
    );
  });

  it("contain the signatures of a Safe that another Safe calls", async () => {
    const outer = await createSafe([anna.address], 1);
    const inner = await createSafe([outer.address, ben.address], 2);
    const { hash } = await inner.hashOf(emptyCall);
    const innerCall = inner.executionTransaction(
      emptyCall,
      joinSignatures([approvedHashSignature(outer.address), await ecdsaSignature(ben, hash)]),
    );
    const transaction = await mine(
      chain,
      outer.executionTransaction(innerCall, joinSignatures([await ecdsaSignature(anna, (await outer.hashOf(innerCall)).hash)])),
    );
    expect(await safes.detailsOf(transaction)).toEqual([
      ...inOwnerOrder([
        ["approved_hash", outer.address],
        ["ecdsa", ben.address],
      ]),
      ["ecdsa", toLower(anna.address)],
    ]);
  });
});
