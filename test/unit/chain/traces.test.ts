import { describe, expect, it } from "vitest";
import { mayHaveInternalTransfers, readCallTracer, readFlatTraces } from "../../../runtime/chain/traces.ts";
import type { ChainTransaction } from "../../../runtime/chain/types.ts";
import type { Address } from "../../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const transaction = (overrides: Partial<ChainTransaction> = {}): ChainTransaction => ({
  index: 0,
  hash: `0x${"ab".repeat(32)}`,
  from: account("1"),
  to: account("2"),
  value: 10n,
  nonce: 0n,
  gasLimit: 100_000n,
  input: "0x01",
  type: 2,
  successful: true,
  gasUsed: 50_000n,
  effectiveGasPrice: 1n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs: [],
  traces: null,
  ...overrides,
});
const frame = (type: string, from: string, to: string, value: string, rest: object = {}) => ({
  type,
  from: account(from),
  to: account(to),
  value,
  ...rest,
});
const root = (calls: readonly object[], rest: object = {}) => [{ result: frame("CALL", "1", "2", "0xa", { calls, ...rest }) }];
const flat = (type: string, traceAddress: readonly number[], action: object, rest: object = {}) => ({
  type,
  traceAddress,
  action,
  transactionPosition: 0,
  transactionHash: transaction().hash,
  ...rest,
});
const flatCall = (from: string, to: string, value: string, callType = "call") => ({
  from: account(from),
  to: account(to),
  value,
  callType,
});

