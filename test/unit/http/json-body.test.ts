import { describe, expect, it } from "vitest";
import { jsonBody } from "../../../runtime/http/json-body.ts";

const envelope = (data: unknown): string => JSON.stringify({ data, error: false, error_message: null, error_code: null });
const range = <T>(length: number, itemOf: (index: number) => T): T[] => Array.from({ length }, (_, index) => itemOf(index));
const hostileText = '\u0000\u001f"\\\u2028\ud800 =1+1,</script>\r\n\u{1f98a}';

const large = range(3_000, (index) => ({
  name: `${hostileText}${index}`,
  missing: undefined,
  nothing: null,
  [hostileText]: [index, null, undefined, 1e-7, true],
  time: new Date(index),
  nested: { empty: [], object: {} },
}));

describe("a response body", () => {
  it.each([
    ["a small object", { items: [{ a: undefined, b: [undefined] }] }],
    ["null", null],
    ["a long list", large],
    ["a long list in an object after an omitted member", { missing: undefined, items: large, pagination: { has_more: false } }],
    ["long lists in short ones", { items: range(3, () => ({ logs: range(500, () => ({ params: range(10, String) })), last: null })) }],
    ["long texts", { items: range(4, () => ({ data: "\u00e9".repeat(200_000) })) }],
    ["a list that grows by one empty list", range(300, () => [])],
  ])("equals the output of JSON.stringify for %s", async (_, data) => {
    expect(String(await jsonBody(data, Number.POSITIVE_INFINITY))).toBe(envelope(data));
  });

  it("is not completed above the maximum size", async () => {
    const data = range(100_000, () => "x".repeat(100));
    const { length } = await jsonBody(data, 1_000_000);
    expect(length).toBeGreaterThan(1_000_000);
    expect(length).toBeLessThan(1_200_000);
  });
});
