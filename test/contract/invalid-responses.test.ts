import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../generated/operations.gen.ts";
import { type ValidatedOperation, validators } from "../../generated/validators.gen.js";
import { type Document, readDocument } from "../support/document.ts";
import { createOpenApiValidator, type OpenApiValidator, type ServedResponse } from "../support/openapi-validator.ts";

type Data = Record<string, unknown>;

/** A documented operation with its example response. */
interface Documented {
  readonly id: ValidatedOperation;
  readonly path: string;
  readonly body: unknown;
}

interface Example {
  readonly example?: unknown;
}

const json = "application/json; charset=utf-8";
const success = (body: unknown): ServedResponse => ({ status: 200, contentType: json, body });
const failure = (status: number) => ({ data: null, error: true, error_message: "Failed", error_code: status });

let openApi: OpenApiValidator;
let documented: readonly Documented[];

beforeAll(async () => {
  const document = await readDocument();
  openApi = await createOpenApiValidator(document);
  documented = operations.map(({ id, path }) => ({
    id: id as ValidatedOperation,
    path,
    body: exampleOf(document, path),
  }));
});

afterAll(() => openApi?.close());

function exampleOf(document: Document, path: string): unknown {
  const media = document.paths[path]?.get?.responses["200"]?.content?.["application/json"] as Example | undefined;
  if (media?.example === undefined) throw new Error(`Missing example for ${path}.`);
  return media.example;
}

function operation(id: string): Documented {
  const found = documented.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`Unknown operation ${id}.`);
  return found;
}

/** The example response with one change to its payload. */
function changed({ body }: Documented, change: (data: Data, row: Data) => void): unknown {
  const copy = structuredClone(body) as { data: Data | Data[] };
  const data = (Array.isArray(copy.data) ? copy.data[0] : copy.data) ?? {};
  const [row = data] = (data.items ?? []) as Data[];
  change(data, row);
  return copy;
}

/** The violations that each validator reports; null for none. */
async function violationsOf({ id, path }: Documented, body: unknown): Promise<{ openApi: string | null; generated: string | null }> {
  const validate = validators[id];
  const isValid = validate(body);
  return { openApi: await openApi.response(path, success(body)), generated: isValid ? null : JSON.stringify(validate.errors) };
}

async function expectRejected(documentedOperation: Documented, body: unknown, message: RegExp): Promise<void> {
  const violations = await violationsOf(documentedOperation, body);
  expect(violations.openApi, documentedOperation.id).toMatch(message);
  expect(violations.generated, documentedOperation.id).toMatch(message);
}

describe("the response validators", () => {
  it("accept the documented response of every operation", async () => {
    for (const example of documented)
      expect(await violationsOf(example, example.body), example.id).toEqual({ openApi: null, generated: null });
  });

  it("accept a documented error", async () => {
    const { path } = operation("getBlock");
    for (const status of [400, 401, 402, 403, 404, 429, 500, 503]) {
      expect(await openApi.response(path, { status, contentType: json, body: failure(status) }), String(status)).toBeNull();
    }
  });

  it("reject a missing field in every operation's response", async () => {
    for (const endpoint of documented) {
      const [field = ""] = Object.keys((changed(endpoint, () => {}) as { data: Data }).data);
      const name = Array.isArray((endpoint.body as { data: unknown }).data)
        ? Object.keys((endpoint.body as { data: Data[] }).data[0] ?? {})[0]
        : field;
      await expectRejected(
        endpoint,
        changed(endpoint, (data) => {
          delete data[name ?? ""];
        }),
        new RegExp(`required.*${name}|${name}.*required`),
      );
    }
  });

  it("reject an undeclared field in every operation's response", async () => {
    for (const endpoint of documented) {
      await expectRejected(
        endpoint,
        changed(endpoint, (_data, row) => {
          row.more = null;
        }),
        /additional/,
      );
    }
  });

  it("reject a payload that is null or not an object in every operation's response", async () => {
    for (const endpoint of documented) {
      const envelope = endpoint.body as Data;
      await expectRejected(endpoint, { ...envelope, data: "text" }, /\/data/);
      await expectRejected(endpoint, { ...envelope, data: null }, /\/data/);
    }
  });

  it("reject an incomplete envelope, an envelope with an error, and one with an undeclared field", async () => {
    const block = operation("getBlock");
    const { error_code: _code, ...partial } = block.body as Data;
    await expectRejected(block, partial, /error_code/);
    await expectRejected(block, { ...(block.body as Data), error: true }, /\/error/);
    await expectRejected(block, { ...(block.body as Data), took: 5 }, /additional/);
  });
});

