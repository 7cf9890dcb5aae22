import { expect, test } from "vitest";
import { BadReplyError, RpcError } from "../../../runtime/chain/errors.ts";
import { untilConsistent } from "../../../runtime/chain/retry-replies.ts";

test("untilConsistent repeats requests that fail or have inconsistent responses, and reports only the latter", async () => {
  const failures = [new RpcError("eth_getBlockByNumber", -32000, "overloaded"), new BadReplyError("the parent hash differs")];
  const reasons: string[] = [];
  const work = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return "block";
  };
  const options = { waitMilliseconds: 1, onBadReply: (reason: string) => void reasons.push(reason) };
  expect(await untilConsistent(work, options)).toBe("block");
  expect(reasons).toEqual(["the parent hash differs"]);
});