describe("the internal transfer decoder", () => {
  it("counts calls, creations and self-destructs in call order, but not delegated or static calls", () => {
    const [traces] = readCallTracer(
      root([
        frame("DELEGATECALL", "2", "3", "0xa", { calls: [frame("CALL", "2", "4", "0x1")] }),
        frame("STATICCALL", "2", "5", "0x0"),
        frame("CALLCODE", "2", "5", "0x5"),
        frame("CALL", "2", "6", "0x0"),
        frame("CREATE2", "2", "7", "0x2", { calls: [frame("SELFDESTRUCT", "7", "8", "0x2")] }),
      ]),
      [transaction()],
      true,
    );
    expect(traces).toEqual({
      failed: false,
      traces: [
        { index: 1, type: "call", from: account("2"), to: account("4"), value: 1n },
        { index: 5, type: "create", from: account("2"), to: account("7"), value: 2n },
        { index: 6, type: "selfdestruct", from: account("7"), to: account("8"), value: 2n },
      ],
    });
  });

  it("counts nothing under a failed frame, at any depth", () => {
    const failed = frame("CALL", "2", "3", "0x1", {
      error: "execution reverted",
      calls: [frame("CALL", "3", "4", "0x1", { calls: [frame("CALL", "4", "5", "0x1")] })],
    });
    const [traces] = readCallTracer(root([failed, frame("CALL", "2", "6", "0x3")]), [transaction()], true);
    expect(traces?.traces.map(({ to, value }) => ({ to, value }))).toEqual([{ to: account("6"), value: 3n }]);
    expect(readCallTracer(root([frame("CALL", "2", "6", "0x3")], { error: "out of gas" }), [transaction()], true)).toEqual([
      { failed: true, traces: [] },
    ]);
  });

  it("decodes a tree that is ten thousand frames deep", () => {
    let tree: object = frame("CALL", "2", "3", "0x1");
    for (let level = 0; level < 10_000; level += 1) tree = frame("CALL", "2", "3", "0x0", { calls: [tree] });
    expect(readCallTracer(root([tree]), [transaction()], true)[0]?.traces).toHaveLength(1);
  });

  it("counts a self-destruct to the contract itself only if it burns value: before Cancun, or for a contract created in the same transaction", () => {
    const old = root([frame("SELFDESTRUCT", "2", "2", "0x5")]);
    expect(readCallTracer(old, [transaction()], true)[0]?.traces).toHaveLength(0);
    expect(readCallTracer(old, [transaction()], false)[0]?.traces).toHaveLength(1);
    const createdHere = root([frame("CREATE", "2", "7", "0x0", { calls: [frame("SELFDESTRUCT", "7", "7", "0x5")] })]);
    expect(readCallTracer(createdHere, [transaction()], true)[0]?.traces).toHaveLength(1);
  });

  it("counts payments to a contract after its self-destruct in the same transaction as burnt", () => {
    const paidAfterwards = root([
      frame("CREATE", "2", "7", "0x5", {}),
      frame("CALL", "2", "7", "0x0", { calls: [frame("SELFDESTRUCT", "7", "8", "0x5")] }),
      frame("CALL", "2", "7", "0x3"),
    ]);
    const burnt = { index: 4, type: "selfdestruct", from: account("7"), to: account("7"), value: 3n };
    for (const eip6780 of [true, false]) expect(readCallTracer(paidAfterwards, [transaction()], eip6780)[0]?.traces.at(-1)).toEqual(burnt);
    // Under EIP-6780, a contract that an earlier transaction created is not destroyed.
    const old = root([frame("CALL", "2", "7", "0x0", { calls: [frame("SELFDESTRUCT", "7", "8", "0x5")] }), frame("CALL", "2", "7", "0x3")]);
    expect(readCallTracer(old, [transaction()], true)[0]?.traces).toHaveLength(2);
    expect(readCallTracer(old, [transaction()], false)[0]?.traces.at(-1)).toEqual({ ...burnt, index: 3 });
  });

  it("ignores self-destructs by accounts other than the executing one, as some nodes return them", () => {
    const returned = root([
      frame("CALL", "2", "7", "0x3", { calls: [{ type: "SELFDESTRUCT", from: account("0") }] }),
      frame("CALL", "2", "7", "0x0", { calls: [frame("SELFDESTRUCT", "2", "7", "0x3")] }),
      // Delegated code destroys the calling contract.
      frame("DELEGATECALL", "2", "7", "0x0", { calls: [frame("SELFDESTRUCT", "2", "8", "0x1")] }),
    ]);
    expect(readCallTracer(returned, [transaction()], true)[0]?.traces.map(({ type, to, value }) => [type, to, value])).toEqual([
      ["call", account("7"), 3n],
      ["selfdestruct", account("8"), 1n],
    ]);
    const selfDestruct = (path: readonly number[], address: string, beneficiary: string, balance: string) =>
      flat("suicide", path, { address: account(address), refundAddress: account(beneficiary), balance });
    const [flatTraces] = readFlatTraces(
      [
        flat("call", [], flatCall("1", "2", "0xa")),
        flat("call", [0], flatCall("2", "7", "0x3")),
        selfDestruct([0, 0], "0", "0", "0x0"),
        flat("call", [1], flatCall("2", "7", "0x0")),
        selfDestruct([1, 0], "2", "7", "0x3"),
        flat("call", [2], flatCall("2", "7", "0x0", "delegatecall")),
        selfDestruct([2, 0], "2", "8", "0x1"),
      ],
      [transaction()],
      true,
    );
    expect(flatTraces?.traces.map(({ type, to, value }) => [type, to, value])).toEqual([
      ["call", account("7"), 3n],
      ["selfdestruct", account("8"), 1n],
    ]);
  });

  it("decodes flat traces with the same result", () => {
    const traces = readFlatTraces(
      [
        flat("reward", [], {}, { transactionPosition: null }),
        flat("call", [], flatCall("1", "2", "0xa")),
        flat("call", [0], flatCall("2", "3", "0x1"), { error: "Reverted" }),
        flat("call", [0, 0], flatCall("3", "4", "0x1")),
        flat("call", [0, 0, 1], flatCall("4", "5", "0x1")),
        flat("call", [1], flatCall("2", "6", "0x3", "delegatecall")),
        flat("create", [2], { from: account("2"), value: "0x2", init: "0x" }, { result: { address: account("7") } }),
        flat("suicide", [2, 0], { address: account("7"), refundAddress: account("8"), balance: "0x2" }),
        flat("call", [10], flatCall("2", "9", "0x4")),
      ],
      [transaction()],
      true,
    );
    expect(traces[0]?.traces.map(({ type, to, value }) => [type, to, value])).toEqual([
      ["create", account("7"), 2n],
      ["selfdestruct", account("8"), 2n],
      ["call", account("9"), 4n],
    ]);
  });
});

describe("mayHaveInternalTransfers", () => {
  const plain = { input: "0x", gasUsed: 21_000n, gasLimit: 50_000n } as const;
  it.each([
    ["a plain transfer", transaction(plain), 1n, false],
    ["a failed call", transaction({ successful: false }), 1n, false],
    ["a call with input", transaction({ ...plain, input: "0x00" }), 1n, true],
    ["a transfer that ran code", transaction({ ...plain, gasUsed: 21_055n }), 1n, true],
    ["a creation", transaction({ ...plain, to: null }), 1n, true],
    ["21,000 gas before EIP-1559, to which refunds may have reduced it", transaction(plain), null, true],
    ["a limit of 21,000 gas before EIP-1559", transaction({ ...plain, gasLimit: 21_000n }), null, false],
    ["a receipt without a status", transaction({ ...plain, successful: null }), null, true],
  ])("decides whether call frames are requested for %s", (_, candidate, baseFee, expected) => {
    expect(mayHaveInternalTransfers(candidate, baseFee)).toBe(expected);
  });
});