describe("the response validators, for wrong values", () => {
  const wrongValues: readonly (readonly [string, string, string, unknown])[] = [
    ["a number as a string", "getBlock", "height", "18420"],
    ["a string as a number", "getBlock", "block_hash", 1],
    ["a list as an object", "getNativeTokenBalance", "supports_erc", {}],
    ["a fraction instead of an integer", "getBlock", "gas_used", 1.5],
    ["an amount as a number", "getNativeTokenBalance", "balance", 1_000_000],
    ["an amount with a fraction", "getNativeTokenBalance", "balance", "1.5"],
    ["an amount with an exponent", "getNativeTokenBalance", "balance", "1e18"],
    ["a negative amount", "getNativeTokenBalance", "balance", "-1"],
    ["an amount in hex", "getNativeTokenBalance", "balance", "0x10"],
    ["an amount with a leading zero", "getNativeTokenBalance", "balance", "01"],
    ["an empty amount", "getNativeTokenBalance", "balance", ""],
    ["an address in upper case", "getBlock", "miner_address", "0x90F79BF6EB2C4F870365E785982E1F101E93B906"],
    ["an address that is too short", "getBlock", "miner_address", "0x90f79bf6eb2c4f870365e785982e1f101e93b9"],
    ["a hash in upper case", "getBlock", "block_hash", `0x${"AB".repeat(32)}`],
    ["a timestamp without Z", "getBlock", "signed_at", "2026-02-28T21:04:12"],
    ["a timestamp with an offset", "getBlock", "signed_at", "2026-02-28T21:04:12+00:00"],
    ["a timestamp with a space instead of T", "getBlock", "signed_at", "2026-02-28 21:04:12Z"],
    ["a timestamp as a number", "getBlock", "signed_at", 1_772_312_652],
    ["null for a required value", "getBlock", "height", null],
    ["null instead of a timestamp", "getBlock", "signed_at", null],
    ["a link without a host", "getBlock", "transactions_link", "/v1/demo/block/1/transactions_v3/"],
  ];

  it.each(wrongValues)("reject %s in %s.%s", async (_title, id, field, value) => {
    const endpoint = operation(id);
    await expectRejected(
      endpoint,
      changed(endpoint, (_data, row) => {
        expect(row).toHaveProperty(field);
        row[field] = value;
      }),
      new RegExp(`/${field}`),
    );
  });

  it("reject null instead of a list", async () => {
    const endpoint = operation("getErc20TransfersForWalletAddress");
    await expectRejected(
      endpoint,
      changed(endpoint, (data) => {
        data.items = null;
      }),
      /\/items/,
    );
  });

  it("reject a row from another endpoint", async () => {
    const endpoint = operation("getBlock");
    await expectRejected(
      endpoint,
      changed(endpoint, (data) => {
        data.items = [changed(operation("getNativeTokenBalance"), () => {})];
      }),
      /items\/0/,
    );
  });
});

describe("the OpenAPI validator", () => {
  const path = "/v1/{chainName}/block_v2/{blockHeight}/";

  it.each([201, 204, 206, 302, 406, 410, 418, 504, 599])("rejects the undeclared status %i", async (status) => {
    const body = status < 400 ? operation("getBlock").body : failure(status);
    expect(await openApi.response(path, { status, contentType: json, body })).toBe(
      `no schema defined for status code '${Math.min(status, 509)}' in the openapi spec`,
    );
  });

  it("rejects 501 from a live operation", async () => {
    expect(await openApi.response(path, { status: 501, contentType: json, body: failure(501) })).toMatch(/status code '501'/);
  });

  it("rejects an error with an additional field, including statuses of 500 and above", async () => {
    for (const status of [400, 404, 500, 503]) {
      const response = { status, contentType: json, body: { ...failure(status), stack: "Error" } };
      expect(await openApi.response(path, response), String(status)).toMatch(/additional properties/);
    }
  });

  it("rejects an error with a success status, and a success with an error status", async () => {
    expect(await openApi.response(path, success(failure(400)))).toMatch(/\/response\/data/);
    expect(await openApi.response(path, { status: 400, contentType: json, body: operation("getBlock").body })).toMatch(/\/response\/data/);
  });

  it("rejects JSON declared as HTML, and an error as CSV", async () => {
    expect(await openApi.response(path, { ...success(operation("getBlock").body), contentType: "text/html" })).toMatch(
      /text\/html is not declared/,
    );
    expect(await openApi.response(path, { status: 400, contentType: "text/csv", body: failure(400) })).toMatch(/text\/csv is not declared/);
  });

  it("rejects an empty body", async () => {
    expect(await openApi.response(path, success(null))).toMatch(/body required/);
  });
});
