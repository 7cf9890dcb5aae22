import { expect, test } from "vitest";
import { InvalidResponseError, RpcError } from "../../../runtime/chain/errors.ts";
import { retryUntilConsistent } from "../../../runtime/chain/retry-responses.ts";

test("retryUntilConsistent repeats requests that fail or have inconsistent responses, and reports only the latter", async () => {
  const failures = [new RpcError("eth_getBlockByNumber", -32000, "overloaded"), new InvalidResponseError("the parent hash differs")];
  const reasons: string[] = [];
  const work = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return "block";
  };
  const options = { waitMilliseconds: 1, onInvalidResponse: (reason: string) => void reasons.push(reason) };
  expect(await retryUntilConsistent(work, options)).toBe("block");
  expect(reasons).toEqual(["the parent hash differs"]);
});
