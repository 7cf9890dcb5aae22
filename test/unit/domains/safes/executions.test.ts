import { concatHex, encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters, toHex, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog } from "../../../../runtime/chain/types.ts";
import { executionsOf } from "../../../../runtime/domains/safes/executions.ts";
import { safesProjection } from "../../../../runtime/domains/safes/projection.ts";
import { createEventDecoder } from "../../../../runtime/events/event-decoder.ts";
import {
  safeExecutionFailure,
  safeExecutionSuccess,
  safeMultiSigTransaction,
  safeOwnerAdded,
  safeSetup,
} from "../../../../runtime/events/safes.ts";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [safe, other] = [account("1"), account("2")];
const txHash: Hash = `0x${"9".repeat(64)}`;
const word = (value: number): Hex => toHex(value, { size: 32 });
const abi = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
]);

const execTransaction = (signatures: Hex, to = zeroAddress as Address, data: Hex = "0x", operation = 0): Hex =>
  encodeFunctionData({
    abi,
    functionName: "execTransaction",
    args: [to, 0n, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures],
  });
const success = (address: Address) => ({ address, topics: [safeExecutionSuccess.topic0, txHash], data: word(0) });
const failure = (address: Address) => ({ address, topics: [safeExecutionFailure.topic0], data: concatHex([txHash, word(0)]) });
const started = (address: Address, signatures: Hex) => ({
  address,
  topics: [safeMultiSigTransaction.topic0],
  data: encodeAbiParameters(
    parseAbiParameters("address, uint256, bytes, uint8, uint256, uint256, uint256, address, address, bytes, bytes"),
    [zeroAddress, 0n, "0x", 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures, "0x"],
  ),
});

const blockOf = (to: Address, input: Hex, logs: readonly Omit<ChainLog, "index">[]) =>
  createEventDecoder(safesProjection.events)({
    number: 1,
    transactions: [{ index: 0, to, input, logs: logs.map((log, index) => ({ ...log, index: index + 5 })) }],
  } as unknown as ChainBlock);
const readExecutions = (to: Address, input: Hex, ...logs: readonly Omit<ChainLog, "index">[]) =>
  executionsOf(blockOf(to, input, logs)).map(({ safe: by, signatures, checkedBefore }) => [by, signatures, checkedBefore]);

describe("executionsOf", () => {
  it("reads both event forms, and signatures only from the outermost execution's input", () => {
    expect(readExecutions(safe, execTransaction("0xaa"), failure(safe), success(safe))).toEqual([
      [safe, null, 5],
      [safe, "0xaa", 5],
    ]);
  });

  it("pairs nested executions with their own signatures", () => {
    expect(readExecutions(other, "0x", started(safe, "0xaa"), started(safe, "0xbb"), success(safe), success(safe))).toEqual([
      [safe, "0xbb", 6],
      [safe, "0xaa", 5],
    ]);
  });

  it("follows an execution's call to another Safe, unless the execution failed or delegated the call", () => {
    const inner = execTransaction("0xbb");
    expect(readExecutions(safe, execTransaction("0xaa", other, inner), success(other), success(safe))).toEqual([
      [other, "0xbb", 5],
      [safe, "0xaa", 5],
    ]);
    expect(readExecutions(safe, execTransaction("0xaa", other, inner, 1), success(other), success(safe))[0]).toEqual([other, null, 5]);
    expect(readExecutions(safe, execTransaction("0xaa", other, inner), success(other), failure(safe))[0]).toEqual([other, null, 5]);
  });

  it.each<[string, Hex]>([
    ["empty", "0x"],
    ["only the selector", "0x6a761202"],
    ["a call with offsets beyond the data", concatHex(["0x6a761202", `0x${"ff".repeat(320)}`])],
    ["truncated", execTransaction("0xaabb").slice(0, -64) as Hex],
    ["a call to another function", concatHex(["0x12345678", `0x${"00".repeat(400)}`])],
  ])("returns no signatures if the input is %s", (_, input) => {
    expect(readExecutions(safe, input, success(safe))).toEqual([[safe, null, 5]]);
  });

  it("ignores malformed events", () => {
    const malformed = [
      { address: safe, topics: [safeExecutionSuccess.topic0], data: "0x" as Hex },
      { address: safe, topics: [safeExecutionFailure.topic0, txHash, txHash], data: word(0) },
      { address: safe, topics: [safeMultiSigTransaction.topic0], data: `0x${"ff".repeat(352)}` as Hex },
      { address: safe, topics: [safeSetup.topic0, word(1)], data: concatHex([word(128), word(1), word(0), word(0), word(2 ** 30)]) },
      { address: safe, topics: [safeOwnerAdded.topic0], data: `0x${"ff".repeat(32)}` as Hex },
    ];
    expect(blockOf(safe, "0x", malformed).events).toEqual([]);
  });
});
