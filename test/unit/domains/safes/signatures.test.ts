import { concatHex, type Hex, hashMessage, numberToHex, pad, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { recoverSigner, splitSignatures } from "../../../../runtime/domains/safes/signatures.ts";
import type { Hash } from "../../../../runtime/lib/hex.ts";

const hash: Hash = `0x${"7".repeat(64)}`;
const account = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
const owner = account.address.toLowerCase();
const contract: Hex = `0x${"c".repeat(40)}`;
/** The order of the curve (SEC 2, section 2.4.1). */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const encodeSignature = (r: Hex, s: Hex | bigint, v: number): Hex =>
  concatHex([pad(r), typeof s === "bigint" ? toHex(s, { size: 32 }) : pad(s), numberToHex(v, { size: 1 })]);
const signersOf = (signatures: Hex) =>
  Promise.all(
    splitSignatures(signatures).map(async (signature) => [signature.type, signature.account ?? (await recoverSigner(hash, signature))]),
  );

describe("splitSignatures", () => {
  it("returns the accounts of contract signatures and approved hashes, and the contract signatures' data", () => {
    const data = concatHex([toHex(3, { size: 32 }), "0xabcdef"]);
    const signatures = concatHex([encodeSignature(contract, 130n, 0), encodeSignature(contract, 0n, 1), data]);
    expect(splitSignatures(signatures)).toEqual([
      { type: "contract", signature: "0xabcdef", account: contract },
      { type: "approved_hash", signature: encodeSignature(contract, 0n, 1), account: contract },
    ]);
  });

  it.each<[string, Hex]>([
    ["an offset beyond the data", encodeSignature(contract, 2n ** 31n, 0)],
    ["a 256-bit offset", encodeSignature(contract, 2n ** 256n - 1n, 0)],
    ["an offset into the signature itself", encodeSignature(contract, 40n, 0)],
    ["a length beyond the data", concatHex([encodeSignature(contract, 65n, 0), toHex(2n ** 255n, { size: 32 }), "0xab"])],
  ])("returns no data for a contract signature with %s", (_, signatures) => {
    expect(splitSignatures(signatures)).toEqual([{ type: "contract", signature: null, account: contract }]);
  });

  it("ignores incomplete signatures", () => {
    expect(splitSignatures("0x")).toEqual([]);
    expect(splitSignatures(`0x${"ab".repeat(64)}`)).toEqual([]);
  });

  it("returns no more data than it receives if contract signatures share data", () => {
    const count = 1_000;
    const data = concatHex([toHex(100_000, { size: 32 }), `0x${"ee".repeat(100_000)}`]);
    const signatures = concatHex([...Array.from({ length: count }, () => encodeSignature(contract, BigInt(65 * count), 0)), data]);
    const split = splitSignatures(signatures);
    expect(split).toHaveLength(count);
    expect(split.reduce((sum, { signature }) => sum + (signature?.length ?? 0), 0)).toBeLessThanOrEqual(signatures.length);
  });
});

describe("recoverSigner", () => {
  it("returns the account of a key that signed the hash or its message", async () => {
    const [plain, message] = [await account.sign({ hash }), await account.signMessage({ message: { raw: hash } })];
    const ethSign = concatHex([message.slice(0, -2) as Hex, numberToHex(Number.parseInt(message.slice(-2), 16) + 4, { size: 1 })]);
    expect(await account.sign({ hash: hashMessage({ raw: hash }) })).toBe(message);
    expect(await signersOf(concatHex([plain, ethSign]))).toEqual([
      ["ecdsa", owner],
      ["eth_sign", owner],
    ]);
  });

  it("accepts the greater of the two s values, as ecrecover does", async () => {
    const signature = await account.sign({ hash });
    const s = order - BigInt(`0x${signature.slice(66, 130)}`);
    const v = 55 - Number.parseInt(signature.slice(130), 16);
    expect(await signersOf(encodeSignature(signature.slice(0, 66) as Hex, s, v))).toEqual([["ecdsa", owner]]);
  });

  it("returns another account for a signature by another key", async () => {
    const other = privateKeyToAccount(generatePrivateKey());
    expect(await signersOf(await other.sign({ hash }))).toEqual([["ecdsa", other.address.toLowerCase()]]);
  });

  it.each<[string, Hex, string]>([
    ["r is zero", encodeSignature("0x", 1n, 27), "ecdsa"],
    ["s is the order of the curve", encodeSignature("0x01", order, 28), "ecdsa"],
    ["r is not on the curve", encodeSignature(`0x${"f".repeat(64)}`, 1n, 27), "ecdsa"],
    ["v is unknown", encodeSignature("0x01", 1n, 29), "ecdsa"],
    ["v is unknown for a message", encodeSignature("0x01", 1n, 255), "eth_sign"],
  ])("returns null if %s", async (_, signature, type) => {
    expect(await signersOf(signature)).toEqual([[type, null]]);
  });
});
