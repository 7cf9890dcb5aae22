import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ValidatedOperation, validators } from "../../../../generated/validators.gen.js";

interface Documented {
  readonly get: {
    readonly operationId: string;
    readonly responses: { readonly "200": { readonly content: { readonly "application/json": { readonly example: unknown } } } };
  };
}

const document: { readonly paths: Readonly<Record<string, Documented>> } = JSON.parse(
  readFileSync(new URL("../../../../generated/openapi.json", import.meta.url), "utf8"),
);

const documented = Object.values(document.paths).map(({ get }) => ({
  id: get.operationId as ValidatedOperation,
  response: get.responses["200"].content["application/json"].example,
}));

const success = (data: unknown) => ({ data, error: false, error_message: null, error_code: null });

/** The documented response of an operation, with a change to its first item. */
function changedResponse(id: ValidatedOperation, change: (item: Record<string, unknown>) => void): unknown {
  const response = structuredClone(documented.find((entry) => entry.id === id)?.response) as { data: { items: Record<string, unknown>[] } };
  const [item] = response.data.items;
  if (item === undefined) throw new Error(`The documented response for ${id} has no items.`);
  change(item);
  return response;
}

describe("generated validators", () => {
  it("exist for every documented operation and accept its documented response", () => {
    expect(documented.map(({ id }) => id).sort()).toEqual(Object.keys(validators).sort());
    const rejected = documented.filter(({ id, response }) => !validators[id](response));
    expect(rejected.map(({ id }) => [id, validators[id].errors])).toEqual([]);
  });

  it("accept null for nullable fields", () => {
    expect(
      validators.getTokenBalancesForWalletAddress(
        changedResponse("getTokenBalancesForWalletAddress", (item) => Object.assign(item, { quote: null, logo_urls: null })),
      ),
    ).toBe(true);
  });

  it.each<[string, (item: Record<string, unknown>) => void, string]>([
    ["a missing field", (item) => Reflect.deleteProperty(item, "balance"), "required"],
    ["an additional field", (item) => Object.assign(item, { surprise: 1 }), "additionalProperties"],
    ["text instead of a number", (item) => Object.assign(item, { contract_decimals: "18" }), "type"],
    ["an amount as a number", (item) => Object.assign(item, { balance: 5 }), "type"],
    ["an amount with a decimal point", (item) => Object.assign(item, { balance: "1.5" }), "pattern"],
    ["a negative amount", (item) => Object.assign(item, { balance: "-1" }), "pattern"],
    ["an amount with leading zeros", (item) => Object.assign(item, { balance: "007" }), "pattern"],
    ["an address in upper case", (item) => Object.assign(item, { contract_address: `0x${"AB".repeat(20)}` }), "pattern"],
    ["a time without a time zone", (item) => Object.assign(item, { last_transferred_at: "2026-03-01T12:00:00" }), "pattern"],
    ["text instead of a list", (item) => Object.assign(item, { supports_erc: "erc20" }), "type"],
    ["a nested object without its fields", (item) => Object.assign(item, { logo_urls: {} }), "required"],
  ])("reject %s", (_title, change, keyword) => {
    const validate = validators.getTokenBalancesForWalletAddress;
    expect(validate(changedResponse("getTokenBalancesForWalletAddress", change))).toBe(false);
    expect(validate.errors?.map((error) => error.keyword)).toContain(keyword);
  });

  it("reject a body that is not a successful envelope", () => {
    const { getAllChains: validate } = validators;
    const response = documented.find(({ id }) => id === "getAllChains")?.response as Record<string, unknown>;
    expect(validate(response)).toBe(true);
    expect(validate({ ...response, error: true })).toBe(false);
    expect(validate({ ...response, error_message: "no" })).toBe(false);
    expect(validate({ ...response, extra: 1 })).toBe(false);
    expect(validate({ data: null, error: true, error_message: "no", error_code: 404 })).toBe(false);
    expect(validate(success([]))).toBe(false);
    expect(validate(null)).toBe(false);
  });

  it("require an array if data is a list", () => {
    const response = documented.find(({ id }) => id === "getTokenPrices")?.response as { data: unknown };
    expect(Array.isArray(response.data)).toBe(true);
    expect(validators.getTokenPrices(success([]))).toBe(true);
    expect(validators.getTokenPrices(success({}))).toBe(false);
  });

  it("import no other module at run time", () => {
    const code = readFileSync(new URL("../../../../generated/validators.gen.js", import.meta.url), "utf8");
    expect(code).not.toMatch(/^\s*import\s|\bimport\(|\brequire\(/m);
  });
});
